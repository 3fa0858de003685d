"""Hints: in games against the computer and on boards where turns are tried, but never against people."""

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
from rules import GAMES, PASS, Position, ruleset
from tests.support.actions import computer_match, finished_match, stored_match
from tests.support.club import Club
from tests.support.games import FLIPPING, WHOLE_GAME
from tests.support.thorough import sample
from tests.support.turn_presses import shown

NO_REASON = "No single advantage stands out, but this turn did best when I played on."
UNFAIR = "Match #1 is between people, so a hint would not be fair."


async def begin(club: Club, who: MemberActor | None = None) -> Match:
    """A game against the computer in which the person, who has opened, is to play."""
    match = await computer_match(club, ("e5", "dark"), who)
    await club.show(match.id)
    return match


async def tried(club: Club, who: MemberActor, match: Match) -> ResponseMessage:
    """A card on which somebody tries turns at the end of a match."""
    return (await club.slash(who, "try", match=str(match.id))).private_handle


async def open_menu(club: Club, who: MemberActor, label: str) -> ResponseMessage:
    menu = (await club.press(who, "More…")).private_handle
    await club.press(who, label, on=menu)
    return menu


async def test_a_hint_says_a_turn_and_why_and_is_played_with_one_press(club: Club) -> None:
    match = await begin(club)
    turns = await club.turns(match.id)
    card = (await club.press(club.alice, "Play")).private_handle
    club.search.value = 0.9
    await club.press(club.alice, "Hint", on=card)
    (request,) = [each for each in club.search.asked if each.explained]
    assert request.turns == turns
    hint = shown(club, card)
    assert hint.text.startswith("### 💡 I would play ")
    turn = hint.text.split()[5].strip("`")
    assert "You then stand better. Your chance of winning: 90%; with an average turn: 50%." in hint.text
    assert hint.labels == ("Play it", "Back")
    assert len(hint.pictures) == 1
    assert turn in hint.descriptions[0]
    assert await club.turns(match.id) == turns, "nothing is played yet"
    assert (await club.slash(club.alice, "hint")).private == hint.text, "the same position has the same hint"
    await club.press(club.alice, "Back", on=card)
    assert "Your turn" in shown(club, card).text
    card = await open_menu(club, club.alice, "Hint")
    assert shown(club, card).text == hint.text
    screen = club.screen(card)
    await club.press(club.alice, "Play it", on=card)
    await club.env.settle()
    turns = await club.turns(match.id)
    assert turns[:3] == ("e5", "dark", turn)
    answer = await club.press_late(club.alice, "Play it", screen)
    assert "moved on" in answer.private
    assert await club.turns(match.id) == turns


async def test_a_hint_compares_with_an_average_turn_only_where_that_is_worse(club: Club) -> None:
    await computer_match(club, ("e5", "dark"))
    club.search.value = 0.502
    assert "Your chance of winning: 50%." in (await club.slash(club.alice, "hint")).private
    club.search.found = {2: SearchResult("d4", 0.6)}
    hint = (await club.slash(club.alice, "hint")).private
    assert "Your chance of winning: 60%." in hint
    assert NO_REASON in hint, "since the search gives none"


async def test_when_people_have_played_on_their_game_may_be_helped_with(club: Club) -> None:
    match = await finished_match(club, FLIPPING[:4])
    replay = (await club.slash(club.carol, "replay", match=str(match.id))).private_handle
    await club.press(club.carol, "Try from here", on=replay)
    await club.press(club.carol, "Hint", on=replay)
    assert "I would play" in shown(club, replay).text
    assert "You" not in shown(club, replay).text.split("\n")[1]
    *turns, last = WHOLE_GAME
    card = await tried(club, club.carol, await finished_match(club, turns))
    club.search.found = {len(turns): SearchResult(last, 0.9)}
    await club.press(club.carol, "Hint", on=card)
    assert "It wins the game." in shown(club, card).text
    assert NO_REASON not in shown(club, card).text, "it needs no other reason"
    match = await finished_match(club, ("g7", "light"), game="dendria", size=7)
    card = await tried(club, club.carol, match)
    club.search.found = {2: SearchResult(PASS, 0.5)}
    await club.press(club.carol, "Hint", on=card)
    assert "I would pass" in shown(club, card).text
    assert NO_REASON not in shown(club, card).text
    await club.press(club.carol, "Try it", on=card)
    line = await club.app.lines.get(match.id, club.carol.id)
    assert line is not None
    assert line.turns == (PASS,)


async def test_while_it_thinks_the_card_says_so_and_how_long_the_queue_is(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(club)
    card = await open_menu(club, club.alice, "Try turns")
    club.search.hold()
    await club.press(club.alice, "Hint", on=card)
    assert shown(club, card).text == "💡 I am thinking…"
    other = await club.slash(club.alice, "hint")
    assert "I am still thinking about your last question." in other.private, "nobody waits for two hints"
    club.search.release()
    await club.env.settle()
    assert "I would play" in shown(club, card).text
    monkeypatch.setattr(club.app.hints, "ahead_of", lambda _person, _level: 3)
    for who, by_command in ((club.alice, True), (club.carol, False)):  # however it is asked for
        club.search.hold()
        match = await computer_match(club, ("d4", "dark"), who, where=club.guild.create_text_channel("room"))
        if by_command:
            card = (await club.slash(who, "hint", match=str(match.id))).private_handle
        else:
            card = await tried(club, who, match)
            await club.press(who, "Hint", on=card)
        waiting = shown(club, card)
        assert waiting.text == "💡 I am still thinking about others: 3 boards are ahead of yours."
        assert waiting.labels == ("Ask again",)
        club.search.release()
        await club.env.settle()
        assert "I would play" in shown(club, card).text


async def test_a_hint_that_came_to_nothing_can_be_asked_for_again(club: Club) -> None:
    """A search that is broken off is no bug to report."""
    await computer_match(club, ("e5", "dark"))
    nothing = "My search failed. Please ask me again."
    club.expect_failure("interaction_failed")
    for failure, told in (
        (BrokenProcessPool("it is being closed"), nothing),
        (TimeoutError("it hangs"), nothing),
        (RuntimeError("it breaks"), "Something went wrong"),
    ):
        club.search.failures = [failure]
        card, failed = (await club.slash(club.alice, "hint")).handles
        assert told in shown(club, failed).text
        assert shown(club, failed).private
        await club.press(club.alice, "Ask again", on=card)
        assert "I would play" in shown(club, card).text


async def test_only_who_is_to_play_gets_a_hint(club: Club) -> None:
    match = await begin(club)
    answer = await club.slash(club.bob, "hint", match=str(match.id))
    assert "not playing" in answer.private
    club.search.hold()
    await club.move(club.alice, (await club.app.matches.game(match.id)).position.legal_turns[0])
    assert "is to play" in (await club.slash(club.alice, "hint")).private
    assert "Hint" not in shown(club, (await club.press(club.alice, "More…")).private_handle).labels
    club.search.release()
    await club.env.settle()


async def test_against_people_there_are_none(club: Club) -> None:
    await club.match(turns=FLIPPING[:3])
    asked = len(club.search.asked)
    for who in (club.alice, club.bob):
        assert UNFAIR in (await club.slash(who, "hint")).private
    menu = await open_menu(club, club.carol, "Try turns")
    card = shown(club, menu)
    assert "Hint" not in card.labels
    line = await club.app.lines.get(1, club.carol.id)
    assert line is not None
    forged = club.screen(menu).relabelled("Type it", AskLineHint(1, digest(line.text)).custom_id)
    assert UNFAIR in (await club.press_late(club.carol, "Type it", forged)).private
    game = await club.app.matches.game(1)
    assert game.to_act is not None
    forged = club.screen(menu).relabelled("Type it", AskHint(1, game.step).custom_id)
    assert UNFAIR in (await club.press_late(club.member(game.to_act.id), "Type it", forged)).private
    assert len(club.search.asked) == asked


async def test_where_turns_are_tried_a_hint_goes_on_with_the_line(club: Club) -> None:
    match = await begin(club)
    card = await open_menu(club, club.alice, "Try turns")
    line_so_far: list[str] = []
    for who in ("You", "The other side"):
        await club.press(club.alice, "Hint", on=card)
        hint = shown(club, card)
        assert hint.labels == ("Try it", "Back"), who
        await club.press(club.alice, "Back", on=card)
        assert "Trying out turns" in shown(club, card).text
        await club.press(club.alice, "Hint", on=card)
        await club.press(club.alice, "Try it", on=card)
        line = await club.app.lines.get(match.id, club.alice.id)
        assert line is not None
        assert line.turns[:-1] == tuple(line_so_far)
        line_so_far.append(line.turns[-1])
        assert f"I would play `{line_so_far[-1]}`" in hint.text
    assert len(await club.turns(match.id)) < 4, "the match stays as it is"


async def test_an_opening_and_a_side_are_advised_with_what_speaks_for_them(club: Club) -> None:
    opened = "Your opponent picks a side next and would take the better one, "
    practice = "so my opening makes both about equally good: each side won about half of my practice"
    for opening, why in (("c2", practice), ("e5", "so the best opening makes both equally good.")):
        match = await computer_match(club)
        club.search.found = {0: SearchResult(opening, 0.4)}
        hint = (await club.slash(club.alice, "hint", match=str(match.id))).private
        assert f"{opened}{why}" in hint
        assert "Your chance" not in hint
        assert NO_REASON not in hint
        await club.app.matches.resign(match.id, club.alice.id, shown_by_caller=True)
    for side, why in (
        ("dark", "Light plays next, but I think that Dark's position on the board is worth more here."),
        ("light", "Light plays next, and I think that this is worth more here than Dark's position on the board."),
    ):
        match = await computer_match(club, ("e5",), first=First.OPPONENT)
        club.search.found = {1: SearchResult(side, 0.6)}
        hint = (await club.slash(club.alice, "hint", match=str(match.id))).private
        assert f"{why}\nYou then stand better. Your chance of winning: 60%." in hint
        await club.app.matches.resign(match.id, club.alice.id, shown_by_caller=True)


SCORED = [name for name, game in GAMES.items() if game.leader is not Position.leader]


@pytest.mark.parametrize("game", sample(SCORED, 4))
async def test_a_better_side_is_named_even_if_the_other_leads_on_the_score(club: Club, game: str) -> None:
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
    assert f"{one} then stands better, although {other} leads on the score: 90%." in shown(club, card).text


# A position that somebody plays against a person

HEDU = ruleset("hedu", 5)
#: The same position by other turns, and with the sides swapped.
THERE = ("e5", "white", "d4", "f6", "c3")
HERE = ("e5", "black", "c3", "f6", "d4")
SAME = "Match #1, which you are playing against a person, has exactly this position, so help with it would not be fair."


async def test_nobody_tries_their_way_to_a_hint_for_a_game_against_a_person(club: Club) -> None:
    assert str(HEDU.replay(THERE)) == str(HEDU.replay(HERE))
    await stored_match(club, THERE, game="hedu")
    fresh = await computer_match(club, game="hedu")
    asked = len(club.search.asked)
    turns, match = " ".join(HERE), str(fresh.id)
    card = (await club.slash(club.alice, "try", turns=turns, match=match, after=0)).private_handle
    screen = club.screen(card)
    assert SAME in (await club.press_late(club.alice, "Hint", screen)).private
    assert len(club.search.asked) == asked
    await club.press(club.alice, "Back", on=card)
    await club.press(club.alice, "Hint", on=card)
    assert "I would play" in shown(club, card).text, "that is another position"
    await club.play_quietly(1, ["g7"])
    card = (await club.slash(club.alice, "try", turns=turns, match=match, after=0)).private_handle
    await club.press(club.alice, "Hint", on=card)
    assert "I would play" in shown(club, card).text, "the match has gone on"


async def test_a_game_that_is_like_one_against_a_person_has_no_hints(club: Club) -> None:
    await stored_match(club)
    for who, fair in ((club.alice, False), (club.bob, False), (club.carol, True)):
        match = str((await computer_match(club, who=who, where=club.guild.create_text_channel("room"))).id)
        assert (SAME in (await club.slash(who, "hint", match=match)).private) is not fair
    match = str((await computer_match(club, size=6, where=club.guild.create_text_channel("room"))).id)
    assert "I would play" in (await club.slash(club.alice, "hint", match=match)).private, "the board is larger"


async def test_a_match_that_is_over_gives_no_hint_for_one_that_runs(club: Club) -> None:
    await stored_match(club, THERE, game="hedu")
    over = await finished_match(club, HERE, game="hedu")
    for who, fair in ((club.alice, False), (club.bob, False), (club.carol, True)):
        replay = (await club.slash(who, "replay", match=str(over.id))).private_handle
        await club.press(who, "Try from here", on=replay)
        answer = await club.press(who, "Hint", on=replay)
        assert ("I would play" in shown(club, replay).text) is fair
        assert fair or SAME in answer.private


async def test_a_turning_point_that_somebody_plays_against_a_person_is_not_shown(club: Club) -> None:
    over = await finished_match(club, HERE, game="hedu")
    club.search.found = {3: SearchResult("d4", 0.9)}
    for turns in (HERE[:2], HERE[:3]):
        match = await stored_match(club, turns, game="hedu")
        for who, fair in ((club.alice, False), (club.carol, True)):
            card = (await club.slash(who, "review", match=str(over.id))).private_handle
            answer = await club.press(who, "Turning point 1", on=card)
            assert ("Better" in shown(club, card).text) is fair
            assert fair or f"Match #{match.id}, which you are playing against a person" in answer.private
        await club.app.matches.resign(match.id, club.alice.id, shown_by_caller=True)
