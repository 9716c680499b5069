/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of what a reservation has made for itself: its partition, its program's place, its groups and its scope. */
#ifndef CL_ENDING_H
#define CL_ENDING_H

#include "layer.h"

/* The outcome for a value or a thing. LATER: once more when everything else is done. */
enum cl_answer { CL_NOTHING, CL_DONE, CL_ALREADY, CL_FOREIGN, CL_FAILED, CL_LATER, CL_AGAIN };

/* Ends it; `count` is called with each answer. Its program goes back first, then its scope and its groups. `last`: what
 * cannot be done is a failure. False: something is to be done later. */
bool cl_end_layer(const struct cl_text *layer, bool last, void (*count)(void *context, enum cl_answer answer),
                  void *context);

/* "cannot restore WHAT: ..." */
enum cl_answer cl_end_failed(const char *what, int error);
/* Of a write to `path`: what no longer exists takes its files along. */
enum cl_answer cl_end_wrote(const char *path, int error);
bool cl_is_gone(int error);

#endif
