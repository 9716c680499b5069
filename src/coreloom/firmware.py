"""Programs for the SoC: application + POSIX layer + one of the two kernels, by `zig cc`."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pythondata_software_picolibc

from coreloom.errors import UserError
from coreloom.paths import APPS, BUILD, RUNTIME
from coreloom.platform import CONDITIONS, LINES, MAX_LOCAL_KIB, Platform

KERNELS = {"hw": "hardware", "sw": "software"}
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
_WARN = ["-Wall", "-Wextra", "-Werror"]
_INCLUDE = [
    f"-I{RUNTIME / 'include'}",
    f"-I{RUNTIME / 'libc'}",
    *("-isystem", str(_LIBC / "include"), "-isystem", str(_LIBC / "tinystdio")),
]

# What is taken of picolibc, by folder; names without suffix are C.
_LIBC_SOURCES = {
    "string": """bcmp bcopy bzero ffsl ffsll fls flsl memccpy memchr memcmp memmem mempcpy memrchr rawmemchr
        index rindex stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcoll strcspn strdup
        strerror strerror_r u_strerr strlcat strlcpy strlwr strncasecmp strncat strncmp strncpy strndup
        strnlen strpbrk strrchr strsep strspn strstr strtok strtok_r strupr swab""",
    "machine/riscv": "memcpy memmove-stub memset.S strcmp.S strcpy strlen setjmp.S",
    "tinystdio": """atod_ryu atof_ryu clearerr dtoa_ryu ecvt ecvt_r ecvtf ecvtf_r fcvt fcvt_r fcvtf fcvtf_r
        feof ferror fflush fgetc fgets filestrget filestrput fprintf fputc fputs fread fscanf ftoa_ryu fwrite
        gcvt gcvtf getchar matchcaseprefix perror printf putchar puts ryu_divpow2 ryu_log10 ryu_log2pow5
        ryu_pow5bits ryu_table ryu_umul128 scanf snprintf sprintf sscanf strfromd strfromf strtod strtof
        strtoimax strtol strtoll strtoul strtoull strtoumax ungetc vfiprintf vfiscanf vfprintf
        vfscanf vprintf vscanf vsnprintf vsprintf vsscanf""",
    "stdlib": """abs aligned_alloc atof atoi atol atoll div imaxabs imaxdiv itoa labs
        ldiv llabs lldiv nano-malloc-calloc nano-malloc-free nano-malloc-malloc nano-malloc-memalign
        nano-malloc-realloc nano-malloc-malloc_usable_size pico-atexit pico-exit pico-onexit rand rand_r
        random srand srandom utoa reallocarray""",
    "search": "bsearch qsort",
    "ctype": """ctype_ isalnum isalpha isascii isblank iscntrl isdigit islower isprint ispunct isspace
        isupper isxdigit toascii tolower toupper""",
    "misc": "ffs fini init",
    "picolib": "picosbrk",
}


def zig() -> list[str]:
    """The command that starts zig."""
    if importlib.util.find_spec("ziglang") is None:
        raise UserError("the compiler is missing: install the package ziglang (make setup)")
    return [sys.executable, "-m", "ziglang"]


def zig_environment() -> dict[str, str]:
    """Environment with zig's caches below build/, unless the user has set them."""
    cache = BUILD / "cache" / "zig"
    env = dict(os.environ)
    env.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache))
    env.setdefault("ZIG_LOCAL_CACHE_DIR", str(cache / "local"))
    return env


def _run(command: list[str], what: str, cwd: Path | None = None) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, env=zig_environment(), cwd=cwd, check=False
    )
    if done.returncode:
        text = (done.stderr or done.stdout).strip()
        raise UserError(f"{what} does not compile:\n{text}")
    return done.stdout


def _digest(flags: Iterable[str], files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for flag in flags:
        digest.update(flag.encode() + b"\0")
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _libc_files() -> list[Path]:
    files = []
    for folder, names in _LIBC_SOURCES.items():
        for name in names.split():
            files.append(_LIBC / folder / (name if name.endswith(".S") else f"{name}.c"))
    return files


def libc() -> Path:
    """The archive of the C library; compiled once (some seconds), then taken from build/."""
    flags = [
        *_TARGET, "-O2", "-w", "-g", "-D_LIBC", "-fno-builtin",
        *_INCLUDE,
        *(f"-I{_LIBC / folder}" for folder in _LIBC_SOURCES),
    ]  # fmt: skip
    files = _libc_files()
    key = _digest(flags, [*files, RUNTIME / "libc" / "picolibc.h"])
    archive = BUILD / "libc" / key / "libc.a"
    if archive.exists():
        return archive
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        work = Path(folder)

        def compile_one(file: Path) -> str:
            _run([*zig(), "cc", *flags, "-c", str(file), "-o", f"{file.stem}.o"], "the C library", work)
            return f"{file.stem}.o"

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            objects = list(pool.map(compile_one, files))
        _run([*zig(), "ar", "rcs", "libc.a", *objects], "the C library", work)
        (work / "libc.a").replace(archive)
    return archive


def _application_files(app: str) -> tuple[str, list[Path], list[Path]]:
    """(name, C files, folders with headers) of an application below apps/, or of one C file."""
    if app.endswith(".c"):
        path = Path(app)
        if not path.is_file():
            raise UserError(f"there is no program {app}: give the path of a C file")
        return path.stem, [path], [path.parent]
    folder = APPS / app
    files = sorted(folder.glob("*.c"))
    if not files:
        known = sorted(path.parent.name for path in APPS.glob("*/*.c"))
        raise UserError(
            f"unknown application '{app}': choose one of {', '.join(sorted(set(known))) or '(none)'}"
        )
    folders = [folder]
    if (APPS / "include").is_dir():
        folders.append(APPS / "include")
    return app, files, folders


def _included(file: Path, flags: list[str]) -> list[Path]:
    """What a user's file includes, wherever that is, without the C library."""
    rule = _run([*zig(), "cc", *flags, "-MM", str(file)], file.stem).replace("\\\n", " ")
    names = re.findall(r"(?:\\ |\S)+", rule.split(": ", 1)[1])
    return sorted({Path(name.replace("\\ ", " ")) for name in names} - {file})


def build(
    app: str,
    platform: Platform,
    kernel: str,
    defines: Mapping[str, str | int] | None = None,
) -> Path:
    """The ELF file of an application; a flat image from the start of the memory lies beside it (.bin).

    app is a folder below apps/ or the path of one C file; kernel is "hw" or "sw"; defines are macros for the
    application. What was built from the same content before is taken from build/.
    Raises UserError with the compiler's text.
    """
    if kernel not in KERNELS:
        raise UserError(f"unknown kernel '{kernel}': choose one of {', '.join(KERNELS)}")
    name, app_files, app_folders = _application_files(app)
    folders = [RUNTIME / "posix", RUNTIME / kernel, RUNTIME / "arch", RUNTIME / "arch" / platform.core]
    sources = [path for folder in folders for path in sorted([*folder.glob("*.c"), *folder.glob("*.S")])]
    script = RUNTIME / "arch" / "link.ld"
    size = platform.kernel
    numbers = {
        "CL_CPUS": platform.cpus,
        "CL_THREADS": size.threads,
        "CL_PRIORITIES": size.priorities,
        "CL_PORTS": size.ports,
        "CL_PORT_DEPTH": size.port_depth,
        "CL_MUTEXES": size.mutexes,
        "CL_SEMAPHORES": size.semaphores,
        "CL_TICK_CYCLES": platform.tick_cycles,
        "CL_CONDITIONS": CONDITIONS,
        "CL_LINES": LINES,
        "CL_HW_THREADS": len(size.hardware_threads),
        "CL_HW_NAMES": ", ".join(f'"{unit}"' for unit in size.hardware_threads),  # the inside of { }
        "CL_IPC": int(platform.ipc is not None),
        "CL_MAILBOX_DEPTH": platform.ipc.mailbox_depth if platform.ipc else 0,
        "CL_CPU_MUTEXES": platform.ipc.mutexes if platform.ipc else 0,
        "CL_BARRIERS": platform.ipc.barriers if platform.ipc else 0,
        "CL_AMP": int(platform.interconnect == "amp"),
        "CL_LOCAL_MEMORY_BYTES": platform.local_bytes,
        f"CL_KERNEL_{kernel.upper()}": 1,
        f"CL_CORE_{platform.core.upper()}": 1,
        **(defines or {}),
    }
    flags = [
        *_TARGET, *_OPTIMISE, "-g", "-flto", *_WARN,
        *(f"-D{key}={value}" for key, value in numbers.items()),
        *(f"-I{folder}" for folder in (*app_folders, *folders)),
        *_INCLUDE,
    ]  # fmt: skip
    if app.endswith(".c"):
        headers = _included(app_files[0], flags)
        app_folders = []
    else:
        headers = []
    headers += [
        path
        for folder in (*app_folders, *folders, RUNTIME / "include")
        for path in sorted(folder.glob("*.h"))
    ]
    archive = libc()
    key = _digest([archive.parent.name, *flags], [*app_files, *sources, *headers, script])
    folder = BUILD / "firmware" / f"{name}-{platform.core}-{platform.cpus}-{kernel}-{key}"
    elf = folder / f"{name}.elf"
    if elf.exists():
        return elf
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        layout = work / script.name
        defines_of_layout = [f"-D{key}={value}" for key, value in numbers.items()]
        _run(
            [*zig(), "cc", "-E", "-P", "-x", "c", *defines_of_layout, str(script), "-o", str(layout)],
            script.name,
        )
        try:
            _run(
                [
                    *zig(), "cc", *flags, *map(str, [*app_files, *sources]), str(archive),
                    "-Wl,--gc-sections", f"-Wl,-T,{layout}", "-o", str(work / elf.name),
                ],
                name,
            )  # fmt: skip
        except UserError as error:
            over = re.findall(r"in region 'local': overflowed by (\d+) bytes", str(error))
            if not over:
                raise
            raise UserError(
                f"{name} does not fit into the local memory of {platform.name}: text, constants and "
                f"CL_LOCAL_DATA have {max(map(int, over))} bytes more than its {platform.local_kib} KiB; "
                f"make memory.local_kib larger (up to {MAX_LOCAL_KIB})"
            ) from None
        image = work / f"{name}.bin"
        _run([*zig(), "objcopy", "-O", "binary", str(work / elf.name), str(image)], name)
        try:
            work.rename(folder)
        except OSError:
            if not elf.exists():
                raise
            # Another process was faster; what is left of ours goes below.
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return elf
