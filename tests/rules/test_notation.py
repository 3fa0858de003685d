"""Typed turns, and turns composed of elements: each is a legal turn or refused, and both ways agree."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, strategies as st

from rules import Phase, Position, Ruleset, TurnError, ruleset, without_last_element
from rules.dendria import Dendria, Germinated
from rules.nadraz import Nadraz
from rules.tasks import tasks
from tests.support.each import for_each
from tests.support.positions import (
    RULESETS_AND_TINY,
    built_turn,
    elements_of,
    end,
    ids,
    is_drafted,
    is_refused,
    refusal,
    repeatable,
    seeds,
    some,
    walk,
)

every_ruleset = for_each("rules_of", RULESETS_AND_TINY, ids)
#: One small board of every game and variant, and the tiny ones.
SMALL = [rules_of for rules_of in RULESETS_AND_TINY if rules_of.size == max(4, min(rules_of.game.sizes))]
every_small_ruleset = pytest.mark.parametrize("rules_of", SMALL, ids=ids)


# Any text


def read(position: Position, text: str) -> None:
    """Read a text in every way. Check that only refusals are raised, and that accepted turns are canonical."""
    drafted = refusal(position.draft, text)
    if is_refused(position, text):
        assert drafted is None or len(str(drafted).split()) > 3
        return
    turn = position.parse(text)
    assert turn == turn.lower()
    assert "".join(turn.split()) == turn
    assert position.parse(turn) == turn
    assert position.play(turn) == position.play(text)
    assert is_drafted(position, turn)
    draft = position.draft(text)
    assert (draft.text, draft.complete) == (turn, True)


def position_of(rules_of: Ruleset, ply: int) -> Position:
    walked = walk(rules_of)
    return walked[ply][0] if ply < len(walked) else end(rules_of)


plies = st.one_of(st.integers(0, 5), st.integers(6, 200))


TOKENS = st.one_of(
    st.from_regex(r"\A(?:[a-k][1-9]|[a-z]1[0-9]|aa[0-9]{1,3}|[A-K][1-9])\Z"),
    st.sampled_from([*"-+*, \n\t", *"-+*", "pass", "PASS", "dark", "light", "black", "white", "0", "é", "٣", "−", "ı"]),
)


@every_small_ruleset
@repeatable
@given(plies, st.text(max_size=40), st.lists(TOKENS, max_size=8).map("".join))
def test_any_text_is_a_legal_turn_or_refused(rules_of: Ruleset, ply: int, text: str, tokens: str) -> None:
    position = position_of(rules_of, ply)
    read(position, text)
    read(position, tokens)


@every_small_ruleset
@repeatable
@given(
    plies,
    st.integers(0, 12),
    st.integers(0, 3),
    st.text("abcdefghk123456789-+*, ", max_size=3),
    st.randoms(use_true_random=True),
)
def test_a_turn_with_a_typing_error_is_a_legal_turn_or_refused(
    rules_of: Ruleset, ply: int, at: int, missing: int, instead: str, chance: random.Random
) -> None:
    position = position_of(rules_of, ply)
    turn = "c3" if position.phase is Phase.OVER else built_turn(position, chance)
    read(position, turn[:at] + instead + turn[at + missing :])


@every_ruleset
def test_upper_case_and_spaces_around_tokens_make_no_difference(rules_of: Ruleset) -> None:
    for position, turn in some(rules_of, 25):
        played = position.play(turn)
        spaced = "".join(f" {sign} " if sign in "-+*," else sign for sign in turn)
        for typed in (turn.upper(), f"  {turn}\n", spaced, f"\t{spaced.upper()}  ", spaced.replace(" ", "   ")):
            assert position.parse(typed) == turn
            assert position.play(typed) == played


@every_small_ruleset
def test_invisible_characters_and_other_dashes_make_no_difference(rules_of: Ruleset) -> None:
    for number, (position, _) in enumerate(some(rules_of, 10)):
        turn = built_turn(position, random.Random(number))
        for typed in (turn.replace("-", "–"), turn.replace("-", "−"), f"\ufeff{turn}\x1a", "\u200b".join(f" {turn} ")):
            assert position.parse(typed) == turn
            assert position.draft(typed).text == turn
        assert position.parse("".join(chr(ord(character) + 0xFEE0) for character in turn)) == turn


@every_small_ruleset
def test_a_character_that_only_looks_right_is_named(rules_of: Ruleset) -> None:
    for position, turn in some(rules_of, 10):
        for like, letter in (("а", "a"), ("е", "e"), ("с", "c"), ("е5", turn)):
            if letter in turn and position.phase is not Phase.OVER:
                refused = refusal(position.parse, turn.replace(letter, like))
                assert "CYRILLIC SMALL LETTER" in str(refused)


# Turns composed of elements


@every_ruleset
def test_a_turn_composed_of_elements_equals_the_typed_turn(rules_of: Ruleset) -> None:
    most = 60 if rules_of.size < 6 else 25 if rules_of.size < 8 else 15
    for number, (position, _) in enumerate(some(rules_of, most)):
        turn = built_turn(position, random.Random(number))
        begun = ""
        for element in elements_of(turn):
            draft = position.draft(begun)
            assert draft.text == begun
            assert len(set(draft.next)) == len(draft.next)
            assert element in draft.next
            assert draft.complete is not is_refused(position, begun)
            assert draft.complete or draft.next
            if draft.complete:
                assert (draft.preview, draft.events) == position.play(begun)
            begun += element
        draft = position.draft(turn)
        assert draft.complete
        assert position.parse(turn) == turn
        assert (draft.preview, draft.events) == position.play(turn)


def test_an_empty_draft_is_the_position_itself() -> None:
    for rules_of in RULESETS_AND_TINY:
        for position, _ in some(rules_of, 10):
            draft = position.draft()
            assert (draft.text, draft.complete, draft.preview, draft.events) == ("", False, position, ())


@every_small_ruleset
def test_the_drafts_of_a_position_without_acts_are_its_listed_turns(rules_of: Ruleset) -> None:
    for position, _ in some(rules_of, 12):
        if isinstance(position, Nadraz) and position.phase is Phase.OPENING and rules_of.size > 4:
            continue
        found, begun = set[str](), [""]
        while begun:
            draft = position.draft(begun.pop())
            if draft.complete:
                found.add(draft.text)
                assert (draft.preview, draft.events) == position.play(draft.text)
            begun += [draft.text + element for element in draft.next if element[0] not in "+*"]
        assert found == set(position.legal_turns)


@every_ruleset
def test_a_draft_refuses_elements_that_it_does_not_offer(rules_of: Ruleset) -> None:
    names, chance = rules_of.board.names(rules_of.board.mask), random.Random(rules_of.id)
    for position, turn in some(rules_of, 15):
        begun = "".join(elements_of(turn)[: chance.randrange(len(elements_of(turn)) + 1)])
        offered = position.draft(begun).next
        for mark in "-+*," if begun else ("",):
            for name in chance.sample(names, min(len(names), 12)):
                element = mark + name
                if element in offered:
                    position.draft(begun + element)
                elif not (isinstance(position, Dendria) and mark == "*"):
                    error = refusal(position.draft, begun + element)
                    if error is None and isinstance(position, Nadraz) and not begun:
                        assert len(elements_of(position.draft(element).text)) > 1, "the end of the only run there"
                        continue
                    assert error is not None
                    assert re.search(r"\w+ \w+ \w+", str(error))


@for_each("rules_of", [ruleset for ruleset in RULESETS_AND_TINY if ruleset.game is Dendria], ids)
def test_every_seed_of_a_seedbed_names_it(rules_of: Ruleset) -> None:
    several = 0
    for seed in seeds(rules_of):
        for position, turn in walk(rules_of, seed):
            elements = elements_of(turn)
            for at, element in enumerate(elements):
                if element[0] != "*":
                    continue
                grown = position.draft("".join(elements[: at + 1])).events[-1]
                assert isinstance(grown, Germinated)
                several += len(grown.cells) > 1
                for cell in grown.cells:
                    named = "".join([*elements[:at], f"*{position.board.name(cell)}", *elements[at + 1 :]])
                    assert position.parse(named) == named
                    assert position.play(named) == position.play(turn)
    assert several or rules_of.size < 7


def test_turns_to_the_same_position_are_equal_however_they_are_written() -> None:
    begun = ("i5", "dark", "m13", "c1", "k13", "f11", "g13", "m12", "e11", "d5", "k12", "e2", "a1", "b4")
    sown = ruleset("dendria", 7).replay(begun)
    run = ruleset("nadraz", 6).replay(("e5,g7", "white", "d4-c4", "f7-f10", "e6-i6", "f6-c3"))
    for position, one, other, different in (
        (sown, "c5+m13+k13", "C5 +k13+m13", "c5+k13"),
        (run, "c5-d6", "d6-c5", "c5"),
    ):
        assert position.same_turn(one, other)
        assert not position.same_turn(one, different)
        with pytest.raises(TurnError):
            position.same_turn(one, "a0")
    on_its_way, where_it_stops = "d1-d3*a1-d6", "d1-d6*a1"
    acting = next(task.position for task in tasks("dendria") if task.position.is_legal(on_its_way))
    assert acting.same_turn(on_its_way, where_it_stops)


def test_random_games_of_dendria_contain_every_kind_of_turn() -> None:
    turns = [turn for size in (3, 9) for _, turn in walk(Ruleset(Dendria, size, "standard"))]
    assert any(turn.count("+") > 1 and "-" not in turn for turn in turns), "a sowing that sprouts several Seeds"
    assert any("*" in turn and "-" not in turn for turn in turns), "a sowing that germinates"
    assert any("+" in turn and "-" in turn for turn in turns), "a move that sprouts"
    assert any("*" in turn and "-" in turn for turn in turns), "a move that germinates"
    assert any(turn.count("-") > 2 for turn in turns), "a move with three stops"


def test_the_last_element_of_a_turn_is_removed_even_if_incomplete() -> None:
    for text, before in (("", ""), ("e5", ""), ("e5-", "e5"), ("e5-d4", "e5"), ("e5-d4*", "e5-d4"), ("e5,d", "e5")):
        assert without_last_element(text) == before
