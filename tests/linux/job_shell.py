# SPDX-License-Identifier: Apache-2.0
"""As much of a shell as job control needs, on the terminal that is its standard error.

job_shell.py EVENTS ORDERS front|behind COMMAND...: starts the command as a job; writes what happens to it to
descriptor EVENTS, a line each, and reads from ORDERS what to do with it: fg, bg, or front (without SIGCONT).
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import termios
import threading


def main(events: int, orders: int, where: str, command: list[str]) -> None:
    terminal = 2
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        if where == "front":
            os.tcsetpgrp(terminal, os.getpid())
        for usual in (signal.SIGTTOU, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):  # as after nohup
            signal.signal(usual, signal.SIG_DFL)
        for fd in (events, orders):
            os.set_inheritable(fd, False)
        os.execvp(command[0], command)
    os.write(events, f"job {job}\n".encode())

    def obey() -> None:
        for order in os.fdopen(orders):
            if order.strip() != "bg":
                os.tcsetpgrp(terminal, job)
            if order.strip() != "front":
                os.killpg(job, signal.SIGCONT)

    threading.Thread(target=obey, daemon=True).start()
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        os.tcsetpgrp(terminal, os.getpgrp())
        if os.WIFSTOPPED(status):
            os.write(events, f"stopped {signal.Signals(os.WSTOPSIG(status)).name}\n".encode())
            continue
        os.write(events, f"ended {os.waitstatus_to_exitcode(status)}\n".encode())
        break
    while os.read(events, 1):  # the terminal stays until the test has seen all
        pass


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
