# SPDX-License-Identifier: Apache-2.0
"""A guest with Debian's systemd as its first program: cgroups are as on a real machine.

The packages' scripts are not run: what systemd needs of their results is written here. Whatever is slow to
start and changes no cgroup (udev, the log, consoles, generators) is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from coreloom.vm.vm import Guest

_UNITS = "/etc/systemd/system"
_CONFIGURATION = """\
[Manager]
DefaultStandardOutput=null
DefaultStandardError=null
ShowStatus=no
"""
_TARGET = """\
[Unit]
Description=The guest
Requires=vm.service
AllowIsolate=yes
"""
_SCRIPT = """\
[Unit]
Description=The script
[Service]
Type=oneshot
ExecStart=/vm/work
TimeoutStartSec=infinity
"""
_FILES = {
    "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    "/etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\n",
    "/etc/machine-id": "c0de100dc0de100dc0de100dc0de100d\n",
    "/etc/hostname": "guest\n",
    "/etc/systemd/system.conf": _CONFIGURATION,
    f"{_UNITS}/default.target": _TARGET,
    f"{_UNITS}/vm.service": _SCRIPT,
}
_WITHOUT = (
    "usr/lib/systemd/system/*.wants/*",
    "usr/lib/systemd/system-generators/*",
    "usr/lib/udev/*",
    "usr/lib/x86_64-linux-gnu/gconv/*",
    "usr/share/*",
)


def guest(
    files: Mapping[str, Path | bytes] | None = None,
    packages: Sequence[str] = (),
    units: Mapping[str, str] | None = None,
) -> Guest:
    """A guest for vm.run; its script runs as vm.service. units: texts by name, which it may start."""
    own = {f"{_UNITS}/{name}": text for name, text in (units or {}).items()}
    texts = {place: text.encode() for place, text in {**_FILES, **own}.items()}
    return Guest(
        {**texts, **(files or {})}, ["systemd", *packages], without=_WITHOUT, first="/usr/lib/systemd/systemd"
    )
