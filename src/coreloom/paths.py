# SPDX-License-Identifier: Apache-2.0
"""Where things are: in a checkout, or in what was installed from a wheel. All that is made goes below BUILD.

BUILD is $CORELOOM_BUILD_DIR, else build/ of a checkout that this user can write, else coreloom/build in the
user's cache folder.
"""

import os
from pathlib import Path

_DATA = Path(__file__).resolve().parent / "data"  # only in a wheel: hatch_build.py
INSTALLED = _DATA.is_dir()
ROOT = _DATA if INSTALLED else Path(__file__).resolve().parents[2]


BUILD_DIR = "CORELOOM_BUILD_DIR"


def user_cache() -> Path | None:
    """Coreloom's folder in the user's folder for caches ($XDG_CACHE_HOME, ~/.cache); None without a home."""
    caches, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME")
    if Path(caches).is_absolute():
        return Path(caches) / "coreloom"
    return Path(home) / ".cache" / "coreloom" if home else None


def _build() -> Path:
    if given := os.environ.get(BUILD_DIR):
        return Path(given).absolute()
    shared = INSTALLED or not os.access(ROOT, os.W_OK)
    return ((shared and user_cache()) or ROOT) / "build"


BUILD = _build()
RESULTS = BUILD / "results"
RTL = ROOT / "rtl"
RUNTIME = ROOT / "runtime"
APPS = ROOT / "apps"
EXAMPLES = ROOT / "examples"
POLICIES = ROOT / "policies"
PLATFORMS = ROOT / "platforms"
LINUX = ROOT / "linux"


def setup(extra: str = "") -> str:
    """The command that installs what is missing; extra: test or synth."""
    if INSTALLED:
        return f"pip install 'coreloom[{extra}]'" if extra else "pip install --force-reinstall coreloom"
    return f"make setup-{extra}" if extra else "make setup"
