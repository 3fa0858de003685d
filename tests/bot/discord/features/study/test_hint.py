"""Hints: in games against the computer and where turns are tried, but never against people."""

from __future__ import annotations

import random
from concurrent.futures.process import BrokenProcessPool

import pytest
from simcord import MemberActor
from simcord.results import ResponseMessage

from bot.discord.features.study.try_ import AskLineHint
from bot.discord.ui.actions import AskHint
from bot.domain.challenges import First
from bot.domain.computer import SearchResult
from bot.domain.matches import Match
from bot.domain.turn_entry import digest
from bot.pictures import overlay_titles
from rules import GAMES, PASS, Position, ruleset
from tests.support.discord.actions import computer_match, finished_match, stored_match
from tests.support.discord.club import Club
from tests.support.games import FLIPPING, WHOLE_GAME
from tests.support.thorough import sample

NO_REASON = "Other turns look as good, but this one did best when I played on."
UNFAIR = "Match #1 is between people, so a hint would not be fair."


async def begin(club: Club, who: MemberActor | None = None) -> Match:
    """A game against the computer in which the person has opened and is to play again."""
    match = await computer_match(club, ("e5", "dark"), who)
    await club.show(match.id)
    return match


async def menu(club: Club, match: Match, *labels: str, who: MemberActor | None = None) -> ResponseMessage:
    """The card *More…* of a match, after presses of these buttons."""
    overlay = next(iter(overlay_titles(match.ruleset.game)))
    card: ResponseMessage = await club.open(
        who or club.alice, "board", "More…", *labels, match=str(match.id), overlay=overlay
    )
    return card


async def hint(club: Club, match: Match) -> str:
    return club.seen(await menu(club, match, "Hint")).text


async def tried(club: Club, who: MemberActor, match: Match) -> ResponseMessage:
    """A card on which a user tries turns at the end of a match."""
    return (await club.slash(who, "try", match=str(match.id))).private_handle


async def test_a_hint_names_a_turn_and_its_reasons_and_can_be_played(club: Club) -> None:
    match = await begin(club)
    turns = await club.turns(match.id)
    card = (await club.press(club.alice, "Play")).private_handle
    club.search.value = 0.9
    await club.press(club.alice, "Hint", on=card)
    (request,) = [each for each in club.search.asked if each.explained]
    assert request.turns == turns
    hint = club.seen(card)
    assert hint.text.startswith("### 💡 I would play ")
    turn = hint.text.split()[5].strip("`")
    assert "That leaves you better off. Your chance of winning: 90%; with an average turn: 50%." in hint.text
    assert hint.labels == ("Play it", "Back")
    assert len(hint.pictures) == 1
    assert turn in hint.descriptions[0]
    assert await club.turns(match.id) == turns, "nothing is played yet"
    assert "Your turn" in (await club.change(club.alice, "Back", on=card)).text
    card = await club.press_all(club.alice, "More…", "Hint")
    assert club.seen(card).text == hint.text
    screen = club.screen(card)
    await club.press(club.alice, "Play it", on=card)
    await club.env.settle()
    turns = await club.turns(match.id)
    assert turns[:3] == ("e5", "dark", turn)
    assert "moved on" in (await club.press_late(club.alice, "Play it", screen)).private
    assert await club.turns(match.id) == turns


async def test_a_hint_is_compared_with_an_average_turn_only_if_that_is_worse(club: Club) -> None:
    match = await computer_match(club, ("e5", "dark"))
    club.search.value = 0.502
    assert "Your chance of winning: 50%." in await hint(club, match)
    club.search.found = {2: SearchResult("d4", 0.6)}
    advice = await hint(club, match)
    assert "Your chance of winning: 60%." in advice
    assert NO_REASON in advice, "since the search gives none"


async def test_finished_matches_between_people_have_hints(club: Club) -> None:
    match = await finished_match(club, FLIPPING[:4])
    replay = await club.open(club.carol, "replay", "Try from here", "Hint", match=str(match.id))
    assert "I would play" in club.seen(replay).text
    assert "You" not in club.seen(replay).text.split("\n")[1]
    *turns, last = WHOLE_GAME
    card = await tried(club, club.carol, await finished_match(club, turns))
    club.search.found = {len(turns): SearchResult(last, 0.9)}
    assert "It wins the match." in (await club.change(club.carol, "Hint", on=card)).text
    assert NO_REASON not in club.seen(card).text, "it needs no other reason"
    match = await finished_match(club, ("g7", "light"), game="dendria", size=7)
    card = await tried(club, club.carol, match)
    club.search.found = {2: SearchResult(PASS, 0.5)}
    assert "I would pass" in (await club.change(club.carol, "Hint", on=card)).text
    assert NO_REASON not in club.seen(card).text
    await club.press(club.carol, "Try it", on=card)
    assert (await club.line(club.carol, match.id)).turns == (PASS,)


async def test_the_card_says_how_long_the_queue_is(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    match = await begin(club)
    card = await tried(club, club.alice, match)
    club.search.hold()
    assert (await club.change(club.alice, "Hint", on=card)).text == "💡 I am thinking…"
    other = await club.forge(club.alice, AskHint(match.id, 2), on=await menu(club, match))
    assert "I am still thinking about your last question." in other.private, "nobody waits for two hints"
    club.search.release()
    await club.env.settle()
    assert "I would play" in club.seen(card).text
    monkeypatch.setattr(club.app.hints, "ahead_of", lambda _person, _level: 3)
    club.search.hold()
    match = await computer_match(club, ("d4", "dark"), where=club.guild.create_text_channel("room"))
    card = await menu(club, match, "Hint")
    assert club.seen(card).text == "💡 I am still thinking about others: 3 boards are ahead of yours."
    assert club.seen(card).labels == ("Ask again",)
    club.search.release()
    await club.env.settle()
    assert "I would play" in club.seen(card).text


async def test_a_failed_hint_can_be_asked_for_again(club: Club) -> None:
    """An interrupted search is not a bug to report."""
    match = await computer_match(club, ("e5", "dark"))
    card = await menu(club, match)
    nothing = "My search failed. Please ask me again."
    club.expect_failure("interaction_failed")
    for failure, expected in (
        (BrokenProcessPool("it is being closed"), nothing),
        (TimeoutError("it hangs"), nothing),
        (RuntimeError("it breaks"), "Something went wrong"),
    ):
        club.search.failures = [failure]
        assert expected in (await club.forge(club.alice, AskHint(match.id, 2), on=card)).private
        assert "I would play" in (await club.change(club.alice, "Ask again", on=card)).text


async def test_only_the_player_to_act_gets_a_hint(club: Club) -> None:
    match = await begin(club)
    card = await menu(club, match, who=club.bob)
    assert "Hint" not in club.seen(card).labels
    assert "not playing" in (await club.forge(club.bob, AskHint(match.id, 2), on=card)).private
    club.search.hold()
    await club.move(club.alice, (await club.app.matches.game(match.id)).position.legal_turns[0])
    assert "s turn in match" in (await club.forge(club.alice, AskHint(match.id, 3), on=card)).private
    assert "Hint" not in club.seen((await club.press(club.alice, "More…")).private_handle).labels
    club.search.release()
    await club.env.settle()


async def test_there_are_no_hints_against_people(club: Club) -> None:
    await club.match(turns=FLIPPING[:3])
    asked = len(club.search.asked)
    menu = await club.press_all(club.carol, "More…", "Try turns")
    assert "Hint" not in club.seen(menu).labels
    line = await club.line(club.carol)
    assert UNFAIR in (await club.forge(club.carol, AskLineHint(1, digest(line.text)), on=menu)).private
    assert UNFAIR in (await club.forge(await club.to_act(), AskHint(1, 3), on=menu)).private
    assert len(club.search.asked) == asked


async def test_a_hint_continues_a_tried_line(club: Club) -> None:
    match = await begin(club)
    card = await club.press_all(club.alice, "More…", "Try turns")
    tried: tuple[str, ...] = ()
    for _side in ("hers", "the other"):
        hint = await club.change(club.alice, "Hint", on=card)
        assert hint.labels == ("Try it", "Back")
        assert "Trying out turns" in (await club.change(club.alice, "Back", on=card)).text
        await club.press_all(club.alice, "Hint", "Try it", on=card)
        *before, turn = (await club.line(club.alice, match.id)).turns
        assert tuple(before) == tried
        assert f"I would play `{turn}`" in hint.text
        tried = (*before, turn)
    assert len(await club.turns(match.id)) < 4, "the match stays as it is"


async def test_hints_for_an_opening_and_a_side_have_reasons(club: Club) -> None:
    opened = "Your opponent picks a side next and would take the better one, "
    practice = "so my opening makes both about equally good: each side won about half of my practice"
    for opening, why in (("c2", practice), ("e5", "so the best opening makes both equally good.")):
        match = await computer_match(club)
        club.search.found = {0: SearchResult(opening, 0.4)}
        advice = await hint(club, match)
        assert f"{opened}{why}" in advice
        assert "Your chance" not in advice
        assert NO_REASON not in advice
        await club.app.matches.resign(match.id, club.alice.id, shown_by_caller=True)
    for side, why in (
        ("dark", "Light plays next, but I think Dark's position is worth more here."),
        ("light", "Light plays next, and I think that is worth more here than Dark's position."),
    ):
        match = await computer_match(club, ("e5",), first=First.OPPONENT)
        club.search.found = {1: SearchResult(side, 0.6)}
        advice = await hint(club, match)
        assert f"{why}\nThat leaves you better off. Your chance of winning: 60%." in advice
        await club.app.matches.resign(match.id, club.alice.id, shown_by_caller=True)


SCORED = [name for name, game in GAMES.items() if game.leader is not Position.leader]


@pytest.mark.parametrize("game", sample(SCORED, 4))
async def test_a_hint_says_that_the_side_behind_on_the_score_stands_better(club: Club, game: str) -> None:
    rules_of = ruleset(game)
    turns, chance = [rules_of.start().openings()[0], rules_of.game.sides[0]], random.Random(1)
    after = rules_of.replay(tuple(turns))
    while len(turns) < 3 or after.leader() is None:
        turns.append(chance.choice(after.legal_turns))
        after = rules_of.replay(tuple(turns))
    *before, last = turns
    leader = after.leader()
    assert leader is not None
    card = await tried(club, club.carol, await finished_match(club, before, game=game, size=rules_of.size))
    one, other = (rules_of.game.sides[side].capitalize() for side in (leader.other, leader))
    behind = 0.9 if leader is after.turn_of else 0.1
    club.search.found = {len(before): SearchResult(last, behind)}
    await club.press(club.carol, "Hint", on=card)
    assert f"That leaves {one} better off, although {other} leads on points: 90%." in club.seen(card).text


# Positions of running matches against people

HEDU = ruleset("hedu", 5)
#: The same position after other turns, and with the sides swapped.
THERE = ("e5", "white", "d4", "f6", "c3")
HERE = ("e5", "black", "c3", "f6", "d4")
SAME = "Your match #1 against a person has exactly this position, so help would not be fair."


async def test_trying_turns_leads_to_no_hint_for_a_match_against_a_person(club: Club) -> None:
    assert str(HEDU.replay(THERE)) == str(HEDU.replay(HERE))
    await stored_match(club, THERE, game="hedu")
    fresh = await computer_match(club, game="hedu")
    asked = len(club.search.asked)
    turns, match = " ".join(HERE), str(fresh.id)
    card = await club.open(club.alice, "try", turns=turns, match=match, after=0)
    assert SAME in (await club.press_late(club.alice, "Hint", club.screen(card))).private
    assert len(club.search.asked) == asked
    await club.press_all(club.alice, "Back", "Hint", on=card)
    assert "I would play" in club.seen(card).text, "that is another position"
    await club.play_quietly(1, ["g7"])
    card = await club.open(club.alice, "try", "Hint", turns=turns, match=match, after=0)
    assert "I would play" in club.seen(card).text, "the match has gone on"


async def test_a_turning_point_is_hidden_from_a_player_who_has_that_position_against_a_person(club: Club) -> None:
    over = await finished_match(club, HERE, game="hedu")
    club.search.found = {3: SearchResult("d4", 0.9)}
    for turns in (HERE[:2], HERE[:3]):
        match = await stored_match(club, turns, game="hedu")
        for who, fair in ((club.alice, False), (club.carol, True)):
            card = await club.open(who, "replay", "Review", match=str(over.id))
            answer = await club.press(who, "Turning point 1", on=card)
            assert ("Better" in club.seen(card).text) is fair
            assert fair or f"Your match #{match.id} against a person" in answer.private
        await club.app.matches.resign(match.id, club.alice.id, shown_by_caller=True)
