# SPDX-License-Identifier: Apache-2.0
"""Programs for the SoC, by `zig cc`: application + POSIX layer + one of the two kernels, or + FreeRTOS.

For processor 1 behind a Back-Door its loader, and the same application + the far runtime.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from platform import machine
from typing import Any

import pythondata_software_picolibc

from coreloom import paths
from coreloom.design import keys, spec
from coreloom.design.address_map import PROGRAM_ROOM, ROM_BYTES
from coreloom.design.keys import MAX_LOCAL_KIB, BackdoorSize, Platform
from coreloom.errors import UserError
from coreloom.paths import APPS, BUILD, POLICIES, ROOT, RTL, RUNTIME
from coreloom.toolchain import cache, diagnostics, freertos
from coreloom.toolchain import elf as elf_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KERNELS = {"hw": "hardware", "sw": "software"}  # what the POSIX layer stands on
FREERTOS = {"freertos": "FreeRTOS", "freertos-tuned": "FreeRTOS, our port"}  # for programs of its own API
GROUNDS = {**KERNELS, **FREERTOS}  # simulated
LINUX = "linux"  # this machine, with its C library's threads
FREERTOS_PLACE = "/freertos"  # of its sources in debug information
PRIORITY = "priority"  # what the software kernel has of its own; its other policies are files of policies/
_EXCLUSIVE = "exclusive"  # stands on another one
_EXCLUSIVE_BASE = "cfs"
POLICY_ROOM = 4096  # bytes that a policy's state may have for each CPU, and as many for all
FAR_STACK_BYTES = 8192  # of a program of processor 1, unless it defines CL_FAR_STACK_BYTES
_LIBC_WHEEL = "pythondata-software-picolibc"
_LIBC = Path(pythondata_software_picolibc.data_location) / "newlib" / "libc"

# No core needs more than this of the compiler; everything must be the same for all objects of a program.
_TARGET = [
    *("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m", "-std=gnu11"),
    *(
        "-UNDEBUG",
        "-ffunction-sections",
        "-fdata-sections",
        "-fno-sanitize=undefined",
        "-fno-stack-protector",
    ),
    *("-fomit-frame-pointer", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables", "-fno-pic"),
]
_OPTIMISE = ["-O2"]
# The same program wherever the checkout is: debug information and __FILE__ name its files below PLACE.
PLACE = Path("/coreloom")
_PLACELESS = [f"-ffile-prefix-map={ROOT}={PLACE}", f"-fdebug-compilation-dir={PLACE}"]


def placed(path: str) -> str:
    """How debug information names a path."""
    return str(PLACE / Path(path).relative_to(ROOT)) if Path(path).is_relative_to(ROOT) else path


_WARN = ["-Wall", "-Wextra", "-Werror"]
_LIBC_HEADERS = ("include", "tinystdio")
_INCLUDE = [
    f"-I{RUNTIME / 'include'}",
    f"-I{RUNTIME / 'libc'}",
    *(word for folder in _LIBC_HEADERS for word in ("-isystem", str(_LIBC / folder))),
]

# What is taken of picolibc, by folder; names without suffix are C.
_LIBC_SOURCES = {
    "string": """bcmp bcopy bzero explicit_bzero ffsl ffsll fls flsl memccpy memchr memcmp memmem mempcpy
        memrchr rawmemchr index rindex stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcoll
        strcspn strdup strerror strerror_r u_strerr strlcat strlcpy strlwr strncasecmp strncat strncmp
        strncpy strndup strnlen strnstr strpbrk strrchr strsep strsignal strspn strstr strtok strtok_r
        strupr strverscmp strxfrm swab xpg_strerror_r""",
    "machine/riscv": "memcpy memmove-stub memset.S strcmp.S strcpy strlen setjmp.S",
    "tinystdio": """asprintf atod_ryu atof_ryu clearerr dtoa_ryu ecvt ecvt_r ecvtf ecvtf_r fcvt fcvt_r fcvtf
        fcvtf_r feof ferror fgetc fgets filestrget filestrput filestrputalloc fread fscanf ftoa_ryu gcvt
        gcvtf getchar matchcaseprefix ryu_divpow2 ryu_log10 ryu_log2pow5 ryu_pow5bits ryu_table ryu_umul128
        scanf snprintf sprintf sscanf strfromd strfromf strtod strtof strtoimax strtol strtold strtoll
        strtoul strtoull strtoumax ungetc vasprintf vfiprintf vfiscanf vfprintf vfscanf vscanf vsnprintf
        vsprintf vsscanf""",
    "stdlib": """a64l abs aligned_alloc atof atoi atol atoll div drand48 environ erand48 getenv getenv_r
        getopt getsubopt imaxabs imaxdiv itoa jrand48 l64a labs lcong48 ldiv llabs lldiv lrand48 mrand48
        nano-malloc-free nano-malloc-memalign nano-malloc-realloc nano-malloc-malloc_usable_size
        nano-malloc-posix_memalign nrand48 pico-atexit pico-exit pico-onexit putenv rand rand_r rand48
        random seed48 setenv srand srand48 srandom utoa reallocarray reallocf""",
    "search": "bsd_qsort_r bsearch hcreate hcreate_r qsort qsort_r tdelete tdestroy tfind tsearch twalk",
    "ctype": """ctype_ isalnum isalpha isascii isblank iscntrl isdigit islower isprint ispunct isspace
        isupper isxdigit toascii tolower toupper""",
    "time": """asctime asctime_r ctime ctime_r difftime gettzinfo gmtime gmtime_r lcltime lcltime_buf
        lcltime_r mktime month_lengths strftime strptime tzcalc_limits tzset tzvars""",
    "locale": "timelocal",
    "misc": "ffs fini init",
    "../libm/common": "s_scalbn s_copysign",
    "picolib": "picosbrk",
}


def zig() -> list[str]:
    """The command that starts zig: itself, as Python's start takes as long as compiling a short file."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise UserError(f"the compiler is missing: install the package ziglang ({paths.setup()})")
    return [str(Path(spec.origin).parent / "zig")]


def zig_environment() -> dict[str, str]:
    """Environment with zig's caches unless the user has set them: libraries are shared, objects are not."""
    env = dict(os.environ)
    env.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache.place("zig")))
    env.setdefault("ZIG_LOCAL_CACHE_DIR", str(BUILD / "cache" / "zig-local"))
    return env


def run(command: list[str], what: str, cwd: Path | None = None) -> str:
    """What zig prints; a UserError with its text, about `what`, if it fails."""
    try:
        return _zig(command, cwd)
    except _Refused as refused:
        raise UserError(f"{what} does not compile:\n{refused}") from None


class _Refused(Exception):
    """What zig said when it failed."""


def _zig(command: list[str], cwd: Path | None = None) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, env=zig_environment(), cwd=cwd, check=False
    )
    if done.returncode:
        raise _Refused((done.stderr or done.stdout).strip())
    return done.stdout


@functools.cache  # reading it takes longer than all else that makes a key
def _version(package: str) -> str:
    return metadata.version(package)


def digest(flags: Iterable[str], files: Iterable[Path]) -> str:
    """A key of flags and contents and of the compiler; the place of the checkout is no part of it."""
    made = hashlib.sha256(f"zig {_version('ziglang')}\0".encode())
    for flag in flags:
        made.update(_placeless(flag).encode() + b"\0")
    for file in files:
        made.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return made.hexdigest()[:16]


def _placeless(flag: str) -> str:
    """A flag without the places of the checkout and of the C library, whose version is in every key."""
    return cache.placeless(flag.replace(str(_LIBC.parent), f"LIBC-{_version(_LIBC_WHEEL)}"))


def _archive(name: str, files: Sequence[Path], more: Sequence[str]) -> Path:
    """NAME.a of sources of the C library; compiled once, then taken from the cache."""
    flags = [
        *_TARGET, "-O2", "-w", "-g", "-D_LIBC", "-Dvfprintf=vfprintf_unlocked", "-fno-builtin",
        f"-ffile-prefix-map={_LIBC.parent}={PLACE}", *_PLACELESS,
        *_INCLUDE,
        *more,
    ]  # fmt: skip
    # Our headers that stand before the library's.
    ours = [
        path
        for path in sorted((RUNTIME / "include").rglob("*.h"))
        if any((_LIBC / folder / path.relative_to(RUNTIME / "include")).exists() for folder in _LIBC_HEADERS)
    ]
    key = digest(flags, [*files, *ours, _LIBC / "stdlib" / "nano-mallocr.c", RUNTIME / "libc" / "picolibc.h"])

    def make(work: Path) -> None:
        def compile_one(file: Path) -> str:
            made = f"{file.parent.name}-{file.stem}.o"  # two folders may have a file of one name
            run([*zig(), "cc", *flags, "-c", str(file), "-o", made], "the C library", work)
            return made

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            objects = list(pool.map(compile_one, files))
        run([*zig(), "ar", "rcs", f"{name}.a", *objects], "the C library", work)
        for made in objects:
            (work / made).unlink()

    return cache.made(cache.place(name) / key, make) / f"{name}.a"


def libc() -> Path:
    """The archive of the C library without mathematics."""
    files = sorted((RUNTIME / "libc").glob("*.c"))
    for folder, names in _LIBC_SOURCES.items():
        for name in names.split():
            files.append(_LIBC / folder / (name if name.endswith(".S") else f"{name}.c"))
    return _archive("libc", files, [f"-I{_LIBC / folder}" for folder in _LIBC_SOURCES])


def libm() -> Path:
    """The archive of mathematics, which takes longer to make and which few programs need."""
    folders = [_LIBC.parent / "libm" / folder for folder in ("common", "math")]
    files = [path for folder in folders for path in sorted(folder.glob("*.c"))]
    return _archive("libm", files, [f"-I{folder}" for folder in folders])


@dataclass(frozen=True)
class _Foreign:
    """Sources that are not ours, compiled as they are."""

    package: str  # with its version, which stands for the content
    folder: Path
    files: tuple[str, ...]  # in the folder
    flags: tuple[str, ...] = ()
    include: tuple[str, ...] = ()  # folders in it with headers for all of the program
    place: str = ""  # how debug information names the folder

    @property
    def paths(self) -> list[Path]:
        return [self.folder / file for file in self.files]


@dataclass(frozen=True)
class _Application:
    """What a program is made of: an application below apps/, or one C file."""

    name: str
    files: tuple[Path, ...]
    folders: tuple[Path, ...]  # with headers
    foreign: tuple[_Foreign, ...] = ()
    defines: tuple[tuple[str, str | int], ...] = ()
    alone: bool = False  # one C file, whose headers may be anywhere

    def explain(self, refused: _Refused, foreign: Iterable[_Foreign] = ()) -> UserError:
        """What the compiler or linker has to say about it, as its author wants to read it."""
        name = self.files[0].name if self.alone else self.name
        folders = [RUNTIME, _LIBC, *(each.folder for each in foreign)]
        return UserError(diagnostics.explain(str(refused), name, folders))

    @property
    def has_far_program(self) -> bool:
        """Whether some of it is for processor 1: it defines far_main."""
        return any(_FAR_MAIN.search(path.read_text(encoding="utf-8")) for path in self.files)


_MATH = re.compile(r"^\s*#\s*include\s*<(math|tgmath)\.h>", re.MULTILINE)
_FAR_MAIN = re.compile(r"^\s*int\s+far_main\s*\([^;{]*\)\s*\{", re.MULTILINE)


def _application(app: str) -> _Application:
    """An application below apps/, with what its build.toml adds (apps/README.md), or one C file."""
    if app.endswith(".c"):
        path = Path(app)
        if not path.is_file():
            raise UserError(f"there is no program {app}: give the path of a C file")
        return _Application(path.stem, (path,), (path.parent,), alone=True)
    folder = APPS / app
    if not any(folder.glob("*.c")):
        known = sorted(path.parent.name for path in APPS.glob("*/*.c"))
        raise UserError(
            f"unknown application '{app}': choose one of {', '.join(sorted(set(known))) or '(none)'}"
        )
    more = _build_file(folder / "build.toml")
    folders = [folder, *(APPS / name for name in more.get("shared", ()))]
    files = [path for each in folders for path in sorted(each.glob("*.c"))]
    if (APPS / "include").is_dir():
        folders.append(APPS / "include")
    wheels = tuple(_wheel(entry, folder / "build.toml") for entry in more.get("wheel", ()))
    return _Application(app, tuple(files), tuple(folders), wheels, tuple(more.get("defines", {}).items()))


def _build_file(path: Path) -> dict[str, Any]:
    """What an application's build.toml says; nothing if there is none. UserError for what is wrong in it."""
    if not path.exists():
        return {}
    name = f"{path.parent.name}/{path.name}"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UserError(f"{name} cannot be read: {error}") from error
    for key in data:
        if key not in ("shared", "defines", "wheel"):
            raise UserError(f"{name}: unknown setting '{key}', remove it")
    for folder in data.get("shared", ()):
        if not (APPS / folder).is_dir():
            raise UserError(f"{name}: there is no folder apps/{folder}")
    return data


def _wheel(entry: dict[str, Any], where: Path) -> _Foreign:
    name = f"{where.parent.name}/{where.name}"
    for key in ("package", "folder", "sources"):
        if key not in entry:
            raise UserError(f"{name}: 'wheel.{key}' is missing")
    for key in set(entry) - {"package", "folder", "sources", "flags"}:
        raise UserError(f"{name}: unknown setting 'wheel.{key}', remove it")
    package = entry["package"]
    spec = importlib.util.find_spec(package.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise UserError(f"{name}: the Python package {package} is missing: run `{paths.setup()}`")
    folder = Path(spec.origin).parent / entry["folder"]
    made = _Foreign(
        f"{package} {metadata.version(package)}",
        folder,
        tuple(entry["sources"]),
        tuple(entry.get("flags", ())),
    )
    for file in made.paths:
        if not file.is_file():
            raise UserError(f"{name}: the Python package {package} has no file {entry['folder']}/{file.name}")
    return made


def _included(app: _Application, flags: list[str], foreign: Iterable[_Foreign]) -> list[Path]:
    """What a user's one file includes, wherever that is, without the C library."""
    (file,) = app.files
    try:
        rule = _zig([*zig(), "cc", *flags, "-MM", str(file)]).replace("\\\n", " ")
    except _Refused as refused:
        raise app.explain(refused, foreign) from None
    names = re.findall(r"(?:\\ |\S)+", rule.split(": ", 1)[1])
    return sorted({Path(name.replace("\\ ", " ")) for name in names} - {file})


def policies() -> list[str]:
    """The scheduling policies of the software kernel."""
    return [PRIORITY, *sorted(path.stem for path in POLICIES.glob("*.c"))]


def own_policy(policy: str) -> Path:
    """The file of a policy given by its path. UserError if it is none."""
    path = Path(policy)
    if not path.is_file():
        raise UserError(f"there is no policy file {policy}: check the path")
    if path.stem in policies() and path.absolute().parent != POLICIES:
        raise UserError(f"policy file {policy} has the name of a policy of Coreloom's: rename it")
    if not re.search(
        rf"^const struct cl_policy cl_{re.escape(path.stem)} =", path.read_text("utf-8", "replace"), re.M
    ):
        raise UserError(
            f"policy file {policy} does not define `const struct cl_policy cl_{path.stem}`: "
            "its policy has the file's name"
        )
    return path


def policy_files(policy: str, home: Path | None = None) -> list[Path]:
    """The files of which the software kernel's policy `policy` is made, the base last.

    A name of policies(), or of policies/ in `home` (Platform's), or a path that ends in .c. None for fixed
    priorities; exclusive:BASE has two. UserError for one that there is not.
    """
    if policy.endswith(".c"):
        return [own_policy(policy)]
    name, colon, base = policy.partition(":")
    beside = {path.stem: path for path in sorted((home / "policies").glob("*.c"))} if home else {}
    known = [*policies(), *(each for each in beside if each not in policies())]
    if name not in known:
        raise UserError(
            f"unknown policy '{policy}' of the software kernel: choose one of {', '.join(known)}, "
            "or give a path that ends in .c"
        )
    if name != _EXCLUSIVE:
        if colon:
            raise UserError(f"policy '{name}' has no base policy: leave out ':{base}'")
        if name not in policies():
            return [own_policy(str(beside[name]))]
        return [] if name == PRIORITY else [POLICIES / f"{name}.c"]
    bases = [each for each in policies() if each not in (PRIORITY, _EXCLUSIVE)]
    if not colon:
        base = _EXCLUSIVE_BASE
    if base not in bases:
        raise UserError(f"policy {_EXCLUSIVE} cannot be based on '{base}': choose one of {', '.join(bases)}")
    return [POLICIES / f"{name}.c", POLICIES / f"{base}.c"]


def build(
    app: str,
    platform: Platform,
    kernel: str,
    defines: Mapping[str, str | int] | None = None,
    policy: str = PRIORITY,
) -> Path:
    """The ELF file of an application; a flat image from the start of the memory lies beside it (.bin).

    app is a folder below apps/ or the path of one C file; kernel is one of GROUNDS; defines are macros for
    the application, and those that begin with CL_ for the runtime, too; policy is the software kernel's
    (policies()). On a platform with a Back-Door an application that defines far_main gets its image for
    processor 1 linked in (build_far). What was built from the same content before is taken from the cache.
    Raises UserError with the compiler's text, freertos.Missing.
    """
    if kernel not in GROUNDS:
        raise UserError(f"unknown kernel '{kernel}': choose one of {', '.join(GROUNDS)}")
    what = _application(app)
    macros = {
        **keys.macros(platform),
        f"CL_KERNEL_{'FREERTOS' if kernel in FREERTOS else kernel.upper()}": 1,
        **dict(what.defines),
        **(defines or {}),
    }
    if kernel in FREERTOS:
        return _build_freertos(what, platform, kernel, macros)
    files = policy_files(policy, platform.home) if kernel == "sw" else []
    macros |= dict(zip(("CL_POLICY", "CL_POLICY_BASE"), (path.stem for path in files), strict=False))
    if files:
        macros |= {"CL_CPUS_MAX": platform.cpus, "CL_POLICY_ROOM": POLICY_ROOM}
    arch = RUNTIME / "arch"
    image = build_far(app, platform, defines) if platform.backdoor and what.has_far_program else None
    return _link(
        "-".join([what.name, platform.core, str(platform.cpus), kernel, *(path.stem for path in files)]),
        what,
        [RUNTIME / "posix", RUNTIME / "backdoor", RUNTIME / kernel, arch, arch / platform.core],
        arch / "link.ld",
        macros,
        policies=files,
        library=RUNTIME / "heap",
        image=image,
        uses=lambda elf: _uses(elf, what, platform),
        too_large={
            "program|data": _program_too_large(what, platform),
            "local": _local_too_large(what, platform),
        },
    )


# That of Debian 12; zig has its headers, and the program takes the machine's library.
_HOST = ("-target", f"{machine()}-linux-gnu.2.36", "-std=gnu11", "-D_GNU_SOURCE", "-fno-sanitize=undefined")


_ON_PORTS = ("ipc.c", "message.c")


def build_linux(app: str, platform: Platform, defines: Mapping[str, str | int] | None = None) -> Path:
    """The executable of an application for this machine: it, runtime/linux and the C library's threads.

    app and defines are as in build; the platform gives its numbers of objects, of the rest of it nothing is
    there. Raises UserError with the compiler's text.
    """
    what = _application(app)
    if platform.backdoor and what.has_far_program:
        raise UserError(
            f"{what.name} needs a processor behind a Back-Door, which Linux has not: choose hw or sw"
        )
    macros = {
        **{name: value for name, value in keys.macros(platform).items() if not name.startswith("CL_CORE_")},
        **{"CL_HW_THREADS": 0, "CL_HW_NAMES": "", "CL_BACKDOOR": 0, "CL_AMP": 0},
        "CL_KERNEL_LINUX": 1,
        **dict(what.defines),
        **(defines or {}),
    }
    ground = RUNTIME / "linux"
    # What stands on operations and ports alone is the kernels' own.
    sources = [*what.files, *sorted(ground.glob("*.c")), *(RUNTIME / "posix" / file for file in _ON_PORTS)]
    flags = [
        *_HOST, *_OPTIMISE, "-g", *_PLACELESS, *_WARN,
        *(f"-D{key}={value}" for key, value in macros.items()),
        *(f"-I{folder}" for folder in (*what.folders, ground)),
        f"-idirafter{RUNTIME / 'include'}",  # behind the C library's, which has pthread.h
    ]  # fmt: skip
    headers = (
        _included(what, flags, ())
        if what.alone
        else [path for folder in what.folders for path in sorted(folder.glob("*.h"))]
    )
    headers += [path for folder in (ground, RUNTIME / "include") for path in sorted(folder.glob("*.h"))]
    foreign = [text for each in what.foreign for text in (each.package, *each.files, *each.flags)]
    home = f"-I{what.folders[0]}"
    placeless = [flag.replace(home, "-IPROGRAM") if what.alone else flag for flag in flags]
    key = digest([*placeless, *foreign], [*sources, *headers, *_MAKERS])

    def make(work: Path) -> None:
        objects: list[Path] = []
        for each in what.foreign:
            as_it_is = [flag for flag in flags if flag not in _WARN] + ["-w", *each.flags]
            for file in each.paths:
                objects.append(work / f"{len(objects)}-{file.stem}.o")
                run([*zig(), "cc", *as_it_is, "-c", str(file), "-o", str(objects[-1])], what.name)
        try:
            _zig([*zig(), "cc", *flags, *map(str, [*sources, *objects]), "-o", str(work / what.name)])
        except _Refused as refused:
            text = str(what.explain(refused))
            if "undefined symbol" in str(refused):
                text += "; runtime/linux/README.md says what ground linux has not"
            raise UserError(text) from None

    return cache.made(cache.place("firmware") / f"{what.name}-linux-{key}", make) / what.name


def _local_too_large(app: _Application, platform: Platform) -> Callable[[int], str]:
    key, what = "local_kib", "text, constants"
    if platform.context_kib:
        key, what = "context_kib", "the code of traps, CL_LOCAL_CODE"
    name = f"memory.{key}"
    most, size = keys.entry(name).key.most, getattr(platform, key)
    return lambda over: (
        f"{app.name} does not fit into the local memory of {platform.name}: {what} and CL_LOCAL_DATA have "
        f"{over} bytes more than its {size} KiB; make {name} larger (up to {most})"
    )


def _program_too_large(what: _Application, platform: Platform) -> Callable[[int], str]:
    return lambda over: (
        f"{what.name} does not fit into the memory of {platform.name}: its code, data and stacks are "
        f"{PROGRAM_ROOM + over} bytes, {over} more than the {PROGRAM_ROOM >> 20} MiB of a program; "
        "make its arrays smaller, or keep them in the memory of cl_input and cl_output"
    )


# A thread's control block, which its _Thread_local variables follow (runtime/include/cl_kernel.h).
_CONTROL_BYTES = 16
_MAX_ALIGNMENT = 64


# What a function of the POSIX layer needs everywhere in the runtime.
_COSTLY = {"pthread_cancel": "CL_CANCEL", "cl_cpu_time": "CL_CPU_TIME"}


def _uses(elf: Path, what: _Application, platform: Platform) -> dict[str, str | int]:
    """The macros of the POSIX layer for what a program that was linked without them turns out to use."""
    macros: dict[str, str | int] = {}
    size, alignment = elf_file.thread_local(elf)
    if size:
        if alignment > _MAX_ALIGNMENT:
            raise UserError(
                f"{what.name} has _Thread_local variables aligned to {alignment} bytes: "
                f"align them to {_MAX_ALIGNMENT} at most"
            )
        stride = -(-_CONTROL_BYTES // alignment) * alignment + size
        shift = (stride - 1).bit_length()
        if (all_ := platform.kernel.threads << shift) > PROGRAM_ROOM:
            raise UserError(
                f"{what.name} does not fit into the memory of {platform.name}: "
                f"the _Thread_local variables of {platform.kernel.threads} threads, {size} bytes each, "
                f"take {all_} bytes of the {PROGRAM_ROOM >> 20} MiB of a program; make them smaller, or "
                "allocate them with malloc"
            )
        macros["CL_THREAD_SHIFT"] = shift
    functions = {name for name, _ in elf_file.symbols(elf)}
    macros |= {macro: 1 for function, macro in _COSTLY.items() if function in functions}
    return macros


def _uses_no_threads(elf: Path, what: _Application, where: str) -> dict[str, str | int]:
    if elf_file.thread_local(elf)[0]:
        raise UserError(f"{what.name} has _Thread_local variables, which {where} has not: use static ones")
    return {}


# Of FreeRTOS's kernel; its port and its heap besides.
_FREERTOS_SOURCES = ("tasks.c", "queue.c", "list.c", "timers.c", "event_groups.c", "stream_buffer.c")


def _build_freertos(
    what: _Application, platform: Platform, kernel: str, macros: Mapping[str, str | int]
) -> Path:
    """Application + runtime/freertos + FreeRTOS, on one CPU with the port that it comes with unless tuned."""
    if platform.core != "standard" or platform.interconnect != "smp-bus":
        raise UserError(
            f"FreeRTOS does not run on {platform.name}: choose smp-standard, or a platform of your own with "
            'core = "standard" and interconnect = "smp-bus"'
        )
    if platform.cpus > 1 and (platform.ipc is None or platform.ipc.mutexes < 2):
        raise UserError(
            "FreeRTOS on several CPUs needs two mutexes of the communication port, and "
            f"{platform.name} has fewer: set mutexes in [ipc] of its file"
        )
    own = RUNTIME / "freertos"
    folders = [own]
    sources = [*_FREERTOS_SOURCES, str(freertos.HEAP)]
    include = ["include"]
    if platform.cpus == 1 and kernel == "freertos":
        sources += [str(freertos.PORT / file) for file in ("port.c", "portASM.S")]
        include.append(str(freertos.PORT))
    else:
        folders.insert(0, own / "port")
        macros = {**macros, "CL_FREERTOS_OWN_PORT": 1}
    foreign = _Foreign(
        f"FreeRTOS {freertos.label()}",
        freertos.kernel(),
        tuple(sources),
        flags=("-include", str(own / "copy.h")),
        include=tuple(include),
        place=FREERTOS_PLACE,
    )
    return _link(
        "-".join([what.name, platform.core, str(platform.cpus), kernel]),
        what,
        folders,
        RUNTIME / "arch" / "link.ld",
        macros,
        include=[RUNTIME / "arch" / platform.core],
        files=[RUNTIME / "posix" / file for file in ("console.c", "end.c", "machine.c")],
        foreign=[foreign],
        uses=lambda elf: _uses_no_threads(elf, what, "FreeRTOS"),
        too_large={"program|data": _program_too_large(what, platform)},
    )


def build_loader(platform: Platform) -> Path:
    """The loader of processor 1 (runtime/far/loader), as its ROM has it (.bin).

    Beside it lie the ELF file and the whole ROM, one word a line, for RomInitFile of cl_soc (.hex).
    Raises UserError on a platform without Back-Door and with the compiler's text.
    """
    _backdoor(platform)
    folder = RUNTIME / "far" / "loader"
    elf = _link(
        f"loader-{platform.core}",
        _Application("loader", (), ()),
        [folder, folder / platform.core],
        folder / "link.ld",
        {**keys.macros(platform), "CL_BACKDOOR_ROM_BYTES": ROM_BYTES},
        too_large={"rom": lambda over: f"the loader has {over} bytes more than its {ROM_BYTES >> 10} KiB"},
        beside=_rom,
    )
    return elf.with_suffix(".bin")


def _rom(elf: Path) -> None:
    rom = elf.with_suffix(".bin").read_bytes().ljust(ROM_BYTES, b"\0")
    words = struct.iter_unpack("<I", rom)
    elf.with_suffix(".hex").write_text("".join(f"{word:08x}\n" for (word,) in words))


def build_far(app: str, platform: Platform, defines: Mapping[str, str | int] | None = None) -> Path:
    """The program that an application has for processor 1, as its loader takes it (.image).

    That is the record `image` of rtl/ipc/backdoor/data/backdoor.toml and a stripped ELF file; the one with
    its symbols lies beside it (.elf). CL_FAR_STACK_BYTES in defines is the room that its stack has at least.
    Raises UserError on a platform without Back-Door, for a program larger than the local memory or the block,
    and with the compiler's text.
    """
    back = _backdoor(platform)
    what = _application(app)
    macros = {
        **keys.macros(platform),
        "CL_FAR_STACK_BYTES": FAR_STACK_BYTES,
        **dict(what.defines),
        **(defines or {}),
    }
    stack = int(macros["CL_FAR_STACK_BYTES"])
    folder = RUNTIME / "far" / "program"

    def image(elf: Path) -> None:
        made = far_image(_strip(elf.read_bytes()), stack)
        if (over := len(made) - back.block_bytes) > 0:
            raise UserError(
                f"the image of {what.name} for processor 1 has {len(made)} bytes, {over} more than the block "
                f"of the Back-Door on {platform.name}: make backdoor.block_kib larger"
            )
        elf.with_suffix(".image").write_bytes(made)

    elf = _link(
        f"{what.name}-{platform.core}-far",
        what,
        [folder, folder / platform.core],
        folder / "link.ld",
        macros,
        # What is loaded lies word by word behind the headers, without pages; zig does not heed ENTRY.
        link_flags=("-Wl,-z,max-page-size=16", "-Wl,-e,cl_start"),
        uses=lambda elf: _uses_no_threads(elf, what, "processor 1"),
        too_large={
            "memory": lambda over: (
                f"the program of {what.name} for processor 1 does not fit into its local memory on "
                f"{platform.name}: it has {over} bytes more than {back.local_kib} KiB less the loader's and "
                f"{stack} of stack; "
                f"make memory.local_kib larger (up to {MAX_LOCAL_KIB})"
            )
        },
        beside=image,
    )
    return elf.with_suffix(".image")


def far_image(elf: bytes, stack_bytes: int) -> bytes:
    """An image for the loader of processor 1: an ELF file, made whole words, behind what describes it."""
    elf += bytes(-len(elf) % 4)
    words = {
        "magic": spec.backdoor().limits["image_word"],
        "bytes": len(elf),
        "crc": zlib.crc32(elf),
        "stack_bytes": stack_bytes,
    }
    record = spec.backdoor().records["image"]
    return b"".join(words[word].to_bytes(4, "little") for word in record) + elf


def _strip(elf: bytes) -> bytes:
    """An ELF file (32 bits, little-endian) without sections: what is loaded only, as that comes first."""
    start = int.from_bytes(elf[28:32], "little")
    size, number = (int.from_bytes(elf[at : at + 2], "little") for at in (42, 44))
    end = start + size * number
    for at in range(start, end, size):
        offset, length = (int.from_bytes(elf[at + field : at + field + 4], "little") for field in (4, 16))
        end = max(end, offset + length)  # also of none: the loader wants its place inside the file
    stripped = bytearray(elf[:end])
    stripped[32:36] = bytes(4)  # e_shoff
    stripped[46:52] = bytes(6)  # e_shentsize, e_shnum, e_shstrndx
    return bytes(stripped)


def _backdoor(platform: Platform) -> BackdoorSize:
    if platform.backdoor is None:
        raise UserError(f"platform {platform.name} has no Back-Door: choose backdoor-{platform.core}")
    return platform.backdoor


# They decide what a program is made of, and what lies beside it.
_MAKERS = (
    *(Path(file) for file in (__file__, elf_file.__file__, keys.__file__, spec.__file__)),
    *(RTL / data for data in ("ipc/backdoor/data/backdoor.toml", "soc/data/soc.toml")),
)


def _link(
    label: str,
    app: _Application,
    folders: Sequence[Path],
    script: Path,
    macros: Mapping[str, str | int],
    *,
    too_large: Mapping[str, Callable[[int], str]],
    include: Sequence[Path] = (),
    files: Sequence[Path] = (),
    policies: Sequence[Path] = (),
    foreign: Sequence[_Foreign] = (),
    library: Path | None = None,
    link_flags: Sequence[str] = (),
    image: Path | None = None,
    beside: Callable[[Path], None] | None = None,
    uses: Callable[[Path], Mapping[str, str | int]] = lambda _: {},
) -> Path:
    """The ELF file of an application with the C and assembly files of `folders`; a flat image lies beside it.

    In the cache, firmware/`label`-KEY. script is a linker script for the C preprocessor. too_large: what to
    say when a region of the script is too small by so many bytes; include: folders of which only headers are
    used; files: more files of ours; policies: files of policies; foreign: sources besides the application's;
    library: a folder of files of which those are linked that the program refers to;
    image: for processor 1, becomes remote_image; beside: makes more files beside the ELF file; uses: more
    macros by what the linked program uses, with which it is then built again.
    """
    name = app.name
    sources = [path for folder in folders for path in sorted([*folder.glob("*.c"), *folder.glob("*.S")])]
    sources += [*files, *policies]
    apart = sorted(library.glob("*.c")) if library else []
    configured = bool(foreign)  # by macros and headers of the application, as FreeRTOS is
    foreign = [*app.foreign, *foreign]
    if policies:
        include = [*include, POLICIES]
    near = {path.absolute().parent for path in policies} - {POLICIES}
    given = [f"-D{key}={value}" for key, value in macros.items()]

    def all_flags(given: Iterable[str], own: Sequence[Path]) -> list[str]:
        return [
            *_TARGET, *_OPTIMISE, "-g", "-flto", *_PLACELESS, *_WARN,
            *given,
            *(f"-I{folder}" for folder in (*own, *folders, *include)),
            *_INCLUDE,
            *(f"-isystem{each.folder / name}" for each in foreign for name in each.include),
            *(f"-ffile-prefix-map={each.folder}={each.place}" for each in foreign if each.place),
        ]  # fmt: skip

    flags = all_flags(given, app.folders)
    # Without what is the application's alone, so that zig compiles the runtime once for all applications.
    common = flags if configured else all_flags((flag for flag in given if flag.startswith("-DCL_")), ())
    headers = _included(app, flags, foreign) if app.alone else []
    headers += [
        path
        for folder in (*(() if app.alone else app.folders), *folders, *include, *near, RUNTIME / "include")
        for path in sorted(folder.glob("*.h"))
    ]
    mathematics = any(_MATH.search(path.read_text("utf-8", "replace")) for path in [*app.files, *headers])
    archives = [*([libm()] if mathematics else []), libc()]
    others = [text for each in foreign for text in (each.package, *each.files, *each.flags)]
    # A user's file has no place either: what it includes is among the headers.
    home = app.folders[0].absolute() if app.alone else ROOT
    if not home.is_relative_to(ROOT):
        placeless = [flag.replace(f"-I{home}", "-IPROGRAM") for flag in flags]
        flags.append(f"-ffile-prefix-map={home}=/program")
    else:
        placeless = list(flags)
    for each in foreign:
        placeless = [flag.replace(str(each.folder), each.package) for flag in placeless]
    common = [*common, *(f"-ffile-prefix-map={folder}=/policies" for folder in near)]
    key = digest(
        [*(archive.parent.name for archive in archives), *placeless, *link_flags, *others],
        [*app.files, *sources, *apart, *headers, script, *_MAKERS, *([image] if image else [])],
    )

    def make(work: Path) -> None:
        link(work, ())
        if more := [f"-D{key}={value}" for key, value in uses(work / f"{name}.elf").items()]:
            link(work, more)
        (work / f"{name}.bin").write_bytes(elf_file.flat(work / f"{name}.elf"))
        if beside:
            beside(work / f"{name}.elf")

    def link(work: Path, more: Sequence[str]) -> None:
        layout = work / script.name
        run([*zig(), "cc", "-E", "-P", "-x", "c", *given, *more, str(script), "-o", str(layout)], script.name)
        as_it_is = [flag for flag in flags if flag not in _WARN] + ["-w"]
        # Warnings are errors in what is ours only.
        theirs = [(file, (*as_it_is, *each.flags)) for each in foreign for file in each.paths]
        own = [(file, as_it_is if app.alone else flags) for file in app.files]

        def compiled(files: Iterable[tuple[Path, Sequence[str]]], where: str) -> list[Path]:
            objects: list[Path] = []
            for file, used in files:
                objects.append(work / f"{where}-{len(objects)}-{file.stem}.o")
                try:
                    _zig([*zig(), "cc", *used, *more, "-c", str(file), "-o", str(objects[-1])])
                except _Refused as refused:
                    raise app.explain(refused, foreign) from None
            return objects

        mine = compiled(own, "own")
        objects = compiled(theirs, "foreign")
        if apart:
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                made = [work / f"{file.stem}.o" for file in apart]
                commands = [
                    [*zig(), "cc", *common, *more, "-c", str(file), "-o", str(to)]
                    for file, to in zip(apart, made, strict=True)
                ]
                list(pool.map(lambda command: run(command, name), commands))
            objects.append(work / "library.a")
            run([*zig(), "ar", "rcs", str(objects[-1]), *map(str, made)], name)
        objects += archives
        objects = [*mine, *objects] if app.alone else [*objects, *mine]
        objects += sources
        if image:
            (work / "remote_image.S").write_text(_REMOTE_IMAGE.format(path=image))
            objects.append(work / "remote_image.S")
        try:
            _zig(
                [
                    *zig(), "cc", *common, *more, *map(str, objects),
                    "-Wl,--gc-sections", *link_flags, f"-Wl,-T,{layout}", "-o", str(work / f"{name}.elf"),
                ]
            )  # fmt: skip
        except _Refused as refused:
            for region, say in too_large.items():
                over = re.findall(rf"in region '(?:{region})': overflowed by (\d+) bytes", str(refused))
                if over:
                    raise UserError(say(max(map(int, over)))) from None
            if "cl_policy_has_no_room" in str(refused):
                raise UserError(_policy_too_large(policies, common, work)) from None
            raise app.explain(refused, foreign) from None

    return cache.made(cache.place("firmware") / f"{label}-{key}", make) / f"{name}.elf"


def _policy_too_large(policies: Sequence[Path], flags: Sequence[str], work: Path) -> str:
    """The error text for policies whose state the software kernel has no room for; the base comes last."""
    each, all_ = 0, 0
    for policy in policies:
        made = work / f"{policy.stem}.o"
        run([*zig(), "cc", *flags, "-fno-lto", "-c", str(policy), "-o", str(made)], policy.stem)
        # struct cl_policy begins with two pointers.
        sizes = struct.unpack_from("<II", elf_file.content(made, f"cl_{policy.stem}"), 8)
        each, all_ = each + sizes[0], all_ + sizes[1]
    name = ":".join(policy.stem for policy in policies)
    return (
        f"policy {name} is too large for the software kernel: it keeps {each} bytes for each "
        f"CPU and {all_} for all of them, at most {POLICY_ROOM} of either fit; make cpu_size or shared_size "
        f"smaller in {policies[-1].parent.name}/{policies[-1].name}"
    )


# const uint32_t remote_image[]; const size_t remote_image_bytes;
_REMOTE_IMAGE = """\
  .section .rodata.remote_image, "a", @progbits
  .balign 4
  .globl remote_image
remote_image:
  .incbin "{path}"
1:
  .section .rodata.remote_image_bytes, "a", @progbits
  .balign 4
  .globl remote_image_bytes
remote_image_bytes:
  .word 1b - remote_image
"""
