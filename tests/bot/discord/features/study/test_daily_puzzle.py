"""The puzzle of the day: posted once a day where a server wants it, solved in private, and counted in public."""

from __future__ import annotations

import pytest
from simcord import MemberActor

from bot.domain.study.puzzles import next_daily
from tests.support.discord.club import Club, Seen
from tests.support.discord.known_puzzles import on_card, play

pytestmark = pytest.mark.usefixtures("hand_made_puzzles")


async def subscribe(club: Club, manager: MemberActor) -> Seen:
    """Let the server ask for the puzzle of the day, and return the panel of its settings."""
    panel = await club.open(manager, "setup")
    assert "Puzzle" not in club.seen(panel).text
    assert (await club.choose_in(manager, "server-puzzle-channel", club.channel, on=panel)).nothing
    return club.seen(panel)


async def solve(club: Club, who: MemberActor, turns: tuple[str, ...], which: int = -1) -> Seen:
    """Play turns in a puzzle of the day, by default the last one, and return the private card."""
    card = (await club.press(who, "Solve", on=club.messages()[which])).private_handle
    shown = club.seen(card)
    for turn in turns:
        shown = await play(club, who, turn, card)
    return shown


async def advance_to_next_day(club: Club) -> None:
    now = club.env.now()
    await club.env.advance_time((next_daily(club.guild.id, now) - now).total_seconds() + 1)


async def test_the_puzzle_is_posted_at_once_solved_in_private_and_counted(club: Club, manager: MemberActor) -> None:
    announced = f"The puzzle of the day is posted in <#{club.channel.id}>, every day between 6 and 7 UTC."
    assert announced in (await subscribe(club, manager)).text
    (card,) = club.cards()
    card.says("### 🧩 Puzzle of the day · ", "to play: find the")
    assert card.labels == ("Solve", "Rules")
    assert not card.pinged
    assert club.last_message().flags.suppress_notifications
    opened = await solve(club, club.alice, ())
    puzzle = on_card(opened).puzzle
    assert opened.private
    assert puzzle.ruleset.game.title in card.text
    assert opened.descriptions == card.descriptions
    assert "Solved at the first try!" in (await solve(club, club.alice, puzzle.solution[::2])).text
    wrong = next(turn for turn in puzzle.position.legal_turns if not puzzle.solves(0, turn))
    assert "❌" in (await solve(club, club.bob, (wrong,))).text
    assert club.cards() == [card], "not with every answer"
    await club.restart()
    await club.env.advance_time(61)
    (counted,) = club.cards()
    assert "Solved at the first try by 1 of 2." in counted.text
    assert (counted.id, counted.pictures) == (card.id, card.pictures)
    assert "You have solved this one before." in (await solve(club, club.alice, ())).text


async def test_a_channel_where_the_bot_may_not_post_is_refused(club: Club, manager: MemberActor) -> None:
    club.forbid("send_messages")
    panel = await club.open(manager, "setup")
    answer = await club.choose_in(manager, "server-puzzle-channel", club.channel, on=panel)
    assert f"I may not post in <#{club.channel.id}>." in answer.private
    assert (await club.app.settings.server_settings(club.guild.id)).puzzle_channel_id is None
    club.allow_all()
    club.turn_server_to("de")
    await club.choose_in(manager, "server-puzzle-channel", club.channel, on=panel)
    assert "### 🧩 Rätsel des Tages · " in club.card().text, "in the language of the server"
    assert club.card().labels == ("Lösen", "Regeln")
    await club.choose_in(manager, "server-puzzle-channel", on=panel)
    assert "Puzzle" not in club.seen(panel).text
    await advance_to_next_day(club)
    assert len(club.cards()) == 1


async def test_a_refused_puzzle_is_posted_later_with_the_same_nonce(club: Club, manager: MemberActor) -> None:
    club.env.inject_error("POST", "/channels/*/messages", status=503)
    since = len(club.env.http_requests)
    await subscribe(club, manager)
    assert club.cards() == []
    await club.env.advance_time(120)
    assert len(club.cards()) == 1
    first, second = club.payloads(since)
    assert first["nonce"] == second["nonce"]
    assert len(first["nonce"]) <= 25


@pytest.mark.parametrize(("status", "code", "next_day"), [(404, 10003, 0), (403, 50001, 1)])
async def test_puzzles_end_with_a_deleted_channel_and_pause_for_a_closed_one(
    club: Club, manager: MemberActor, status: int, code: int, next_day: int
) -> None:
    club.env.inject_error("POST", f"/channels/{club.channel.id}/messages", status=status, code=code)
    await subscribe(club, manager)
    await advance_to_next_day(club)
    assert len(club.cards()) == next_day
    wanted = (await club.app.settings.server_settings(club.guild.id)).puzzle_channel_id
    assert (wanted is not None) == bool(next_day)


async def test_the_result_can_be_posted_once_without_the_solution(club: Club, manager: MemberActor) -> None:
    await subscribe(club, manager)
    card = (await club.press(club.alice, "Solve", on=club.messages()[-1])).private_handle
    puzzle = on_card(club.seen(card)).puzzle
    wrong = next(turn for turn in puzzle.position.legal_turns if not puzzle.solves(0, turn))
    assert "Share the result" not in (await play(club, club.alice, wrong, card)).labels
    await club.change(club.alice, "Try again", card)
    for turn in puzzle.solution[::2]:
        await play(club, club.alice, turn, card)
    screen, cards = club.screen(card), len(club.cards())
    assert "can see your result" in (await club.press(club.alice, "Share the result", on=card)).private
    assert "already been shared" in (await club.press_late(club.alice, "Share the result", screen)).private
    *_others, shared = club.cards()
    assert len(club.cards()) == cards + 1
    shared.says(f"{puzzle.ruleset.game.title} ★", "\n🟥🟩", "Shared by Alice")
    assert not any(f"`{turn}`" in shared.text for turn in puzzle.solution)
    assert not shared.pictures
    assert shared.labels == ("Solve",)
    assert (
        on_card(club.seen((await club.press(club.bob, "Solve", on=club.messages()[-1])).private_handle)).puzzle
        == puzzle
    )
    await advance_to_next_day(club)
    assert "no longer the puzzle of the day" in (await club.press_late(club.alice, "Share the result", screen)).private


async def test_the_result_of_a_shown_solution_says_so(club: Club, manager: MemberActor) -> None:
    await subscribe(club, manager)
    card = (await club.press(club.bob, "Solve", on=club.messages()[-1])).private_handle
    await club.change(club.bob, "Show the solution", card)
    assert "Share the result" in (await club.change(club.bob, "Yes, show it", card)).labels
    await club.press(club.bob, "Share the result", on=card)
    assert "\n⬛" in club.card().text
