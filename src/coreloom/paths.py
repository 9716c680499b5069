# SPDX-License-Identifier: Apache-2.0
"""Where things are: in a checkout, or in what was installed from a wheel. All that is made goes below BUILD.

BUILD is $CORELOOM_BUILD_DIR, else build/ of the checkout, else coreloom/build in the user's cache folder.
"""

import os
from pathlib import Path

_DATA = Path(__file__).resolve().parent / "data"  # only in a wheel: hatch_build.py
INSTALLED = _DATA.is_dir()
ROOT = _DATA if INSTALLED else Path(__file__).resolve().parents[2]


def _build() -> Path:
    if given := os.environ.get("CORELOOM_BUILD_DIR"):
        return Path(given).absolute()
    if not INSTALLED:
        return ROOT / "build"
    caches = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(caches) if Path(caches).is_absolute() else Path.home() / ".cache") / "coreloom" / "build"


BUILD = _build()
RESULTS = BUILD / "results"
RTL = ROOT / "rtl"
RUNTIME = ROOT / "runtime"
APPS = ROOT / "apps"
POLICIES = ROOT / "policies"
PLATFORMS = ROOT / "platforms"
LINUX = ROOT / "linux"


def setup(extra: str = "") -> str:
    """The command that installs what is missing; extra: test or synth."""
    if INSTALLED:
        return f"pip install 'coreloom[{extra}]'" if extra else "pip install --force-reinstall coreloom"
    return f"make setup-{extra}" if extra else "make setup"
