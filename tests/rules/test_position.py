"""Properties of all games: turns, positions, the opening, events, each game's own invariants, and rulesets."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, replace

import pytest
from hypothesis import given, strategies as st

from rules import (
    GAMES,
    PASS,
    Captured,
    Event,
    Flipped,
    GameOver,
    IllegalTurn,
    NotATurn,
    OffTheBoard,
    Passed,
    Phase,
    Placed,
    Position,
    Ruleset,
    Side,
    SideChosen,
    Territory,
    TurnError,
    UnknownRuleset,
    bits,
    ruleset,
    ruleset_by_id,
)
from rules.dendria import Dendria, Germinated, Moved, Sprouted
from rules.games import FIRST_GAME
from rules.hedu import Hedu, Raised, Reduced
from rules.nadraz import Nadraz
from rules.position import Weight
from tests.support.each import for_each
from tests.support.positions import (
    ANY_GAME,
    RULESETS,
    RULESETS_AND_TINY,
    end,
    ids,
    is_drafted,
    is_refused,
    random_turns,
    refusal,
    repeatable,
    seeds,
    some,
    stories,
    story,
    walk,
)
from tests.support.thorough import fewer, sample

every_ruleset = for_each("rules_of", RULESETS_AND_TINY, ids)
every_game = for_each("game", ANY_GAME.values(), lambda game: game.name)


def opens_with_too_many_to_try(position: Position) -> bool:
    """Whether a position's openings are too many to try: two eggs can be placed in thousands of ways."""
    return isinstance(position, Nadraz) and position.phase is Phase.OPENING and position.board.size > 4


# Turns


@every_ruleset
def test_every_listed_turn_parses_to_itself_and_can_be_played(rules_of: Ruleset) -> None:
    for number, (position, _) in enumerate(some(rules_of, 25 if rules_of.size < 8 else 10)):
        turns = position.legal_turns if not opens_with_too_many_to_try(position) else position.openings()[::97]
        assert turns
        assert len(set(turns)) == len(turns)
        for turn in turns:
            assert position.parse(turn) == turn
            assert position.parse(f"  {turn.upper()} ") == turn
            assert turn == turn.lower()
            assert " " not in turn
        for turn in () if number % 3 else turns if rules_of.size < 6 else sample(turns, 4):
            after, events = position.play(turn)
            assert events
            assert after != position
            assert after.legal_turns or after.phase is Phase.OVER


def pairs(rules_of: Ruleset, chance: random.Random) -> Iterator[str]:
    """Pairs of cells with a mark between them, mostly in a straight line."""
    board = rules_of.board
    for mark in "--,+*":
        for _ in range(fewer(12, 2)):
            one = chance.choice(board.cells)
            straight = chance.choice([ray for ray in board.rays[one] if ray])
            two = chance.choice(chance.choice((straight, straight, board.cells)))
            yield f"{board.name(one)}{mark}{board.name(two)}"


def is_an_opening_of_two_eggs(position: Position, text: str) -> bool:
    names, edge = text.split(","), set(position.board.names(position.board.edge))
    return (
        len(set(names)) == len(names) == 2
        and all(position.board.find(name) for name in {*names} - edge)
        and not (edge & {*names})
    )


@every_ruleset
def test_unlisted_turns_are_refused(rules_of: Ruleset) -> None:
    names, chance = rules_of.board.names(rules_of.board.mask), random.Random(rules_of.id)
    off_the_board = [f"a{rules_of.size + 1}", "a99", "aa1", f"{names[-1]}0"]
    for position, _ in some(rules_of, 5 if rules_of.size < 6 else 3):
        tried = chance.sample(names, min(len(names), fewer(40, 2)))
        for text in (*tried, *off_the_board, *rules_of.game.sides, PASS, "", "-", "resign", *pairs(rules_of, chance)):
            if opens_with_too_many_to_try(position):
                assert is_refused(position, text) is not is_an_opening_of_two_eggs(position, text)
            elif isinstance(position, Dendria) and ("+" in text or "*" in text):
                # Acts are not listed. They are legal exactly when drafts offer their elements.
                assert is_refused(position, text) is not is_drafted(position, text)
            else:
                assert is_refused(position, text) is (text not in position.legal_turns)


@every_ruleset
def test_nothing_can_be_played_after_the_end(rules_of: Ruleset) -> None:
    for seed in seeds(rules_of):
        over = end(rules_of, seed)
        assert (over.phase, over.to_play, over.legal_turns) == (Phase.OVER, None, ())
        for text in ("a1", PASS, *rules_of.game.sides, "", "a1-a2", "b2,c3"):
            assert is_refused(over, text)


def test_a_replay_stops_at_a_turn_that_cannot_be_played() -> None:
    with pytest.raises(TurnError, match="e5 is taken by a dark stone"):
        ruleset("dalen", 5).replay(["e5", "light", "e5"])


# Positions


def contents(position: Position) -> tuple[object, ...]:
    return tuple(getattr(position, field.name) for field in fields(position))


@every_ruleset
def test_positions_are_equal_and_hash_alike_when_their_contents_are_equal(rules_of: Ruleset) -> None:
    turns = random_turns(rules_of)
    assert rules_of.replay(turns) == rules_of.replay([*turns]) == end(rules_of)
    again = rules_of.start()
    seen = set()
    for position, turn in walk(rules_of):
        assert again == position
        assert again is not position
        assert hash(again) == hash(position)
        assert contents(again) == contents(position)
        seen.add(again)
        again, _ = again.play(turn)
    assert len(seen) == len(walk(rules_of)), "this game repeats a position"


@every_ruleset
def test_playing_a_turn_does_not_change_the_position(rules_of: Ruleset) -> None:
    for position, turn in some(rules_of, 12):
        if opens_with_too_many_to_try(position):
            continue
        before, pieces, text, listed = contents(position), position.pieces(), str(position), position.legal_turns
        fresh = replace(position)
        position.play(turn)
        position.draft(turn)
        is_refused(position, "a1-a1")
        assert (contents(position), position.pieces(), str(position)) == (before, pieces, text)
        assert position.legal_turns == listed
        assert sorted(fresh.legal_turns) == sorted(listed)
        assert position == fresh
        assert position.score() == fresh.score()


@every_game
def test_a_game_says_in_short_how_to_win_and_what_a_turn_is(game: type[Position]) -> None:
    assert set(game.goals) == set(game.variants)
    for goal in game.goals.values():
        assert re.fullmatch(r"You win [^.]+\. Each turn, [^.]+\.", goal), goal
        assert len(goal) <= 180, goal


@every_game
def test_the_length_of_a_game_is_that_of_a_small_match(game: type[Position]) -> None:
    """A turn takes about a quarter of a minute. Random matches are only about as long as others."""
    expected = len(random_turns(Ruleset(game, game.sizes[0], game.variants[0]))) / 4
    assert game.minutes % 5 == 0
    assert expected / 3 <= game.minutes <= expected * 3


def test_the_game_to_begin_with_is_light() -> None:
    assert FIRST_GAME.weight is Weight.LIGHT


@every_game
def test_a_position_cannot_be_changed(game: type[Position]) -> None:
    position = Ruleset(game, game.default_size, game.variants[0]).start()
    for field in fields(position):
        with pytest.raises(FrozenInstanceError):
            setattr(position, field.name, getattr(position, field.name))


@for_each("rules_of", [ruleset for ruleset in RULESETS_AND_TINY if ruleset.size in (3, 6, 7, 14)], ids)
def test_a_position_survives_copying_and_pickling(rules_of: Ruleset) -> None:
    for position, turn in some(rules_of, 3)[1:]:
        assert position.legal_turns is not None
        assert copy.deepcopy(position) == position
        pickled = pickle.dumps(position)
        assert len(pickled) < 20_000
        unpickled = pickle.loads(pickled)  # noqa: S301
        assert unpickled == position
        assert unpickled.board is position.board
        assert unpickled.legal_turns == position.legal_turns
        assert unpickled.play(turn) == position.play(turn)


@every_ruleset
def test_owner_stones_empty_pieces_score_and_prisoners_agree(rules_of: Ruleset) -> None:
    letters = {name[0]: side for name, side in zip(rules_of.game.sides, Side, strict=True)}
    for position, _ in some(rules_of, 30 if rules_of.size < 8 else 10):
        assert tuple(position.score()) in {rules_of.game.sides, ()}
        assert tuple(position.held() or ()) in {rules_of.game.sides, ()}
        stones = {side: set(bits(position.stones(side))) for side in Side}
        empty = set(bits(position.empty))
        assert sum(map(len, stones.values())) + len(empty) == len(position.board.cells)
        for cell in position.board.cells:
            assert position.owner(cell) == next((side for side in Side if cell in stones[side]), None)
        pieces = position.pieces()
        owners = {position.board.name(cell): side for side in Side for cell in stones[side]}
        assert {name: letters[piece[0]] for name, piece in pieces.items()} == owners
        text = str(position)
        shown = [sum(map(text.count, marks)) for marks in ("●▲◆❶❷❸", "○△◇①②③", "·")]
        assert shown == [*map(len, stones.values()), len(empty)]


# The opening and the pie rule


@every_game
def test_a_refusal_says_what_can_be_played_instead(game: type[Position]) -> None:
    start = Ruleset(game, game.default_size, game.variants[0]).start()
    opening, choice = random_turns(start.ruleset)[:2]
    opened, begun = start.play(opening)[0], start.play(opening)[0].play(choice)[0]
    last = start.board.name(start.board.cells[-1])
    choose = "the second player chooses a side now: {} or {}".format(*game.sides)
    foreign = "turns are written in plain letters, digits and signs such as - and +; U+0665 ARABIC-INDIC DIGIT FIVE is"
    for position, typed, kind, reason in (
        (start, game.sides[0], NotATurn, f"a side is chosen after the opening; {start.example}"),
        (start, PASS, IllegalTurn, f"the opening cannot be passed; {start.example}"),
        (start, "hello", NotATurn, None),
        *((opened, typed, NotATurn, choose) for typed in ("e6", PASS, "white-ish", "a99", "")),
        (begun, choice, NotATurn, f"the side has already been chosen; {begun.example}"),
        (begun, "a30", OffTheBoard, f"a30 is off the board, which runs from a1 to {last}"),
        *((begun, no, NotATurn, f"“{no}” is not a turn; {begun.example}") for no in ("", "hello", "e0", "e05")),
        (begun, "x" * 1000, NotATurn, f"“{'x' * 20}…” is not a turn; {begun.example}"),
        (begun, "e٥", NotATurn, f"{foreign} none of these"),
        (end(start.ruleset), "a1", GameOver, "the match is over, so no more turns can be played"),
    ):
        error = refusal(position.parse, typed)
        assert type(error) is kind, typed
        assert reason is None or str(error) == reason


@pytest.mark.parametrize("side", Side)
@every_ruleset
def test_the_second_player_chooses_a_side_after_the_opening(rules_of: Ruleset, side: Side) -> None:
    position, opening = walk(rules_of)[0]
    assert (position.phase, position.to_play, position.second_player) == (Phase.OPENING, None, None)
    assert position.pieces() == {}
    for early in (PASS, *position.sides):
        assert is_refused(position, early)
    position, _ = position.play(opening)
    assert (position.phase, position.to_play, position.second_player) == (Phase.CHOICE, None, None)
    assert position.legal_turns == position.sides
    for other in (PASS, opening, "a1", "b2"):
        assert is_refused(position, other)
    opened = position.pieces()
    position, events = position.play(position.sides[side])
    assert events == (SideChosen(side),)
    assert (position.phase, position.second_player) == (Phase.PLAY, side)
    assert position.pieces() == opened
    assert position.to_play is (Side.FIRST if rules_of.game is Nadraz else Side.SECOND)
    for late in position.sides:
        assert is_refused(position, late)


@for_each("rules_of", [rules_of for rules_of in RULESETS_AND_TINY if rules_of.game is not Nadraz], ids)
def test_the_opening_is_one_piece_of_the_first_side_on_any_cell(rules_of: Ruleset) -> None:
    start = rules_of.start()
    assert start.legal_turns == tuple(start.board.name(cell) for cell in start.board.cells)
    piece = rules_of.game.sides[0][0] + {Dendria: "S", Hedu: "1"}.get(rules_of.game, "")
    for cell in start.board.cells:
        name = start.board.name(cell)
        opened, events = start.play(name)
        assert opened.pieces() == {name: piece}
        assert events == (Placed(Side.FIRST, cell),)


@for_each("rules_of", [rules_of for rules_of in RULESETS_AND_TINY if rules_of.game is Nadraz], ids)
def test_the_opening_of_nadraz_is_two_eggs_away_from_the_edge(rules_of: Ruleset) -> None:
    start = rules_of.start()
    board, size = start.board, rules_of.size
    inner = [cell for cell in board.cells if board.spread(1 << cell).bit_count() == 6]
    assert len(inner) == 3 * (size - 1) ** 2 - 3 * (size - 1) + 1
    if size < 9:
        pairs = {f"{board.name(one)},{board.name(two)}" for one in inner for two in inner if one != two}
        assert set(start.legal_turns) == pairs
        assert len(start.legal_turns) == len(pairs)
    for one, two in itertools.product((*inner[:: size + 1], board.cells[0]), (*inner[:: size - 1], board.cells[-1])):
        opening = f"{board.name(one)},{board.name(two)}"
        if one != two and one in inner and two in inner:
            opened, events = start.play(opening)
            assert opened.pieces() == {board.name(one): "b", board.name(two): "w"}
            assert events == (Placed(Side.FIRST, one), Placed(Side.SECOND, two))
        else:
            with pytest.raises(IllegalTurn):
                start.play(opening)


@every_ruleset
def test_the_choice_of_side_does_not_change_the_game_on_the_board(rules_of: Ruleset) -> None:
    opening, choice, *rest = random_turns(rules_of)
    (other_choice,) = {*rules_of.game.sides} - {choice}
    one, other = end(rules_of), rules_of.replay([opening, other_choice, *rest])
    assert one.pieces() == other.pieces()
    assert one.outcome == other.outcome
    assert [one.second_player, other.second_player] == [
        Side(rules_of.game.sides.index(side)) for side in (choice, other_choice)
    ]


@every_ruleset
def test_after_each_turn_and_the_last_one_it_is_the_other_sides_turn(rules_of: Ruleset) -> None:
    for played in stories(rules_of):
        for position, turn, after, _ in played:
            if position.phase is Phase.PLAY:
                assert after.turn_of is position.turn_of.other, turn


# Events


class Retelling:
    """Rebuilds the pieces and prisoners of a game from its events, without its rules."""

    def __init__(self, position: Position) -> None:
        self.game = position.ruleset.game
        self.board = position.board
        self.pieces = {self.cell(name): piece for name, piece in position.pieces().items()}
        self.held = dict(position.held() or {})

    def cell(self, name: str) -> int:
        found = self.board.find(name)
        assert found is not None
        return found

    def letter(self, side: Side) -> str:
        return self.game.sides[side][0]

    def prisoners(self, side: Side, number: int) -> None:
        self.held[self.game.sides[side]] += number

    def tell(self, event: Event) -> None:
        match event:
            case Placed(side, cell, height):
                assert cell not in self.pieces
                kind = {Dendria: "S", Hedu: str(height)}.get(self.game, "")
                assert self.game is Hedu or height == 1
                self.pieces[cell] = self.letter(side) + kind
            case Flipped(side, cells, _):
                assert {self.pieces[cell] for cell in cells} == {self.letter(side.other)}
                self.pieces |= dict.fromkeys(cells, self.letter(side))
            case Captured(side, cells):
                assert {self.pieces.pop(cell) for cell in cells} == {self.letter(side.other)}
                self.prisoners(side, len(cells))
            case Reduced(side, cell, before, after) | Raised(side, cell, before, after):
                assert self.pieces.pop(cell) == f"{self.letter(side)}{before}"
                assert (after < before) is isinstance(event, Reduced)
                assert after != before
                if after:
                    self.pieces[cell] = f"{self.letter(side)}{after}"
                if isinstance(event, Reduced):
                    self.prisoners(side.other, before - after)
            case Moved(side, start, stops):
                assert self.pieces[start] == self.letter(side) + "D"
                assert not {*stops} & {*self.pieces}
                self.pieces[stops[-1]] = self.pieces.pop(start)
            case Sprouted(side, cell):
                assert self.pieces[cell][1] == "S"
                self.pieces[cell] = self.letter(side) + "D"
            case Germinated(side, cells):
                (piece,) = {self.pieces[cell] for cell in cells}
                assert piece[1] == "S"
                self.pieces |= dict.fromkeys(cells, self.letter(side) + "T")
            case Territory() | SideChosen() | Passed():
                pass


@every_ruleset
def test_the_events_of_a_turn_explain_every_change_of_pieces_and_prisoners(rules_of: Ruleset) -> None:
    for played in stories(rules_of):
        for position, _, after, events in played:
            retold = Retelling(position)
            for event in events:
                retold.tell(event)
            assert {retold.board.name(cell): piece for cell, piece in retold.pieces.items()} == after.pieces()
            assert retold.held == (after.held() or {})


@every_ruleset
def test_the_first_event_of_a_turn_is_what_the_mover_does(rules_of: Ruleset) -> None:
    for position, turn, _, (first, *others) in story(rules_of):
        assert isinstance(first, Passed) is (turn == PASS)
        assert not any(isinstance(event, Passed | Moved | SideChosen) for event in others)
        if position.phase is Phase.PLAY:
            assert isinstance(first, Placed | Moved | Passed | Flipped)
            assert first.side is position.to_play
        match first:
            case Moved(_, start, stops):
                rays = position.board.rays[start]
                assert any([cell for cell in ray if cell in stops] == list(stops) for ray in rays), "in a straight line"
                assert turn.split("-")[0] == position.board.name(start)
            case Placed(_, cell) if rules_of.game is not Nadraz:
                assert turn.startswith(position.board.name(cell))


@every_ruleset
def test_territories_are_reported_at_the_end_and_share_no_cell(rules_of: Ruleset) -> None:
    for played in stories(rules_of):
        for _, _, after, events in played:
            territories = [event for event in events if isinstance(event, Territory)]
            assert not territories or after.outcome is not None
            cells = [cell for territory in territories for cell in territory.cells]
            assert len(set(cells)) == len(cells)


@every_ruleset
def test_a_game_ends_for_one_of_its_reasons_and_the_better_side_wins(rules_of: Ruleset) -> None:
    for seed in seeds(rules_of):
        over = end(rules_of, seed)
        assert over.outcome is not None
        winner, reason = over.outcome.winner, over.outcome.reason
        assert reason in rules_of.game.reasons
        assert winner is not None or rules_of.game.has_draws
        if not over.score():
            continue
        first, second = over.score().values()
        if reason == "repetition":
            assert winner is None
        elif rules_of.game is Nadraz:
            assert isinstance(first, list)
            assert isinstance(second, list)
            assert (first == second) is (reason == "last placed")
            if rules_of.variant == "standard" and first != second:
                # Lists are compared from the greatest length on; more snakes of a length make a list greater.
                assert winner is (Side.FIRST if first > second else Side.SECOND)
        else:
            assert isinstance(first, int | float)
            assert isinstance(second, int | float)
            assert winner is (None if first == second else Side.FIRST if first > second else Side.SECOND)


# Rulesets


def test_games_and_rulesets_are_found_again_by_their_names_and_ids() -> None:
    assert [(game.name, game.title) for game in GAMES.values()] == [(name, name.title()) for name in GAMES]
    for rules_of in RULESETS:
        assert ruleset_by_id(rules_of.id) == rules_of
        assert ruleset(rules_of.game.name, rules_of.size, rules_of.variant) == rules_of
    assert len({known.id for known in RULESETS}) == len(RULESETS)


@every_game
def test_a_ruleset_without_size_and_variant_has_the_defaults(game: type[Position]) -> None:
    found = ruleset(game.name)
    assert (found.game, found.size, found.variant) == (game, game.default_size, game.variants[0])
    assert game.default_size in game.sizes


@for_each(
    "identity",
    [
        *("", "/", "dalen", "dalen/1", "dalen/1/7", "dalen/1/7/", "dalen/1/7/standard/", "chess/1/8/standard"),
        *(f"dalen/{version}/7/standard" for version in (0, 2, "01")),
        *(f"dalen/1/{size}/standard" for size in ("07", "٧", "+7", "-7", "7.0", 4, 10, "9" * 5000)),
        *("dalen/1/7/Standard", "dalen/1/7/reverse"),
    ],
)
def test_an_unknown_id_is_refused_in_words(identity: str) -> None:
    with pytest.raises(UnknownRuleset, match=r"\w+ \w+ \w+"):
        ruleset_by_id(identity)


@repeatable
@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from([*ANY_GAME, "1", "7", "standard", "reverse", "", "²"]), max_size=6).map("/".join),
    )
)
def test_any_text_is_the_id_of_at_most_one_ruleset(identity: str) -> None:
    without_setup = "/".join(identity.split("/")[:4])
    if without_setup in {rules_of.id for rules_of in RULESETS} and identity != f"{without_setup}/":
        assert ruleset_by_id(identity).id == identity
    else:
        with pytest.raises(UnknownRuleset, match=r"."):
            ruleset_by_id(identity)


@every_game
def test_another_name_size_or_variant_is_refused_in_words(game: type[Position]) -> None:
    for name in ("", game.title, "chess", f"{game.name} "):
        with pytest.raises(UnknownRuleset, match=f"there is no game “{name}”; the games are dalen"):
            ruleset(name)
    sizes, variants = ", ".join(map(str, game.sizes)), ", ".join(game.variants)
    for size in {-7, *range(20), 10**9} - {*game.sizes}:
        with pytest.raises(UnknownRuleset) as caught:
            ruleset(game.name, size)
        assert str(caught.value) == f"{game.title} is played on sizes {sizes}, not {size}"
    for variant in {"", "Leaves", "leaves", "reverse", "Standard", "misère"} - {*game.variants}:
        with pytest.raises(UnknownRuleset) as caught:
            ruleset(game.name, game.default_size, variant)
        assert str(caught.value) == f"{game.title} has the variants {variants}, not “{variant}”"
