# SPDX-License-Identifier: Apache-2.0
"""What `coreloom run` says about a program that does not compile: its line, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.toolchain.diagnostics import explain

from .command import run

SYNTAX = """\
int main(void) {
  int x = 3
  return x;
}
"""
ARGUMENT = """\
#include <pthread.h>

int main(void) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  return pthread_mutex_lock(lock);
}
"""
UNDECLARED = """\
#include <pthread.h>

int main(void) {
  return pthread_creat(0);
}
"""
HEADER = """\
#include <pthread.h>
#include <sys/epoll.h>

int main(void) { return 0; }
"""
MACRO = """\
#include <pthread.h>

int main(void) {
  int result = PTHREAD_CANCELED;
  return result + PTHREAD_STACK_DEFAULT_NP[0];
}
"""
EARLIER = """\
int shared;
float shared;
int main(void) { return 0; }
"""
OURS = """\
#define pthread_t 3
#include <pthread.h>
int main(void) { return 0; }
"""


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (
            SYNTAX,
            """\
mine.c does not compile:
mine.c:2:12: error: expected ';' at end of declaration
    2 |   int x = 3
      |            ^
      |            ;
correct line 2 of mine.c, then run it again
""",
        ),
        (
            ARGUMENT,
            """\
mine.c does not compile:
mine.c:5:29: error: passing 'pthread_mutex_t' (aka 'struct cl_mutex') \
to parameter of incompatible type 'pthread_mutex_t *' (aka 'struct cl_mutex *'); \
take the address with &
    5 |   return pthread_mutex_lock(lock);
      |                             ^~~~
      |                             &
correct line 5 of mine.c, then run it again
""",
        ),
        (
            HEADER,
            """\
mine.c does not compile:
mine.c:2:10: fatal error: 'sys/epoll.h' file not found
    2 | #include <sys/epoll.h>
      |          ^~~~~~~~~~~~~
there is no sys/epoll.h next to the program or in the C library: correct line 2 of mine.c
""",
        ),
        (
            MACRO,
            """\
mine.c does not compile:
mine.c:4:7: warning: incompatible pointer to integer conversion initializing 'int' with an expression of \
type 'void *' [-Wint-conversion]
    4 |   int result = PTHREAD_CANCELED;
      |       ^        ~~~~~~~~~~~~~~~~
mine.c:5:43: error: subscripted value is not an array, pointer, or vector
    5 |   return result + PTHREAD_STACK_DEFAULT_NP[0];
      |                   ~~~~~~~~~~~~~~~~~~~~~~~~^~
correct line 5 of mine.c, then run it again
""",
        ),
        (
            EARLIER,
            """\
mine.c does not compile:
mine.c:2:7: error: redefinition of 'shared' with a different type: 'float' vs 'int'
    2 | float shared;
      |       ^
mine.c:1:5: note: previous definition is here
    1 | int shared;
      |     ^
correct line 2 of mine.c, then run it again
""",
        ),
        ("int thing(void) { return 1; }\n", "mine.c has no main: define int main(void)\n"),
        (
            "int helper(int);\nint main(void) { return helper(3); }\n",
            "mine.c uses helper (mine.c:2), which is not defined: define it in the program, or add the "
            "source or library that does\n",
        ),
        (
            "#include <signal.h>\n#include <unistd.h>\nint helper(int);\n"
            "int main(void) { return helper(sigaltstack(0, 0)) + fork() + setuid(1); }\n",
            "mine.c uses sigaltstack (mine.c:4), fork (mine.c:4), setuid (mine.c:4), which Coreloom does not "
            "provide (signals have no stacks of their own; there is one process; there are no users): leave "
            "them out (see runtime/CAVEATS.md); and uses helper (mine.c:4), which is not defined: define it "
            "in the program, or add the source or library that does\n",
        ),
        (
            "int sched_yield(void) { return 1; }\nint main(void) { return 0; }\n",
            "mine.c defines sched_yield, as the runtime or the C library does: choose another name\n",
        ),
    ],
    ids=[
        "syntax",
        "argument",
        "header",
        "macro",
        "earlier",
        "main",
        "undefined",
        "absent",
        "duplicate",
    ],
)
def test_error_is_the_users_line_and_what_to_do(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    lines: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.c").write_text(source)
    assert run(capsys, "run", "mine.c", "--platform", "smp-economy") == (125, "", f"coreloom: error: {lines}")


WARNED = """\
mine.c:4:10: warning: call to undeclared function 'pthread_creat'; ISO C99 and later do not support implicit \
function declarations [-Wimplicit-function-declaration]
    4 |   return pthread_creat(0);
      |          ^
"""


def test_what_is_declared_nowhere_is_a_warning_and_what_is_nowhere_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with gcc, for which many a public program was written; -Werror is the user's to say."""
    monkeypatch.chdir(tmp_path)
    Path("mine.c").write_text(UNDECLARED)
    assert run(capsys, "run", "mine.c", "--platform", "smp-economy") == (
        125,
        "",
        f"{WARNED}coreloom: error: mine.c uses pthread_creat (mine.c:4), which is not defined: "
        "define it in the program, or add the source or library that does\n",
    )
    code, out, err = run(capsys, "run", "mine.c", "--platform", "smp-economy", "-Werror")
    assert (code, out) == (125, "")
    assert err.splitlines()[0] == "coreloom: error: mine.c does not compile:"
    assert err.splitlines()[-1] == (
        "check the spelling of pthread_creat in line 4 of mine.c, or include the header that declares it"
    )


def test_error_in_a_header_of_ours_names_the_line_that_includes_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.c").write_text(OURS)
    code, out, err = run(capsys, "run", "mine.c", "--platform", "smp-economy")
    assert (code, out) == (125, "")
    first, place, *_, advice = err.splitlines()
    assert first == "coreloom: error: mine.c does not compile:"
    assert place.endswith("pthread.h:25:18: error: expected identifier or '('")
    assert err.count(" error: ") == 2  # of many only the first
    assert advice == "correct what the program defines before line 2 of mine.c"


def test_error_in_a_users_header(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.h").write_text("static int broken(void) { return 1 }\n")
    Path("mine.c").write_text('#include "mine.h"\nint main(void) { return broken(); }\n')
    code, _, err = run(capsys, "run", "mine.c", "--platform", "smp-economy")
    lines = err.splitlines()
    assert code == 125
    assert lines[1] == "mine.h:1:35: error: expected ';' after return statement"
    assert lines[-1] == "correct line 1 of mine.h, then run it again"


def test_what_is_no_message_is_kept_as_it_is() -> None:
    said = "LLVM ERROR: out of memory"
    assert explain(said, "mine.c", ()) == f"mine.c does not compile:\n{said}"


@pytest.mark.parametrize("archived", [False, True], ids=["sources", "archive"])
def test_what_two_files_of_the_program_define(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archived: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.c").write_text(
        "int helper(void) { return 1; }\nint other(void);\nint main(void) { return other(); }\n"
    )
    Path("theirs.c").write_text("int other(void) { return 1; }\nint helper(void) { return 2; }\n")
    second, where = "theirs.c", "theirs.o"
    if archived:
        assert run(capsys, "cc", "-c", "theirs.c")[0] == 0
        assert run(capsys, "ar", "rcs", "libit.a", "theirs.o")[0] == 0
        second, where = "libit.a", "libit.a"
    code, _, err = run(capsys, "cc", "mine.c", second, "-o", "mine.elf")
    advice = f"defines helper in mine.o and in {where}: leave it in one of them, or make both static"
    assert (code, err) == (1, f"coreloom cc: error: mine.elf {advice}\n")


def test_a_function_of_the_library_of_mathematics_that_was_not_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.c").write_text(
        "#include <complex.h>\n#include <math.h>\n"
        "int main(int n, char **words) { return (int)(pow(n, 0.5) + creal(csqrt(n))); }\n"
    )
    code, _, err = run(capsys, "cc", "mine.c", "-o", "mine.elf")
    assert (code, err) == (
        1,
        "coreloom cc: error: mine.elf uses creal (mine.c:3), csqrt (mine.c:3), pow (mine.c:3): add -lm\n",
    )
    assert run(capsys, "cc", "mine.c", "-o", "mine.elf", "-lm")[0] == 0
