"""Runs the local AWS until its standard input closes: when the program that started it is gone, so is the emulator."""

import atexit
import os
import shutil
import signal
import sys
import threading


def stop_with_parent() -> None:
    # Not through sys.stdin: its lock, held here, would crash an early exit and hide its reason.
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


# Its working folder is its own and temporary; nobody else is left to remove it when the parent was killed.
atexit.register(shutil.rmtree, os.getcwd(), ignore_errors=True)
threading.Thread(target=stop_with_parent, daemon=True).start()
sys.argv = ["ministack"]

from ministack.app import main  # noqa: E402

main()
