# SPDX-License-Identifier: Apache-2.0
"""The applications of apps/: their inputs, expected results and outputs on the host."""

from coreloom.apps.base import App
from coreloom.apps.hybrid import Hybrid
from coreloom.apps.image import ImageFilter
from coreloom.apps.packets import PacketProcessing
from coreloom.apps.pair import PAIR

APPS: dict[str, App] = {app.name: app for app in (ImageFilter(), PacketProcessing(), Hybrid())}
APPS |= PAIR

__all__ = ["APPS", "PAIR", "App"]
