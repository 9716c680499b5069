/* SPDX-License-Identifier: Apache-2.0
 *
 * What systemd, or who answers in its place, sends. */
#include <string.h>

#include "dbus.h"
#include "fuzz.h"
#include "hold.h"

static const char *const words[] = {"OK 0\r\n", "l\1\0\1",    "l\2\1\1", "l\3\0\1", "l\4\1\1",
                                    "\x1d",     "JobRemoved", "uoss",    "done",    NULL};

static const char tree[] = FUZZ_FILE
    "/proc/self/mounts" FUZZ_TEXT "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n" FUZZ_FILE "/proc/200/cgroup" FUZZ_TEXT
    "0::/user.slice\n" FUZZ_FILE "/sys/devices/system/cpu/online" FUZZ_TEXT "0-3\n" FUZZ_FILE
    "/sys/fs/cgroup/cgroup.subtree_control" FUZZ_TEXT "cpuset\n" FUZZ_FILE
    "/sys/fs/cgroup/coreloom_100.slice/coreloom_100.scope/cgroup.procs" FUZZ_TEXT "200\n";

/* The types by which it reads. */
static void read_all(struct cl_dbus_message *m) {
  fuzz_note_text(m->member), fuzz_note_text(m->error), fuzz_note_text(m->signature);
  fuzz_note_number(m->serial), fuzz_note_number(m->type);
  for (const char *type = m->signature; *type; type++)
    if (*type == 's' || *type == 'o') fuzz_note_text(cl_dbus_read_text(m));
    else fuzz_note_number(cl_dbus_read_u32(m));
  for (int i = 0; i < 3; i++) fuzz_note_text(cl_dbus_read_text(m)), fuzz_note_number(cl_dbus_read_u32(m));
}

static void run(const char *data, size_t size) {
  static struct cl_dbus_message message;
  struct cl_dbus bus;
  char why[1024] = "";
  struct cl_task task = {.pid = 200, .tid = 200};
  struct cl_request request = {.pid = 200};
  struct cl_hold hold = {.request = &request, .id = 100, .cpus = cl_cpus_one(3), .use = cl_cpus_one(3)};
  fuzz_answers(data, size);
  memset(&message, 0x5a, sizeof message);
  if (cl_dbus_open(&bus, "/run/systemd/private", 1) == 0) {
    while (cl_dbus_next(&bus, &message) == 0) read_all(&message);
    cl_dbus_close(&bus);
  }
  fuzz_tree(tree, sizeof tree - 1);
  struct cl_layer layer = {.fd = -1};
  hold.changes = (struct cl_changes){.layer = &layer};
  fuzz_answers(data, size);
  fuzz_note_number((uint64_t)cl_systemd_scope(&hold, &task, why, sizeof why));
  fuzz_note_text(why);
  fuzz_answers(data, size);
  fuzz_note_number((uint64_t)cl_systemd_leave("coreloom_100.scope"));
}

FUZZ_TARGET(dbus, .run = run, .words = words, .most = 40000)
