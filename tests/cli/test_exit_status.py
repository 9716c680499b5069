# SPDX-License-Identifier: Apache-2.0
"""What `coreloom run` exits with: the same on every ground."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import run

GROUNDS = ("hw", "sw", "linux")
CALL = (
    "#include <pthread.h>\n#include <stdlib.h>\nstatic void *end(void *status) { exit((int)(long)status); }\n"
)
PROGRAMS = {
    "main without return": ("int main(void) {}", 0),
    "main with arguments and without return": ("int main(int count, char **words) { *words += count; }", 0),
    "42": ("int main(void) { return 42; }", 42),
    "300": ("int main(void) { return 300; }", 44),
    "256": ("int main(void) { return 256; }", 0),
    "-1": ("int main(void) { return -1; }", 255),
    "exit of a thread": (
        CALL
        + "int main(void) { pthread_t t; pthread_create(&t, NULL, end, (void *)7); pthread_join(t, NULL); }",
        7,
    ),
    "_Exit": ("#include <stdlib.h>\nint main(void) { _Exit(9); }", 9),
    "abort": ("#include <stdlib.h>\nint main(void) { abort(); }", 134),
    "assert": (
        "#include <assert.h>\nint main(int count, char **words) { assert(count == 2 && words); }",
        134,
    ),
    "a signal": ("#include <signal.h>\nint main(void) { raise(SIGTERM); }", 143),
    "a timer's signal": (
        "#include <sys/time.h>\n#include <unistd.h>\nint main(void) {\n"
        "  setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 1000}}, 0);\n  pause();\n}",
        142,
    ),
    "abort with a handler": (
        "#include <signal.h>\n#include <stdlib.h>\nstatic void end(int n) { _Exit(n + 1); }\n"
        "int main(void) { signal(SIGABRT, end); abort(); }",
        7,
    ),
    "an illegal instruction": ("int main(void) { __builtin_trap(); }", 132),
    "an invalid address": ("int main(void) { return *(volatile char *)8; }", 139),
    "an error of the compiler": ("int main(void) { return x; }", 125),
}


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.runtime
def test_exit_status(name: str, ground: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text, status = PROGRAMS[name]
    program = tmp_path / "program.c"
    program.write_text(text + "\n")
    assert run(capfd, "run", str(program), "--on", ground, "--cpus", "1")[0] == status


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.runtime
def test_what_an_assertion_calls_is_called(
    ground: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """zig defines NDEBUG where it optimises; the user may define it."""
    program = tmp_path / "program.c"
    program.write_text(
        "#include <assert.h>\n"
        "static int called;\n"
        "int main(void) {\n"
        "  assert(++called);\n"
        "#define NDEBUG\n"
        "#include <assert.h>\n"
        "  assert(++called);\n"
        "  return called;\n"
        "}\n"
    )
    assert run(capfd, "run", str(program), "--on", ground, "--cpus", "1")[0] == 1


@pytest.mark.parametrize("ground", GROUNDS[:2])
@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { for (volatile int i = 0;; i++) continue; }",
        "#include <semaphore.h>\nint main(void) { sem_t s; sem_init(&s, 0, 0); sem_wait(&s); }",
    ],
)
@pytest.mark.runtime
def test_a_program_that_does_not_end(
    text: str, ground: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program.c"
    program.write_text(text + "\n")
    options = ("--on", ground, "--cpus", "1", "--max-cycles", "20000")
    assert run(capfd, "run", str(program), *options)[0] == 124


def test_what_is_not_the_program_s(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A wrong option, a file that there is not, a wrong input; a command that runs no program has 1 and 2."""
    program = tmp_path / "program.c"
    program.write_text("int main(void) {}\n")
    assert run(capfd, "run", str(program), "--no-such-option")[0] == 125
    assert run(capfd, "run", str(tmp_path / "none.c"))[0] == 125
    assert run(capfd, "run", str(program), "--input", str(tmp_path / "none"))[0] == 125
    assert run(capfd, "list", "--no-such-option")[0] == 2
    assert run(capfd, "list", "nothing")[0] == 1
