"""The rule page's diagrams: every position on it is set up and played, and everything said below it is checked.

An example is a fenced block that begins with the game, the size and, unless it is the standard one, the variant. It
holds the diagram, an empty line, and lines such as ``dark: e4 e5`` or ``turn: a2``; after ``after:`` and an empty line,
the diagram of the position after the turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from rules import GAMES, Dalen, Flipped, Ruleset, Side, ruleset
from tests.rules.sample import ROOT, names, set_up

PAGE = (ROOT / "rules" / "README.md").read_text(encoding="utf-8")
CLAIMS = {
    "turns",
    "dark",
    "light",
    "to play",
    *(f"{side} {what}" for side in ("dark", "light") for what in ("trees", "leaves", "stagnant")),
    "refused",
    "legal",
    "turn",
    "flips",
    "flips back",
    "wins",
    "after",
}


@dataclass(frozen=True)
class Example:
    """A block of the page."""

    line: int
    rules_of: Ruleset
    diagram: str
    claims: dict[str, str]
    diagram_after: str | None


def examples() -> list[Example]:
    found = []
    for block in re.finditer(r"^```(dalen.*)\n((?s:.*?))^```$", PAGE, re.MULTILINE):
        game, size, variant = [*block[1].split(), "standard"][:3]
        diagram, said, *after = block[2].rstrip("\n").split("\n\n")
        claims = {}
        for line in said.split("\n"):
            what, value = line.split(":", 1)
            assert what in CLAIMS
            assert what not in claims
            claims[what] = value.strip()
        found.append(
            Example(
                PAGE.count("\n", 0, block.start()) + 1,
                Ruleset(GAMES[game], int(size), variant),
                diagram,
                claims,
                after[0] if after else None,
            )
        )
    return found


EXAMPLES = examples()
every_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"line-{example.line}")


def words(value: str) -> str:
    """The cells of a claim in alphabetical order."""
    return "" if value == "none" else " ".join(sorted(value.split()))


def sets_of_words(value: str) -> set[str]:
    """The trees of a claim."""
    return set() if value == "none" else {words(tree) for tree in value.split(",")}


def position_of(example: Example) -> Dalen:
    start = example.rules_of.start()
    assert isinstance(start, Dalen)
    claims = example.claims
    return set_up(start, claims["dark"], claims["light"], Side(Dalen.sides.index(claims.get("to play", "dark"))))


@every_example
def test_a_diagram_is_the_one_that_the_program_draws(example: Example) -> None:
    assert example.diagram == str(position_of(example))


@every_example
def test_the_turns_of_an_example_lead_to_its_position(example: Example) -> None:
    position = position_of(example)
    if "turns" in example.claims:
        assert example.rules_of.replay(example.claims["turns"].split()) == position


@every_example
def test_what_is_said_about_a_position_is_so(example: Example) -> None:
    before = position_of(example)
    claims = example.claims
    read = before.play(claims["turn"])[0] if "turn" in claims else before
    for side, named in zip(Side, Dalen.sides, strict=True):
        stagnant = {names(read, tree) for tree in read.trees(side) if tree & read.stagnant(side)}
        if f"{named} trees" in claims:
            assert sets_of_words(claims[f"{named} trees"]) == {names(read, tree) for tree in read.trees(side)}
        if f"{named} leaves" in claims:
            assert words(claims[f"{named} leaves"]) == names(read, read.leaves(side))
        if f"{named} stagnant" in claims:
            assert sets_of_words(claims[f"{named} stagnant"]) == stagnant
    if "refused" in claims:
        assert words(claims["refused"]) == names(before, before.empty & ~before.placements(before.turn_of))
    if "legal" in claims:
        assert words(claims["legal"]) == " ".join(sorted(before.legal_turns))


@every_example
def test_a_turn_does_what_is_said(example: Example) -> None:
    before, claims = position_of(example), example.claims
    if "turn" not in claims:
        assert not {"flips", "flips back", "wins", "after"} & set(claims)
        assert example.diagram_after is None
        return
    assert "to play" in claims
    after, events = before.play(claims["turn"])
    flipped = [event for event in events if isinstance(event, Flipped)]
    flips = {names(before, event.cells) for event in flipped if event.side is before.turn_of}
    back = {names(before, event.cells) for event in flipped if event.side is not before.turn_of}
    assert sets_of_words(claims.get("flips", "none")) == flips
    assert sets_of_words(claims.get("flips back", "none")) == back
    winner = None if after.outcome is None or after.outcome.winner is None else Dalen.sides[after.outcome.winner]
    assert claims.get("wins") == winner
    assert ("after" in claims) is (example.diagram_after is not None)
    assert example.diagram_after in {None, str(after)}


def test_the_page_has_an_example_of_everything() -> None:
    assert set().union(*(example.claims for example in EXAMPLES)) >= CLAIMS - {"light trees", "light stagnant"}
    assert {example.rules_of.variant for example in EXAMPLES} == set(Dalen.variants)
    assert len(EXAMPLES) == len(re.findall(r"^```.", PAGE, re.MULTILINE)), "no block is left unchecked"


def test_the_page_names_the_designer_and_each_game_with_its_sizes_and_variants() -> None:
    assert "Saïd Galdseid" in PAGE
    for game in GAMES.values():
        assert f"\n## {game.title}\n" in PAGE
        for variant in game.variants[1:]:
            assert f"The variant *{variant}*" in PAGE
    sizes = [str(size) for size in Dalen.sizes]
    assert f"Dalen is played on sizes {', '.join(sizes[:-1])} and {sizes[-1]}; size {Dalen.default_size} is" in PAGE


@pytest.mark.parametrize("size", [5, 7, 9])
def test_the_page_counts_the_cells_of_a_board_rightly(size: int) -> None:
    assert re.search(rf"size {size}\s+has {len(ruleset('dalen', size).board.cells)}\b", PAGE)


def test_the_page_lists_every_ruling_that_it_marks() -> None:
    explained, listed = PAGE.split("\n## Rulings\n")
    marks = explained.count("(*ruling*)")
    assert marks == listed.count("- **Ruling: ") == 4


def test_the_contents_name_the_sections() -> None:
    sections = [title.replace("*", "") for title in re.findall(r"^##+ (.*)$", PAGE, re.MULTILINE)]
    contents = re.findall(r"^ *- \[(.*)\]\(#(.*)\)$", PAGE, re.MULTILINE)
    assert [title.replace("*", "") for title, _ in contents] == sections
    for title, anchor in contents:
        assert re.sub(r"[^a-z ]", "", title.lower()).replace(" ", "-") == anchor
