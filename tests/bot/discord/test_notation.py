"""Turns in messages are read as they are written, whatever Discord makes of the characters in them."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import rules
from bot.discord.features.study.hint import hint_card
from bot.discord.features.study.learn import verdict_card
from bot.discord.features.study.puzzle import ShowSolution, Stage, refuted_card, solution_card, solved_card, wrong_card
from bot.domain.computer import SearchResult
from bot.domain.study.puzzles import FirstTry, PuzzleProgress
from bot.texts import SOURCE, in_language
from bot.wording.puzzles import right_so_far
from bot.wording.quoting import as_code
from bot.wording.sentence import Sentence
from bot.wording.tasks import tasks_of
from rules import GAMES, PASS, Position
from rules.puzzles import puzzles
from tests.support.discord.cards import look, written
from tests.support.discord.club import Club
from tests.support.discord.known_puzzles import MANY_ELEMENTS
from tests.support.discord.markdown import codes, rendered
from tests.support.discord.turn_presses import SOME_GAMES, any_turn, build
from tests.support.thorough import sample

#: By game, a seed and the number of a turn that then has several elements. Other games need none.
_LATE = {"dendria": (13, 35)}
_ANSWERED = FirstTry(False, PuzzleProgress(), PuzzleProgress())


def random_turns(start: Position, seed: int, count: int) -> list[str]:
    chance, position, turns = random.Random(seed), start, list[str]()
    while len(turns) < count:
        turns.append(any_turn(position, chance))
        position = position.play(turns[-1])[0]
    return turns


def codes_on(post: object) -> list[str]:
    return codes("\n".join(written(post)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "size"), sample(SOME_GAMES, 2))
async def test_a_turn_of_a_match_is_read_as_it_is_written(club: Club, name: str, size: int) -> None:
    seed, ply = _LATE.get(name, (1, 5))
    turns = random_turns(rules.ruleset(name, size).start(), seed, ply + 1)
    await club.match(game=name, size=size, turns=turns[: ply - 1])
    turn, reply = turns[ply - 1 :]
    game = await club.app.matches.game(1)
    assert game.to_act is not None
    who, other = (club.member(player.id) for player in (game.to_act, game.match.opponent_of(game.to_act.id)))
    assert turn in codes_on(hint_card(game, SearchResult(turn, 0.9, (turn, reply)), look(), who.id, ()))
    assert {turn, reply} <= set(codes((await club.slash(who, "try", turns=f"{turn} {reply}")).private))
    refused = codes((await club.slash(who, "move", turn=f"{turn}*z9_")).private)
    assert any(each.endswith("z9_") for each in refused)
    card, _presses = await build(club, who, game.position, turn)
    assert turn in codes(club.seen(card).text)

    await club.move(who, turn)
    assert turn in codes(club.card().text)
    assert turn in codes((await club.slash(who, "replay", match="1")).private)
    await club.move(other, reply)
    await club.open(who, "resign", "Yes, resign")
    assert reply in codes(club.card().text)
    better = next(each for each in game.position.legal_turns if each != turn)
    answer = any_turn(game.position.play(better)[0], random.Random(1))
    club.search.found = {ply - 1: SearchResult(better, 0.9, (better, answer)), ply: SearchResult(reply, 0.9, (reply,))}
    review = (await club.press(who, "Review")).private_handle
    assert turn in codes(club.seen(review).text)
    points = [label for label in club.seen(review).labels if label.startswith("Turning point")]
    shown_turns = set()
    for label in points:
        await club.press(who, label, on=review)
        shown_turns.update(codes(club.seen(review).text))
        await club.press(who, "Back", on=review)
    assert {turn, better, answer, reply} <= shown_turns


@pytest.fixture
def _in_english(undrawn: None) -> Iterator[None]:
    with in_language(SOURCE):
        yield


@pytest.mark.usefixtures("_in_english")
@pytest.mark.parametrize("name", GAMES)
def test_a_turn_of_a_puzzle_is_read_as_it_is_written(name: str) -> None:
    several = [each for each in puzzles(name) if len(each.solution) > 1]
    for puzzle in (*puzzles(name)[:3], *several[:3], *([MANY_ELEMENTS] if name == "dendria" else [])):
        stage, right = Stage(puzzle), puzzle.solution[0]
        wrong = next(turn for turn in stage.position.legal_turns if turn != right)
        after = stage.position.play(wrong)[0]
        assert wrong in codes_on(wrong_card(stage, wrong, _ANSWERED, look()))
        if after.outcome is None:
            reply = any_turn(after, random.Random(1))
            assert {wrong, reply} <= set(codes_on(refuted_card(stage, wrong, SearchResult(reply, 0.9), look())))
        for step, turn in enumerate(puzzle.solution):
            assert turn in codes_on(solution_card(stage, _ANSWERED, look(), stage.press(ShowSolution, "", True, step)))
        if stage.is_last:
            assert right in codes_on(solved_card(stage, right, _ANSWERED, look()))
        else:
            assert set(puzzle.solution[:2]) <= set(codes(right_so_far(stage, right)))


@pytest.mark.usefixtures("_in_english")
@pytest.mark.parametrize("name", GAMES)
def test_a_turn_of_a_task_is_read_as_it_is_written(name: str) -> None:
    for number, task in enumerate(tasks_of(GAMES[name])):
        for turn in set(sample(task.position.legal_turns[:200:5], 3)) - {PASS}:
            assert turn in codes_on(verdict_card(GAMES[name], number, turn, look()))


def test_a_turn_keeps_its_marks_where_discord_shows_plain_text() -> None:
    assert Sentence("**So far**: {turn}.").format(turn=as_code("c7*d7-b7*a7")).plain == "So far: c7*d7-b7*a7."


@pytest.mark.parametrize("typed", ["c7*d7-b7*a7", "e5 `e6` e7", "``", "*", "<@1> @everyone", "x" * 300])
def test_typed_text_stays_inside_its_code(typed: str) -> None:
    parts, _letters = rendered(f"**{as_code(typed)}** **Alice**")
    kinds = [part.partition(" ")[0] for part in parts]
    assert [kind for kind in kinds if kind != "call"] == ["mark", "code", "mark", "mark", "mark"]
    assert codes(as_code(typed)) == [typed.replace("`", "\N{MODIFIER LETTER GRAVE ACCENT}")]
