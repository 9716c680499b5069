/* SPDX-License-Identifier: Apache-2.0
 *
 * Interpreters have these for extensions that they may never load. */
#include <dlfcn.h>
#include <stddef.h>

#define WEAK __attribute__((weak))

WEAK void *dlopen(const char *path, int mode) { return (void)path, (void)mode, NULL; }
WEAK void *dlsym(void *library, const char *name) { return (void)library, (void)name, NULL; }
WEAK int dlclose(void *library) { return (void)library, -1; }
WEAK char *dlerror(void) { return "a program is linked as a whole: it loads nothing"; }
