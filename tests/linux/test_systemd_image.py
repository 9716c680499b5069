# SPDX-License-Identifier: Apache-2.0
"""The guest with systemd: what is in it, and that it boots to a state without failures."""

from __future__ import annotations

import pytest

from coreloom.vm import systemd_image, vm


def test_own_units_and_files_are_added() -> None:
    plain = systemd_image.guest()
    more = systemd_image.guest(
        {"/a": b"b"}, ["irqbalance"], {"x.service": "[Service]\nExecStart=/bin/true\n"}
    )
    added = {place: more.files[place] for place in more.files.keys() - plain.files.keys()}
    assert added == {"/a": b"b", "/etc/systemd/system/x.service": b"[Service]\nExecStart=/bin/true\n"}
    assert (plain.packages, more.packages) == (["systemd"], ["systemd", "irqbalance"])


_SCRIPT = """
cat /proc/1/comm /proc/self/cgroup
systemctl --failed --no-legend
cat /sys/fs/cgroup/cgroup.subtree_control
systemctl start nap.service
cat /sys/fs/cgroup/system.slice/nap.service/cgroup.procs | wc -l
exit 3
"""


@pytest.mark.linux
@pytest.mark.nightly
def test_it_boots() -> None:
    nap = {"nap.service": "[Service]\nExecStart=/bin/sleep 1000\n"}
    outcome = vm.run(systemd_image.guest(units=nap), _SCRIPT, cgroup="none")
    said = "systemd\n0::/system.slice/vm.service\nmemory pids\n1\n"
    assert (outcome.status, outcome.stdout) == (3, said)
