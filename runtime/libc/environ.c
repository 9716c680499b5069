/* SPDX-License-Identifier: Apache-2.0
 *
 * The environment, which is written as the command line is (runtime/posix/cl_boot.c). */
__attribute__((section(".data.environment"))) struct {
  int count;
  char *words[1023];
} cl_environment;

char **environ = cl_environment.words;
