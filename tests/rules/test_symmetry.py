"""The symmetries of the games: rotated, mirrored or with exchanged colours, a game stays the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import fields, replace

import pytest

from rules import Event, Phase, Position, Ruleset, Side, ruleset
from rules.dendria import Dendria
from rules.dendria.history import StateHistory
from rules.fiodar import Fiodar
from rules.hedu import Hedu
from rules.nadraz import Nadraz
from tests.support.each import for_each
from tests.support.positions import RULESETS_AND_TINY, elements_of, ids, story
from tests.support.thorough import THOROUGH, covered, sample

Map = Callable[[int, int], tuple[int, int]]


# The board rotated or mirrored


def turned(times: int, mirrored: int) -> Map:
    """Rotate about the centre by this many sixths of a turn, after swapping columns and rows or not.

    The directions (1, 0), (1, 1), (0, 1), (−1, 0), … follow each other around the centre, so a sixth of a turn
    sends (1, 0) to (1, 1) and (0, 1) to (−1, 0).
    """

    def move(u: int, v: int) -> tuple[int, int]:
        if mirrored:
            u, v = v, u
        for _ in range(times):
            u, v = u - v, u
        return u, v

    return move


SYMMETRIES = {f"{times}{'m' if mirrored else ''}": turned(times, mirrored) for times in range(6) for mirrored in (0, 1)}
#: These two generate all the others.
GENERATORS = {name: SYMMETRIES[name] for name in ("1", "0m")}


def image(position: Position, symmetry: Map) -> dict[str, str]:
    """The name of each cell's image."""
    board = position.board
    centre = board.size - 1
    by_coordinates = {(board.column(cell), board.row(cell)): board.name(cell) for cell in board.cells}
    images = {}
    for (x, y), name in by_coordinates.items():
        u, v = symmetry(x - centre, y - centre)
        images[name] = by_coordinates[u + centre, v + centre]
    return images


def moved(turn: str, images: dict[str, str]) -> str:
    return re.sub(r"[a-z]+[0-9]+", lambda cell: images[cell[0]], turn)


def moved_event(position: Position, event: Event, images: dict[str, str] | None = None) -> str:
    """A canonical text of an event, with its cells moved. Only the stops of a Dryad are ordered."""
    parts = [type(event).__name__]
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name in ("cell", "start", "cells", "by", "stops"):
            names = [position.board.name(cell) for cell in (value if isinstance(value, tuple) else (value,))]
            names = [images[name] for name in names] if images else names
            value = names if field.name == "stops" else sorted(names)
        parts.append(f"{field.name} {value}")
    return ", ".join(parts)


def test_there_are_twelve_symmetries_and_they_keep_neighbours() -> None:
    position = ruleset("dalen", 5).start()
    board = position.board
    all_images = [image(position, symmetry) for symmetry in SYMMETRIES.values()]
    assert len({tuple(images.items()) for images in all_images}) == 12
    for images in all_images:
        assert set(images.values()) == set(images)
        for name, other in images.items():
            cell, moved_cell = board.cell(name), board.cell(other)
            assert cell is not None
            assert moved_cell is not None
            beside = {images[near] for near in board.names(board.spread(1 << cell))}
            assert beside == set(board.names(board.spread(1 << moved_cell)))


def listed(position: Position) -> Iterable[str]:
    """The listed turns; none where two eggs can be placed in thousands of ways."""
    endless = isinstance(position, Nadraz) and position.phase is Phase.OPENING and position.board.size > 6
    return () if endless else position.legal_turns


def same_under(rules_of: Ruleset, symmetry: Map, every: int) -> None:
    """Play a random game and its image side by side. List and draft turns every few plies."""
    images = image(rules_of.start(), symmetry)
    mirror = rules_of.start()
    for ply, (position, turn, after, events) in enumerate(story(rules_of)):
        if ply % every == 0:
            assert {moved(listed_turn, images) for listed_turn in listed(position)} == {*listed(mirror)}
            for length in range(len(elements_of(turn)) if position.phase is Phase.PLAY else 0):
                begun = "".join(elements_of(turn)[:length])
                draft, mirrored_draft = position.draft(begun), mirror.draft(moved(begun, images))
                # A draft names a seedbed by its first Seed on the board, which symmetry changes, so only count these.
                offered, mirrored = (
                    Counter("*" if element[0] == "*" else element for element in partial.next)
                    for partial in (
                        replace(draft, next=tuple(moved(element, images) for element in draft.next)),
                        mirrored_draft,
                    )
                )
                assert offered == mirrored
                assert draft.complete is mirrored_draft.complete
        mirror, mirrored_events = mirror.play(moved(turn, images))
        assert {images[cell]: piece for cell, piece in after.pieces().items()} == mirror.pieces()
        assert (after.score(), after.held(), after.outcome) == (mirror.score(), mirror.held(), mirror.outcome)
        assert (after.phase, after.to_play) == (mirror.phase, mirror.to_play)
        assert Counter(moved_event(after, event, images) for event in events) == Counter(
            moved_event(after, event) for event in mirrored_events
        )


@pytest.mark.parametrize(("rules_of", "name"), covered(RULESETS_AND_TINY, GENERATORS))
def test_a_rotated_or_mirrored_game_is_the_same_game(rules_of: Ruleset, name: str) -> None:
    same_under(
        rules_of,
        GENERATORS[name],
        (1 if THOROUGH else 2) * (1 if rules_of.size < 5 else 4 if rules_of.size < 7 else 12),
    )


# The colours exchanged


def with_colours_exchanged(position: Position) -> Position:
    """The position with each side's pieces, prisoners, memory, turn and end given to the other."""
    outcome = position.outcome
    if outcome is not None and outcome.winner is not None:
        outcome = replace(outcome, winner=outcome.winner.other)
    changed = replace(
        position, first=position.second, second=position.first, turn_of=position.turn_of.other, outcome=outcome
    )
    match changed:
        case Fiodar():
            passed_first = None if changed.passed_first is None else changed.passed_first.other
            ends = tuple((second, first) for first, second in changed.ends)
            return replace(changed, prisoners=changed.prisoners[::-1], ends=ends, passed_first=passed_first)
        case Hedu():
            return replace(changed, prisoners=changed.prisoners[::-1])
        case Dendria():
            first_to_pass = None if changed.first_to_pass is None else changed.first_to_pass.other
            earlier = StateHistory((second, first, to_play.other) for first, second, to_play in changed.earlier)
            return replace(changed, earlier=earlier, first_to_pass=first_to_pass)
    return changed


def other_colour(event: Event) -> Event:
    assert isinstance(event.side, Side)
    return replace(event, side=event.side.other)


@for_each("rules_of", RULESETS_AND_TINY, ids)
def test_after_the_choice_both_colours_have_the_same_rights(rules_of: Ruleset) -> None:
    for position, turn, after, events in sample(story(rules_of), 2 if rules_of.size < 5 else 5):
        if position.phase is not Phase.PLAY:
            continue
        exchanged = with_colours_exchanged(position)
        assert sorted(exchanged.legal_turns) == sorted(position.legal_turns)
        exchanged_after, exchanged_events = exchanged.play(turn)
        assert exchanged_after == with_colours_exchanged(after)
        assert [*exchanged_after.score().values()] == [*after.score().values()][::-1]
        assert Counter(exchanged_events) == Counter(map(other_colour, events))
