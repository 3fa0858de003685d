"""/puzzle: finding the right turn on one private card, by buttons and by typing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import render
from bot.discord.features.study.puzzle import Stage
from bot.domain.computer import SearchResult
from rules import GAMES
from rules.puzzles import puzzles
from tests.support.discord import known_puzzles
from tests.support.discord.actions import stored_match
from tests.support.discord.club import Club, Seen
from tests.support.discord.known_puzzles import ONE_TURN, RUN, TWO_TURNS, on_card, play
from tests.support.thorough import sample

hand_made = pytest.mark.usefixtures("hand_made_puzzles")


async def puzzle(club: Club, game: str | None = None) -> Any:
    options: dict[str, Any] = {} if game is None else {"game": game}
    return (await club.slash(club.alice, "puzzle", **options)).private_handle


async def typed(club: Club, text: str, on: Any) -> Seen:
    assert (await club.type_in(club.alice, text, on=on)).nothing
    return club.seen(on)


@hand_made
async def test_a_puzzle_is_solved_turn_by_turn_and_counts(club: Club) -> None:
    card = await puzzle(club, "hedu")
    shown = club.seen(card)
    assert shown.private
    assert "### 🧩 Hedu puzzle\n**White** to play: find the only turn that wins." in shown.text
    assert "-# Hedu, size 5 · medium · turn 1 of 2" in shown.text
    assert shown.labels[-4:] == ("Type it", "Show the solution", "Next puzzle", "Rules")
    assert len(shown.pictures) == 1
    assert "Last turn: the second player took Black" in shown.descriptions[0]
    second = await play(club, club.alice, "d4", card)
    why = "You would have the largest group beside 3 more empty cells: a region cut off there would be yours."
    second.says(f"✅ `d4` is right. {why}\nBlack replies `f6`.", "turn 2 of 2")
    assert "Last turn: Black on f6" in second.descriptions[0]
    await club.restart()
    solved = await play(club, club.alice, "c3", card)
    assert "only this one wins.\nFrom here, White wins, whatever the reply." in solved.text
    assert "Solved at the first try! Your puzzle rating is now **1230** (+30). Your streak: 1." in solved.text
    assert solved.labels == ("Next puzzle", "Rules", "Continue from here")
    assert "Last turn: White on c3" in solved.descriptions[0]
    assert not club.messages(), "nobody else sees any of it"


@hand_made
async def test_a_wrong_turn_counts_and_can_be_followed_by_the_right_one(club: Club) -> None:
    card = await puzzle(club, "dalen")
    wrong = await play(club, club.alice, "e6", card)
    assert "❌ `e6` is not the right turn." in wrong.text
    assert "your puzzle rating is now **1170** (−30). You can still find the turn." in wrong.text
    assert "streak" not in wrong.text, "there was none"
    assert "Last turn: Dark on e6" in wrong.descriptions[0]
    assert wrong.labels == ("Try again", "Why not?", "Show the solution", "Next puzzle", "Rules")
    await club.restart()
    assert "**Dark** to play" in (await club.change(club.alice, "Try again", card)).text
    once_more = await play(club, club.alice, "e4", card)
    assert "You can still find the turn. Your puzzle rating stays **1170**." in once_more.text
    await club.change(club.alice, "Try again", card)
    solved = await play(club, club.alice, "f6", card)
    assert "Solved! Only the first try counts, so your puzzle rating stays **1170**." in solved.text


@hand_made
async def test_turns_can_be_typed_and_an_illegal_turn_costs_nothing(club: Club) -> None:
    card = await puzzle(club, "hedu")
    refused = await typed(club, "z99", card)
    refused.says("✗ ", "That did not count: you still have your first try.", "turn 1 of 2")
    occupied = await typed(club, "e5", card)
    assert "✗ " in occupied.text
    assert "Rules" in occupied.labels
    assert "✅ `d4` is right." in (await typed(club, " D4 ", card)).text
    assert "Solved at the first try!" in (await typed(club, "c3", card)).text


@hand_made
async def test_a_turn_of_several_elements_can_be_ended_early(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Meanwhile, the card shows the whole board, and says what counts until the first try."""
    counts, looks, draw = "Only your first try counts.", list[render.Look](), render.picture

    def picture(position: Any, events: Any, names: Any, look: render.Look, **options: Any) -> bytes:
        looks.append(look)
        return draw(position, events, names, look, **options)

    monkeypatch.setattr(render, "picture", picture)
    card = await puzzle(club, "nadraz")
    assert "find the turn that is far better than all others." in club.seen(card).text
    assert counts in club.seen(card).text
    assert "This turn is not complete yet." in (await typed(club, "d7", card)).text
    back = await club.change(club.alice, "Back", card)
    assert "**Black** to play" in back.text
    assert counts in back.text
    begun = await club.change(club.alice, "b6", card)
    assert "Tap where the run ends" in begun.text
    assert counts not in begun.text
    assert len(looks) == 4
    assert all(look.window is None for look in looks)
    assert "❌ `b6` is not the right turn." in (await club.change(club.alice, "Play only b6", card)).text
    assert counts not in (await club.change(club.alice, "Try again", card)).text
    assert "✅ `b6-d6` is right." in (await play(club, club.alice, "b6-d6", card)).text


@hand_made
async def test_a_turn_that_the_bot_completes_is_shown_first(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    begun_right = replace(RUN, solution=("b6",))
    one_way_on = replace(RUN, turns=("g10,f7", "white", "g9-g5", "e7-e8"), solution=("g4",))
    monkeypatch.setattr(known_puzzles, "ALL", (begun_right,))
    card = await puzzle(club, "nadraz")
    assert "✅" not in (await club.change(club.alice, "b6", card)).text, "the run may be meant to go on"
    assert "✅ `b6` is right." in (await club.change(club.alice, "Play only b6", card)).text
    monkeypatch.setattr(known_puzzles, "ALL", (one_way_on,))
    other = await puzzle(club, "nadraz")
    shown = await club.change(club.alice, "f9", other)
    assert "**Play `f9-e9`?**" in shown.text
    assert "❌" not in shown.text
    await club.change(club.alice, "Back", other)
    await club.change(club.alice, "f9", other)
    assert "❌ `f9-e9` is not the right turn." in (await club.change(club.alice, "Play f9-e9", other)).text


@hand_made
async def test_the_reply_to_a_wrong_turn_is_searched_when_asked_for(club: Club) -> None:
    card = await puzzle(club, "hedu")
    await play(club, club.alice, "d4", card)
    await typed(club, "h7", card)
    turns = (*TWO_TURNS.turns, *TWO_TURNS.solution[:2], "h7")
    club.search.found[len(turns)] = SearchResult("g5", 0.8)
    assert club.search.asked == []
    club.search.hold()
    assert (await club.change(club.alice, "Why not?", card)).text == "💡 I am thinking…"
    club.search.release()
    await club.env.settle()
    (request,) = club.search.asked
    assert request.turns == turns
    shown = club.seen(card)
    assert "❌ `h7` is not the right turn. It does not win if Black plays well.\nBlack replies `g5`." in shown.text
    assert "Last turn: Black on g5" in shown.descriptions[0]
    assert "c3" not in shown.text
    assert shown.labels == ("Try again", "Show the solution", "Next puzzle", "Rules")
    await club.change(club.alice, "Try again", card)
    assert "✅ `c3` is right." in (await play(club, club.alice, "c3", card)).text


@hand_made
async def test_the_advantage_of_the_right_turn_is_explained_without_naming_the_turn(club: Club) -> None:
    card = await puzzle(club, "dalen")
    await typed(club, "b6", card)
    shown = await club.change(club.alice, "Why not?", card)
    assert "The right turn is better. Your leafiest tree gains 2 leaves." in shown.text
    assert "f6" not in shown.text
    await club.restart()
    assert (
        "`f6`. Your leafiest tree gains 2 leaves.\n" in (await club.change(club.alice, "Show the solution", card)).text
    )
    await club.change(club.alice, "Try again", card)
    await typed(club, "e4", card)
    assert "Your turn looks fine" in (await club.change(club.alice, "Why not?", card)).text
    solution = await club.change(club.alice, "Show the solution", card)
    assert "gains 2 leaves. Light can place on 1 cell fewer." in solution.text, "than the average turn"
    await club.change(club.alice, "Try again", card)
    assert "✅ `f6` is right. Your leafiest tree gains 2 leaves." in (await play(club, club.alice, "f6", card)).text


@hand_made
async def test_a_puzzle_whose_solution_is_shown_does_not_count_as_solved(club: Club) -> None:
    card = await puzzle(club, "hedu")
    asked = await club.change(club.alice, "Show the solution", card)
    assert "**Show the solution?** The puzzle then counts as not solved." in asked.text
    assert asked.labels == ("Back", "Yes, show it")
    assert "d4" not in asked.text
    assert "Only your first try counts." in (await club.change(club.alice, "Back", card)).text
    await club.change(club.alice, "Show the solution", card)
    await club.restart()
    shown = await club.change(club.alice, "Yes, show it", card)
    why = "You would have the largest group beside 3 more empty cells: a region cut off there would be yours."
    assert f"💡 White: `d4`. {why}\nYour puzzle rating is now **1190** (−10)." in shown.text
    assert "Last turn: White on d4" in shown.descriptions[0]
    assert shown.labels[:4] == ("◀", "▶", "Try again", "Next puzzle")
    shown = await club.change(club.alice, "▶", card)
    assert "↪️ Black: `f6`." in shown.text
    assert "rating" not in shown.text, "it changes once"
    shown = await club.change(club.alice, "▶", card)
    shown.says("💡 White: `c3`.", "From here, White wins, whatever the reply.")
    assert "Last turn: White on c3" in shown.descriptions[0]
    assert "Black: `f6`" in (await club.change(club.alice, "◀", card)).text
    assert "Only your first try counts." not in (await club.change(club.alice, "Try again", card)).text
    again = await club.change(club.alice, "Show the solution", card)
    assert "💡 White: `d4`." in again.text, "there is nothing to lose any more"


@hand_made
async def test_the_next_puzzle_is_a_new_one_of_any_or_one_game(club: Club) -> None:
    card = await puzzle(club)
    first = on_card(club.seen(card)).puzzle
    await club.env.advance_time(1)
    assert on_card(await club.change(club.alice, "Next puzzle", card)).puzzle is not first
    card = await puzzle(club, "dalen")
    assert on_card(await club.change(club.alice, "Next puzzle", card)) == Stage(ONE_TURN, only=GAMES["dalen"]), (
        "one game only"
    )
    refused = await club.slash(club.alice, "puzzle", game="fiodar")
    assert "I have no puzzles of this game yet. /puzzle without a game shows others." in refused.private
    assert "### 🧩 " in (await club.whisper(club.alice, "puzzle")).private


@hand_made
async def test_a_streak_is_on_the_profile_and_its_end_is_announced(club: Club) -> None:
    over = "Your streak of 2 is over. The next puzzle can begin a new one."
    assert "Puzzles" not in (await club.slash(club.alice, "profile")).private
    for who in (club.alice, club.bob):
        await club.app.puzzles.answer(club.player(who), ONE_TURN, solved=True)
    await club.env.advance_time(1)
    await club.app.puzzles.answer(club.player(club.bob), TWO_TURNS, solved=True)
    card = await puzzle(club, "hedu")
    await play(club, club.alice, "d4", card)
    assert "Your streak: 2." in (await play(club, club.alice, "c3", card)).text
    shown = (await club.slash(club.carol, "profile", player=club.alice)).private
    assert "**Puzzles** 1240 · 2 of 2 solved at the first try · streak 2, longest 2" in shown
    assert "Puzzles" not in (await club.slash(club.alice, "profile", game="dalen")).private
    assert "Puzzles" not in (await club.slash(club.carol, "profile")).private
    last = await puzzle(club, "nadraz")
    assert over in (await typed(club, "b6", last)).text
    await club.change(club.alice, "Try again", last)
    assert over not in (await typed(club, "b6", last)).text, "that was before"
    last = await club.open(club.bob, "puzzle", "Show the solution", "Yes, show it", game="nadraz")
    assert over in club.seen(last).text


async def test_the_puzzles_of_every_game_are_solved_by_pressing(club: Club) -> None:
    for game in sample([*GAMES], 5):
        card = await puzzle(club, game)
        stage = on_card(club.seen(card))
        assert stage.puzzle in puzzles(game)
        for turn in stage.puzzle.solution[::2]:
            await play(club, club.alice, turn, card)
        assert "Solved at the first try!" in club.seen(card).text


@hand_made
async def test_a_puzzle_that_a_user_plays_against_a_person_gives_nothing_away(club: Club) -> None:
    await stored_match(club, TWO_TURNS.turns, game="hedu")
    card = await puzzle(club, "hedu")
    same = "Your match #1 against a person has exactly this position"
    assert same in (await club.press(club.alice, "Show the solution", on=card)).private
    await play(club, club.alice, "f6", card)
    assert same in (await club.press(club.alice, "Why not?", on=card)).private
    await club.play_quietly(1, ["f6"])
    assert same in (await club.press(club.alice, "Why not?", on=card)).private, "it would be the reply"
    await club.app.matches.resign(1, club.alice.id, shown_by_caller=True)
    club.search.found = {len(TWO_TURNS.turns) + 1: SearchResult("d4", 0.9)}
    await club.change(club.alice, "Why not?", card)
