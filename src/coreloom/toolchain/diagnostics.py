# SPDX-License-Identifier: Apache-2.0
"""The compiler's and the linker's errors about a user's program: its own lines, then one line of advice."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coreloom.errors import meant
from coreloom.paths import RUNTIME
from coreloom.toolchain import cache
from coreloom.toolchain.zig import LIBC

_HEAD = re.compile(
    r"(?P<file>[^\n:]+):(?P<line>\d+):\d+: (?P<kind>fatal error|error|warning|note): (?P<text>.*)"
)
_INCLUDED = re.compile(r"In file included from (?P<file>[^\n:]+):(?P<line>\d+):")
_TOTAL = re.compile(r"(\d+ warnings? and )?\d+ errors? generated\.|fatal error: too many errors emitted.*")
_ERROR = re.compile(r"\n[ 0-9]+\|\s*#\s*error ")
_UNDEFINED = re.compile(r"error: undefined symbol: (.+)\n(?:>>> referenced by ([^\s:]+:\d+))?")
_DUPLICATE = re.compile(r"error: duplicate symbol: (.+)((?:\n>>> defined (?:in|at) .+)*)")
_DEFINED = re.compile(r">>> defined (?:in|at) (.+)")
_NUMBERED = re.compile(r"\d+-(.+)")
_LIBRARY = re.compile(r"error: unable to find \w+ system library [\"'](.+?)[\"']")
_ADVICE = (
    (
        re.compile(r"'((?:net|netinet|netpacket|arpa)/.+\.h)' file not found"),
        "there is no {0}, as the simulated machine has no network: leave out what needs sockets",
    ),
    (
        re.compile(r"'((?:FreeRTOS|FreeRTOSConfig|portmacro)\.h)' file not found"),
        "{0} is of FreeRTOS's API: choose it by --api freertos, or FreeRTOS itself by --on freertos",
    ),
    (
        re.compile(r"'(.+)' file not found"),
        "there is no {0} next to the program or in the C library: correct line {line} of {file}",
    ),
    (
        re.compile(r"call to undeclared function '(\w+)'"),
        "check the spelling of {0} in line {line} of {file}, or include the header that declares it",
    ),
    (re.compile(""), "correct line {line} of {file}, then run it again"),
)

# Functions that headers declare and Coreloom does not provide, by the reason.
_NOT_THERE = {
    "signals have no stacks of their own": "sigaltstack",
    "a thread has one stack": "getcontext makecontext setcontext swapcontext",
    "there is one process": """clone daemon execl execle execlp execv execve execvp fork ftok getpgid getpgrp
        getsid msgctl msgget msgrcv msgsnd pclose popen posix_spawn posix_spawnp prlimit ptrace semctl semget
        semop setns setpgid setsid shmat shmctl shmdt shmget unshare vfork wait wait3 wait4 waitpid""",
    "there are no sockets": """accept bind connect freeaddrinfo gai_strerror getaddrinfo gethostbyname
        getnameinfo getpeername getsockname getsockopt inet_addr inet_aton inet_ntoa inet_ntop inet_pton
        listen recv recvfrom recvmsg send sendmsg sendto setsockopt shutdown socket socketpair""",
    "files are plain, and each descriptor is one": """aio_read aio_write cfmakeraw cfsetispeed cfsetospeed
        dup dup2 dup3 epoll_create epoll_create1 eventfd fcntl flock inotify_init ioctl link lockf mkfifo pipe
        pipe2 readlink signalfd symlink tcdrain tcflush tcgetattr tcsetattr timerfd_create""",
    "all memory is always there, for the one process": "mprotect msync shm_open shm_unlink",
    "there are no users": """endgrent endpwent getgrent getgrgid getgrnam getgroups getlogin getpwent
        getpwnam getpwuid setegid seteuid setgid setgrent setpwent setregid setreuid setuid""",
    "streams are of bytes": """fgetwc fgetws fputwc fputws fwprintf fwscanf getwc getwchar putwc putwchar
        swprintf swscanf vfwprintf vswprintf vwprintf wprintf wscanf""",
}
# The same of FreeRTOS's API.
_NOT_IN_FREERTOS = {
    "ticks are the machine's time": "vTaskStepTick xTaskCatchUpTicks xTaskIncrementTick",
    "there is no memory protection": """xTaskCreateRestricted xTaskCreateRestrictedStatic
        xTaskCreateRestrictedAffinitySet xTaskCreateRestrictedStaticAffinitySet vTaskAllocateMPURegions""",
    "there are no co-routines": "xCoRoutineCreate vCoRoutineSchedule xQueueCRSend xQueueCRReceive",
    "it is FreeRTOS's own, and its kernel is not there": """vTaskSwitchContext vTaskPlaceOnEventList
        xTaskRemoveFromEventList vTaskMissedYield vTaskPlaceOnUnorderedEventList
        vTaskRemoveFromUnorderedEventList""",
}
_NOT_IN_RTOS2 = {
    "there is version 2.1.3 of its API, without safety classes and watchdogs": """osFaultResume
        osKernelDestroyClass osKernelProtect osThreadFeedWatchdog osThreadGetClass osThreadGetZone
        osThreadProtectPrivileged osThreadResumeClass osThreadSuspendClass osThreadTerminateZone""",
}
_NOT_IN_ITRON = {
    "there is a part of uITRON": """acp_por cal_por cal_svc cre_mbf cre_mpf
        cre_mpl cre_mtx cre_por def_exc def_ovr def_svc def_tex del_mbf del_mpf del_mpl del_mtx del_por
        dis_tex ena_tex fwd_por get_mpf get_mpl iras_tex isig_tim loc_mtx pget_mpf pget_mpl ploc_mtx
        ras_tex rcv_mbf ref_cfg ref_cyc ref_alm ref_mpf ref_mpl ref_mtx ref_sys ref_tst ref_ver rel_mpf
        rel_mpl rpl_rdv snd_mbf sns_tex sta_ovr sta_tsk stp_ovr tget_mpf tget_mpl tloc_mtx unl_mtx""",
}
# Which page says more of them.
_PAGES = {
    "docs/freertos.md": _NOT_IN_FREERTOS,
    "docs/cmsis-rtos2.md": _NOT_IN_RTOS2,
    "runtime/api/itron/README.md": _NOT_IN_ITRON,
}
# What names of the functions of these APIs look like.
_API_NAME = re.compile(
    r"[a-z]{1,2}(?:Task|Queue|Semaphore|Timer|EventGroup|StreamB|MessageB|Port)"
    r"|os[A-Z]|i?[a-z]{3,4}_[a-z]{3}$"
)
_DECLARED = re.compile(r"\b(\w+) ?\(")
_NOT_THERE |= _NOT_IN_FREERTOS | _NOT_IN_RTOS2 | _NOT_IN_ITRON
_REASONS = {symbol: reason for reason, symbols in _NOT_THERE.items() for symbol in symbols.split()}


@dataclass(frozen=True)
class _Message:
    """An error, a warning or a note of the compiler, with its source line and the lines below."""

    file: str
    line: str
    kind: str
    text: str
    lines: tuple[str, ...]
    by: tuple[str, str] | None  # file and line that include the file


def explain(said: str, name: str, foreign: Sequence[Path]) -> str:
    """The error text for a program `name` about which the tools have said `said`.

    Notes about files below the folders `foreign`, which are not the user's, are left out; so are errors there
    if the user's files have any. Text that is not a message of these tools is kept as it is.
    """
    if linked := _linker(said, name):
        return linked
    messages = list(_messages(said))
    # A header that refuses says itself what is wrong and what to do.
    if refusal := next(
        (message.text for message in messages if _ERROR.search("\n".join(message.lines))), None
    ):
        return f"{name} does not compile: {refusal.strip(chr(34))}"
    theirs = [message for message in messages if not _below(message.file, foreign)]
    errors = [message for message in theirs if "error" in message.kind]
    if errors:
        first, shown = errors[0], theirs
        advice = next(
            text.format(*found.groups(), line=first.line, file=_short(first.file))
            for pattern, text in _ADVICE
            if (found := pattern.search(first.text))
        )
    elif wrong := [message for message in messages if "error" in message.kind]:
        first, shown = wrong[0], wrong[:1]
        file, line = first.by or (first.file, first.line)
        advice = f"correct what the program defines before line {line} of {_short(file)}"
    else:
        return f"{name} does not compile:\n{said}"
    lines = [line for message in shown for line in message.lines]
    return "\n".join([f"{name} does not compile:", *lines, advice])


def _messages(said: str) -> Iterator[_Message]:
    head: re.Match[str] | None = None
    by: tuple[str, str] | None = None
    lines: list[str] = []

    def message() -> Iterator[_Message]:
        if head:
            yield _Message(head["file"], head["line"], head["kind"], head["text"], tuple(lines), by)

    included: tuple[str, str] | None = None
    for line in said.splitlines():
        if _TOTAL.fullmatch(line):
            continue
        if found := _INCLUDED.match(line):
            included = included or (found["file"], found["line"])  # the first is the outermost
        elif found := _HEAD.match(line):
            yield from message()
            head, by, included = found, included, None
            lines = [line.replace(head["file"], _short(head["file"]), 1)]
        else:
            lines.append(line)
    yield from message()


def _linker(said: str, name: str) -> str | None:
    """The error text for what the linker has found; None if it has found nothing."""
    undefined = dict(reversed(_UNDEFINED.findall(said)))
    if "main" in undefined:
        return f"{name} has no main: define int main(void)"
    if undefined:
        named = {symbol: f"{symbol} ({place})" if place else symbol for symbol, place in undefined.items()}
        why = sorted((symbol for symbol in named if symbol in _REASONS), key=list(_REASONS).index)
        absent = [named[symbol] for symbol in why]
        reasons = dict.fromkeys(_REASONS[symbol] for symbol in why)
        pages = (page for page, those in _PAGES.items() if reasons.keys() <= those.keys())
        page = next(pages, "runtime/CAVEATS.md")
        rest = [symbol for symbol in named if symbol not in _REASONS]
        of_libm = _declared(LIBC / "include" / header for header in ("math.h", "complex.h"))
        mathematics = [named[symbol] for symbol in rest if symbol in of_libm]
        unknown = [named[symbol] for symbol in rest if symbol not in of_libm]
        parts = []
        if absent:
            parts.append(
                f"{', '.join(absent)}, which Coreloom does not provide ({'; '.join(reasons)}): "
                f"leave {'it' if len(absent) == 1 else 'them'} out (see {page})"
            )
        if mathematics:
            parts.append(f"{', '.join(mathematics)}: add -lm")
        if unknown:
            them, are = ("it", "is") if len(unknown) == 1 else ("them", "are")
            parts.append(
                f"{', '.join(unknown)}, which {are} not defined: define {them} in the program, "
                f"or add the source or library that does{_nearest(undefined)}"
            )
        return f"{name} uses {'; and uses '.join(parts)}"
    if double := dict(_DUPLICATE.findall(said)):
        return "; and ".join(_double(name, double))
    if libraries := dict.fromkeys(_LIBRARY.findall(said)):
        return (
            f"{name} is linked with {', '.join(f'-l{library}' for library in libraries)}, for which there is "
            "no archive: build it by `coreloom cc` and `coreloom ar`, and name its folder by -L"
        )
    return None


def _double(name: str, places: Mapping[str, str]) -> Iterator[str]:
    """What to do about symbols that are defined twice, by what the linker says of their places."""
    taken = []
    for symbol, text in places.items():
        files = [_own(file) for file in _DEFINED.findall(text)]
        if all(files):
            both = " and in ".join(files)
            yield f"{name} defines {symbol} in {both}: leave it in one of them, or make both static"
        else:
            taken.append(symbol)
    if taken:
        yield f"{name} defines {', '.join(taken)}, as the runtime or the C library does: choose another name"


def _own(place: str) -> str:
    """The object file or archive of the program's that the linker names so; empty if it is not the program's.

    Copies of objects have a number before their name, folders with members of archives, too.
    """
    path = Path(place.partition("(")[0])
    if found := _NUMBERED.fullmatch(path.name):
        return found[1]
    if found := _NUMBERED.fullmatch(path.parent.name):
        return f"{found[1]}{path.suffix}"
    return path.name if _below(str(path), [cache.place("objects")]) else ""


def _nearest(symbols: Iterable[str]) -> str:
    """What functions of runtime/api may be meant by names that look so."""
    wanted = [symbol for symbol in symbols if symbol not in _REASONS and _API_NAME.match(symbol)]
    if not wanted:
        return ""
    known = sorted(_declared((RUNTIME / "api").glob("**/*.h")))
    found = [near for symbol in wanted if symbol not in known and (near := meant(symbol, known))]
    return f"; {' '.join(found)}" if found else ""


def _declared(headers: Iterable[Path]) -> set[str]:
    """Functions, and other names before a bracket."""
    return {name for path in headers for name in _DECLARED.findall(path.read_text("utf-8"))}


def _below(file: str, folders: Sequence[Path]) -> bool:
    path = Path(file).absolute()
    return any(path.is_relative_to(folder) for folder in folders)


def _short(file: str) -> str:
    """A path as the user would give it."""
    return file.removeprefix("./").removeprefix(f"{Path.cwd()}{os.sep}")
