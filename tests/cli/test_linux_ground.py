# SPDX-License-Identifier: Apache-2.0
"""`coreloom run --ground linux`, and `coreloom conformance` on it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from coreloom.conformance import suite
from coreloom.conformance.run import Row
from coreloom.paths import RESULTS
from coreloom.simulation import host

from .command import run

PROGRAM = """
#include <coreloom.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *echo(void *unused) {
  uint32_t word;
  port_open(1, PORT_DIRECT);
  port_send(0, 0);
  do {
    if (port_receive(1, &word)) return (void *)1;
    port_send(0, word + 1);
  } while (word < 1000);
  return unused;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t thread;
  uint32_t word;
  char *output = cl_output(NULL);
  size_t length;
  const char *input = cl_input(&length);
  memcpy(output, input, length);
  cl_output_set_length(length);
  port_open(0, PORT_BUFFERED);
  pthread_attr_init(&attr);
  pthread_attr_setname_np(&attr, "echo");
  pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, cl_cpu_count() - 1);
  pthread_create(&thread, &attr, echo, NULL);
  port_receive(0, &word);
  for (uint32_t i = 0; i <= 1000; i++) {
    port_send(1, i);
    if (port_receive(0, &word) || word != i + 1) return 1;
  }
  pthread_join(thread, NULL);
  if (port_timedreceive(0, &word, 1000) != ETIMEDOUT || port_tryreceive(0, &word) != EAGAIN) return 2;
  if (shared_memory_lock(&word) || shared_memory_lock(&word) != EDEADLK) return 3;
  if (shared_memory_unlock(&word)) return 3;
  if (shared_memory_unlock(&word) != EPERM) return 4;
  if (port_open(CL_PORTS, 0) != EINVAL || port_close(2) != EBADF) return 5;
  if (interrupt_wait_np(0) != ENODEV || hardware_find_np("crc32") != -1) return 6;
  if (pthread_suspend_np(thread) != ENOTSUP || pthread_attr_setweight_np(&attr, 2) != ENOTSUP) return 7;
  if (strcmp(coreloom_features()->kernel, "linux")) return 8;
  printf("done\\n");
  return STATUS;
}
"""


WARNED = """\
#define _GNU_SOURCE
#include <stdio.h>
int main(int count, char **words) {
  printf("%d\\n", words);
  return 0 * count;
}
"""
SAID = """\
warned.c:4:18: warning: format specifies type 'int' but the argument has type 'char **' [-Wformat]
    4 |   printf("%d\\n", words);
      |           ~~     ^~~~~
"""


@pytest.mark.parametrize("ground", ["linux", "hw", "sw"])
def test_warnings_are_shown_each_time_and_stop_nothing(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ground: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("warned.c").write_text(WARNED)
    for _ in range(2):
        code, _, err = run(capfd, "run", "warned.c", "--ground", ground, "-q")
        assert (code, err) == (0, SAID)
    code, _, err = run(capfd, "run", "warned.c", "--ground", ground, "-q", "-w")
    assert (code, err) == (0, "")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program of the user's that ends with status 0."""
    path = tmp_path / "mine.c"
    path.write_text(PROGRAM.replace("STATUS", "0"))
    return path


@pytest.mark.parametrize("app", ["image", "packets", "hybrid", "sort"])
def test_an_application_gives_the_same_output(
    capfd: pytest.CaptureFixture[str], app: str, tmp_path: Path
) -> None:
    code, _, err = run(capfd, "run", app, "--ground", "linux", "--output", str(tmp_path / "output"))
    assert code == 0
    assert "output (equal to the host's result): " in err


def test_output_and_status_are_the_programs(
    capfd: pytest.CaptureFixture[str], program: Path, tmp_path: Path
) -> None:
    target, source = tmp_path / "output", tmp_path / "input"
    source.write_bytes(b"what goes in")
    options = ("--ground", "linux", "--input", str(source), "--output", str(target))
    code, out, err = run(capfd, "run", str(program), *options)
    assert (code, out, err) == (0, "done\n", f"output: {target}\n")
    assert target.read_bytes() == b"what goes in"
    program.write_text(PROGRAM.replace("STATUS", "42"))
    code, out, err = run(capfd, "run", str(program), "--ground", "linux")
    assert (code, out, err) == (42, "done\n", "")


MAIL = """
#include <coreloom.h>
#include <pthread.h>
#include <stdio.h>

static uint32_t block[300];

static void *far(void *unused) {
  uint32_t word = 0, which = 0;
  size_t count = 0;
  if (cpu_barrier_wait(0)) return (void *)1;
  for (uint32_t i = 0; i < 5000; i++)
    if (mailbox_receive(0, &word) || word != 3 * i) return (void *)2;
  if (mailbox_read(0, block, 300) || block[299] != 299) return (void *)3;
  if (mailbox_receive(0, &word) || word != 0x80000000u) return (void *)4;
  if (mailbox_tryreceive(0, &word) != EAGAIN) return (void *)5;
  if (mailbox_timedreceive(0, &word, 1000) != ETIMEDOUT) return (void *)5;
  if (doorbell_take(6, &which) || which != 4) return (void *)6;
  if (cpu_mutex_timedlock(1, 1000) != ETIMEDOUT) return (void *)7;
  port_open(3, PORT_DIRECT);
  if (cpu_barrier_wait(0)) return (void *)8;
  if (port_receive_block(3, block, 300, &count) || count != 300 || block[1] != 7) return (void *)9;
  if (channel_wait(0, CHANNEL_REQ, 1) || channel_acknowledge(0, 1)) return (void *)10;
  if (mailbox_receive(0, &word) != ECONNRESET) return (void *)11;
  return unused;
}

static void *near(void *unused) {
  cpu_mutex_lock(1);
  cpu_barrier_wait(0);
  for (uint32_t i = 0; i < 5000; i++) mailbox_send(1, 3 * i);
  static uint32_t sent[300];
  for (uint32_t i = 0; i < 300; i++) sent[i] = i;
  mailbox_write(1, sent, 300);
  mailbox_send(1, 0x80000000u);
  doorbell_ring(2, 4);
  cpu_barrier_wait(0);
  for (uint32_t i = 0; i < 300; i++) sent[i] = 7 * i;
  port_send_block(3, sent, 300);
  channel_request(1, 1);
  channel_wait(1, CHANNEL_ACK, 1);
  mailbox_reset(1, MAILBOX_SENDING);
  return unused;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t threads[2];
  void *value[2];
  cpu_barrier_init(0, 3);
  pthread_attr_init(&attr);
  for (unsigned cpu = 0; cpu < 2; cpu++) {
    pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, cpu);
    if (pthread_create(&threads[cpu], &attr, cpu ? far : near, NULL)) return 1;
  }
  for (unsigned cpu = 0; cpu < 2; cpu++) pthread_join(threads[cpu], &value[cpu]);
  printf("%ld %ld\\n", (long)value[0], (long)value[1]);
  return 0;
}
"""


@pytest.mark.skipif(host.cpus() < 2, reason="needs two processors")
def test_processors_exchange_words(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Mailboxes, doorbells, channels, mutexes, barriers, and messages through ports."""
    path = tmp_path / "mail.c"
    path.write_text(MAIL)
    assert run(capfd, "run", str(path), "--ground", "linux", "--cpus", "2") == (0, "0 0\n", "")


@pytest.mark.parametrize(
    ("source", "status", "text"),
    [
        ("int main(void) { return *(volatile int *)8; }", 139, "mine was ended by SIGSEGV"),
        ("#include <hthread.h>\nint main(void) { return 0; }", 125, "hthread.h is not for ground linux"),
        (
            "#include <coreloom.h>\nint main(void) { return remote_stop(); }",
            125,
            "runtime/linux/README.md says what ground linux has not",
        ),
        ("int main(void) { return nonsense; }", 125, "use of undeclared identifier 'nonsense'"),
    ],
)
def test_a_program_that_cannot_run(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, source: str, status: int, text: str
) -> None:
    path = tmp_path / "mine.c"
    path.write_text(source + "\n")
    code, _, err = run(capfd, "run", str(path), "--ground", "linux")
    assert code == status
    assert text in err


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--waves",), "--waves is not an option of ground linux: it needs a simulated machine"),
        (("--policy", "dwrr"), "--policy is not an option of ground linux: it needs a simulated machine"),
        (
            ("--max-cycles", "9"),
            "--max-cycles is not an option of ground linux: it needs a simulated machine",
        ),
        (("--placement", "left"), "unknown placement 'left': choose one of dynamic, static"),
    ],
)
def test_options_that_need_a_simulation(
    capfd: pytest.CaptureFixture[str], options: tuple[str, ...], text: str
) -> None:
    assert run(capfd, "run", "image", "--ground", "linux", *options) == (
        125,
        "",
        f"coreloom: error: {text}\n",
    )


def test_more_processors_than_there_are(capfd: pytest.CaptureFixture[str]) -> None:
    here = host.cpus()
    if here >= 8:
        pytest.skip("a platform has at most 8")
    assert run(capfd, "run", "image", "--ground", "linux", "--cpus", str(here + 1)) == (
        125,
        "",
        f"coreloom: error: this machine has {here} processors, not {here + 1}: choose fewer by --cpus\n",
    )


def test_conformance(capsys: pytest.CaptureFixture[str]) -> None:
    """The table, and the file with a row for each test."""
    code, out, err = run(capsys, "conformance", "--ground", "linux", "--only", "spin,pthread_once_runs_once")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()[2:6]] == [
        ["group", "Linux"],
        ["once", "1/1"],
        ["spin", "6/6"],
        ["all", "7/7"],
    ]
    rows = msgspec.json.decode((RESULTS / "conformance-some.json").read_bytes())["rows"]
    found = [msgspec.convert(row, Row) for row in rows]
    assert [row.name for row in found] == [
        "pthread_once_runs_once",
        *(t.name for t in suite.chosen(["spin"])),
    ]
    assert found[0].requirement == "the routine runs at the first call and at no later one"


def test_conformance_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "conformance", "--ground", "hw,bsd") == (
        1,
        "",
        "coreloom: error: unknown ground 'bsd': choose one of hw, sw, linux\n",
    )
    code, _, err = run(capsys, "conformance", "--only", "mutex,mutexes")
    assert code == 1
    assert err.startswith(
        "coreloom: error: there is no test 'mutexes': give a test, a function, or one of the groups "
    )
