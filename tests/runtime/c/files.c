/* SPDX-License-Identifier: Apache-2.0
 *
 * Files as streams and as descriptors, in an empty folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void show(const char *path) {
  FILE *file = fopen(path, "r");
  int c;
  printf("%s:", path);
  while (file && (c = getc(file)) != EOF) printf(" %02x", (unsigned)c);
  printf(file ? " %d %d\n" : " none\n", file && feof(file) != 0, file && ferror(file) != 0);
  if (file) fclose(file);
}

static int number(int error) {
  static const int known[] = {0, ENOENT, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, EBADF, EINVAL, ESPIPE, EACCES, EPERM};
  for (int n = 0; n < (int)(sizeof known / sizeof *known); n++) {
    if (known[n] == error) return n;
  }
  return -error;
}

static void say(const char *what, long result) {
  printf("%s: %ld %d\n", what, result < 0 ? -1 : result, result < 0 ? number(errno) : 0);
}

static void streams(void) {
  char line[40];
  FILE *file = fopen("a", "w+");
  printf("%d %d\n", fputs("one\ntwo\nthree", file) >= 0, fprintf(file, " %d\n", 4));
  printf("%ld %d\n", ftell(file), fseek(file, 4, SEEK_SET));
  printf("%s", fgets(line, sizeof line, file));
  printf("%ld %c %ld\n", ftell(file), getc(file), ftell(file));
  printf("%d %ld", ungetc('T', file), ftell(file));
  printf(" %s", fgets(line, sizeof line, file));
  printf("%d %d\n", getc(file), feof(file) != 0);
  rewind(file);
  printf("%d %zu %.3s\n", feof(file), fread(line, 1, 3, file), line);
  fseek(file, -2, SEEK_END);
  printf("%c\n", getc(file));
  fseek(file, 0, SEEK_SET);
  fputs("ONE", file);
  fclose(file);
  show("a");
  file = fopen("a", "a");
  fputs("end", file);
  fclose(file);
  show("a");
  file = fopen("a", "r+");
  fpos_t at;
  printf("%d %d", fgetpos(file, &at), getc(file));
  printf(" %d %d\n", fsetpos(file, &at), getc(file));
  printf("%d\n", fputc('x', fopen("a", "r")));
  file = freopen("b", "w", file);
  fputs("b", file);
  fclose(file);
  show("b");
  file = fopen("c", "wx");
  printf("%d", file != NULL);
  for (int n = 0; n < 300; n++) fprintf(file, "%d,", n);
  fclose(file);
  printf(" %d %d\n", fopen("c", "wx") == NULL, number(errno));
  file = fopen("c", "r");
  int sum = 0, value;
  while (fscanf(file, "%d,", &value) == 1) sum += value;
  printf("%d %d\n", sum, feof(file) != 0);
  fclose(file);
  char big[2000];
  memset(big, 'x', sizeof big);
  file = tmpfile();
  setvbuf(file, NULL, _IOFBF, 64);
  printf("%zu", fwrite(big, 100, 20, file));
  rewind(file);
  memset(big, 0, sizeof big);
  printf(" %zu %zu %c\n", fread(big, 1, 1500, file), fread(big, 7, 1000, file), big[490]);
  fclose(file);
  printf("%d %d\n", fopen("d", "r") == NULL, number(errno));
  printf("%d %d\n", fopen("d", "z") == NULL, number(errno));
}

static void descriptors(void) {
  char bytes[10] = "";
  int file = open("e", O_RDWR | O_CREAT | O_TRUNC, 0644);
  say("write", write(file, "0123456789", 10));
  say("seek", lseek(file, 3, SEEK_SET));
  say("read", read(file, bytes, 4));
  printf("%.4s\n", bytes);
  say("seek", lseek(file, -1, SEEK_END));
  say("read", read(file, bytes, 4));
  say("read", read(file, bytes, 4));
  say("seek", lseek(file, -20, SEEK_CUR));
  say("truncate", ftruncate(file, 6));
  struct stat about;
  say("fstat", fstat(file, &about));
  printf("%ld %d %d\n", (long)about.st_size, S_ISREG(about.st_mode), S_ISDIR(about.st_mode));
  FILE *stream = fdopen(file, "r");
  printf("%d %d\n", fileno(stream) == file, getc(stream));
  fclose(stream);
  say("close", close(file));
  say("write", write(99, "", 1));
  file = open("e", O_WRONLY | O_APPEND);
  say("write", write(file, "ab", 2));
  void *first = malloc(100);
  const uintptr_t place = (uintptr_t)first;
  free(first);
  dprintf(file, "<%d>", 5);
  first = malloc(100); /* dprintf has given its memory back */
  printf("%d\n", (uintptr_t)first == place);
  free(first);
  close(file);
  show("e");
  say("open", open("e", O_WRONLY | O_CREAT | O_EXCL, 0600));
  say("open", open("", O_RDONLY));
}

static void names(void) {
  struct stat about;
  say("mkdir", mkdir("f", 0755));
  say("mkdir", mkdir("f", 0755));
  say("stat", stat("f", &about));
  printf("%d %d\n", S_ISREG(about.st_mode), S_ISDIR(about.st_mode));
  say("rename", rename("e", "f/e"));
  say("access", access("f/e", R_OK | W_OK));
  say("access", access("e", F_OK));
  say("access", access("f/e/g", F_OK));
  say("stat", stat("f/../f/./e", &about));
  say("stat", stat("f/e/", &about));
  say("remove", remove("f"));
  say("chdir", chdir("f"));
  show("e");
  say("unlink", unlink("e"));
  say("unlink", unlink("e"));
  say("chdir", chdir(".."));
  say("rmdir", rmdir("f"));
  say("open", open("a/b", O_RDONLY));
  say("open", open("x/b", O_RDONLY | O_CREAT, 0644));
  say("mkdir", mkdir("g", 0755));
  say("open", open("g", O_WRONLY));
  say("remove", remove("g"));
  char made[] = "t-XXXXXX";
  const int file = mkstemp(made);
  printf("%d %d\n", file >= 0, access(made, F_OK));
  close(file);
}

static void late(void) { fputs("late\n", fopen("late", "w")); }

int main(void) {
  atexit(late); /* written out all the same */
  streams();
  descriptors();
  names();
  FILE *file = fopen("left", "w");
  fputs("left open", file);
  printf("%d\n", fflush(NULL));
  show("left");
  fputs("!", file);
  freopen("out", "w", stdout);
  printf("to a file\n");
  return 0;
}
