"""*Continue from here*: matches that begin with a position of a match, a puzzle, a task or a lesson."""

from __future__ import annotations

from dataclasses import replace

from bot.discord.ui.actions import ContinueFrom, Origin
from rules.puzzles import puzzles
from tests.support.discord.actions import finished_match, stored_match
from tests.support.discord.club import Club

TURNS = ("e5", "light", "d4", "e6")


async def test_only_a_finished_match_can_be_continued_with_the_chosen_sides(club: Club) -> None:
    await stored_match(club, TURNS)
    assert "Continue from here" not in (await club.slash(club.alice, "replay", match="1")).messages[0].labels
    await club.app.matches.resign(1, club.bob.id, shown_by_caller=True)
    replay = await club.slash(club.alice, "replay", match="1")
    await club.press(club.alice, "◀", on=replay.private_handle)
    form = await club.press(club.alice, "Continue from here", on=replay.private_handle)
    assert "**Dalen, size 5 · from a position · casual** · Dark to play" in form.private
    await club.press(club.alice, "I play Light", on=form.private_handle)
    await club.choose_in(club.alice, "continue-with", club.carol, on=form.private_handle)
    await club.press(club.alice, "Send the challenge", on=form.private_handle)
    card = club.card()
    card.says("Alice challenges Carol", "from a position · casual", "Carol plays Dark")
    assert len(card.pictures) == 1
    sent = club.last_card()
    await club.restart()
    assert (await club.change(club.carol, "Accept", on=sent)).text.endswith("is played here.")
    assert f"{club.carol.mention}'s turn (Dark)" in club.card().text
    await club.move(club.carol, "e7")
    assert "Turn 1 · Carol (Dark) played `e7`" in club.card().text
    game = await club.app.matches.game((await club.newest_match()).id)
    assert game.position.pieces() == {"e5": "d", "d4": "l", "e7": "d"}
    assert not game.match.rated


async def test_nobody_continues_from_a_match_they_may_not_see(club: Club) -> None:
    await finished_match(club, TURNS)
    await finished_match(club, TURNS, first=club.carol)
    club.hide_from(club.carol)
    elsewhere = club.guild.create_text_channel("elsewhere")
    handle = await club.open(club.carol, "replay", match="2", where=elsewhere)
    own = ContinueFrom(Origin.MATCH, "2", 3)
    assert "to play" in (await club.forge(club.carol, own, on=handle)).private
    assert "to play" not in (await club.forge(club.carol, replace(own, name="1"), on=handle)).private
    for odd in (replace(own, name="x"), ContinueFrom(Origin.LESSON, "dalen", 99)):
        assert "earlier version" in (await club.forge(club.carol, odd, on=handle)).private


async def test_the_computer_continues_unless_the_player_has_the_position_against_a_friend(club: Club) -> None:
    await finished_match(club, TURNS)
    replay = await club.open(club.alice, "replay", match="1")
    form = (await club.press(club.alice, "Continue from here", on=replay)).private_handle
    await club.press(club.alice, "Send the challenge", on=form)
    sent = club.last_card()
    form = (await club.press(club.alice, "Continue from here", on=replay)).private_handle
    await club.press_all(club.alice, "The computer", "Level 1", on=form)
    match = await club.newest_match()
    assert match.computer is not None
    assert (await club.app.matches.game(match.id)).position.pieces() == {"e5": "d", "d4": "l", "e6": "d"}
    await club.resign(club.alice, match.id)
    over = club.last_card()
    await stored_match(club, TURNS, club.carol, club.alice)
    # The computer gives no help through another form, in place of a challenge, or in a rematch either.
    form = (await club.press(club.alice, "Continue from here", on=replay)).private_handle
    assert "position" in (await club.press(club.alice, "The computer", on=form)).private
    levels = await club.press(club.alice, "Play the computer", on=sent)
    assert "position" in (await club.press(club.alice, "Level 1", on=levels.private_handle)).private
    assert "help would not be fair" in (await club.press(club.alice, "Rematch", on=over)).private
    assert (await club.newest_match()).computer is None


async def test_a_solved_puzzle_can_be_continued(club: Club) -> None:
    puzzle = puzzles("dalen")[0]
    card = await club.slash(club.alice, "puzzle", game="dalen")
    await club.press_all(club.alice, "Show the solution", "Yes, show it", on=card.private_handle)
    form = await club.press(club.alice, "Continue from here", on=card.private_handle)
    assert f"Dalen, size {puzzle.ruleset.size} · from a position" in form.private
    await club.press(club.alice, "Send the challenge", on=form.private_handle)
    assert "Alice challenges anyone" in club.card().text


async def test_a_lesson_on_a_small_board_can_be_played_against_the_computer(club: Club) -> None:
    # Earlier versions had such a button on the cards of lessons.
    lesson = ContinueFrom(Origin.LESSON, "dendria", 0)
    form = await club.forge(club.alice, lesson, on=await club.open(club.alice, "rules", game="dendria"))
    assert "Dendria, size 4 · from a position" in form.private
    await club.press_all(club.alice, "The computer", "Level 1", on=form.private_handle)
    match = await club.newest_match()
    await club.move(club.alice, "d4", match=str(match.id))
    played = await club.app.matches.game(match.id)
    assert played.ply >= 1
    assert played.match.ruleset.size == 4
