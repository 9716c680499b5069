/* SPDX-License-Identifier: Apache-2.0
 *
 * What exclusive reads and writes, one function a call:
 *   ROOT read SIZE PATH | start SIZE PATH | all PATH | mount | group TID | granted TID
 *   plain TEXT... | say TEXT | planned TEXT | quote TEXT
 *   report PATH TEXT | report PATH TEXT TARGET LINK   the link is made when the report has been looked at
 *   log PATH TEXT */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out.h"
#include "plain.h"
#include "proof.h"
#include "say.h"

static int result(int error, const char *text) {
  puts(error ? cl_out_error(error) : text);
  return error != 0;
}

static int read_some(char **word, bool start) {
  size_t size = strtoul(word[0], NULL, 10);
  char *text = malloc(size);
  if (text == NULL) return 2;
  memset(text, 'x', size);
  int error = (start ? cl_read_start : cl_read)(word[1], text, size);
  if (error) printf("\"%s\" ", text);
  return result(error, text);
}

static int report(int count, char **word) {
  struct cl_out out;
  int error = cl_out_open(word[0], &out);
  if (!error && count > 3 && symlink(word[2], word[3])) return 2;
  if (!error) error = cl_out_write(&out, word[1]);
  if (error) fprintf(stderr, "%s\n", cl_out_error(error));
  return error != 0;
}

int main(int count, char **word) {
  char text[CL_PATH_MOST], *all;
  if (count < 3) return 2;
  cl_files_root(word[1]);
  const char *command = word[2];
  word += 3;
  count -= 3;
  if (strcmp(command, "mount") == 0) {
    int error = cl_group_mount(text, sizeof text);
    return result(error, text);
  }
  if (count == 0) return 2;
  if (strcmp(command, "read") == 0) return read_some(word, false);
  if (strcmp(command, "start") == 0) return read_some(word, true);
  if (strcmp(command, "all") == 0) {
    int error = cl_read_all(word[0], &all);
    return result(error, all);
  }
  if (strcmp(command, "group") == 0) {
    int error = cl_task_group(atoi(word[0]), text, sizeof text);
    return result(error, text);
  }
  if (strcmp(command, "granted") == 0) {
    char list[CL_CPUS_TEXT];
    struct cl_cpus cpus;
    int error = cl_granted(atoi(word[0]), &cpus);
    return result(error, error ? "" : cl_cpus_format(&cpus, list));
  }
  if (strcmp(command, "plain") == 0) {
    for (; *word; word++) {
      cl_plain_put(stdout, *word);
      putchar('\n');
    }
    return 0;
  }
  if (strcmp(command, "say") == 0) cl_warn("it is %s", word[0]);
  else if (strcmp(command, "planned") == 0) cl_say_planned("it is %s", word[0]);
  else if (strcmp(command, "quote") == 0) cl_json_string(stdout, word[0]);
  else if (strcmp(command, "report") == 0) return report(count, word);
  else if (strcmp(command, "log") == 0) {
    int error = cl_say_log(word[0]);
    if (error) return result(error, "");
    cl_say("%s", word[1]);
  } else return 2;
  return 0;
}
