# SPDX-License-Identifier: Apache-2.0
"""The C library of programs for the SoC: picolibc, of its package's sources and ours in runtime/libc."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from coreloom.paths import RUNTIME
from coreloom.toolchain import cache, zig
from coreloom.toolchain.zig import INCLUDE, LIBC, LIBC_HEADERS, PLACE, PLACELESS, TARGET

# Files taken from picolibc, by folder; names without suffix are C.
_SOURCES = {
    "string": """bcmp bcopy bzero explicit_bzero ffsl ffsll fls flsl memccpy memchr memcmp memmem mempcpy
        memrchr rawmemchr index rindex stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcoll
        strcspn strdup strerror strerror_r u_strerr strlcat strlcpy strlwr strcasecmp_l strncasecmp
        strncasecmp_l strncat strncmp strncpy strndup strnlen strnstr strpbrk strrchr strsep strsignal
        strspn strstr strtok strtok_r strupr strverscmp strxfrm swab wcpcpy wcpncpy wcscat wcschr wcscmp
        wcscoll wcscpy wcscspn wcsdup wcslcat wcslcpy wcslen wcsncat wcsncmp wcsncpy wcsnlen wcspbrk
        wcsrchr wcsspn wcsstr wcstok wcsxfrm wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset
        xpg_strerror_r""",
    "machine/riscv": "memcpy memmove-stub memset.S strcmp.S strcpy strlen setjmp.S",
    "tinystdio": """asprintf bufio clearerr feof ferror filestrget filestrput filestrputalloc mktemp
        snprintf sprintf sscanf strtoimax strtol strtol_l strtoll strtoll_l strtoul strtoull strtoumax
        tmpnam vasprintf vsnprintf vsprintf vsscanf""",
    "stdlib": """a64l abs atoi atol atoll div drand48 erand48 getenv getenv_r getopt getsubopt imaxabs
        imaxdiv itoa jrand48 l64a labs lcong48 ldiv llabs lldiv lrand48 mblen mbrlen mbrtowc mbsinit
        mbsnrtowcs mbsrtowcs mbstowcs mbtowc mbtowc_r mrand48 btowc wcrtomb wcsnrtombs wcsrtombs wcstombs
        wctob wctomb wctomb_r nrand48 pico-atexit pico-exit pico-onexit putenv quick_exit rand rand_r rand48
        random seed48 setenv srand srand48 srandom utoa reallocarray reallocf wcstol wcstoll wcstoul
        wcstoull""",
    "search": """bsd_qsort_r bsearch hash_func hcreate hcreate_r qsort qsort_r tdelete tdestroy tfind tsearch
        twalk""",
    "ctype": """ctype_ isalnum isalpha isascii isblank iscntrl isdigit islower isprint ispunct isspace
        isupper isxdigit iswalnum iswalnum_l iswalpha iswalpha_l iswblank iswblank_l iswcntrl iswcntrl_l
        iswctype iswctype_l iswdigit iswdigit_l iswgraph iswgraph_l iswlower iswlower_l iswprint iswprint_l
        iswpunct iswpunct_l iswspace iswspace_l iswupper iswupper_l iswxdigit iswxdigit_l toascii tolower
        tolower_l toupper toupper_l towctrans towctrans_l towlower towlower_l towupper towupper_l wctrans
        wctrans_l wctype wctype_l""",
    "time": """asctime asctime_r ctime ctime_r difftime gettzinfo gmtime gmtime_r lcltime lcltime_buf
        lcltime_r mktime month_lengths strftime strptime tzcalc_limits tzset tzvars""",
    "locale": """duplocale freelocale lmessages lmonetary lnumeric locale localeconv newlocale nl_langinfo
        timelocal uselocale""",
    "posix": "basename dirname fnmatch regcomp regerror regexec regfree",
    "misc": "ffs fini init",
    # What Linux has in its C library, too: programs that use it link without -lm.
    "../libm/common": """math_err_check_oflow math_err_check_uflow math_err_oflow math_err_uflow
        math_err_with_errno math_errf_check_oflowf math_errf_check_uflowf math_errf_oflowf math_errf_uflowf
        math_errf_with_errnof s_copysign s_finite s_fpclassify s_isinf s_isinfd s_isnan s_isnand s_modf
        s_scalbn s_signbit sf_copysign sf_finite sf_fpclassify sf_isinf sf_isinff sf_isnan sf_isnanf
        sf_modf sf_scalbn""",
    "../libm/math": "s_frexp sf_frexp",
    "picolib": "picosbrk",
}


# Ours that wait for a console or are rare: better small than fast.
_SMALL = ("decimal", "printf", "scanf", "strtod", "text")


def _archive(name: str, files: Sequence[Path], more: Sequence[str]) -> Path:
    """NAME.a of sources of the C library; compiled once, then taken from the cache."""
    flags = [
        *TARGET, "-O2", "-w", "-g", "-D_LIBC", "-Dvfprintf=vfprintf_unlocked", "-Dvfscanf=vfscanf_unlocked",
        "-fno-builtin",
        f"-ffile-prefix-map={LIBC.parent}={PLACE}", *PLACELESS,
        *INCLUDE,
        *more,
    ]  # fmt: skip
    # Our headers that stand before the library's.
    ours = [
        path
        for path in sorted((RUNTIME / "include").rglob("*.h"))
        if any((LIBC / folder / path.relative_to(RUNTIME / "include")).exists() for folder in LIBC_HEADERS)
    ]
    ours += sorted((RUNTIME / "libc").glob("*.h"))
    key = zig.digest([*flags, *_SMALL], [*files, *ours])

    def make(work: Path) -> None:
        def compile_one(file: Path) -> str:
            made = f"{file.parent.name}-{file.stem}.o"  # two folders may have a file of one name
            size = ["-Os"] if file.stem in _SMALL else []
            zig.run([*zig.cc(), *flags, *size, "-c", str(file), "-o", made], "the C library", work)
            return made

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            objects = list(pool.map(compile_one, files))
        zig.run([*zig.command(), "ar", "rcs", f"{name}.a", *objects], "the C library", work)
        for made in objects:
            (work / made).unlink()

    return cache.made(cache.place(name) / key, make) / f"{name}.a"


def libc() -> Path:
    """The archive of the C library without mathematics."""
    files = sorted((RUNTIME / "libc").glob("*.c"))
    for folder, names in _SOURCES.items():
        for name in names.split():
            files.append(LIBC / folder / (name if name.endswith(".S") else f"{name}.c"))
    return _archive("libc", files, [f"-I{LIBC / folder}" for folder in _SOURCES])


def libm() -> Path:
    """The archive of mathematics, which takes longer to make and which few programs need."""
    folders = [LIBC.parent / "libm" / folder for folder in ("common", "math", "complex")]
    files = [path for folder in folders for path in sorted(folder.glob("*.c"))]
    return _archive("libm", files, [f"-I{folder}" for folder in folders])
