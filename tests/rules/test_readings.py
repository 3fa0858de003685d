"""The engines agree with the second readings of the rules over whole random games."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest

from rules import GAMES, Phase, Ruleset
from tests.support.positions import Ply, story
from tests.support.readings import READINGS, agree
from tests.support.thorough import THOROUGH

#: The numbers of random games by the size of the board, and how many boards of a game are compared at least.
PLAYED = {3: 30, 4: 10, 5: 3, 7: 1} if THOROUGH else {3: 12, 4: 3, 5: 1}
COMPARED = {3: 999, 4: 999, 5: 20}
#: What must happen in these games, by game: kinds of events on either side, and ends.
RARE = {
    "dalen": {
        *("Flipped enemy", "Flipped own", "several Flipped enemy", "several Flipped own"),
        *("mover wins by annihilation", "mover loses by annihilation"),
    },
    "dendria": {"Germinated own", "several Sprouted own", "mover wins by score", "mover loses by score"},
    "fiodar": {"Captured own", "Territory own", "Territory enemy", "mover wins by score", "mover loses by score"},
    "hedu": {
        *("several Raised own", "several Raised enemy", "several Reduced own", "several Reduced enemy"),
        *("Territory own", "Territory enemy", "mover wins by score", "mover loses by score"),
    },
    "nadraz": {"Flipped own", "mover wins by last placed", "mover wins by snakes", "mover loses by snakes"},
}


def happenings(ply: Ply) -> Iterator[str]:
    """What a turn does, with the side to which it happens."""
    position, _, after, events = ply
    kinds = Counter(
        f"{type(event).__name__} {'own' if event.side is position.turn_of else 'enemy'}" for event in events
    )
    yield from kinds
    yield from (f"several {kind}" for kind, count in kinds.items() if count > 1)
    if after.outcome is not None:
        winner = after.outcome.winner
        won = "draw" if winner is None else "mover wins" if winner is position.turn_of else "mover loses"
        yield f"{won} by {after.outcome.reason}"


def compare(rules_of: Ruleset, seed: int) -> Iterator[str]:
    """Play a random game with the engine and the second reading side by side. Return what happens in it."""
    reading, plies = READINGS[rules_of.game.name](rules_of.size, rules_of.variant), story(rules_of, seed)
    every = max(1, len(plies) // COMPARED.get(rules_of.size, 3))
    for number, ply in enumerate(plies, 1):
        _, turn, after, _ = ply
        reading.play(turn)
        if number % every == 0 or after.phase is Phase.OVER:
            agree(after, reading)
        yield from happenings(ply)


@pytest.mark.parametrize("game", READINGS)
def test_whole_games_agree_with_the_second_reading(game: str) -> None:
    seen: Counter[str] = Counter()
    for variant, (size, games) in itertools.product(GAMES[game].variants, PLAYED.items()):
        start = Ruleset(GAMES[game], size, variant).start()
        assert set(start.legal_turns) == READINGS[game](size, variant).legal_turns()
        for seed in range(games):
            seen.update(compare(start.ruleset, seed))
    assert seen.keys() >= RARE[game]


@pytest.mark.parametrize("game", READINGS)
def test_games_on_large_boards_agree_with_the_second_reading(game: str) -> None:
    variants = GAMES[game].variants
    assert list(compare(Ruleset(GAMES[game], 10 if game == "nadraz" else GAMES[game].sizes[-1], variants[-1]), 0))
