"""Draws, take-backs, abandoned matches and rematches: how people ask for them, and what they see."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import rules
from bot.discord.posting.cards.proposal import Propose
from bot.discord.transport.sender import Sender
from bot.discord.ui.messages import Message
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import Ending, ProposalKind, Result
from tests.support.discord.actions import ask, computer_match, resigned, restart_and_count
from tests.support.discord.club import FINAL_BUTTONS, Club, Seen
from tests.support.services.matches import play_turn
from tests.support.waiting import until

LABELS = ("Accept", "Decline", "Withdraw")
MOVED_ON = "The match has moved on since then, so this no longer applies."


async def result(club: Club, match_id: int = 1) -> Result | None:
    return (await club.app.matches.match(match_id)).result


def edits(club: Club, card: Seen, since: int) -> int:
    """Count the bot's edits of a card."""
    return len(club.requests("PATCH", rf"/channels/\d+/messages/{card.id}", since))


# One card for each proposal


async def test_a_proposal_pings_the_opponent_once_and_declining_is_quiet(club: Club) -> None:
    await club.match(game="hedu", turns=["e5", "white"])
    boards = len(club.boards())
    for kind, asked, who, label, closed in (
        (ProposalKind.DRAW, "🤝 Alice offers a draw in match #1.", club.bob, "Decline", "Bob would rather play on."),
        (
            *(ProposalKind.TAKE_BACK, "↩️ Alice asks to take back the last 2 turns of match #1 (turns 1 to 2)."),
            *(club.alice, "Withdraw", "Alice thought better of it."),
        ),
        (
            *(ProposalKind.ABANDON, "🍂 Alice proposes to call off match #1: nobody wins, and it does not count."),
            *(club.bob, "Decline", "Bob would rather play on."),
        ),
    ):
        since = len(club.env.http_requests)
        card = await ask(club, club.alice, kind)
        assert card.text.startswith(asked)
        assert f"<@{club.bob.id}>, do you accept?" in card.text
        assert card.labels == LABELS
        assert card.pinged == (club.bob.id,)
        assert len(club.boards()) == boards, "no board is posted again"
        assert len(club.posts(since)) == 1
        assert club.requests("PATCH", r"/channels/\d+/messages/\d+", since) == []
        assert "More…" in club.boards()[-1].labels
        if kind is ProposalKind.DRAW:
            assert await restart_and_count(club) == 0
        since = len(club.env.http_requests)
        assert (await club.press(who, label)).nothing
        assert closed in club.card().text
        assert club.card().labels == ()
        assert "<@" not in club.card().text
        assert club.posts(since) == []
    assert await club.turns() == ("e5", "white")
    assert await result(club) is None


async def test_a_turn_lapses_proposals_and_odd_buttons_are_answered(club: Club) -> None:
    await club.match(game="hedu", turns=["e5", "white"])
    await ask(club, club.alice, ProposalKind.DRAW)
    screen = club.screen()
    for custom_id, said in (
        ("hexgrove:proposal:77:accept", "This proposal no longer exists. /board shows the board."),
        ("hexgrove:propose:1:2:marriage", "from an earlier version"),
    ):
        assert said in (await club.forge(club.bob, custom_id)).private
    await club.move(club.bob, "d4")
    settled = next(card for card in club.cards() if "offers a draw" in card.text)
    assert "The match has moved on, so this no longer applies." in settled.text
    assert settled.labels == ()
    for who, label in ((club.bob, "Accept"), (club.bob, "Decline"), (club.alice, "Withdraw")):
        assert (await club.press_late(who, label, screen)).private == MOVED_ON
    assert await result(club) is None


async def test_a_turn_lapses_a_proposal_that_is_just_being_posted(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match(game="hedu", turns=["e5", "white"])
    send = Sender.send

    async def send_late(self: Sender, channel_id: int, post: Message, *, nonce: str, **how: Any) -> int:
        message_id = await send(self, channel_id, post, nonce=nonce, **how)
        if nonce == "p1":
            await play_turn(club.app.matches, 1, club.bob.id, "d4", to_show=True)
        return message_id

    monkeypatch.setattr(Sender, "send", send_late)
    await club.slash(club.alice, "draw")
    (card,) = (card for card in club.cards() if "offers a draw" in card.text)
    assert "The match has moved on, so this no longer applies." in card.text
    assert card.labels == ()


async def test_a_lapsed_card_that_could_not_be_edited_is_edited_with_the_next_turn(club: Club) -> None:
    await club.match(game="hedu", turns=["e5", "white"])
    draw = await ask(club, club.alice, ProposalKind.DRAW)
    club.env.inject_error("PATCH", f"/channels/{club.channel.id}/messages/{draw.id}", status=503)
    await club.move(club.bob, "d4")
    abandoning = await ask(club, club.alice, ProposalKind.ABANDON)
    since = len(club.env.http_requests)
    await club.move(club.alice, "c4")
    assert (edits(club, draw, since), edits(club, abandoning, since)) == (1, 1)
    assert [card.labels for card in club.cards() if card.id in (draw.id, abandoning.id)] == [(), ()]


async def test_a_lapsed_card_is_edited_by_one_task_at_a_time(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match(game="hedu", turns=["e5", "white"])
    board = club.card()
    card = await ask(club, club.alice, ProposalKind.DRAW)
    game = (await club.app.matches.turn(1, club.bob.id)).game
    played = await club.app.matches.play_and_view(game, game.position.draft("d4"), game.match.player(club.bob.id))
    edit, begun, done, go_on = Sender.edit, list[int](), list[int](), asyncio.Event()

    async def edit_slowly(self: Sender, posted: PostedMessage, post: Message, **how: Any) -> bool:
        begun.append(posted.message_id)
        if posted.message_id == card.id:
            await go_on.wait()
        edited = await edit(self, posted, post, **how)
        done.append(posted.message_id)
        return edited

    monkeypatch.setattr(Sender, "edit", edit_slowly)
    match_presenter = club.app.match_presenter
    shown_alone = asyncio.create_task(match_presenter.show_proposal(1))
    await until(lambda: card.id in begun)
    shown_with_board = asyncio.create_task(match_presenter.show_match(1, view=played.view))
    await until(lambda: board.id in done)  # now the proposal's card is next
    assert begun.count(card.id) == 1
    go_on.set()
    await asyncio.gather(shown_alone, shown_with_board)
    await club.env.settle()
    settled = next(each for each in club.cards() if each.id == card.id)
    assert "The match has moved on, so this no longer applies." in settled.text


async def test_proposing_twice_shows_the_open_proposal_which_can_be_withdrawn(club: Club) -> None:
    await club.match(game="hedu", turns=["e5", "white"])
    other = club.guild.create_text_channel("other")
    assert (await club.slash(club.alice, "draw", where=other, match="1")).private == "I have asked Bob."
    assert club.cards(other) == []
    card = club.card()
    assert "Alice offers a draw" in card.text
    answer = await club.slash(club.alice, "draw")
    assert answer.private.startswith("You proposed this yourself, so your opponent has to answer it.")
    assert f"/{club.channel.id}/{card.id}" in answer.private
    assert answer.messages[0].labels == ("Withdraw",)
    assert (await club.press(club.alice, "Withdraw", on=answer.private_handle)).nothing
    assert answer.private == "You withdrew it."
    assert "Alice thought better of it." in club.card().text


async def test_a_draw_is_offered_only_to_people_and_in_games_that_have_draws(club: Club) -> None:
    for name in rules.GAMES:
        match = await club.match(game=name, size=rules.GAMES[name].sizes[0])
        question = await club.open(club.alice, "resign")
        offered = "Offer a draw" in club.seen(question).labels
        assert offered is rules.GAMES[name].has_draws, name
        if not offered:
            refused = await club.slash(club.alice, "draw")
            assert refused.private == f"This game has no draws. Play on in match #{match.id}, or resign."
            old = await club.forge(club.alice, Propose(match.id, 0, ProposalKind.DRAW), on=question)
            assert old.private == refused.private
        await club.resign(club.alice)
    match = await computer_match(club, game="hedu")
    await club.show(match.id)
    question = await club.open(club.alice, "resign")
    assert "Offer a draw" not in club.seen(question).labels
    refused = await club.slash(club.alice, "draw")
    assert refused.private == f"There are no draws against the computer. Play on in match #{match.id}, or resign."


async def test_a_draw_that_was_offered_in_a_game_without_draws_can_still_be_accepted(club: Club) -> None:
    match = await club.match(turns=["e5", "light"])
    async with club.app.storage.transaction() as tx:
        await tx.proposals.add(match.id, 2, ProposalKind.DRAW, club.alice.id, club.env.now(), keeps=None, place=None)
    question = await club.open(club.bob, "resign")
    assert (await club.press(club.bob, "Accept the draw", on=question)).nothing
    assert await result(club) == Result(None, Ending.AGREEMENT)


# Outcomes


async def test_an_accepted_take_back_shows_the_last_turn_that_stands(club: Club) -> None:
    await club.match(game="hedu", turns=["e5", "white", "d4"])
    await ask(club, club.bob, ProposalKind.TAKE_BACK)
    await club.press(club.alice, "Accept")
    assert await club.turns() == ("e5", "white")
    assert "↩️ Bob took back the last turn.\nTurn 2 · Bob chose **White**" in club.card().text
    assert club.card().pinged == (club.bob.id,)
    before, boards = club.screen(), len(club.boards())
    await ask(club, club.alice, ProposalKind.TAKE_BACK)
    assert (await club.press(club.bob, "Accept")).nothing
    assert await club.turns() == ()
    card = club.card()
    assert len(club.boards()) == boards + 1
    assert "↩️ This turn was taken back." in club.boards()[-2].text
    card.says("↩️ Alice took back the last 2 turns.", "open with **Play** or /move")
    assert card.pinged == (club.alice.id,)
    assert "The board has moved on since then" in (await club.press_old(club.bob, "resign", before)).private
    await club.move(club.alice, "e6")
    assert "took back the last 2 turns" in club.boards()[-2].text
    assert "This turn was taken back" not in club.boards()[-2].text
    assert "Alice opened with `e6`" in club.card().text
    assert "took back" not in club.card().text


@pytest.mark.parametrize(
    ("kind", "ending", "said", "described"),
    [
        (ProposalKind.DRAW, Ending.AGREEMENT, "🤝 A draw by agreement.", "a draw by agreement"),
        (
            *(ProposalKind.ABANDON, Ending.ABANDONED),
            *("🍂 Both players agreed to call this match off.", "over by abandonment"),
        ),
    ],
)
async def test_an_agreement_ends_the_match(
    club: Club, kind: ProposalKind, ending: Ending, said: str, described: str
) -> None:
    await club.match(game="hedu", turns=["e5", "white"])
    await ask(club, club.alice, kind)
    assert (await club.press(club.bob, "Accept")).nothing
    assert await result(club) == Result(None, ending)
    card = club.card()
    assert said in card.text
    assert card.labels == FINAL_BUTTONS[:3]
    assert card.pinged == (club.alice.id,)
    assert described in card.descriptions[0]
    assert "✅ Bob accepted." in club.cards()[-2].text
    assert all(each.labels == () for each in club.cards()[:-1])
    assert "Nobody has finished a rated match here yet." in (await club.slash(club.alice, "leaderboard")).private


async def test_the_question_before_resigning_offers_the_opponents_proposals(club: Club) -> None:
    await club.match(game="hedu", turns=["e5", "white"])
    question = await club.slash(club.alice, "resign")
    await club.move(club.bob, "d4")
    cards = len(club.cards())
    await club.press(club.alice, "Call it off", on=question.private_handle)
    assert question.private == "The board has moved on since you asked, so nothing was proposed."
    assert len(club.cards()) == cards
    for kind in (ProposalKind.DRAW, ProposalKind.ABANDON):
        proposal = await club.app.proposals.propose(1, club.alice.id, kind, shown_by_caller=True)
        await club.app.match_presenter.show_proposal(proposal.id)
    await club.env.settle()
    question = await club.slash(club.bob, "resign")
    assert question.messages[0].labels == ("Yes, resign", "Accept the draw", "Agree to call it off", "Keep playing")
    assert (await club.press(club.bob, "Accept the draw", on=question.private_handle)).nothing
    assert await result(club) == Result(None, Ending.AGREEMENT)
    abandoning = next(card for card in club.cards() if "to call" in card.text)
    assert "The match has moved on, so this no longer applies." in abandoning.text
    assert abandoning.labels == ()


# Rematches


async def resigned_match(club: Club) -> None:
    """Let Bob resign a match, and show its last card."""
    await club.match(game="hedu", turns=["e5", "white"])
    await club.resign(club.bob)


async def test_a_rematch_takes_one_press_of_each_player_and_swaps_the_seats(club: Club) -> None:
    await resigned_match(club)
    card = await ask(club, club.alice, ProposalKind.REMATCH)
    assert card.text.startswith("🔁 Alice would like a rematch of match #1; this time Bob opens.")
    assert card.pinged == (club.bob.id,)
    assert (await club.press(club.bob, "Accept")).nothing
    final, asked, board = club.cards()[-3:]
    assert "Rematch: match #2" in final.text
    assert final.labels == (*FINAL_BUTTONS[1:3], "Next match")
    assert len(final.pictures) == 1
    assert "✅ Bob accepted. Match #2 is played here; Bob opens." in asked.text
    assert asked.labels == ()
    assert "Bob vs Alice" in board.text
    assert board.pinged == (club.bob.id,)
    rematch = await club.app.matches.match(2)
    assert (rematch.first.id, rematch.rematch_of) == (club.bob.id, 1)
    await club.move(club.bob, "e5")


async def test_the_last_card_says_whose_answer_to_a_rematch_is_awaited(club: Club) -> None:
    for label, who in (("Decline", club.bob), ("Withdraw", club.alice)):
        await resigned_match(club)
        await ask(club, club.alice, ProposalKind.REMATCH)
        final = club.cards()[-2]
        assert final.labels == ("Waiting for Bob", *FINAL_BUTTONS[1:3])
        assert (
            "Withdraw" in (await club.press(club.alice, "Waiting for Bob", on=club.messages()[-2])).messages[0].labels
        )
        await club.press(who, label)
        assert club.cards()[-2].labels == FINAL_BUTTONS[:3]


async def test_a_rematch_waits_when_another_match_has_taken_the_channel(club: Club) -> None:
    club.forbid("create_public_threads")
    await resigned_match(club)
    final = club.screen()
    await club.match(club.alice, club.carol)
    await club.press_late(club.alice, "Rematch", final)
    asked = club.screen()
    await club.press(club.bob, "Accept")
    card = next(card for card in club.cards() if card.id == int(asked.message["id"]))
    assert "✅ Bob accepted. Match #3 **waits**" in card.text
    await resigned(club, club.carol)
    assert "Bob vs Alice" in club.card().text
    card = next(card for card in club.cards() if card.id == int(asked.message["id"]))
    assert "Match #3 is played here; Bob opens." in card.text
    assert await restart_and_count(club) == 0


# Crashes, and several presses at once


async def test_proposals_stored_but_not_shown_are_shown_on_the_next_start(club: Club) -> None:
    await club.match(game="hedu", turns=["e5", "white"])
    await club.app.proposals.propose(1, club.alice.id, ProposalKind.DRAW, shown_by_caller=True)
    await club.app.proposals.decline(1, club.bob.id, shown_by_caller=True)  # so there is nothing left to show
    for kind in (ProposalKind.TAKE_BACK, ProposalKind.ABANDON, ProposalKind.DRAW):
        await club.app.proposals.propose(1, club.alice.id, kind, shown_by_caller=True)
    assert await restart_and_count(club) == 3
    for card in club.cards()[-3:]:
        assert card.labels == LABELS
        assert card.pinged == (club.bob.id,)
    assert (await club.slash(club.bob, "draw")).nothing
    assert all("Accept" not in card.labels for card in club.cards())


async def test_answers_stored_but_not_shown_are_shown_on_the_next_start(club: Club) -> None:
    await club.match(game="hedu", turns=["e5", "white"])
    for number, kind in enumerate((ProposalKind.TAKE_BACK, ProposalKind.DRAW), 1):
        asked = await ask(club, club.alice, kind)
        await club.app.proposals.accept(number, club.bob.id, shown_by_caller=True)
        assert await restart_and_count(club) == 1, kind
        card = next(card for card in club.cards() if card.id == asked.id)
        assert "✅ Bob accepted." in card.text
        assert card.labels == ()


async def test_a_proposal_that_cannot_be_posted_is_stored_and_shown_later(club: Club) -> None:
    await club.match(game="hedu", turns=["e5", "white"])
    club.refuse("POST", status=503)
    answer = await club.slash(club.alice, "draw")
    assert answer.private.startswith("That is done and stored, but I could not show it")
    await club.env.advance_time(61)
    assert "Alice offers a draw" in club.card().text
    assert club.card().labels == LABELS
