"""Reviews: who stood better in a finished match, its turning points, and the progress of a review."""

from __future__ import annotations

import pytest
from simcord import MemberActor
from simcord.results import ResponseMessage

from bot.discord.features.study import review as reviews
from bot.discord.ui.actions import ReadReview
from bot.domain.computer import SearchRequest, SearchResult
from bot.services.study.reviews import PendingReview
from tests.support.discord.actions import finished_match, stored_match
from tests.support.discord.club import Club
from tests.support.games import WHOLE_GAME
from tests.support.waiting import until

#: Two turns give something away.
FOUND = {
    2: SearchResult("c3", 0.6, ("c3", "d5", "e6", "f6", "g6")),
    3: SearchResult("e6", 0.75, ("e6",)),
    4: SearchResult("c1", 0.7),
}


async def finish(club: Club) -> None:
    """Let Alice resign after four turns. The match has no card yet."""
    await finished_match(club, ["e5", "light", "d4", "a1"])
    club.search.found = FOUND


async def opened(club: Club, who: MemberActor, *labels: str) -> ResponseMessage:
    """The review of the finished match, after presses of these buttons."""
    card: ResponseMessage = await club.open(who, "replay", "Review", *labels, match="1")
    return card


async def test_a_review_shows_who_stood_better_and_links_its_turning_points(club: Club) -> None:
    await finish(club)
    await club.show(1)
    card = (await club.press(club.bob, "Review")).private_handle
    review = club.seen(card)
    text = review.text.replace("*", "")
    assert "1 · Turn 3 · Bob (Light) played `d4`. Light's chance of winning: 60% before, 25% after." in text
    assert "2 · Turn 4 · Alice (Dark) played `a1`. Dark's chance of winning: 75% before, 30% after." in text
    assert "No other turn gave much away." in text
    assert review.labels == ("Turning point 1", "Turning point 2", "Replay")
    assert "Dark's chances of winning, turn by turn: 40%, 75%, 30%." in review.descriptions[0]
    assert club.picture(review).width == 900
    asked = len(club.search.asked)
    point = await club.change(club.bob, "Turning point 1", on=card)
    verdict = point.text.replace("*", "")
    assert "Light's chance of winning: 60% before, 25% after. Dark's best reply: `e6`." in verdict
    assert (
        "Better: `c3`. Other turns look as good, but this one did best when I played on. "
        "Likely next: Dark `d5`, Light `e6`, Dark `f6`." in verdict
    )
    assert len(point.pictures) == 2
    assert point.labels == ("◀", "▶", "Back", "Try from here", "Continue from here")
    await club.press(club.bob, "▶", on=card)
    better = "Better: `e6`. {} leafiest tree gains 2 leaves."
    assert better.format("Dark's") in club.seen(card).text.replace("*", "")
    assert (await club.change(club.bob, "Back", on=card)).text == review.text
    await club.press_all(club.bob, "Turning point 2", "Try from here", on=card)
    assert (await club.line(club.bob)).ply == 3
    again = (await club.change(club.bob, "Review", on=card)).text.replace("*", "")
    assert better.format("Dark's") in again, "back at the turning point"
    await club.restart()
    assert club.seen(await opened(club, club.carol)).text == review.text
    hers = await opened(club, club.alice, "Turning point 2")
    assert better.format("Your") in club.seen(hers).text.replace("*", "")
    assert len(club.search.asked) == asked, "a second look is free"


async def test_a_pass_in_the_expected_continuation_is_named(club: Club) -> None:
    await finished_match(club, ["g7", "light", "d4", "c2"], game="dendria", size=7)
    club.search.found = {2: SearchResult("h9", 0.6, ("h9", "pass", "e2")), 3: SearchResult("e6", 0.75)}
    card = await opened(club, club.bob, "Turning point 1")
    assert "Likely next: Dark passes, Light `e2`." in club.seen(card).text


async def test_chances_are_certain_only_when_the_game_is_over(club: Club) -> None:
    await finish(club)
    club.search.found = {2: SearchResult("c3", 1.0), 3: SearchResult("e6", 1.0), 4: SearchResult("c1", 1.0)}
    review = club.seen(await opened(club, club.bob))
    assert "played `d4`. Light's chance of winning: 99% before, 1% after." in review.text.replace("*", "")
    assert "turn by turn: 1%, 99%, 1%." in review.descriptions[0]
    await stored_match(club, WHOLE_GAME, club.alice, club.carol)
    club.search.value = 1.0
    card = await club.open(club.alice, "replay", "◀", "Review", match="2")
    (chances,) = club.seen(card).descriptions
    assert "1%, 99%" in chances
    assert chances.split(", ")[-1] in ("0%.", "100%.")


async def test_the_card_shows_the_progress_of_a_review(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "_PACE", 0)
    await finish(club)
    progress = list[str]()

    async def wait(request: SearchRequest) -> None:
        """Continue the search when the card shows the progress."""
        text = f"Reviewing match #1: {len(progress)} of {3 if request.level == 3 else 6} positions."
        await until(lambda: any(text in str(entry.json) for entry in club.requests("PATCH", "/webhooks/.*")))
        progress.append(text)

    club.search.pause = wait
    card = await opened(club, club.bob)
    assert len(progress) == 6
    assert "Turning point 1" in club.seen(card).labels
    club.search.pause = None


async def test_only_the_last_card_of_a_user_shows_the_review(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "_PACE", 0)
    wait = PendingReview.wait
    monkeypatch.setattr(PendingReview, "wait", lambda pending: club.search.waiting(wait(pending)))
    await finish(club)
    club.search.hold()
    cards = [await opened(club, club.bob) for _ in range(6)]
    hers = await opened(club, club.alice)
    assert all("0 of 3 positions" in club.seen(card).text for card in (*cards, hers))
    before = len(club.requests("PATCH", "/webhooks/.*"))
    club.search.release()
    await club.env.settle()
    for card in (cards[-1], hers):
        assert "Turning point 1" in club.seen(card).labels
    assert all("0 of 3 positions" in club.seen(card).text for card in cards[:-1])
    assert len(club.requests("PATCH", "/webhooks/.*")) - before <= 2 * 7, "six searches, and the review"
    await club.press(club.bob, "Review", on=cards[0])
    assert "Turning point 1" in club.seen(cards[0]).labels


async def test_a_review_of_a_long_match_says_that_it_is_partial(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.domain.study.reviews._MOST_POSITIONS", 4)
    await stored_match(club, WHOLE_GAME)
    card = await opened(club, club.bob)
    assert "The match is long, so I reviewed only the turns that changed the most." in club.seen(card).text
    assert club.picture(club.seen(card)).width == 900


async def test_matches_without_a_review_are_refused_and_not_offered(club: Club) -> None:
    await stored_match(club, WHOLE_GAME[:2])
    card = await club.open(club.bob, "replay")
    refused = await club.forge(club.bob, ReadReview(1), on=card)
    assert "Match #1 is still running. I review it when it is over." in refused.private
    await club.app.matches.resign(1, club.alice.id, shown_by_caller=True)
    assert "Too few turns were played" in (await club.forge(club.bob, ReadReview(1), on=card)).private
    await club.show(1)
    assert "Share the game" in club.card().labels
    for screen in (club.card(), *[(await club.slash(club.bob, each)).messages[0] for each in ("replay", "try")]):
        assert "Review" not in screen.labels
    card = await club.open(club.carol, "replay", where=club.guild.create_text_channel("room"), match="1")
    club.hide_from(club.carol)
    assert "no match" in (await club.forge(club.carol, ReadReview(1), on=card)).private.casefold()
    assert club.search.asked == []


async def test_a_failed_review_can_be_asked_for_again(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await finish(club)
    club.search.failures = [RuntimeError("it breaks")]
    club.expect_failure("review_failed")
    card = await opened(club, club.bob)
    assert "The review failed. Please try again." in club.seen(card).text
    wait = PendingReview.wait
    monkeypatch.setattr(PendingReview, "wait", lambda pending: club.search.waiting(wait(pending)))
    club.search.hold()
    assert "Reviewing match #1" in (await club.change(club.bob, "Review", on=card)).text
    await club.stop()
    assert "The review failed. Please try again." in club.seen(card).text
    club.search.release()
    await club.start()
    assert "Turning point 1" in (await club.change(club.bob, "Review", on=card)).labels


async def test_a_review_too_late_for_its_card_is_kept(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    wait = PendingReview.wait
    monkeypatch.setattr(PendingReview, "wait", lambda pending: club.search.waiting(wait(pending)))
    await finish(club)
    club.search.hold()
    assert "0 of 3 positions" in club.seen(await opened(club, club.bob)).text
    club.env.inject_error("PATCH", "/webhooks/*", status=401, code=50027, times=None)
    club.search.release()
    await club.env.settle()
    club.env.backend.faults.clear()
    assert "Turning point 1" in club.seen(await opened(club, club.bob)).labels
