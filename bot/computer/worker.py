"""A worker process, which searches until the bot ends. It imports only what the search needs, to save memory."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection, wait
from threading import Thread

from rules import Ruleset
from rules.search import Advantage, choose, explain, value_of_replies

#: The priority of workers, below the bot and everything else on the machine.
_NICE = 19


def prepare(lifeline: Connection) -> None:
    """Lower this process's priority, and end it when the other end of the ``lifeline`` closes.

    That end closes when the bot stops or is killed. Ctrl-C in a terminal reaches this process, too, but is meant for
    the bot.
    """
    os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    wait([lifeline])
    os._exit(0)


def search(
    ruleset: Ruleset, turns: tuple[str, ...], level: int, seed: int, explained: bool
) -> tuple[str, float, tuple[str, ...], tuple[Advantage, ...], float | None, float]:
    """The turn of a level, its value, the expected line, the reasons, the value of replies, and the CPU seconds.

    Reasons and the value of replies are computed only if ``explained``.
    """
    began = time.process_time()
    position = ruleset.replay(turns)
    choice = choose(position, level, seed)
    reasons = explain(position, choice.turn) if explained else ()
    replies = value_of_replies(position) if explained else None
    return choice.turn, choice.value, choice.line, reasons, replies, time.process_time() - began
