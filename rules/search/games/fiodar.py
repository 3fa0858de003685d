"""Fiodar: who stands better."""

from __future__ import annotations

from rules import Side, bits
from rules.fiodar import Fiodar
from rules.search.knowledge import Evaluation, Knowledge, Reason, Words, tempo
from rules.search.tree import Tuning
from rules.text import ngettext_noop


def terms(position: Fiodar) -> tuple[float, ...]:
    board, empty = position.board, position.empty
    first, second = position.first, position.second
    one, two, exposed = [0, 0], [0, 0], [0, 0]
    weaves = [0, 0]
    for side in Side:
        uncut, no_enemy_beyond = position.uncut(side), position.no_enemy_beyond(side)
        # Weaves with such a stone are safe from the next turn.
        stones = position.stones(side)
        weaves[side] = len(position.weaves(side))
        for weave in board.groups(stones & ~board.flood(no_enemy_beyond, stones)):
            size, left = weave.bit_count(), (weave & uncut).bit_count()
            exposed[side] += size
            if left <= 1:
                one[side] += size
            elif left == 2:
                two[side] += size
    near, near_second = board.spread(first) & empty, board.spread(second) & empty
    contact = (near & ~near_second).bit_count() - (near_second & ~near).bit_count()
    open_points = empty & ~(near | near_second)
    far, far_second = board.spread(near) & open_points, board.spread(near_second) & open_points
    influence = (far & ~far_second).bit_count() - (far_second & ~far).bit_count()
    passed = position.passed_first
    held, held_second = position.prisoners
    return (
        tempo(position),
        0.0 if passed is None else -1.0 if passed else 1.0,
        (held - held_second) / 8,
        (position.territory(Side.FIRST).bit_count() - position.territory(Side.SECOND).bit_count()) / 8,
        contact / 8,
        influence / 8,
        (first.bit_count() - second.bit_count()) / 8,
        (position.uncut(Side.FIRST).bit_count() - position.uncut(Side.SECOND).bit_count()) / 8,
        (position.no_enemy_beyond(Side.FIRST).bit_count() - position.no_enemy_beyond(Side.SECOND).bit_count()) / 8,
        (one[0] - one[1]) / 8,
        (two[0] - two[1]) / 8,
        (exposed[0] - exposed[1]) / 8,
        (position.between(Side.FIRST).bit_count() - position.between(Side.SECOND).bit_count()) / 8,
        (weaves[0] - weaves[1]) / 4,
    )


def _contact(position: Fiodar, side: Side) -> int:
    """The empty points next to stones of the side alone."""
    spread, empty = position.board.spread, position.empty
    return (spread(position.stones(side)) & ~spread(position.stones(side.other)) & empty).bit_count()


def _safe(position: Fiodar, side: Side) -> int:
    """The side's stones that are in no cut thread and that no single enemy stone could cut.

    More than :meth:`Fiodar.no_enemy_beyond`: one end of a line may be off the board, or closed to the enemy.
    """
    safe, enemy, open_points = position.uncut(side), position.stones(side.other), position.placements(side.other)
    for thread in position.threads(side):
        held = [cell for cell in thread.beyond if enemy >> cell & 1]
        open_ends = [cell for cell in thread.beyond if open_points >> cell & 1]
        if held and open_ends:
            safe &= ~thread.stones
    return safe.bit_count()


def _capturable(position: Fiodar, side: Side) -> int:
    """The maximum number of the side's stones that a single enemy stone would capture."""
    enemy = side.other
    if position.turn_of is side:
        position = position.pass_turn()[0]
    captures = [position.place(cell)[0].prisoners[enemy] for cell in bits(position.open_cells)]
    return max(captures, default=position.prisoners[enemy]) - position.prisoners[enemy]


#: Each term's fitted weights, on an empty and on a full board.
_STANDARD = {
    "tempo": (0.134, 0.113),
    "half point": (-0.067, 0.833),
    "prisoners": (-0.39, 3.497),
    "territory": (-1.404, 1.148),
    "contact": (0.473, 1.864),
    "influence": (0.157, 0.63),
    "stones": (-0.414, 2.457),
    "uncut stones": (0.387, 0.211),
    "stones with no enemy beyond": (-0.041, 1.139),
    "stones of weaves with one uncut stone": (-1.233, -2.865),
    "stones of weaves with two": (-0.085, -0.631),
    "stones of weaves with an enemy beyond every stone": (0.001, -0.168),
    "points in between": (0.4, -1.453),
    "weaves": (0.041, -0.885),
}

_REASONS = (
    Reason(
        ("stones of weaves with one uncut stone",),
        _capturable,
        Words(
            ngettext_noop(
                "It saves {count} of your stones, which a single stone could have captured.",
                "It saves {count} of your stones, which a single stone could have captured.",
            ),
            ngettext_noop(
                "It saves {count} of {side}'s stones, which a single stone could have captured.",
                "It saves {count} of {side}'s stones, which a single stone could have captured.",
            ),
        ),
        Words(
            ngettext_noop(
                "A single stone can capture {count} more of {other}'s stones.",
                "A single stone can capture {count} more of {other}'s stones.",
            )
        ),
        fewer=True,
    ),
    Reason[Fiodar](
        ("uncut stones",),
        lambda position, side: (position.stones(side) & ~position.uncut(side)).bit_count(),
        Words(
            ngettext_noop(
                "{count} of your stones is no longer in a cut thread.",
                "{count} of your stones are no longer in a cut thread.",
            ),
            ngettext_noop(
                "{count} of {side}'s stones is no longer in a cut thread.",
                "{count} of {side}'s stones are no longer in a cut thread.",
            ),
        ),
        Words(
            ngettext_noop(
                "It cuts the threads of {count} of {other}'s stones.",
                "It cuts the threads of {count} of {other}'s stones.",
            )
        ),
        fewer=True,
    ),
    Reason(
        ("stones with no enemy beyond",),
        _safe,
        Words(
            ngettext_noop(
                "You have {count} more stone that no single stone can cut.",
                "You have {count} more stones that no single stone can cut.",
            ),
            ngettext_noop(
                "{side} has {count} more stone that no single stone can cut.",
                "{side} has {count} more stones that no single stone can cut.",
            ),
        ),
        Words(
            ngettext_noop(
                "{other} has {count} stone fewer that no single stone can cut.",
                "{other} has {count} stones fewer that no single stone can cut.",
            )
        ),
    ),
    Reason[Fiodar](
        ("territory",),
        lambda position, side: position.territory(side).bit_count(),
        Words(
            ngettext_noop("Your territories grow by {count} point.", "Your territories grow by {count} points."),
            ngettext_noop(
                "{side}'s territories grow by {count} point.", "{side}'s territories grow by {count} points."
            ),
        ),
        Words(ngettext_noop("{other}'s territories lose {count} point.", "{other}'s territories lose {count} points.")),
    ),
    Reason(
        ("contact",),
        _contact,
        Words(
            ngettext_noop(
                "{count} more point touches only your stones.", "{count} more points touch only your stones."
            ),
            ngettext_noop(
                "{count} more point touches only {side}'s stones.", "{count} more points touch only {side}'s stones."
            ),
        ),
        Words(
            ngettext_noop(
                "{count} point fewer touches only {other}'s stones.",
                "{count} points fewer touch only {other}'s stones.",
            )
        ),
    ),
    Reason[Fiodar](
        ("weaves",),
        lambda position, side: len(position.weaves(side)),
        Words(
            ngettext_noop("It joins two of your weaves.", "It joins several of your weaves."),
            ngettext_noop("It joins two of {side}'s weaves.", "It joins several of {side}'s weaves."),
        ),
        fewer=True,
    ),
)

KNOWLEDGE = Knowledge(
    Evaluation(terms, {"standard": _STANDARD}),
    Tuning(explore=0.1, explore_alone=0.02, playouts_from=10, learning=True),
    simulations={5: 7200, 7: 1100},
    ratios=(12, 8, 8),
    least={7: 2},
    slack=0.4,
    lapses=(0.25,),
    reasons=_REASONS,
)
