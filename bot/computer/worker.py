"""What runs in a worker process: one search after the other, and an end as soon as the bot has ended.

Only the search is imported here, so a worker takes little memory.
"""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection, wait
from threading import Thread

from rules import Ruleset, Text
from rules.search import choose, explain, value_of_replies

#: How far workers stand back behind the bot and everything else on the machine.
_NICE = 19


def prepare(lifeline: Connection) -> None:
    """Make this process one that stands back, and that ends when the other end of the lifeline is closed.

    It is closed when the bot stops and when it is killed; Ctrl-C in a terminal, which reaches this process too, is for
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
) -> tuple[str, float, tuple[str, ...], tuple[Text, ...], float | None, float]:
    """The turn that a level chooses after the turns, its value, the line from there; if it is to be explained, the
    reasons and the value of the replies to other turns; and the seconds of a core that all this took.
    """
    began = time.process_time()
    position = ruleset.replay(turns)
    choice = choose(position, level, seed)
    reasons = explain(position, choice.turn) if explained else ()
    replies = value_of_replies(position) if explained else None
    return choice.turn, choice.value, choice.line, reasons, replies, time.process_time() - began
