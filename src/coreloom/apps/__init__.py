# SPDX-License-Identifier: Apache-2.0
"""The applications of apps/: their inputs, expected results and outputs on the host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from coreloom.apps.base import App

__all__ = ["APPS", "App"]

# Importing the packages that they need takes longer than running a short program.
_OF_PAIR = ("sort", "dhrystone", "fft", "wavelet")
_NAMES = ("image", "packets", "hybrid", *_OF_PAIR)


class _Apps(Mapping[str, App]):
    """An application by its name, imported when it is asked for."""

    def __getitem__(self, name: str) -> App:
        if name == "image":
            from coreloom.apps.image import IMAGE

            return IMAGE
        if name == "packets":
            from coreloom.apps.packets import PACKETS

            return PACKETS
        if name == "hybrid":
            from coreloom.apps.hybrid import HYBRID

            return HYBRID
        if name in _OF_PAIR:
            from coreloom.apps.pair import PAIR

            return PAIR[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


APPS = _Apps()
