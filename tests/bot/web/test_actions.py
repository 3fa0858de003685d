"""Actions of players besides turns: proposals, the clock, the computer's level, and notes."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from html import unescape
from itertools import product

from bot.domain.challenges import First
from bot.domain.clocks import DAY, DAYS_OFF, TimeControl
from bot.domain.matches import Ending, Match
from bot.domain.timers import TimerKind
from tests.support.services.matches import ALICE, CAROL, DALEN, PLACE, Clock
from tests.support.services.stored import due_timers
from tests.support.web.pages import Site

QUICK = TimeControl.banks_of(timedelta(minutes=10), timedelta(seconds=30))
SLOW = TimeControl.banks_of(3 * DAY, DAY)


async def against_computer(site: Site, level: int) -> Match:
    return await site.services.computer_games.start(PLACE, ALICE, level, DALEN, First.CHALLENGER)


async def test_the_page_shows_the_remaining_time_of_both_players(site: Site, clock: Clock) -> None:
    quick, slow = await site.table("e5", "dark", control=QUICK), await site.table("e5", "dark", control=SLOW)
    await site.services.settings.change_preferences(quick.match.second, language="de")
    clock.now += timedelta(seconds=65)
    page = await (await site.browser()).get(quick.path)
    assert 'data-left="565"' in page.html
    assert "Bob 10:30 Alice 9:25" in page.text  # as on the board
    assert "Give" not in page.text
    assert "day off" not in page.text
    assert 'data-left="565"' in (await quick.bob.get(f"{quick.path}/clocks")).html
    page = await slow.alice.get(slow.path)
    assert f"Alice: {DAYS_OFF} days off left" in page.text
    assert "A day off is used automatically" in page.text
    clock.now += timedelta(hours=36)
    assert "2 Tage 11 Stunden" in (await slow.bob.get(f"{slow.path}/clocks")).html
    clock.now += 2 * DAY
    assert "/claim" not in (await slow.bob.get(slow.path)).html, "Alice still has days off"
    await quick.bob.post(f"{quick.path}/resign", step="2")
    assert not (await quick.bob.get(f"{quick.path}/clocks")).html.strip()


async def test_a_double_press_gives_time_once(site: Site) -> None:
    table = await site.table("e5", "dark", control=QUICK)
    page = await table.bob.get(table.path)
    for _ in range(2):
        assert "Alice 15:30" in (await table.bob.submit(page, "Give 5 minutes more")).text
    page = await table.bob.post(f"{table.path}/time", step="2", left="600")
    assert page.status == 409
    assert "The clock has changed" in page.text
    matches = site.services.matches
    assert (TimerKind.CARD, table.match.id) in await due_timers(matches.storage, matches.now())


async def test_equal_actions_at_once_are_one_action(site: Site) -> None:
    table, shown = await site.table("e5", "dark", control=QUICK), ""
    for browser, action, form in (
        (table.bob, "propose", {"kind": "abandon", "step": "2"}),
        (table.alice, "answer", {"answer": "decline", "proposal": "1"}),
        (table.alice, "resign", {"step": "2"}),
        (table.bob, "propose", {"kind": "rematch", "step": "2"}),
        (table.alice, "answer", {"answer": "accept", "proposal": "2"}),
    ):
        pages = await asyncio.gather(*(browser.post(f"{table.path}/{action}", **form) for _ in range(5)))
        assert [page.status for page in pages] == [200] * 5, (action, pages[-1].text)
        assert len({page.text for page in pages}) == 1
        shown = pages[0].url
    rematch = (await table.game()).match.rematch_id
    assert rematch is not None
    assert shown.endswith(await site.services.doors.key(rematch))


async def test_the_waiting_player_claims_the_win_once_the_time_is_up(site: Site, clock: Clock) -> None:
    table = await site.table("e5", "dark", control=QUICK)
    assert "Claim the win" not in (await table.bob.get(table.path)).text
    assert (await table.bob.post(f"{table.path}/claim", step="2")).status == 409
    clock.now += timedelta(minutes=11)
    assert "Claim the win" not in (await table.alice.get(table.path)).text
    page = await table.bob.get(table.path)
    assert "Bob, you may claim the win" in page.text
    assert "Alice ran out of time" in (await table.bob.submit(page, "Claim the win")).text
    result = (await table.game()).match.result
    assert result is not None
    assert result.ending is Ending.TIME


async def test_another_level_can_be_chosen_until_the_first_turn(site: Site) -> None:
    match = await against_computer(site, 1)
    alice, path = await site.browser_of(ALICE), await site.path(match)
    page = await alice.get(path)
    assert "Level 1" not in page.text
    page = await alice.submit(page, "Level 3")
    assert "Hexgrove (level 3)" in page.title
    rematch = (await site.services.matches.match(match.id)).rematch_id
    assert rematch is not None
    assert page.url.endswith(await site.services.doors.key(rematch))
    page = await alice.play(page.url.removeprefix(site.base), "e5")
    assert "Another level" not in page.text
    assert (await alice.post(f"{path}/level", level="2")).status == 409


async def test_a_rematch_with_the_computer_is_at_any_level(site: Site) -> None:
    match = await against_computer(site, 2)
    alice, path = await site.browser_of(ALICE), await site.path(match)
    for what, level in product(("level", "propose"), ("0", "6", "", "x", "99999999999")):
        assert (await alice.post(f"{path}/{what}", level=level, kind="other")).status == 400, level
    await alice.play(path, "e5")
    page = await alice.post(f"{path}/resign", step="1")
    assert all(f">{label}</button>" in page.html for label in ("Rematch", "Level 1", "Level 3"))
    rematch = await alice.submit(page, "Level 1")
    assert "Hexgrove (level 1)" in rematch.title
    assert "To the rematch" in (await alice.get(path)).text
    assert (await alice.submit(page, "Level 1")).url == rematch.url
    assert (await alice.submit(page, "Level 3")).status == 409


async def test_others_take_no_action(site: Site, clock: Clock) -> None:
    table, own = await site.table("e5", "dark", control=QUICK), await against_computer(site, 1)
    clock.now += timedelta(minutes=11)
    before, carol = (await table.game()).match, await site.browser_of(CAROL)
    for action, values in (("time", {"step": "2", "left": "600"}), ("claim", {"step": "2"}), ("level", {"level": "2"})):
        for path in (table.path, await site.path(own)):
            page = await carol.post(f"{path}/{action}", **values)
            assert page.status == 409, action
            assert "You are not playing in match" in page.text
    assert (await table.game()).match == before
    assert (await site.services.matches.match(own.id)).result is None


async def test_blocked_players_make_no_proposal(site: Site, clock: Clock) -> None:
    table = await site.table("e5", "dark")
    privacy = site.services.privacy
    await privacy.set_blocked(table.match.second, [ALICE.id])
    page = await table.alice.post(f"{table.path}/propose", step="2", kind="abandon")
    assert page.status == 409
    assert "Bob" in page.text
    assert (await table.game()).match.proposals == ()


async def test_only_its_writer_reads_a_note(site: Site) -> None:
    table = await site.table("e5", "dark")
    written, path = "Watch <e5>!\r\n" + "\r\n".join("世" * 988), f"{table.path}/note"
    assert (await table.alice.post(path, note=written)).url.endswith(table.path)
    assert (await table.alice.post(path)).status == 400
    kept = await table.alice.get(path)
    assert written.replace("\r\n", "\n") in unescape(kept.html)
    assert "no-store" in kept.headers["Cache-Control"]
    assert "Watch" not in (await table.bob.get(path)).text
    for browser, status in ((await site.browser_of(CAROL), 403), (await site.browser(), 401)):
        assert (await browser.get(path)).status == status
        assert (await browser.post(path, note="Mine")).status in (status, 409)
