/* SPDX-License-Identifier: Apache-2.0
 *
 * Moments of a program for the host to watch. */
#ifndef MOMENT_H
#define MOMENT_H

#include "cl_compiler.h"

/* A label of this name for --watch: seen when the standard core decodes the instruction behind it, the economy core
 * fetches it. Both see the instruction behind a jump, too, so a label stands behind a nop. The end of straight code may
 * do without on the standard core (not the end of a kernel's service, which may switch there or be a call); the economy
 * core fetches one ahead and would see it before what is measured ends.
 * The compiler may double a piece of code, so each copy of a label has a number: name.5, name.6. */
#define LABEL(name) name ".%=:\n"
#define MOMENT(name) __asm__ volatile("nop\n" LABEL(#name)::: "memory")
#if defined(CL_CORE_ECONOMY)
#define MOMENT_AT_ONCE(name) MOMENT(name)
#else
#define MOMENT_AT_ONCE(name) __asm__ volatile(LABEL(#name)::: "memory")
#endif

#endif
