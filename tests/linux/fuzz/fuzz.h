/* SPDX-License-Identifier: Apache-2.0
 *
 * A plain fuzzer: it changes samples at random, keeps what reaches new code, and gives each input to one target. A target
 * is a small file beside this one; what it calls is the code under test, with sanitizers. Everything is decided by the
 * seed and the number of an input. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_target {
  const char *name;
  /* data[size] is zero, and nothing behind it may be read. */
  void (*run)(const char *data, size_t size);
  const char *const *words; /* to be put in, up to a NULL */
  size_t most;              /* bytes of an input */
  bool program;             /* keeps memory and variables up to its end: a process for each input */
  bool planted;             /* has a fault that must be found: not listed */
  struct fuzz_target *next;
};

void fuzz_add(struct fuzz_target *target);
#define FUZZ_TARGET(id, ...)                                          \
  static struct fuzz_target target_##id = {.name = #id, __VA_ARGS__}; \
  __attribute__((constructor)) static void add_##id(void) { fuzz_add(&target_##id); }

/* What must hold of what was parsed; else the input is reported with this line. */
void fuzz_check(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The lines of `text` as words of a command line, behind the `count` that are there; no more than `most`. Their number. */
int fuzz_split(char *text, char **word, int count, int most);
/* What came out, so that an input that gives another result the next time (of memory never written) is found. */
void fuzz_note(const void *bytes, size_t size);
void fuzz_note_text(const char *text);
void fuzz_note_number(uint64_t number);

/* The standard output and error since this input began, ended by a zero. They are checked for what a terminal obeys. */
const char *fuzz_printed(bool errors);
void fuzz_forget(void); /* what was printed up to now */
bool fuzz_json(const char *text); /* one value and white space */

/* Files: an input is a list of them, each 0x1e PATH 0x1f TEXT. Makes a new tree of them, which is cl_files_root(). */
#define FUZZ_FILE "\x1e"
#define FUZZ_TEXT "\x1f"
void fuzz_tree(const char *data, size_t size);
const char *fuzz_root(void); /* of the tree */
/* The text of a file of an input, "" if there is none. No zero behind it. */
const char *fuzz_file(const char *data, size_t size, const char *name, size_t *length);

/* What the next conversations by socket.h answer, apart by 0x1d. The last one's is the answer of all that follow. */
void fuzz_answers(const char *data, size_t size);

#endif
