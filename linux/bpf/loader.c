/* SPDX-License-Identifier: GPL-2.0-only */
#include "loader.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SCX "/sys/kernel/sched_ext/"
#define OLDEST 6, 18 /* Linux; see kernel.h */
enum { CAP_SYS_ADMIN_BIT = 21, CAP_PERFMON_BIT = 38, CAP_BPF_BIT = 39 };

static char why[1024];
static char said[1 << 16]; /* the last that libbpf said */
static size_t said_size;
static bool is_verbose;

static int refuse(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(int error, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(why, sizeof why, format, values);
  va_end(values);
  return error;
}

const char *cl_bpf_why(void) { return why; }

static int keep(enum libbpf_print_level level, const char *format, va_list values) {
  va_list again;
  va_copy(again, values);
  if (is_verbose) vfprintf(stderr, format, values);
  if (level == LIBBPF_WARN) {
    char *text = NULL;
    int length = vasprintf(&text, format, again);
    size_t size = length > 0 ? (size_t)length : 0, room = sizeof said - 1;
    const char *from = text;
    if (size > room) from += size - room, size = room;
    if (said_size + size > room) said_size = 0;
    if (size) memcpy(said + said_size, from, size);
    said[said_size += size] = '\0';
    free(text);
  }
  va_end(again);
  return 0;
}

static bool read_line(const char *path, char *text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, size - 1);
  if (file >= 0) close(file);
  if (length < 0) return false;
  text[length] = '\0';
  text[strcspn(text, "\n")] = '\0';
  return true;
}

static bool has_rights(void) {
  char line[256];
  unsigned long long rights = 0;
  FILE *file = fopen("/proc/self/status", "re");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "CapEff: %llx", &rights) == 1) break;
  if (file) fclose(file);
  bool all = rights >> CAP_SYS_ADMIN_BIT & 1; /* stands for both, as before they were there */
  return all || (rights >> CAP_BPF_BIT & 1 && rights >> CAP_PERFMON_BIT & 1);
}

/* Why the kernel may not do at all, or "" */
static const char *old_kernel(char *text, size_t size) {
  struct utsname kernel;
  int version = 0, part = 0;
  const int oldest[] = {OLDEST};
  *text = '\0';
  if (uname(&kernel) || sscanf(kernel.release, "%d.%d", &version, &part) != 2) return text;
  if (version < oldest[0] || (version == oldest[0] && part < oldest[1]))
    snprintf(text, size, ": Linux %s is too old, %d.%d or newer is needed", kernel.release, oldest[0], oldest[1]);
  return text;
}

int cl_bpf_open(const char *name, bool verbose, struct bpf_object **object) {
  LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = name);
  is_verbose = verbose;
  libbpf_set_print(keep);
  *object = bpf_object__open_mem(cl_bpf_object, (size_t)(cl_bpf_object_end - cl_bpf_object), &options);
  return *object ? 0 : refuse(errno, "the BPF object in this program cannot be read: %s", strerror(errno));
}

/* libbpf puts all that the verifier said between two marks. Its reason is the last line before its figures, or before
 * the explanation that newer kernels add. */
static bool verifier_said(char *program, char *reason) {
  char *begin = strstr(said, "-- BEGIN PROG LOAD LOG --"), *named = strstr(said, "prog '"), *last = NULL;
  if (!begin || !named || sscanf(named, "prog '%63[^']'", program) != 1) return false;
  for (char *line = strtok(begin, "\n"); line; line = strtok(NULL, "\n")) {
    if (strncmp(line, "processed ", 10) == 0 || strncmp(line, "Verification failed", 19) == 0) break;
    if (strncmp(line, "--", 2) != 0) last = line;
  }
  snprintf(reason, 400, "%s", last ? last : "no reason given");
  return true;
}

/* From now on the globals are the ones that the kernel's side sees, at the addresses that they had. */
static int share_globals(const struct bpf_object *object) {
  struct bpf_map *map;
  bpf_object__for_each_map(map, object) {
    size_t size;
    void *at = bpf_map__initial_value(map, &size);
    uint32_t flags = bpf_map__map_flags(map);
    if (!bpf_map__is_internal(map) || !(flags & BPF_F_MMAPABLE) || !at) continue;
    int access = flags & BPF_F_RDONLY_PROG ? PROT_READ : PROT_READ | PROT_WRITE;
    if (mmap(at, size, access, MAP_SHARED | MAP_FIXED, bpf_map__fd(map), 0) == MAP_FAILED)
      return refuse(errno, "the variables of the BPF programs cannot be reached: %s", strerror(errno));
  }
  return 0;
}

int cl_bpf_load(struct bpf_object *object) {
  char program[64] = "", reason[400] = "", old[160];
  if (!has_rights()) return refuse(EPERM, "needs root (CAP_BPF and CAP_PERFMON): run it with sudo");
  if (access("/sys/kernel/btf/vmlinux", R_OK))
    return refuse(ENOTSUP, "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF): use a distribution kernel");
  int error = -bpf_object__load(object);
  if (error == 0) return share_globals(object);
  old_kernel(old, sizeof old);
  if (verifier_said(program, reason))
    return refuse(error, "the kernel refused BPF program '%s'%s: %s (-v shows all)", program, old, reason);
  return refuse(error, "the kernel refused the BPF programs%s: %s (-v shows all)", old, strerror(error));
}

void *cl_bpf_global(const struct bpf_object *object, const char *name, size_t size) {
  const struct btf *types = bpf_object__btf(object);
  struct bpf_map *map;
  bpf_object__for_each_map(map, object) {
    const struct btf_type *section = btf__type_by_id(types, bpf_map__btf_value_type_id(map));
    if (!bpf_map__is_internal(map) || !section || !btf_is_datasec(section)) continue;
    const struct btf_var_secinfo *variable = btf_var_secinfos(section);
    for (int i = 0; i < btf_vlen(section); i++, variable++) {
      const struct btf_type *type = btf__type_by_id(types, variable->type);
      size_t whole;
      if (variable->size != size || strcmp(btf__name_by_offset(types, type->name_off), name) != 0) continue;
      return (char *)bpf_map__initial_value(map, &whole) + variable->offset;
    }
  }
  return NULL;
}

int cl_bpf_read(const struct bpf_object *object, const char *name, uint32_t key, void *values, int count, size_t size) {
  struct bpf_map *map = bpf_object__find_map_by_name(object, name);
  if (!map || bpf_map__value_size(map) != size) return refuse(ENOENT, "the BPF object has no such map: %s", name);
  bool each = bpf_map__type(map) == BPF_MAP_TYPE_PERCPU_ARRAY;
  int cpus = each ? libbpf_num_possible_cpus() : 1;
  if (cpus < 0) return refuse(-cpus, "the CPUs cannot be counted: %s", strerror(-cpus));
  char *all = calloc((size_t)cpus, size);
  if (!all) return refuse(ENOMEM, "no memory for map %s", name);
  int error = -bpf_map__lookup_elem(map, &key, sizeof key, all, (size_t)cpus * size, 0);
  if (!error) memcpy(values, all, (size_t)(count < cpus ? count : cpus) * size);
  free(all);
  return error ? refuse(error, "map %s cannot be read: %s", name, strerror(error)) : 0;
}

int cl_bpf_verified(const struct bpf_program *program, uint32_t *instructions) {
  struct bpf_prog_info info = {0};
  uint32_t size = sizeof info;
  int error = -bpf_prog_get_info_by_fd(bpf_program__fd(program), &info, &size);
  *instructions = info.verified_insns;
  return error;
}

int cl_scx_check(void) {
  char line[160];
  if (!read_line(SCX "state", line, sizeof line)) {
    old_kernel(line, sizeof line);
    return refuse(ENOTSUP, "this kernel has no sched_ext (CONFIG_SCHED_CLASS_EXT)%s", line);
  }
  if (strcmp(line, "disabled") == 0) return 0;
  if (!read_line(SCX "root"
                     "/ops",
                 line, sizeof line))
    snprintf(line, sizeof line, "unnamed");
  return refuse(EBUSY, "another scheduler is loaded: %s; end it first (systemctl stop scx, or its own program)", line);
}

int cl_scx_set(const struct bpf_object *object, const char *name, const char *member, uint64_t value) {
  const struct btf *types = bpf_object__btf(object);
  struct bpf_map *map = bpf_object__find_map_by_name(object, name);
  const struct btf_type *ops = btf__type_by_id(
      types, (uint32_t)btf__find_by_name_kind(types, "sched_ext_ops", BTF_KIND_STRUCT));
  size_t size;
  char *table = map ? bpf_map__initial_value(map, &size) : NULL;
  for (int i = 0; table && ops && i < btf_vlen(ops); i++) {
    const struct btf_member *at = btf_members(ops) + i;
    if (strcmp(btf__name_by_offset(types, at->name_off), member) != 0) continue;
    memcpy(table + at->offset / 8, &value, (size_t)btf__resolve_size(types, at->type)); /* little-endian */
    return 0;
  }
  return refuse(ENOENT, "the scheduler has no %s.%s", name, member);
}

int cl_scx_drop(const struct bpf_object *object, const char *name, const char *member) {
  char program[64];
  snprintf(program, sizeof program, "%s_%s", name, member);
  struct bpf_program *found = bpf_object__find_program_by_name(object, program);
  if (!found) return refuse(ENOENT, "the BPF object has no such program: %s", program);
  bpf_program__set_autoload(found, false);
  return cl_scx_set(object, name, member, 0);
}

bool cl_scx_knows(const char *member) {
  struct btf *types = btf__load_vmlinux_btf();
  bool found = false;
  if (!types) return false;
  const struct btf_type *ops = btf__type_by_id(
      types, (uint32_t)btf__find_by_name_kind(types, "sched_ext_ops", BTF_KIND_STRUCT));
  for (int i = 0; ops && !found && i < btf_vlen(ops); i++)
    found = strcmp(btf__name_by_offset(types, btf_members(ops)[i].name_off), member) == 0;
  btf__free(types);
  return found;
}

int cl_bpf_resize(const struct bpf_object *object, const char *section, size_t size) {
  struct bpf_map *map = bpf_object__find_map_by_name(object, section);
  int error = map ? -bpf_map__set_value_size(map, (uint32_t)size) : ENOENT;
  return error ? refuse(error, "%s cannot be resized to %zu bytes: %s", section, size, strerror(error)) : 0;
}

int cl_scx_attach(const struct bpf_object *object, const char *name, struct bpf_link **link) {
  struct bpf_map *map = bpf_object__find_map_by_name(object, name);
  if (!map) return refuse(ENOENT, "the BPF object has no such map: %s", name);
  *link = bpf_map__attach_struct_ops(map);
  if (*link) return 0;
  int error = errno;
  if (error == EBUSY && cl_scx_check() == EBUSY) return EBUSY; /* it came in between */
  return refuse(error, "the kernel did not start the scheduler: %s (dmesg says why)", strerror(error));
}
