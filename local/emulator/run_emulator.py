"""Runs the local AWS until its standard input closes: when the program that started it is gone, so is the emulator."""

import atexit
import os
import select
import shutil
import signal
import sys
import threading
import time


def stop_with_parent() -> None:
    # Not through sys.stdin: its lock, held here, would crash an early exit and hide its reason.
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


# Its working folder is its own and temporary; nobody else is left to remove it when the parent was killed.
atexit.register(shutil.rmtree, os.getcwd(), ignore_errors=True)
threading.Thread(target=stop_with_parent, daemon=True).start()
sys.argv = ["ministack"]

# Nothing is left beside our own files.
sys.dont_write_bytecode = True
import mute_rules  # noqa: E402, F401
from mails import be_strict  # noqa: E402

sys.dont_write_bytecode = False
from ministack.app import main  # noqa: E402
from ministack.core.lambda_runtime import Worker  # noqa: E402
from ministack.services import ses_v2  # noqa: E402

LOG_LIMIT_S = 2.0


class Log:
    """What one process of a function prints: a line is in the queue before anybody else sees the pipe empty."""

    def __init__(self, worker) -> None:
        self.reader = threading.current_thread()
        self._pipe = os.dup(worker._proc.stderr.fileno())
        self._lines = worker._stderr_queue
        self._lock = threading.Lock()
        self._ended = False

    def read(self) -> None:
        rest = b""
        while not self._ended:
            self._wait(None)
            with self._lock:
                piece = os.read(self._pipe, 65536)
                *lines, rest = (rest + piece).split(b"\n")
                if not piece:
                    self._ended = True
                    os.close(self._pipe)
                    lines += [rest] if rest else []
                for line in lines:
                    self._lines.put(line.decode("utf-8", "replace"))

    def _wait(self, limit_ms):
        # One for each call: none may be used by two threads. Not select.select, which takes no descriptor over 1023.
        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        return poll.poll(limit_ms)

    def is_taken(self) -> bool:
        with self._lock:
            return self._ended or not self._wait(0)


def read_log(worker) -> None:
    worker._log = Log(worker)
    worker._log.read()


emulators_own = Worker._drain_stderr_bounded


def take_log(worker, **waits) -> str:
    """All that was printed by a process that has answered: on POSIX it is in the pipe before the answer is. The emulator's
    own way waits 5 ms for a next line; one that came later was logged with the next event, or never."""
    if not hasattr(worker, "_log"):
        return emulators_own(worker, **waits)
    deadline = time.monotonic() + LOG_LIMIT_S
    while time.monotonic() < deadline:
        if worker._log.reader is worker._stderr_thread and worker._log.is_taken():
            break
        time.sleep(0.001)
    return worker._drain_stderr()


if sys.platform != "win32":
    Worker._read_stderr = read_log
    Worker._drain_stderr_bounded = take_log
be_strict(ses_v2)

main()
