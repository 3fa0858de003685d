"""How matches end: by the rules, or by a resignation after a question."""

from __future__ import annotations

import re

import rules
from bot.domain.limits import POST_LIMIT
from bot.domain.matches import Ending, ProposalKind
from tests.support.discord.actions import computer_match, second_match
from tests.support.discord.club import FINAL_BUTTONS, Club, Seen
from tests.support.games import WHOLE_GAME
from tests.support.thorough import sample


async def test_the_end_comes_with_the_final_board_the_result_and_the_reason(club: Club) -> None:
    match = await club.match(turns=WHOLE_GAME[:-1])
    position = rules.ruleset("dalen", 5).replay(WHOLE_GAME)
    assert position.outcome is not None
    before = await club.app.matches.game(match.id)
    assert before.to_act is not None
    await club.move(club.member(before.to_act.id), WHOLE_GAME[-1])
    game = await club.app.matches.game(match.id)
    assert game.position == position
    assert position.outcome.winner is not None
    winner = game.player_of(position.outcome.winner)
    side = game.match.ruleset.game.sides[position.outcome.winner].title()
    card = club.card()
    card.says(f"🏆 **{winner.name}** ({side}) wins by annihilation.", f"played `{WHOLE_GAME[-1]}`")
    assert card.labels == FINAL_BUTTONS
    assert card.pinged == (before.match.opponent_of(before.to_act.id).id,)
    stones = [position.stones(side).bit_count() for side in rules.Side]
    assert "Stones {}\N{NO-BREAK SPACE}:\N{NO-BREAK SPACE}{}".format(*stones) in card.text
    assert game.match.result is not None
    assert (game.match.result.winner_id, game.match.result.ending) == (winner.id, Ending.RULES)
    check_biggest_change(card)
    # Nothing can be played after the end.
    answer = await club.slash(club.alice, "move", turn="a1", match="1")
    assert answer.private == "Match #1 is over. /play starts a new one."
    assert "is over" in (await club.slash(club.bob, "resign", match="1")).private
    assert [choice["name"] for choice in await club.offers(club.bob, "a", match="1")] == ["✗ match #1: it is over"]
    assert "no running match" in (await club.slash(club.alice, "move", turn="a1")).private
    assert len(await club.turns()) == len(WHOLE_GAME)


async def test_titles_scores_and_ratings_have_the_players_in_the_order_on_the_board(club: Club) -> None:
    opening, _side, *turns, last = WHOLE_GAME
    match = await club.match(turns=[opening, "dark", *turns])
    game = await club.app.matches.game(match.id)
    assert game.to_act is not None
    await club.move(club.member(game.to_act.id), last)
    seats = await club.app.matches.game_at(match, 1)
    assert [player.name for player in seats.players] == ["Alice", "Bob"], "the opener is first before the choice"
    card = club.card()
    ratings = next(line for line in card.text.split("\n") if "📈" in line)
    card.says("Bob vs Alice", "🏆 **Bob** (Dark) wins")
    assert ratings.index("Bob") < ratings.index("Alice")


def check_biggest_change(card: Seen) -> None:
    """Check that the last card shows the turn that changed most beside the final board."""
    position, leads = rules.ruleset("dalen", 5).start(), [0]
    for turn in WHOLE_GAME:
        position, _events = position.play(turn)
        leads.append(position.first.bit_count() - position.second.bit_count())
    changes = {ply: abs(lead - leads[ply - 1]) for ply, lead in enumerate(leads) if ply}
    (text,) = (text for text in card.texts if text.startswith("**Biggest change**"))
    ply = next(ply for ply in changes if f"Turn {ply} · " in text)
    assert changes[ply] == max(changes.values())
    leader = "Dark" if leads[ply] > 0 else "Light"
    assert f"**Biggest change**: {leader}'s lead grows from {abs(leads[ply - 1])} to {abs(leads[ply])}." in text
    assert f"played `{WHOLE_GAME[ply - 1]}`" in text
    assert [each["filename"] for each in card.files] == [f"dalen-1-{len(WHOLE_GAME)}.png", f"dalen-1-{ply}.png"]
    assert len(card.pictures) == len(card.descriptions) == 2
    assert re.search(rf"Last turn: \w+ on {WHOLE_GAME[ply - 1]}", card.descriptions[1])


async def test_resigning_needs_a_confirmation_on_the_same_board(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    question = await club.press_old(club.alice, "resign")
    await club.move(club.bob, "d4")
    await club.press(club.alice, "Yes, resign", on=question.private_handle)
    assert question.private == "The board has moved on since you asked, so you did not resign."
    for label in ("Keep playing", "Yes, resign"):
        assert (await club.app.matches.match(1)).result is None
        question = await club.slash(club.alice, "resign")
        assert question.private.startswith("Resign match #1? **Bob** wins.")
        assert question.card.labels == ("Yes, resign", "Call it off", "Keep playing")
        assert (await club.press(club.alice, label, on=question.private_handle)).nothing
        assert question.nothing
    card = club.card()
    card.says("🏆 **Bob** (Light) wins: Alice resigned.", "Bob (Light) played `d4`")
    assert card.labels == FINAL_BUTTONS
    assert card.pinged == (club.bob.id,)
    assert len(card.pictures) == 1
    assert club.boards()[-2].labels == ()


# Matches that never found a place


async def test_the_end_of_a_waiting_match_is_shown_on_its_challenge(club: Club) -> None:
    club.forbid("create_public_threads")
    await club.match()
    boards = len(club.boards())
    moderator = club.join_as_moderator("Mo")
    ways = (
        (club.alice, "Yes, resign", "**Carol** wins: Alice resigned."),
        (club.alice, "Call it off", "Both players agreed to call this match off."),
        (moderator, "End this match", "Mo ended this match as a moderator."),
    )
    for number, (who, label, expected) in enumerate(sample(ways, 2), 2):
        await second_match(club)
        assert f"Match #{number} **waits**" in club.card().text
        question = await club.slash(who, "resign", match=str(number))
        assert (await club.press(who, label, on=question.private_handle)).nothing
        if label == "Call it off":
            assert (await club.press(club.carol, "Accept")).nothing
        card = [card for card in club.cards() if "Alice challenges Carol" in card.text][-1]
        assert f"✅ Carol accepted. Match #{number} ended before it found a place. {expected}" in card.text
        assert len(club.boards()) == boards
    await club.restart()
    assert len(club.boards()) == boards


async def test_the_end_of_a_waiting_rematch_is_shown_on_its_proposal(club: Club) -> None:
    club.forbid("create_public_threads")
    await club.match()
    await club.resign(club.bob)
    final = club.screen()
    await club.match(club.alice, club.carol)
    await club.press_late(club.alice, "Rematch", final)
    await club.press(club.bob, "Accept")
    await club.open(club.bob, "resign", "Yes, resign", match="3")
    card = next(card for card in club.cards() if "would like a rematch" in card.text)
    assert "Match #3 ended before it found a place. **Alice** wins: Bob resigned." in card.text


async def test_a_match_can_be_resigned_at_any_turn(club: Club) -> None:
    """A review needs a turn after the opening."""
    for turns, buttons in (((), 1), (("e5",), 3), (("e5", "light"), 3), (("e5", "light", "d4"), 4)):
        await club.match(turns=turns)
        await club.resign(club.alice)
        club.card().says("wins: Alice resigned.", f"<@{club.bob.id}>, a rematch?")
        assert club.card().labels == FINAL_BUTTONS[:buttons]


async def test_the_last_card_shows_the_standing_and_explains_first_ratings(club: Club) -> None:
    said, explained = [], []
    for loser in (club.alice, club.alice, club.bob, club.bob, club.bob):
        await club.match(turns=["e5", "light", "d4", "a1"])
        await club.resign(loser)
        card = club.card()
        said.append([line for line in card.text.replace("\N{NO-BREAK SPACE}", " ").split("\n") if "⚔️" in line])
        explained.append("Everyone starts at 1500" in card.text)
        assert "📈" in card.text
        assert "Biggest change" not in card.text, "nothing changed much"
        assert len(card.pictures) == 1
    assert said == [
        [],
        ["⚔️ Head to head: Alice vs Bob: **0 : 2** · Bob has won 2 matches in a row"],
        ["⚔️ Head to head: Alice vs Bob: **1 : 2**"],
        ["⚔️ Head to head: Alice vs Bob: **2 : 2** · Alice has won 2 matches in a row"],
        ["⚔️ Head to head: Alice vs Bob: **3 : 2** · Alice has won 3 matches in a row"],
    ]
    assert explained == [True] + [False] * 4
    await club.match(game="hedu", turns=["e5", "white", "d4", "a1"])
    await club.resign(club.alice)
    assert "📈 Alice" in club.card().text
    assert "Everyone starts at 1500" not in club.card().text, "they have had a rating of another game"


async def test_the_last_turn_can_be_the_biggest_change(club: Club) -> None:
    ply = 33
    await computer_match(club, WHOLE_GAME[:ply])
    await club.resign(club.alice)
    card = club.card()
    (text,) = (text for text in card.texts if "**Biggest change**" in text)
    _before, change = text.split("**Biggest change**: Dark's lead grows from 1 to 24.\n")
    assert f"Turn {ply} · " in change
    assert f"played `{WHOLE_GAME[ply - 1]}`" in change
    assert len(card.pictures) == 1, "the final board shows it"


async def test_everybody_can_replay_and_share_a_match_that_is_over(club: Club) -> None:
    await club.match(turns=["e5", "light", "d4", "a1"])
    await club.resign(club.alice)
    final, screen = club.card(), club.screen()
    assert "Turn 4 of 4" in (await club.press(club.carol, "Replay")).private
    for who in (club.alice, club.carol):
        assert "🏆 **Bob** (Light) wins: Alice resigned." in (await club.slash(who, "board")).private
    assert (await club.press(club.carol, "Share the game")).nothing
    shared = club.card()
    assert "shown by Carol" in shared.text
    assert shared.files[0]["filename"] == "dalen-1-4-film.gif"
    for _ in range(POST_LIMIT.most + 1):  # these draw nothing, and do not count as posts
        assert "already been shared here" in (await club.press_late(club.bob, "Share the game", screen)).private
    assert club.cards()[-2:] == [final, shared]


async def test_next_game_opens_a_waiting_match_or_offers_a_new_one(club: Club) -> None:
    await club.match(turns=["e5", "light", "d4", "a1"])
    await club.match(club.alice, club.carol)
    await club.resign(club.alice, 1)
    assert club.card().labels == (*FINAL_BUTTONS, "Next match")
    final = club.screen()
    assert "**your turn**" in (await club.press(club.alice, "Next match")).private
    assert "No match is running." in (await club.press_late(club.bob, "Next match", final)).private
    await club.app.matches.resign(2, club.carol.id, shown_by_caller=True)
    await club.match(turns=["e5"])
    (running,) = (answer := await club.press_late(club.alice, "Next match", final)).messages
    running.says("No match is waiting for you.", "Bob's turn")
    assert running.labels == ("Start a game", "Puzzles")
    await club.press(club.alice, "Start a game", on=answer.private_handle)
    assert "Fiodar" in club.seen(answer.private_handle).labels
    await club.app.proposals.propose(3, club.bob.id, ProposalKind.ABANDON, shown_by_caller=True)
    (running,) = (await club.press_late(club.alice, "Next match", final)).messages
    assert "waiting for **your answer**" in running.text
    assert "Start a game" not in running.labels
