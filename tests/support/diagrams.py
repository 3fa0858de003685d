"""Reads the diagrams of a rule page, and checks what they claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

import render
from rules import Captured, Event, Flipped, IllegalTurn, Placed, Side
from rules.dendria import Dendria, Germinated, Sprouted
from rules.hedu import Hedu, Raised, Reduced
from rules.nadraz import Nadraz
from rules.pages import Example
from rules.position import PlacementPosition
from tests.support.positions import names

#: What a diagram can claim about one side, by game: the cells of all together, or of each one.
Term = Callable[[Any, Side], "int | Iterable[int]"]
TERMS: dict[str, dict[str, Term]] = {
    "dalen": {
        "trees": lambda position, side: position.trees(side),
        "leaves": lambda position, side: position.leaves(side),
        "stagnant": lambda position, side: position.board.groups(position.stagnant(side)),
    },
    "dendria": {
        "nourishes": lambda position, side: position.seeds & position.field.nourished(side),
        "fertile": lambda position, side: position.field.fertile(side),
        "seedbeds": lambda position, side: position.field.seedbeds(side),
        "forests": lambda position, side: position.field.forests(side),
        "protected": lambda position, side: position.protected(side),
        "attacked": lambda position, side: position.attacked(side),
        "counts": lambda position, side: position.field.leafiness_cells(side),
    },
    "fiodar": {
        "weaves": lambda position, side: position.weaves(side),
        "cut threads": lambda position, side: (thread.stones for thread in position.cut_threads(side)),
        "cut weaves": lambda position, side: position.cut_weaves(side),
        "territories": lambda position, side: position.board.groups(position.territory(side)),
    },
    "hedu": {"groups": lambda position, side: (group.cells for group in position.groups(side))},
    "nadraz": {
        "snakes": lambda position, side: (snake.cells for snake in position.snakes(side)),
        "ends": lambda position, side: position.ends(side),
        "eggs": lambda position, side: position.eggs(side),
    },
}


def words(value: str) -> str:
    """Sort the cells of a claim alphabetically."""
    return "" if value == "none" else " ".join(sorted(value.split()))


def sets_of_words(value: str) -> list[str]:
    """Sort the sets of cells of a claim alphabetically."""
    return [] if value == "none" else sorted(words(group) for group in value.split(","))


def number(value: float | list[int]) -> str:
    """Write a score as pages do: ``8½``, or the lengths of snakes."""
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    whole, half = divmod(value, 1)
    return f"{int(whole) or ''}½" if half else str(int(whole))


class Reading:
    """Reads an example claim by claim. A false or missing claim fails."""

    def __init__(self, example: Example) -> None:
        self.example = example
        self.game = example.ruleset.game
        self.position = example.position()
        self.mover = Side.FIRST
        self.events: tuple[Event, ...] = ()
        self.said: set[str] = set()

    def read(self) -> None:
        position = self.position
        assert self.example.diagram == str(position)
        for what, said in self.example.claims:
            assert what != "after" or (what, said) == self.example.claims[-1]
            self.check(what, said)
            if isinstance(self.position, Nadraz):
                assert all(snake.is_well_formed for side in Side for snake in self.position.snakes(side))
        self.check_all_is_said()
        assert self.example.diagram_after in {None, str(self.position)}
        assert (("after", "") in self.example.claims) is (self.example.diagram_after is not None)

    def check(self, what: str, said: str) -> None:
        side, _, term = what.partition(" ")
        done = self.done()
        if what == "turn":
            self.play(said)
        elif what in done:
            self.said.add(what)
            assert sets_of_words(said) == done[what]
        elif side in self.game.sides:
            self.check_side(Side(self.game.sides.index(side)), term, said)
        else:
            checks: dict[str, Callable[[str], None]] = {
                "turns": self.turns_lead_here,
                "to play": self.is_to_play,
                "wins": self.wins,
                "legal": self.legal,
                "allowed": self.allowed,
                "refused": self.refused,
                "score": self.score,
                "lengths": self.lengths,
                "leads": self.leads,
                "prisoners": self.prisoners,
                "leafiness": self.leafiness,
                "hungry": self.hungry,
                "regions": self.regions,
                "shown": self.shown,
                "after": self.nothing,
            }
            assert what in checks, f"“{what}” is not a claim"
            checks[what](said)

    # Turns and what they do

    def play(self, turn: str) -> None:
        self.check_all_is_said()
        assert self.position.to_play is not None
        assert "to play" in dict(self.example.claims) or "turns" in dict(self.example.claims)
        self.mover = self.position.to_play
        self.position, self.events = self.position.play(turn)
        self.said = set()

    def done(self) -> dict[str, list[str]]:
        """What the last turn did, by claim; empty lists for what it did not do."""

        def sets(kind: type[Flipped | Captured | Germinated], *, back: bool = False) -> list[str]:
            found = (event for event in self.events if isinstance(event, kind))
            return sorted(
                names(self.position, event.cells) for event in found if (event.side is not self.mover) is back
            )

        def changes(kind: type[Reduced | Raised]) -> list[str]:
            found = (event for event in self.events if isinstance(event, kind))
            name = self.position.board.name
            return sorted(words(f"{name(stack.cell)} {stack.before}→{stack.after}") for stack in found)

        sprouted = (event.cell for event in self.events if isinstance(event, Sprouted))
        placed = (event for event in self.events if isinstance(event, Placed) and self.game is Hedu)
        return {
            "flips": sets(Flipped),
            "flips back": sets(Flipped, back=True),
            "captures": sets(Captured),
            "germinates": sets(Germinated),
            "sprouts": sorted(self.position.board.name(cell) for cell in sprouted),
            "height": [str(stack.height) for stack in placed],
            "reduced": changes(Reduced),
            "raised": changes(Raised),
        }

    def check_all_is_said(self) -> None:
        """Check that every effect of the last turn is claimed, and the end of the game too."""
        unsaid = {what for what, found in self.done().items() if found} - self.said
        if self.events and self.position.outcome is not None and "wins" not in self.said:
            unsaid.add("wins")
        assert not unsaid

    def wins(self, said: str) -> None:
        self.said.add("wins")
        assert self.position.outcome is not None
        winner = self.position.outcome.winner
        assert said == ("nobody" if winner is None else self.game.sides[winner])

    # Whose turn it is, and which turns are legal

    def turns_lead_here(self, said: str) -> None:
        assert self.position == self.example.ruleset.replay(said.split())
        assert not self.events

    def is_to_play(self, said: str) -> None:
        assert self.position.to_play is not None
        assert said == self.game.sides[self.position.to_play]

    def legal(self, said: str) -> None:
        """Check that exactly these turns are legal."""
        assert words(said) == " ".join(sorted(self.position.legal_turns))

    def allowed(self, said: str) -> None:
        """Check that these turns are among the legal ones."""
        for turn in said.split():
            assert self.position.parse(turn) == turn

    def refused(self, said: str) -> None:
        """Check that these turns break a rule. Where turns are placements, no other empty cells may be refused."""
        if isinstance(self.position, PlacementPosition):
            placements = self.position.placements(self.position.turn_of)
            assert words(said) == names(self.position, self.position.empty & ~placements)
        else:
            assert said != "none"
        for turn in words(said).split():
            with pytest.raises(IllegalTurn):
                self.position.parse(turn)

    # What is on the board

    def check_side(self, side: Side, term: str, said: str) -> None:
        if not term:
            assert words(said) == names(self.position, self.position.stones(side))
            return
        found = TERMS[self.game.name][term](self.position, side)
        if isinstance(found, int):
            assert words(said) == names(self.position, found)
        else:
            assert sets_of_words(said) == sorted(names(self.position, group) for group in found)

    def each_side(self, values: dict[str, Any]) -> str:
        return ", ".join(f"{side} {number(values[side])}" for side in self.game.sides)

    def score(self, said: str) -> None:
        assert said == self.each_side(self.position.score())

    def lengths(self, said: str) -> None:
        assert isinstance(self.position, Nadraz)
        self.score(said)

    def leads(self, said: str) -> None:
        assert isinstance(self.position, Nadraz)
        leader = self.position.leader()
        assert said == ("nobody" if leader is None else self.game.sides[leader])

    def prisoners(self, said: str) -> None:
        held = self.position.held()
        assert held is not None
        assert said == self.each_side(dict(held))

    def leafiness(self, said: str) -> None:
        assert isinstance(self.position, Dendria)
        field = self.position.field
        assert said == self.each_side({self.game.sides[side]: field.leafiness(side) for side in Side})

    def hungry(self, said: str) -> None:
        assert isinstance(self.position, Dendria)
        assert words(said) == names(self.position, self.position.seeds & self.position.field.hungry)

    def regions(self, said: str) -> None:
        """Check all regions, each with its value and the side that controls it."""
        assert isinstance(self.position, Hedu)
        found = {
            names(self.position, region.cells): (
                "nobody" if region.owner is None else f"{self.game.sides[region.owner]} {region.value}"
            )
            for region in self.position.regions
        }
        regions = (part.split(" → ") for part in said.split(", "))
        assert {words(cells): control for cells, control in regions} == found

    def shown(self, said: str) -> None:
        assert said in render.overlays_of(self.game)

    def nothing(self, said: str) -> None:
        """Check that the claim has no value: its diagram is compared at the end."""
        assert not said
