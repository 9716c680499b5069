# SPDX-License-Identifier: Apache-2.0
"""Where many runs are made: the option --dask of every command that has them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from coreloom.commands.console import doing
from coreloom.jobs.cluster import Cluster
from coreloom.jobs.job import Pool
from coreloom.jobs.local import Local


def option(parser: argparse.ArgumentParser) -> None:
    """Add --dask."""
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="run on the workers of this Dask scheduler (tcp://HOST:PORT), not on this machine's cores",
    )


@contextmanager
def pool(args: argparse.Namespace) -> Iterator[Pool]:
    """The pool that was asked for."""
    if args.dask is None:
        yield Local()
        return
    with doing(f"connect to {args.dask}"):
        cluster = Cluster(args.dask)
    with cluster:
        yield cluster
