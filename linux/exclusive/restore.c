/* SPDX-License-Identifier: Apache-2.0 */
#include "restore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"
#include "settle.h"
#include "state.h"

#define PATIENCE_S 60 /* as long as `run` waits */

int cl_restore_dead(void) {
  static const struct cl_settling dead = {0};
  struct cl_settled done;
  int error = cl_settle(&dead, &done);
  if (error && error != EPROTO) /* which ends what comes next, with the same line */
    cl_warn("not all changes of dead reservations could be undone: %s", cl_state_error(error));
  return done.layers;
}

static void put_json(const struct cl_settled *done) {
  printf(
      "{\"reservations\": %d, \"written\": %d, \"as_before\": %d, \"foreign\": %d, \"failed\": %d, \"owed\": %d, "
      "\"damaged\": %d}\n",
      done->layers, done->done, done->already, done->foreign, done->failed, done->owed, done->damaged);
}

int cl_restore(const struct cl_restore_request *request) {
  const struct cl_settling how = {.id = request->id, .all = request->all, .repair = request->repair};
  struct cl_settled done;
  char who[64];
  int lock;
  if (geteuid() != 0 && !cl_files_is_tree()) return cl_fail("restore needs root: try sudo");
  int error = cl_state_lock(&lock, PATIENCE_S);
  if (error == EWOULDBLOCK)
    return cl_fail("%s has been setting up or releasing a reservation for %d s: check what it is doing, then try again",
                   cl_state_holder_text(who), PATIENCE_S);
  if (error) return cl_fail("%s cannot be used: %s", CL_STATE, cl_state_error(error));
  if (request->id && !cl_exists(cl_path(CL_STATE "/%d.layer", request->id))) {
    close(lock);
    return cl_fail("there is no reservation %d: `status` lists them", request->id);
  }
  error = cl_settle(&how, &done);
  close(lock);
  if (error && error != EIO) return cl_fail("the records in %s cannot be used: %s", CL_STATE, cl_state_error(error));
  if (request->json) put_json(&done);
  else if (done.layers + done.done + done.foreign + done.failed + done.damaged == 0) cl_say("nothing to undo");
  else
    cl_say("%d reservation%s undone: %d changes, %d already as before", done.layers, done.layers == 1 ? "" : "s",
           done.done, done.already);
  if (done.foreign && !request->json)
    cl_say("%d value%s kept: others have changed %s", done.foreign, done.foreign == 1 ? "" : "s",
           done.foreign == 1 ? "it" : "them");
  if (done.owed)
    cl_warn("%d task%s CPUs that are offline: run `restore` again when they are back", done.owed,
            done.owed == 1 ? " waits for" : "s wait for");
  if (done.failed)
    cl_warn("%d change%s could not be undone: the records in %s are kept, run `restore` again", done.failed,
            done.failed == 1 ? "" : "s", CL_STATE);
  return done.failed || done.damaged;
}
