"""Nadraz: who stands better."""

from __future__ import annotations

from rules import Nadraz, Position, Side
from rules.search.knowledge import Evaluation, Knowledge, tempo

NAMES = (
    "tempo",
    "leader",
    "longest",
    "second longest",
    "third longest",
    "shortest",
    "second shortest",
    "stones",
    "snakes",
    "eggs",
    "open cells at the longest",
    "open cells at the second longest",
    "open cells",
    "longest that still grow",
    "best merge",
    "blocked snakes",
)


def terms(position: Position) -> tuple[float, ...]:
    assert isinstance(position, Nadraz)
    inner = position.empty & ~position.board.edge
    found = []
    for side in Side:
        snakes = sorted(
            [(snake.cells.bit_count(), (snake.front & inner).bit_count()) for snake in position.snakes(side)],
            reverse=True,
        )
        lengths = [length for length, _ in snakes]
        growing = [length for length, room in snakes if room]
        eggs = lengths.count(1)
        found.append(
            (
                0.0,
                0.0,
                lengths[0] / 8,
                (lengths[1] if len(lengths) > 1 else 0) / 8,
                (lengths[2] if len(lengths) > 2 else 0) / 8,
                lengths[-1] / 4,
                (lengths[-2] if len(lengths) > 1 else 0) / 4,
                sum(lengths) / 16,
                len(lengths) / 4,
                eggs / 2,
                snakes[0][1] / 4,
                (snakes[1][1] if len(snakes) > 1 else 0) / 4,
                sum([room for _, room in snakes]) / 16,
                (growing[0] if growing else 0) / 8,
                sum(growing[:2]) / 8,
                (len(lengths) - len(growing)) / 4,
            )
        )
    leader = position.leader()
    own, enemy = found
    return (
        tempo(position),
        0.0 if leader is None else -1.0 if leader else 1.0,
        *[mine - theirs for mine, theirs in zip(own[2:], enemy[2:], strict=True)],
    )


_HAND = (0.1, 0.3, 0.5, 0.2, 0.1, 0.0, 0.0, 0.1, 0.1, 0.0, 0.2, 0.1, 0.1, 0.3, 0.2, -0.1)
_REVERSE = (0.1, 0.5, 0.0, 0.0, 0.0, 0.8, 0.4, 0.1, -0.3, -0.5, 0.0, 0.0, 0.1, 0.0, 0.0, -0.1)

KNOWLEDGE = Knowledge(Evaluation(NAMES, terms, {"standard": (_HAND, _HAND), "reverse": (_REVERSE, _REVERSE)}))
