# SPDX-License-Identifier: Apache-2.0
"""`coreloom cc`: programs of several files, built by their own build files, and run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coreloom.paths import ROOT
from coreloom.toolchain import note
from coreloom.toolchain.elf import RISCV, Elf

from .command import run

MAIN = """\
#include <stdio.h>
#include "twice.h"

int main(int count, char **words) {
  for (int i = 1; i < count; i++) printf("[%s]", words[i]);
  printf(" %d\\n", twice(SEED));
  return count - 1;
}
"""
TWICE = '#include "twice.h"\nint twice(int number) { return 2 * number; }\n'
MAKEFILE = """\
CFLAGS = -O1 -Wall -Iinc -DSEED=21
OBJECTS = main.o

prog.elf: $(OBJECTS) libtwice.a
\t$(CC) $(CFLAGS) -o $@ $(OBJECTS) -L. -ltwice -lm

libtwice.a: twice.o
\t$(AR) rcs $@ $^

%.o: %.c
\t$(CC) $(CFLAGS) -MMD -c -o $@ $<

-include main.d twice.d
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.13)
project(prog C)
if(NOT UNIX)
  message(FATAL_ERROR "no POSIX")
endif()
find_package(Threads REQUIRED)
add_library(twice STATIC twice.c)
target_include_directories(twice PUBLIC inc)
add_executable(prog main.c)
target_compile_definitions(prog PRIVATE SEED=21)
target_link_libraries(prog PRIVATE twice Threads::Threads)
"""
GROUNDS = ("hw", "sw", "linux")
OWN = ["-Iinc", "-DSEED=21"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and a command `coreloom` on the PATH."""
    monkeypatch.chdir(tmp_path)
    Path("inc").mkdir()
    for name, text in {
        **{"main.c": MAIN, "twice.c": TWICE, "Makefile": MAKEFILE, "CMakeLists.txt": CMAKE},
        "inc/twice.h": "int twice(int number);\n",
    }.items():
        Path(name).write_text(text)
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "coreloom"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT / "src"} exec {sys.executable} -m coreloom.entry "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return tmp_path


def shell(*words: str, **environment: str) -> str:
    done = subprocess.run(
        words, capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def cc(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    return run(capfd, "cc", *words)


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.runtime
def test_a_makefile_s_program_runs(place: Path, capfd: pytest.CaptureFixture[str], ground: str) -> None:
    shell("make", "CC=coreloom cc", "AR=coreloom ar", CORELOOM_ON=ground)
    assert Path("main.d").read_text().split() == ["main.o:", "main.c", "inc/twice.h"]
    code, out, _ = run(capfd, "run", "prog.elf", "--", "--help", "", "a b")
    assert (code, out) == (3, "[--help][][a b] 42\n")
    assert "up to date" in shell("make", "CC=coreloom cc", "AR=coreloom ar", CORELOOM_ON=ground)


@pytest.mark.skipif(not shutil.which("cmake") or not shutil.which("make"), reason="needs cmake and make")
@pytest.mark.runtime
def test_a_cmake_project_s_program_runs(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, path, _ = cc(capfd, "--cmake-toolchain")
    shell("cmake", "-S", ".", "-B", "made", f"-DCMAKE_TOOLCHAIN_FILE={path.strip()}")
    shell("cmake", "--build", "made")
    assert run(capfd, "run", "made/prog", "-q") == (0, " 42\n", "")


@pytest.mark.parametrize("ground", GROUNDS)
def test_sources_are_compiled_and_run(place: Path, capfd: pytest.CaptureFixture[str], ground: str) -> None:
    words = ("run", "main.c", "-Iinc", "twice.c", "-DSEED=21", "--on", ground, "-q", "--", "-x")
    assert run(capfd, *words) == (1, "[-x] 42\n", "")


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_folder_is_compiled_and_run(place: Path, capfd: pytest.CaptureFixture[str], ground: str) -> None:
    Path("coreloom.toml").write_text(
        f'flags = ["-Iinc", "-DSEED=21"]\narguments = ["y"]\nkernel = "{ground}"\n'
    )
    assert run(capfd, "run", ".", "-q") == (1, "[y] 42\n", "")
    assert run(capfd, "run", str(place), "-q", "-USEED", "-DSEED=4", "--", "z", "z") == (2, "[z][z] 8\n", "")


def test_both_ways_make_one_program(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Objects of cc hold bitcode, so the runtime is optimised into them, as by run."""
    assert cc(capfd, "-c", "main.c", "twice.c", *OWN) == (0, "", "")
    assert cc(capfd, "main.o", "twice.o", "-o", "prog") == (0, "", "")
    facts = [
        json.loads(run(capfd, *words, "--json")[2].splitlines()[-1])
        for words in (("run", "main.c", "twice.c", *OWN), ("run", "prog"))
    ]
    assert facts[0]["cycles"] == facts[1]["cycles"] > 0
    assert Elf(Path("main.o").read_bytes()).section(".text.main") is not None  # for nm, size, objdump


def test_it_says_for_what_it_is(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cc(capfd, "main.c", "twice.c", *OWN, "--on", "sw", "--policy", "dwrr", "--cpus", "1") == (
        0,
        "",
        "",
    )
    made = Path("a.out").read_bytes()
    said = note.read(made)
    assert said is not None
    assert (said.ground, said.platform, said.cpus, said.policy) == ("sw", "smp-standard", 1, "dwrr")
    assert Elf(made).machine == RISCV
    line = "coreloom: error: a.out is linked"
    for words, wrong in {
        ("--on", "hw"): "for kernel sw, not hw: leave out --on, or link it with `coreloom cc --on hw`",
        (
            "--on",
            "linux",
        ): "for kernel sw, not linux: leave out --on, or link it with `coreloom cc --on linux`",
        (
            "--policy",
            "cfs",
        ): "with policy dwrr, not cfs: leave out --policy, or link it with `coreloom cc --policy cfs`",
        ("--cpus", "2"): "for platform smp-standard with 1 CPUs; smp-standard has cpus 2, not 1: leave out "
        "--platform and --cpus, or link it for that",
        (
            "--platform",
            "smp-fast",
        ): "for platform smp-standard with 1 CPUs; smp-fast has core fast: leave out "
        "--platform and --cpus, or link it for that",
    }.items():
        assert run(capfd, "run", "a.out", *words) == (125, "", f"{line} {wrong}\n")
    assert run(capfd, "run", "a.out", "-DX") == (
        125, "", "coreloom: error: -DX comes too late: a.out is linked already\n",
    )  # fmt: skip
    Path("old").write_bytes(made.replace(said.runtime.encode(), b"0" * len(said.runtime)))
    assert run(capfd, "run", "old") == (
        125, "", "coreloom: error: old is linked with the runtime of another version of Coreloom: "
        "link it again\n",
    )  # fmt: skip


def test_what_is_no_program(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shutil.copy(sys.executable, "python")
    Path("text").write_text("no")
    for word, wrong in {
        "python": "python is not a program for Coreloom: link it with `coreloom cc`",
        "text": "text is neither an ELF file nor a C source: check the path",
        "none.elf": "there is no file none.elf: check the path",
        "./none": "there is no file ./none: check the path",
        "inc": "inc has no coreloom.toml, which describes its program: write one (docs/guide.md), "
        "or give its sources",
        "Makefile": "Makefile is neither an ELF file nor a C source: check the path",
    }.items():
        assert run(capfd, "run", word) == (125, "", f"coreloom: error: {wrong}\n")
    code, out, err = run(capfd, "run", "main.c", "--help-me")
    assert (code, out) == (125, "")
    assert err == (
        "coreloom run: error: unknown option or argument: --help-me: did you mean --help? "
        "A program's own arguments come behind -- (see coreloom run --help)\n"
    )


def test_mistakes_of_a_command_line_are_one_line(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for words, wrong in {
        (): "there is no input file: give sources or objects (see coreloom cc --help)",
        ("none.c",): "there is no file none.c: check the path",
        ("-flubber", "-c", "twice.c", *OWN): "the compiler (clang) has no option -flubber: leave it out",
        (
            "--on",
            "fw",
            "twice.c",
        ): "unknown kernel 'fw' for --on: choose one of hw, sw, fine, freertos, freertos-tuned, linux",
        ("--cpus", "no", "twice.c"): "--cpus must be a whole number from 1, not 'no'",
        (
            "main.c",
            *OWN,
        ): "a.out uses twice (main.c:6), which is not defined: define it in the program, "
        "or add the source or library that does",
        ("twice.c", *OWN): "a.out has no main: define int main(void)",
        ("-c", "twice.c", "-o", "no/t.o"): "there is no folder no for no/t.o: make it",
        ("-dumpspecs",): "-dumpspecs is about gcc's own parts, which are not here: leave it out",
        (
            "twice.c",
            *OWN,
            "-lcurses",
            "-lfoo",
        ): "a.out is linked with -lcurses, -lfoo, for which there is no archive: build it by `coreloom cc` "
        "and `coreloom ar`, and name its folder by -L",
    }.items():
        assert cc(capfd, *words) == (1, "", f"coreloom cc: error: {wrong}\n")
    for header, call, why in (
        ("unistd", "fork()", "there is one process"),
        ("sys/shm", "shmget(0, 1, 0)", "there is one process"),
        ("sys/socket", "socket(AF_INET, SOCK_STREAM, 0)", "there are no sockets"),
        ("sys/ioctl", "ioctl(0, TIOCGWINSZ, 0)", "files are plain, and each descriptor is one"),
    ):
        name = call.partition("(")[0]
        Path("f.c").write_text(f"#include <{header}.h>\nint main(void) {{ return {call}; }}\n")
        assert cc(capfd, "f.c", "-o", "f") == (
            1,
            "",
            f"coreloom cc: error: f uses {name} (f.c:2), which Coreloom does not provide ({why}): "
            "leave it out (see runtime/CAVEATS.md)\n",
        )
        assert not Path("f").exists()


def test_an_error_names_the_file(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path("twice.c").write_text("int twice(int number) { return number + }\n")
    assert run(capfd, "run", "main.c", "twice.c", *OWN) == (
        125,
        "",
        "coreloom: error: twice.c does not compile:\n"
        "twice.c:1:41: error: expected expression\n"
        "    1 | int twice(int number) { return number + }\n"
        "      |                                         ^\n"
        "correct line 1 of twice.c, then run it again\n",
    )


def test_questions_are_answered_as_by_gcc(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cc(capfd, "-dumpmachine") == (0, "riscv32-unknown-elf\n", "")
    assert cc(capfd, "--on", "linux", "-dumpmachine") == (0, "x86_64-linux-gnu\n", "")
    assert cc(capfd, "-print-prog-name=ld") == (0, "ld\n", "")
    code, out, _ = cc(capfd, "--version")
    assert (code, out.startswith("coreloom cc ")) == (0, True)


def test_the_compiler_s_other_outputs(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cc(capfd, "-MM", "twice.c", "-Iinc") == (0, "twice.o: twice.c inc/twice.h\n", "")
    assert cc(capfd, "-E", "twice.c", "-Iinc")[1].startswith('# 1 "twice.c"\n')
    code, out, _ = cc(capfd, "-E", "-P", "twice.c", "-Iinc")
    assert (code, out.split("\n", 1)[1]) == (0, "int twice(int number) { return 2 * number; }\n")
    assert cc(capfd, "-S", "twice.c", "-Iinc") == (0, "", "")
    assert "\ntwice:" in Path("twice.s").read_text()
    Path("twice.s").unlink()
    code, out, _ = cc(capfd, "-S", "twice.c", "-Iinc", "-o", "-")
    assert (code, "\ntwice:" in out) == (0, True)
    assert cc(capfd, "-dM", "-E", "-x", "c", os.devnull)[1].count("\n#define __riscv_xlen 32\n") == 1
    before = sorted(Path().iterdir())
    for mode in ("-E", "-S", "-c", "-M", "-fsyntax-only"):
        assert cc(capfd, mode, "twice.c", "-Iinc", "-o", os.devnull) == (0, "", "")
    assert cc(capfd, "main.c", "twice.c", *OWN, "-o", os.devnull) == (0, "", "")
    assert sorted(Path().iterdir()) == before


def test_a_check_makes_nothing_but_a_rule(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = sorted(Path().iterdir())
    assert cc(capfd, "-fsyntax-only", "main.c", "twice.c", *OWN) == (0, "", "")
    assert cc(capfd, "-c", "-fsyntax-only", "twice.c", *OWN, "-o", "twice.o") == (0, "", "")
    Path("bad.c").write_text("int bad(void) { return none; }\n")
    code, out, err = cc(capfd, "-fsyntax-only", "bad.c")
    assert (code, out) == (1, "")
    assert err.startswith("bad.c:1:24: error: use of undeclared identifier 'none'\n")
    assert sorted(Path().iterdir()) == sorted([*before, Path("bad.c")])
    for mode in ("-fsyntax-only", "-E"):
        assert cc(capfd, mode, "-MMD", "twice.c", *OWN)[::2] == (0, "")
        assert Path("twice.d").read_text() == "twice.o: twice.c inc/twice.h\n"
        Path("twice.d").unlink()


def test_a_source_from_stdin(place: Path) -> None:
    def of(text: str, *words: str) -> tuple[int, str, str]:
        command = ("coreloom", "cc", *words)
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    code, out, err = of('#include "inc/twice.h"\n', "-", "-E")
    assert (code, err, out.splitlines()[0]) == (0, "", '# 1 "<stdin>"')
    assert "\nint twice(int number);\n" in out
    assert of("int main(void) { return 0; }\n", "-x", "c", "-", "-o", "made") == (0, "", "")
    assert of("int twice(int n) { return 2 * n; }\n", "-c", "-x", "c", "-", "-o", "t.o") == (0, "", "")
    assert Path("made").exists() and Path("t.o").exists()
    for mode in ("-c", "-S", "-fsyntax-only"):
        code, out, err = of("int x = none;\n", mode, "-x", "c", "-")
        assert (code, out) == (1, "")
        assert err.startswith("<stdin>:1:9: error: use of undeclared identifier 'none'\n")
    for words, wrong in {
        ("-c", "-"): "- stands for stdin: give its language by -x",
        (
            "-M",
            "-x",
            "c",
            "-",
        ): "- stands for stdin, which has no name that a rule could have: give -M a file",
    }.items():
        assert of("", *words) == (1, "", f"coreloom cc: error: {wrong}\n")


def test_verbose_says_where_headers_are(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """As CMake and configure look for them."""
    for words in (("-E", "-v", "-x", "c", os.devnull), ("-v", "-c", "twice.c", "-Iinc")):
        code, _, err = cc(capfd, *words)
        assert (code, err.splitlines()[0]) == (0, "Target: riscv32-unknown-elf")
        folders = err.partition("#include <...> search starts here:\n")[2].partition("End of search list.\n")[
            0
        ]
        assert str(ROOT / "runtime" / "include") in map(str.strip, folders.splitlines())


def test_a_macro_may_be_called_as_anything(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Even like a word of the linker script, which is preprocessed."""
    Path("at.c").write_text('#include <stdio.h>\nint main(void) { printf("%d\\n", AT + ALIGN); }\n')
    assert run(capfd, "run", "at.c", "-DAT=1", "-DALIGN=2", "-q") == (0, "3\n", "")


@pytest.mark.parametrize("standard", ["c11", "c17", "c23", "gnu17"])
def test_standards(place: Path, capfd: pytest.CaptureFixture[str], standard: str) -> None:
    dated = {"c11": 201112, "c17": 201710, "c23": 202311, "gnu17": 201710}[standard]
    Path("dated.c").write_text('#include <stdio.h>\nint main(void) { printf("%ld\\n", __STDC_VERSION__); }\n')
    assert run(capfd, "run", "dated.c", f"-std={standard}", "-q") == (0, f"{dated}\n", "")


def test_objects_and_archives_have_any_name(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    clock = ("-Iinc", "-include", "time.h", "-DSEED=(int)(clock()&0)+21")  # for which it is linked twice
    assert cc(capfd, "-c", "main.c", *clock, "-o", "main.od") == (0, "", "")
    assert cc(capfd, "-c", "twice.c", *OWN) == (0, "", "")
    shell("coreloom", "ar", "rcs", "twice.lib", "twice.o")
    for ground in GROUNDS[:2]:
        assert cc(capfd, "main.od", "twice.lib", "-o", "prog", "--on", ground) == (0, "", "")
        assert run(capfd, "run", "prog", "-q") == (0, " 42\n", "")
    assert cc(capfd, "main.od", "Makefile") == (
        1, "", "coreloom cc: error: Makefile is no source, object or archive: check its name\n",
    )  # fmt: skip


CLASSIFIED = """\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
  double number = atof(words[1]), whole;
  float half = (float)number / 2;
  int power;
  printf("%d %d %d ", !!isnan(number), !!isinf(half), !!signbit(number));
  printf("%g ", frexp(number, &power));
  printf("%g ", modf(number, &whole));
  printf("%g\\n", ldexp(whole, power));
  return count - 2;
}
"""


@pytest.mark.parametrize("ground", GROUNDS)
def test_what_linux_has_in_its_c_library_needs_no_library_of_mathematics(
    place: Path, capfd: pytest.CaptureFixture[str], ground: str
) -> None:
    Path("classified.c").write_text(CLASSIFIED)
    assert cc(capfd, "-std=c99", "-c", "classified.c", "--on", ground) == (0, "", "")
    assert cc(capfd, "classified.o", "-o", "prog", "--on", ground) == (0, "", "")
    assert run(capfd, "run", "prog", "-q", "--", "-6.5") == (0, "0 0 1 -0.8125 -0.5 -48\n", "")


LIKE_LINUX = """\
#include <pthread.h>
#include <stdio.h>
#if defined(__linux__) && defined(__unix__)
#include <sys/prctl.h>
#endif

int main(void) {
  char name[16];
  prctl(PR_SET_NAME, "a name that is too long");
  prctl(PR_GET_NAME, name);
  puts(name);
  return 0;
}
"""


# With headers that programs include and need nothing of.
USUAL = """\
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/poll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sysexits.h>
#include <syslog.h>
#include <termios.h>
#include <threads.h>
#include <unistd.h>
#include <values.h>
#include <wchar.h>

static void *other(void *main_s) {
  return (void *)(long)(gettid() == (pid_t)syscall(SYS_gettid) && gettid() != *(pid_t *)main_s);
}

/* A library has them for systems without. */
int thrd_sleep(const struct timespec *time, struct timespec *left) { return (void)time, (void)left, 7; }

static int is_made(const struct dirent *entry) { return !strcmp(entry->d_name, "made"); }

static int same(const void *a, const void *b) { return *(const int *)a != *(const int *)b; }

int main(void) {
  char text[8] = "", more[4] = "";
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80)};
  struct timeval soon = {0, 1000};
  struct pollfd plain = {.fd = open("made", O_RDWR | O_CREAT, 0600), .events = POLLIN | POLLOUT};
  struct iovec parts[] = {{"abcd", 4}, {"efg", 3}}, into[] = {{text, 5}, {more, 2}};
  struct rusage used;
  struct tms now;
  struct stat about;
  fd_set set;
  cpu_set_t cpus;
  pthread_t thread;
  void *result;
  pid_t self = gettid();
  pthread_attr_t attr;
  static _Alignas(4096) char stack[65536];
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, sizeof stack);
  pthread_attr_setstackaddr(&attr, stack + sizeof stack);
  pthread_attr_getstackaddr(&attr, &result);
  thrd_t own = thrd_current();
  printf("%d ", thrd_sleep(NULL, NULL) * thrd_equal(own, thrd_current()));
  printf("%d ", result == stack + sizeof stack);
  pthread_create(&thread, &attr, other, &self);
  pthread_join(thread, &result);
  printf("%d %d %d\\n", ntohs(address.sin_port), self == getpid(), (int)(long)result);
  printf("%d %d\\n", select(0, NULL, NULL, NULL, &soon), poll(NULL, 0, 1));
  printf("%zd", writev(plain.fd, parts, 2));
  printf(" %zd", pwrite(plain.fd, "X", 1, 2));
  printf(" %zd", pread(plain.fd, text, 3, 1));
  printf(" %s", text);
  lseek(plain.fd, 0, SEEK_SET);
  printf(" %zd", readv(plain.fd, into, 2));
  printf(" %s %s\\n", text, more);
  FD_ZERO(&set);
  FD_SET(plain.fd, &set);
  printf("%d %d\\n", poll(&plain, 1, -1), select(plain.fd + 1, NULL, &set, NULL, NULL));
  int is_there = lstat("made", &about);
  printf("%d %d %d\\n", is_there, (int)about.st_size, fdatasync(plain.fd));
  CPU_ZERO(&cpus);
  CPU_SET(0, &cpus);
  printf("%d", sched_setaffinity(0, sizeof cpus, &cpus));
  printf(" %d %d", sched_getcpu(), get_nprocs() > 0);
  printf(" %d\\n", sched_getaffinity(0, sizeof cpus, &cpus) || !CPU_ISSET(0, &cpus));
  printf("%d %d", getrusage(RUSAGE_SELF, &used), times(&now) == (clock_t)-1);
  printf(" %d\\n", getpriority(PRIO_PROCESS, 0));
  int table[3] = {4, 5}, six = 6;
  size_t count = 2;
  int *found = lsearch(&six, table, &count, sizeof *table, same);
  printf("%d %d %zu", *found, table[2], count);
  printf(" %d\\n", lfind(&six, table, &count, sizeof *table, same) == found);
  syslog(LOG_INFO, "unseen");
  struct dirent **entries;
  char path[PATH_MAX];
  int is_first = scandir(".", &entries, is_made, alphasort) == 1 && !strcmp((*entries)->d_name, "made");
  printf("%d %d", is_first, realpath("none", path) == NULL);
  printf(" %d", mkdir("in", 0700));
  printf(" %d %d", strcmp(strrchr(realpath("in//.././in/../made", path), '/'), "/made"), truncate("made", 3));
  is_there = stat("made", &about);
  printf(" %d %d\\n", is_there, (int)about.st_size);
  printf("%ld %d\\n", wcstol(L"-12x", NULL, 10), pthread_atfork(NULL, NULL, NULL));
  if (sizeof __DATE__ " " __TIME__ != 21) return 1;
  FILE *file = fopen("made", "r");
  int number, first = fscanf(file, "%d", &number), back = ungetc('x', file);
  printf("%d %c", first, back);
  printf(" %c", getc(file));
  printf("%c\\n", getc(file));
  fflush(stdout);
  quick_exit(EX_USAGE);
}
"""


@pytest.mark.parametrize("ground", GROUNDS)
def test_usual_headers_and_functions_of_linux(
    place: Path, capfd: pytest.CaptureFixture[str], ground: str
) -> None:
    Path("usual.c").write_text(USUAL)
    assert run(capfd, "run", "usual.c", "-w", "-q", "--files", ".", "--on", ground) == (
        64,
        "7 1 80 1 1\n0 0\n7 1 3 bXd 7 abXde fg\n1 1\n0 7 0\n0 0 1 0\n0 0 0\n"
        "6 6 3 1\n1 1 0 0 0 0 3\n-12 0\n0 x xa\n",
        "",
    )


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_program_finds_what_it_looks_for_on_linux(
    place: Path, capfd: pytest.CaptureFixture[str], ground: str
) -> None:
    """Old and new programs ask no more than whether this is Linux before they use threads and semaphores."""
    Path("like.c").write_text(LIKE_LINUX)
    assert run(capfd, "run", "like.c", "-std=gnu89", "-w", "-q", "--on", ground) == (
        0,
        "a name that is \n",
        "",
    )


def test_ground_linux_has_the_headers_of_this_machine_s_compiler(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """With _GNU_SOURCE, which no program asked for, they have macros of C11 and names of C23."""
    Path("own.c").write_text('#include <string.h>\nint main(void) { return strrchr("ab", 98) == NULL; }\n')
    words = ("-std=c89", "-pedantic-errors", "--on", "linux")
    assert cc(capfd, "own.c", *words) == (0, "", "")
    Path("once.c").write_text(
        "#define _GNU_SOURCE\n#include <pthread.h>\n#define once_flag pthread_once_t\n"
        "#define call_once(flag, call) pthread_once(flag, call)\n#include <stdlib.h>\nint main(void) {}\n"
    )
    assert cc(capfd, "once.c", "--on", "linux") == (0, "", "")


def test_what_was_printed_is_shown_as_it_comes(place: Path) -> None:
    Path("slow.c").write_text('#include <stdio.h>\nint main(void) { puts("first"); for (;;); }\n')
    words = ["coreloom", "run", "slow.c"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "first\n"
        assert process.poll() is None
        process.terminate()
        assert process.wait() == 143


@pytest.mark.parametrize(
    ("asked", "needless"),
    [
        (
            "from coreloom import cli; cli.parser('run')",
            [
                *("coreloom.benches", "coreloom.commands.bench", "coreloom.sweep", "PIL", "dpkt", "jinja2"),
                *("rich", "elftools", "importlib.metadata"),
            ],
        ),
        ("from coreloom.commands import cc", ["argparse", "rich", "elftools", "coreloom.simulation"]),
    ],
    ids=["run", "cc"],
)
def test_what_a_short_command_needs_is_all_that_is_imported(asked: str, needless: list[str]) -> None:
    """A short program runs in less time than the other imports would take."""
    code = f"{asked}; import sys; print([name for name in {needless} if name in sys.modules])"
    assert shell(sys.executable, "-c", code, PYTHONPATH=str(ROOT / "src")) == "[]\n"
