"""What players do besides their turns: the clock, and the computer's level."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from html import unescape
from itertools import product

from bot.domain.challenges import First
from bot.domain.clocks import DAY, DAYS_OFF, TimeControl
from bot.domain.matches import Ending, Match
from bot.domain.places import Place
from bot.domain.timers import TimerKind
from tests.support.pages import Browser, Site
from tests.support.services import ALICE, BOB, CAROL, DALEN, PLACE, Clock, start
from tests.support.stored import due_timers

QUICK = TimeControl.banks_of(timedelta(minutes=10), timedelta(seconds=30))
SLOW = TimeControl.banks_of(3 * DAY, DAY)


async def timed(site: Site, control: TimeControl) -> Match:
    """A match in which Alice is to play."""
    return await start(site.services.matches, turns=("e5", "dark"), control=control)


async def against_computer(site: Site, level: int) -> Match:
    return await site.services.computer_games.start(PLACE, ALICE, level, DALEN, First.CHALLENGER)


async def test_the_page_shows_how_much_time_both_players_have(site: Site, clock: Clock) -> None:
    match = await timed(site, QUICK)
    clock.now += timedelta(seconds=65)
    page = await (await site.browser()).get(await site.path(match))
    assert 'data-left="565"' in page.html
    assert "Alice 9:25 Bob 10:" in page.text
    assert "Give" not in page.text
    assert "day off" not in page.text


async def test_an_open_page_asks_how_much_time_is_left(site: Site, clock: Clock) -> None:
    timed_match, slow = await timed(site, QUICK), await start(site.services.matches, place=Place(1, 9), control=SLOW)
    bob = await site.browser_of(BOB)
    await site.services.settings.change_preferences(BOB, language="de")
    clock.now += timedelta(seconds=65)
    assert 'data-left="565"' in (await bob.get(f"{await site.path(timed_match)}/clocks")).html
    clock.now += timedelta(hours=36)
    assert "1 Tag" in (await bob.get(f"{await site.path(slow)}/clocks")).html
    await site.services.matches.resign(timed_match.id, BOB.id)
    assert not (await bob.get(f"{await site.path(timed_match)}/clocks")).html.strip()


async def test_days_off_are_counted_and_explained(site: Site) -> None:
    match = await timed(site, SLOW)
    page = await (await site.browser_of(BOB)).get(await site.path(match))
    assert f"Alice: {DAYS_OFF} days off left" in page.text
    assert "A day off is used automatically" in page.text


async def test_a_double_press_gives_time_once(site: Site) -> None:
    match = await timed(site, QUICK)
    bob = await site.browser_of(BOB, match)
    page = await bob.get(await site.path(match))
    label = "Give 5 minutes more"
    assert "Alice 15:30" in (await bob.submit(page, label)).text
    assert "Alice 15:30" in (await bob.submit(page, label)).text
    page = await bob.post(f"{await site.path(match)}/time", step="2", left="600")
    assert page.status == 409
    assert "The clock has changed" in page.text
    matches = site.services.matches
    assert (TimerKind.CARD, match.id) in await due_timers(matches.storage, matches.now())


async def test_equal_actions_at_once_are_one_action(site: Site) -> None:
    match = await timed(site, QUICK)
    alice, bob, path = await site.browser_of(ALICE), await site.browser_of(BOB), await site.path(match)
    wishes: list[tuple[Browser, str, dict[str, str]]] = [
        (bob, "propose", {"kind": "draw", "step": "2"}),
        (alice, "answer", {"answer": "decline", "proposal": "1"}),
        (alice, "resign", {"step": "2"}),
        (bob, "propose", {"kind": "rematch", "step": "2"}),
        (alice, "answer", {"answer": "accept", "proposal": "2"}),
    ]
    page = None
    for browser, action, form in wishes:
        pages = await asyncio.gather(*(browser.post(f"{path}/{action}", **form) for _ in range(5)))
        assert [each.status for each in pages] == [200] * 5, (action, pages[-1].text)
        assert len({each.text for each in pages}) == 1
        page = pages[0]
    rematch = (await site.services.matches.match(match.id)).rematch_id
    assert rematch is not None
    assert page is not None
    assert page.url.endswith(await site.services.doors.key(rematch))


async def test_whoever_waits_claims_the_win_once_the_time_is_up(site: Site, clock: Clock) -> None:
    match = await timed(site, QUICK)
    bob, path = await site.browser_of(BOB, match), await site.path(match)
    page = await bob.get(path)
    assert "Claim the win" not in page.text
    assert (await bob.post(f"{path}/claim", step="2")).status == 409
    clock.now += timedelta(minutes=11)
    page = await bob.get(path)
    assert "Bob, you may claim the win" in page.text
    assert "Claim the win" not in (await (await site.browser_of(ALICE)).get(path)).text
    page = await bob.submit(page, "Claim the win")
    assert "Alice ran out of time" in page.text
    result = (await site.services.matches.match(match.id)).result
    assert result is not None
    assert (result.ending, result.winner_id) == (Ending.TIME, BOB.id)


async def test_nobody_claims_a_win_from_a_player_with_days_off(site: Site, clock: Clock) -> None:
    match = await timed(site, SLOW)
    clock.now += 4 * DAY
    bob, path = await site.browser_of(BOB, match), await site.path(match)
    assert "Claim the win" not in (await bob.get(path)).text
    page = await bob.post(f"{path}/claim", step="2")
    assert "still has days off" in page.text
    assert (await site.services.matches.match(match.id)).result is None


async def test_until_the_first_turn_another_level_can_be_chosen(site: Site) -> None:
    match = await against_computer(site, 1)
    alice = await site.browser_of(ALICE, match)
    page = await alice.get(await site.path(match))
    assert "Level 1" not in page.text
    page = await alice.submit(page, "Level 3")
    assert "Hexgrove (level 3)" in page.title
    before = await site.services.matches.match(match.id)
    assert before.result is not None
    assert before.rematch_id is not None
    assert page.url.endswith(await site.path(await site.services.matches.match(before.rematch_id)))
    page = await alice.press(page, "@e5")
    page = await alice.press(page, page.choices["Play it"])
    assert "Another level" not in page.text
    page = await alice.post(f"{await site.path(match)}/level", level="2")
    assert page.status == 409


async def test_a_rematch_with_the_computer_is_at_any_level(site: Site) -> None:
    match = await against_computer(site, 2)
    alice, path = await site.browser_of(ALICE, match), await site.path(match)
    page = await alice.press(await alice.get(path), "@e5")
    page = await alice.press(page, page.choices["Play it"])
    page = await alice.post(f"{path}/resign", step="1")
    for label in ("Rematch", "Level 1", "Level 3"):
        assert f">{label}</button>" in page.html
    rematch = await alice.submit(page, "Level 1")
    assert "Hexgrove (level 1)" in rematch.title
    assert "To the rematch" in (await alice.get(path)).text
    assert (await alice.submit(page, "Level 1")).url == rematch.url
    assert (await alice.submit(page, "Level 3")).status == 409


async def test_there_are_five_levels(site: Site) -> None:
    match = await against_computer(site, 1)
    alice = await site.browser_of(ALICE, match)
    for what, level in product(("level", "propose"), ("0", "6", "", "x", "99999999999")):
        page = await alice.post(f"{await site.path(match)}/{what}", level=level, kind="other")
        assert page.status == 400, level
    assert (await site.services.matches.match(match.id)).result is None


async def test_a_stranger_changes_nothing(site: Site, clock: Clock) -> None:
    match, own = await timed(site, QUICK), await against_computer(site, 1)
    clock.now += timedelta(minutes=11)
    before = await site.services.matches.match(match.id)
    carol = await site.browser_of(CAROL)
    for action, values in (("time", {"step": "2", "left": "600"}), ("claim", {"step": "2"}), ("level", {"level": "2"})):
        for which in (match, own):
            page = await carol.post(f"{await site.path(which)}/{action}", **values)
            assert page.status == 409, action
            assert "You are not playing in match" in page.text
    assert await site.services.matches.match(match.id) == before
    assert (await site.services.matches.match(own.id)).result is None


async def test_a_note_is_kept_whole_and_for_its_writer_alone(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice, path = await site.browser_of(ALICE, match), await site.path(match)
    written = "Watch <e5>!\r\n" + "\r\n".join("世" * 988)
    assert (await alice.post(f"{path}/note", note=written)).url.endswith(path)
    kept = await alice.get(f"{path}/note")
    assert written.replace("\r\n", "\n") in unescape(kept.html)
    assert "no-store" in kept.headers["Cache-Control"]
    assert (await alice.post(f"{path}/note")).status == 400
    assert kept.html.partition("<script")[0] == (await alice.get(f"{path}/note")).html.partition("<script")[0]
    bob, carol, stranger = await site.browser_of(BOB), await site.browser_of(CAROL), await site.browser()
    assert "Watch" not in (await bob.get(f"{path}/note")).text
    for who, status in ((carol, 403), (stranger, 401)):
        assert (await who.get(f"{path}/note")).status == status
        assert (await who.post(f"{path}/note", note="Mine")).status in (status, 409)
