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


_STANDARD = (
    (
        0.149,
        -0.568,
        -0.339,
        -0.48,
        -0.029,
        0.189,
        0.076,
        -0.014,
        2.158,
        -0.254,
        -0.211,
        0.412,
        0.02,
        0.071,
        -0.073,
        -0.67,
    ),
    (
        0.544,
        1.272,
        1.359,
        0.088,
        -0.075,
        -0.194,
        -0.147,
        0.141,
        -0.444,
        -0.204,
        0.245,
        -0.269,
        -0.886,
        -0.199,
        0.156,
        -0.741,
    ),
)
_REVERSE = (0.1, 0.5, 0.0, 0.0, 0.0, 0.8, 0.4, 0.1, -0.3, -0.5, 0.0, 0.0, 0.1, 0.0, 0.0, -0.1)

KNOWLEDGE = Knowledge(
    Evaluation(NAMES, terms, {"standard": _STANDARD, "reverse": (_REVERSE, _REVERSE)}), simulations=700, slack=0.8
)
