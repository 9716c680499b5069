# SPDX-License-Identifier: Apache-2.0
"""Where things are in a checkout. Everything that is made goes below BUILD."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
RESULTS = BUILD / "results"
RTL = ROOT / "rtl"
RUNTIME = ROOT / "runtime"
APPS = ROOT / "apps"
POLICIES = ROOT / "policies"
PLATFORMS = ROOT / "platforms"
LINUX = ROOT / "linux"
