"""Notes on a match: written in a form, kept over a restart, and private."""

from __future__ import annotations

from simcord import MemberActor

from bot.services.study.notes import LONGEST_NOTE
from tests.support.discord.actions import finished_match
from tests.support.discord.club import Answer, Club


async def open_note(club: Club, who: MemberActor) -> Answer:
    return await club.press(who, "Note", on=await club.press_all(who, "More…", "Even more…"))


async def test_a_note_is_kept_changed_and_deleted(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    written = await club.fill(club.alice, await open_note(club, club.alice), text="  Watch *d4*! ")
    assert written.private == "Your note on match #1 is saved."
    await club.restart()
    form = await open_note(club, club.alice)
    assert "Watch *d4*!" in str(form.result.modal)
    assert "Watch" not in str((await open_note(club, club.bob)).result.modal)
    assert "Watch" not in str([club.seen(each) for each in club.messages()])
    assert (await club.fill(club.alice, form, text="")).private == "Match #1 has no note now."
    assert await club.app.notes.get(1, club.alice.id) == ""


async def test_a_note_on_a_finished_match_is_on_its_replay_until_its_writer_is_deleted(club: Club) -> None:
    await finished_match(club, ["e5", "light"])
    for who, has in ((club.alice, True), (club.carol, False)):
        assert ("Note" in club.seen((await club.slash(who, "replay", match="1")).private_handle).labels) is has
    card = await club.open(club.alice, "replay", match="1")
    await club.fill(club.alice, await club.press(club.alice, "Note", on=card), text="x" * LONGEST_NOTE)
    assert await club.app.notes.get(1, club.alice.id) == "x" * LONGEST_NOTE
    mine, theirs = [str(await club.app.privacy.export(who.id)) for who in (club.alice, club.bob)]
    assert "x" * LONGEST_NOTE in mine
    assert "xxx" not in theirs
    await club.app.privacy.delete(club.alice.id)
    async with club.app.storage.read() as tx:
        assert await tx.notes.get(1, club.alice.id) == ""
