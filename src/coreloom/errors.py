# SPDX-License-Identifier: Apache-2.0
"""The one exception that a user is meant to see."""


class UserError(Exception):
    """A mistake of the user or the machine: one line that says what is wrong and what to do.

    The command line prints the line and exits with 1; any other exception is a defect of Coreloom.
    """
