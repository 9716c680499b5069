/* SPDX-License-Identifier: Apache-2.0
 *
 * A program is linked as a whole: dlopen gives NULL, and dlerror says so. */
#ifndef CORELOOM_DLFCN_H
#define CORELOOM_DLFCN_H

#ifdef __cplusplus
extern "C" {
#endif

#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_GLOBAL 256
#define RTLD_LOCAL 0

void *dlopen(const char *path, int mode);
void *dlsym(void *library, const char *name);
int dlclose(void *library);
char *dlerror(void);

#ifdef __cplusplus
}
#endif

#endif
