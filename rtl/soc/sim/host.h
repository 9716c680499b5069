// SPDX-License-Identifier: Apache-2.0
// Requests of a program to the machine that simulates it: standard input, and files below one folder.
//
// The door is a trace event: its value is the address of a record in the memory (struct cl_host_call of
// runtime/include/cl_host.h), which is answered before the program's next instruction. On hardware nobody listens, and
// the record keeps its first answer, ENOSYS. The simulated time stands still meanwhile, so the same input takes the same
// cycles.
//
// Nothing outside of the folder can be reached: it is the program's root, `..` ends there, and no symbolic link is
// followed, so that a name's text says where it leads. Each part is opened in the one before. Where the folder has no
// /tmp, as where there is none, that is an empty one of this run's.
#ifndef CORELOOM_HOST_H
#define CORELOOM_HOST_H

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

class Host {
 public:
  // current: the folder below root where the program begins. temporary: /tmp of a root that has none. at: the memory at an address of the program, if it has so
  // many bytes there, else nullptr. ask: called before input is waited for. stopped: the user ends the run.
  Host(const std::string &root, const std::string &current, const std::string &temporary,
       std::function<uint8_t *(uint32_t, uint64_t)> at, std::function<void()> ask,
       const volatile std::sig_atomic_t &stopped)
      : at_(std::move(at)), ask_(std::move(ask)), stopped_(stopped) {
    if (!current.empty()) current_ = parts(current);
    if (!root.empty()) root_ = folder(AT_FDCWD, root);
    if (!temporary.empty() && faccessat(root_, "tmp", F_OK, AT_SYMLINK_NOFOLLOW)) tmp_ = folder(AT_FDCWD, temporary);
  }
  Host(const Host &) = delete;
  ~Host() {
    for (File &file : files_) close(file.fd);
    close(root_);
    close(tmp_);
  }

  bool has_root() const { return root_ >= 0; }

  // Answers the record at an address. Nothing, if there is none.
  void answer(uint32_t address) {
    Call call;
    uint8_t *const record = at_(address, sizeof call);
    if (!record) return;
    std::memcpy(&call, record, sizeof call);
    const int64_t result = serve(call);
    call.result = static_cast<int32_t>(result < 0 ? -1 : result);
    call.error = result < 0 ? number_of(static_cast<int>(-result)) : 0;
    std::memcpy(record, &call, sizeof call);
  }

 private:
  enum Operation : uint32_t {
    kRead,
    kWrite,
    kOpen,
    kClose,
    kSeek,
    kStat,
    kFstat,
    kUnlink,
    kRmdir,
    kMkdir,
    kRename,
    kTruncate,
    kList,
    kChdir,
    kGetcwd,
    kTerminal
  }; // as in cl_host.h
  struct Call {
    uint32_t operation, arguments[3];
    int32_t result, error;
  };
  struct File {
    int fd = -1;
    std::vector<std::string> names; // of a folder that is listed
  };
  struct Place { // a name in a folder
    int folder = -1;
    std::string name; // "": the root
    ~Place() { close(folder); }
  };
  static constexpr uint32_t kFirst = 3, kMost = 64; // descriptors of files
  static constexpr uint64_t kPathMost = 1024;
  static constexpr uint32_t kAppend = 0x400, kCreate = 0x40, kTruncates = 0x200, kExclusive = 0x800, kFolder = 0x200000;

  static void close(int fd) {
    if (fd >= 0) ::close(fd);
  }

  // The C library's error numbers are not all the host's.
  static int number_of(int error) {
    switch (error) {
      case ENAMETOOLONG: return 91;
      case ENOTEMPTY: return 90;
      case ELOOP: return 92;
      case ENOSYS: return 88;
      case EOVERFLOW: return 139;
      default: return error <= ERANGE ? error : EIO;
    }
  }

  int64_t serve(const Call &call) {
    const auto &[a, b, c] = call.arguments;
    std::string path;
    switch (call.operation) {
      case kOpen:
      case kStat:
      case kUnlink:
      case kRmdir:
      case kMkdir:
      case kRename:
      case kChdir:
        if (const int error = text(a, path); error && (a || call.operation != kOpen)) return -error;
        break;
      default: break;
    }
    switch (call.operation) {
      case kRead: return read(a, b, c);
      case kWrite: return write(a, b, c);
      case kOpen: return a ? open_file(path, b, c) : temporary();
      case kClose: return end(a);
      case kSeek: return seek(a, static_cast<int32_t>(b), c);
      case kStat: return stat(path, b);
      case kFstat: return fstat(a, b);
      case kTruncate: return status(file(a) ? ::ftruncate(file(a)->fd, static_cast<int32_t>(b)) : bad());
      case kList: return list(a, b, c);
      case kChdir: return change(path);
      case kGetcwd: return current(a, b);
      case kTerminal: return a == 0 ? status(isatty(0) ? 1 : -1) : -(file(a) || a < kFirst ? ENOTTY : EBADF);
      default: break;
    }
    Place place;
    if (const int error = find(path, place, call.operation == kMkdir)) return -error;
    if (place.name.empty()) return call.operation == kMkdir ? -EEXIST : -EBUSY;
    switch (call.operation) {
      case kUnlink: return status(unlinkat(place.folder, place.name.c_str(), 0));
      case kRmdir: return status(unlinkat(place.folder, place.name.c_str(), AT_REMOVEDIR));
      case kMkdir: return status(mkdirat(place.folder, place.name.c_str(), b & 0777));
      case kRename: {
        Place to;
        if (const int error = text(b, path)) return -error;
        if (const int error = find(path, to)) return -error;
        if (to.name.empty()) return -EBUSY;
        return status(renameat(place.folder, place.name.c_str(), to.folder, to.name.c_str()));
      }
      default: return -ENOSYS;
    }
  }

  static int64_t status(int64_t result) { return result < 0 ? -errno : result; }
  static int bad() {
    errno = EBADF;
    return -1;
  }

  File *file(uint32_t number) {
    const uint32_t n = number - kFirst;
    return n < files_.size() && files_[n].fd >= 0 ? &files_[n] : nullptr;
  }

  int64_t add(int fd) {
    if (fd < 0) return -errno;
    size_t n = 0;
    while (n < files_.size() && files_[n].fd >= 0) ++n;
    if (n == kMost - kFirst) {
      ::close(fd);
      return -EMFILE;
    }
    if (n == files_.size()) files_.emplace_back();
    files_[n] = {fd, {}};
    return static_cast<int64_t>(n) + kFirst;
  }

  // A text of the program's; an error number.
  int text(uint32_t address, std::string &to) const {
    to.clear();
    for (uint64_t n = 0;; ++n) {
      const uint8_t *const at = at_(address + static_cast<uint32_t>(n), 1);
      if (!at) return EFAULT;
      if (*at == 0) return to.empty() ? ENOENT : 0;
      if (n == kPathMost) return ENAMETOOLONG;
      to.push_back(static_cast<char>(*at));
    }
  }

  // The parts of a path from the root on.
  std::vector<std::string> parts(const std::string &path) const {
    std::vector<std::string> found;
    if (path[0] != '/') found = current_;
    for (size_t from = 0; from < path.size();) {
      const size_t to = std::min(path.find('/', from), path.size());
      const std::string part = path.substr(from, to - from);
      from = to + 1;
      if (part == "..") {
        if (!found.empty()) found.pop_back();
      } else if (!part.empty() && part != ".") {
        found.push_back(part);
      }
    }
    return found;
  }

  static int folder(int in, const std::string &name) {
    return openat(in, name.c_str(), O_RDONLY | O_DIRECTORY | (in == AT_FDCWD ? 0 : O_NOFOLLOW) | O_CLOEXEC);
  }

  // Where a path leads; an error number. makes: something is to be made there.
  int find(const std::string &path, Place &place, bool makes = false) const {
    std::vector<std::string> names = parts(path);
    const bool own = tmp_ >= 0 && !names.empty() && names[0] == "tmp";
    if (own) names.erase(names.begin());
    place.folder = dup(own ? tmp_ : root_);
    if (place.folder < 0) return makes ? EACCES : ENOENT;
    for (size_t n = 0; n + 1 < names.size(); ++n) {
      const int next = folder(place.folder, names[n]);
      if (next < 0) return errno;
      close(std::exchange(place.folder, next));
    }
    if (!names.empty()) place.name = names.back();
    return 0;
  }

  int64_t open_file(const std::string &path, uint32_t flags, uint32_t mode) {
    Place place;
    if (const int error = find(path, place, flags & kCreate)) return -error;
    int how = static_cast<int>(flags & 3) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    if (flags & kAppend) how |= O_APPEND;
    if (flags & kCreate) how |= O_CREAT;
    if (flags & kTruncates) how |= O_TRUNC;
    if (flags & kExclusive) how |= O_EXCL;
    if ((flags & kCreate) && path.back() == '/') return -EISDIR;
    if ((flags & kFolder) || path.back() == '/') how |= O_DIRECTORY;
    const int fd = openat(place.folder, place.name.empty() ? "." : place.name.c_str(), how, mode & 0777);
    struct stat about;
    if (fd >= 0 && (::fstat(fd, &about) || !(S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)))) {
      ::close(fd);
      return -EACCES; // a device
    }
    return add(fd);
  }

  // A file without a name.
  int64_t temporary() {
    FILE *const made = std::tmpfile();
    if (!made) return -errno;
    const int fd = fcntl(fileno(made), F_DUPFD_CLOEXEC, 0);
    std::fclose(made);
    return add(fd);
  }

  int64_t end(uint32_t number) {
    if (number < kFirst) return 0;
    File *const one = file(number);
    if (!one) return -EBADF;
    ::close(std::exchange(one->fd, -1));
    one->names.clear();
    return 0;
  }

  int64_t read(uint32_t number, uint32_t address, uint32_t bytes) {
    uint8_t *const to = at_(address, bytes);
    if (!to) return -EFAULT;
    if (number == 0) return input(to, bytes);
    return status(file(number) ? ::read(file(number)->fd, to, bytes) : bad());
  }

  int64_t write(uint32_t number, uint32_t address, uint32_t bytes) {
    const uint8_t *const from = at_(address, bytes);
    if (!from) return -EFAULT;
    if (!file(number)) return -EBADF;
    uint32_t done = 0;
    while (done < bytes) {
      const ssize_t now = ::write(file(number)->fd, from + done, bytes - done);
      if (now < 0 && errno != EINTR) return done ? done : -errno;
      if (now > 0) done += static_cast<uint32_t>(now);
    }
    return done;
  }

  // Up to a line, however much of it comes at once: what a program does then depends on the text alone.
  int64_t input(uint8_t *to, uint32_t bytes) {
    if (bytes == 0) return 0;
    const bool terminal = isatty(0);
    bool came = false;
    for (;;) {
      const size_t line = input_.find('\n');
      if (line != std::string::npos || input_.size() >= bytes || (terminal && came)) break;
      ask_();
      pollfd ready{0, POLLIN, 0};
      while (!stopped_ && poll(&ready, 1, 100) <= 0) continue;
      if (stopped_) return -EINTR;
      char more[4096];
      const ssize_t now = ::read(0, more, sizeof more);
      if (now < 0 && errno == EINTR) continue;
      if (now < 0 && input_.empty()) return -errno;
      if (now <= 0) break;
      input_.append(more, static_cast<size_t>(now));
      came = true;
    }
    const size_t line = input_.find('\n');
    const size_t length = std::min<size_t>(line == std::string::npos ? input_.size() : line + 1, bytes);
    std::memcpy(to, input_.data(), length);
    input_.erase(0, length);
    return static_cast<int64_t>(length);
  }

  int64_t seek(uint32_t number, int32_t offset, uint32_t whence) {
    if (number < kFirst) return -ESPIPE;
    if (!file(number)) return -EBADF;
    const int fd = file(number)->fd;
    const off_t before = lseek(fd, 0, SEEK_CUR);
    const off_t at = lseek(fd, offset, static_cast<int>(whence));
    if (at <= INT32_MAX) return status(at);
    lseek(fd, before, SEEK_SET);
    return -EOVERFLOW;
  }

  int64_t tell(const struct stat &about, uint32_t address) {
    if (about.st_size > INT32_MAX) return -EOVERFLOW;
    const auto seconds = static_cast<uint64_t>(about.st_mtime);
    const std::array<uint32_t, 6> words = {about.st_mode,
                                           static_cast<uint32_t>(about.st_size),
                                           static_cast<uint32_t>(seconds),
                                           static_cast<uint32_t>(seconds >> 32),
                                           static_cast<uint32_t>(about.st_ino),
                                           static_cast<uint32_t>(about.st_nlink)};
    uint8_t *const to = at_(address, sizeof words);
    if (!to) return -EFAULT;
    std::memcpy(to, words.data(), sizeof words);
    return 0;
  }

  int64_t stat(const std::string &path, uint32_t to) {
    Place place;
    if (const int error = find(path, place)) return -error;
    struct stat about;
    if (fstatat(place.folder, place.name.empty() ? "." : place.name.c_str(), &about, AT_SYMLINK_NOFOLLOW))
      return -errno;
    if (path.back() == '/' && !S_ISDIR(about.st_mode)) return -ENOTDIR;
    return tell(about, to);
  }

  int64_t fstat(uint32_t number, uint32_t to) {
    struct stat about{};
    about.st_mode = S_IFCHR | 0600; // the console
    if (number == 0 || number >= kFirst) {
      if (number && !file(number)) return -EBADF;
      if (::fstat(number ? file(number)->fd : 0, &about)) return -errno;
    }
    if (number == 0) about.st_size = 0;
    return tell(about, to);
  }

  // The n-th name of a folder, in the order of their bytes: kind and text. 0: there is none.
  int64_t list(uint32_t number, uint32_t n, uint32_t address) {
    File *const one = file(number);
    if (!one) return -EBADF;
    if (n == 0) {
      one->names.clear();
      const int fd = openat(one->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      DIR *const folder = fd < 0 ? nullptr : fdopendir(fd);
      if (!folder) return -errno;
      while (const dirent *const entry = readdir(folder)) {
        const char kind = entry->d_type == DT_DIR ? 4 : entry->d_type == DT_REG ? 8 : entry->d_type == DT_LNK ? 10 : 1;
        one->names.push_back(entry->d_name + std::string(1, '\0') + kind);
      }
      closedir(folder);
      std::sort(one->names.begin(), one->names.end());
    }
    if (n >= one->names.size()) return 0;
    const std::string &name = one->names[n];
    uint8_t *const to = at_(address, name.size());
    if (!to) return -EFAULT;
    std::memcpy(to, name.data(), name.size());
    return static_cast<uint8_t>(name.back());
  }

  int64_t change(const std::string &path) {
    const int64_t fd = open_file(path, kFolder, 0);
    if (fd < 0) return fd;
    end(static_cast<uint32_t>(fd));
    current_ = parts(path);
    return 0;
  }

  int64_t current(uint32_t address, uint32_t room) {
    std::string path;
    for (const std::string &part : current_) path += "/" + part;
    if (path.empty()) path = "/";
    if (path.size() >= room) return -ERANGE;
    uint8_t *const to = at_(address, path.size() + 1);
    if (!to) return -EFAULT;
    std::memcpy(to, path.c_str(), path.size() + 1);
    return 0;
  }

  std::function<uint8_t *(uint32_t, uint64_t)> at_;
  std::function<void()> ask_;
  const volatile std::sig_atomic_t &stopped_;
  int root_ = -1, tmp_ = -1;
  std::vector<std::string> current_; // folder, from the root on
  std::vector<File> files_;
  std::string input_; // that has come, and was not asked for yet
};

#endif
