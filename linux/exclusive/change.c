/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "change.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "say.h"

#define MANY 1024

/* What a plan counts as made: folders, and files with a text. */
static struct {
  char path[CL_PATH_MOST];
  char *text;
} planned[MANY];
static int plans;

void cl_change_expect(const struct cl_changes *c, const char *path, const char *text) {
  if (!c->plan || plans == MANY) return;
  snprintf(planned[plans].path, sizeof planned[plans].path, "%s", path);
  planned[plans++].text = text ? strdup(text) : NULL;
}

static bool in_planned(const char *path) {
  for (int i = 0; i < plans; i++) {
    size_t length = strlen(planned[i].path);
    bool below = strncmp(path, planned[i].path, length) == 0 && (path[length] == '/' || path[length] == '\0');
    if (below && planned[i].text == NULL) return true;
  }
  return false;
}

static int read_old(const struct cl_changes *c, const char *path, char *text, size_t size) {
  for (int i = 0; c->plan && i < plans; i++)
    if (planned[i].text && strcmp(planned[i].path, path) == 0) {
      snprintf(text, size, "%s", planned[i].text);
      return 0;
    }
  if (!c->plan || !in_planned(path)) return cl_read(path, text, size);
  text[0] = '\0';
  return 0;
}

/* Writes down, then writes; or prints. */
static int put(struct cl_changes *c, const char *kind, const char *path, const char *old, const char *new) {
  c->made++;
  if (c->plan) {
    cl_say_planned("write %s \"%s\" (was \"%s\")", path, new, old);
    return 0;
  }
  const char *field[] = {path, old, new};
  int error = cl_journal_add(c->journal, kind, field, 3);
  return error ? error : cl_write(path, new);
}

int cl_change_file(struct cl_changes *c, const char *path, const char *text) {
  char old[4096];
  int error = read_old(c, path, old, sizeof old);
  if (error || strcmp(old, text) == 0) return error;
  return put(c, "file", path, old, text);
}

int cl_change_cpus(struct cl_changes *c, const char *path, const struct cl_cpus *cpus) {
  char old[CL_CPUS_TEXT], new[CL_CPUS_TEXT];
  struct cl_cpus is;
  int error = read_old(c, path, old, sizeof old);
  if (!error) error = cl_cpus_parse(old, &is);
  if (error || cl_cpus_equal(&is, cpus)) return error;
  return put(c, "cpus", path, old, cl_cpus_format(cpus, new));
}

int cl_change_mask(struct cl_changes *c, const char *path, const struct cl_cpus *cpus) {
  char old[CL_CPUS_TEXT], new[CL_CPUS_TEXT];
  struct cl_cpus is;
  int error = cl_read(path, old, sizeof old);
  if (!error) error = cl_cpus_parse_mask(old, &is);
  if (error || cl_cpus_equal(&is, cpus)) return error;
  return put(c, "mask", path, old, cl_cpus_format_mask(cpus, new));
}

static bool lists(const char *text, const char *word) {
  size_t length = strlen(word);
  for (const char *at = text; *at != '\0'; at += strspn(at, " \n")) {
    size_t this = strcspn(at, " \n");
    if (this == length && strncmp(at, word, length) == 0) return true;
    at += this;
  }
  return false;
}

int cl_change_controller(struct cl_changes *c, const char *group, const char *controller) {
  char path[CL_PATH_MOST], on[4096], word[64];
  if ((size_t)snprintf(path, sizeof path, "%s/cgroup.subtree_control", group) >= sizeof path) return ENAMETOOLONG;
  int error = read_old(c, path, on, sizeof on);
  if (error || lists(on, controller)) return error;
  snprintf(word, sizeof word, "+%s", controller);
  c->made++;
  if (c->plan) {
    cl_say_planned("write %s \"%s\" (was \"%s\")", path, word, on);
    return 0;
  }
  const char *field[] = {path, controller};
  error = cl_journal_add(c->journal, "controller", field, 2);
  return error ? error : cl_write(path, word);
}

int cl_change_folder(struct cl_changes *c, const char *path) {
  char real[CL_PATH_MOST + 256];
  if (cl_exists(path) || (c->plan && in_planned(path))) return 0;
  c->made++;
  if (c->plan) {
    cl_change_expect(c, path, NULL);
    cl_say_planned("make %s", path);
    return 0;
  }
  int error = cl_journal_add(c->journal, "folder", &path, 1);
  if (error) return error;
  return mkdir(cl_files_path(path, real), 0755) ? errno : 0;
}

int cl_change_group(struct cl_changes *c, const struct cl_task *task, const char *controller, const char *group,
                    bool whole) {
  char old[CL_PATH_MOST], path[CL_PATH_MOST], tid[16], born[24];
  if (c->plan && task->tid == 0) { /* one that is yet to be started */
    c->made++;
    cl_say_planned("start %s in %s", task->name, group);
    return 0;
  }
  int error = cl_task_folder(task->tid, controller, old, sizeof old);
  if (error || strcmp(old, group) == 0) return error;
  const char *file = whole ? "cgroup.procs" : *controller ? "tasks" : "cgroup.threads";
  if ((size_t)snprintf(path, sizeof path, "%s/%s", group, file) >= sizeof path) return ENAMETOOLONG;
  c->made++;
  if (c->plan) {
    cl_say_planned("move %s %d (%s) to %s (was in %s)", whole ? "process" : "task", task->tid, task->name, group, old);
    return 0;
  }
  snprintf(tid, sizeof tid, "%d", task->tid);
  snprintf(born, sizeof born, "%llu", task->born);
  const char *field[] = {tid, born, controller, old, group};
  error = cl_journal_add(c->journal, whole ? "group" : "thread", field, 5);
  return error ? error : cl_write(path, tid);
}

int cl_change_affinity(struct cl_changes *c, const struct cl_task *task, const struct cl_cpus *via,
                       const struct cl_cpus *cpus) {
  char old_text[CL_CPUS_TEXT], new_text[CL_CPUS_TEXT], tid[16], born[24];
  struct cl_cpus old;
  cl_cpus_format(cpus, new_text);
  if (c->plan && task->tid == 0) {
    c->made++;
    cl_say_planned("start %s on CPUs %s", task->name, new_text);
    return 0;
  }
  int error = cl_task_allowed(task->tid, &old);
  if (error || cl_cpus_equal(&old, cpus)) return error;
  cl_cpus_format(&old, old_text);
  c->made++;
  if (c->plan) {
    cl_say_planned("let task %d (%s) use CPUs %s (was %s)", task->tid, task->name, new_text, old_text);
    return 0;
  }
  snprintf(tid, sizeof tid, "%d", task->tid);
  snprintf(born, sizeof born, "%llu", task->born);
  const char *field[] = {tid, born, old_text, new_text};
  error = cl_journal_add(c->journal, "affinity", field, 4);
  if (error) return error;
  if (via) cl_task_allow(task->tid, via); /* if that is refused, so is the next, which tells */
  return cl_task_allow(task->tid, cpus);
}

int cl_change_other(struct cl_changes *c, const char *what, const char *kind, const char *const *field, size_t count) {
  c->made++;
  if (!c->plan) return cl_journal_add(c->journal, kind, field, count);
  cl_say_planned("%s", what);
  return 0;
}
