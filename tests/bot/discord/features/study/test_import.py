"""``/import``: records from a file or pasted, which only their owner sees and which count for nothing."""

from __future__ import annotations

import rules
from bot.discord.features.study.import_ import import_form
from bot.domain.study.imports import LARGEST_FILE, MOST_AT_ONCE
from rules import Record
from tests.support.discord.actions import stored_match
from tests.support.discord.club import Answer, Club, Seen
from tests.support.games import WHOLE_GAME

DALEN = rules.ruleset("dalen", 5)
GAME = Record(DALEN, WHOLE_GAME, "1-0", {"Dark": "Magnus", "Light": "*Judit*", "Date": "1999.12.31"})
SHORT = Record(DALEN, ("e5", "light", "d4"), "*", {"Dark": "Ann"})


async def imported(club: Club, text: str | bytes) -> Answer:
    data = text if isinstance(text, bytes) else text.encode()
    return await club.slash(club.alice, "import", file=("games.txt", data))


def only(answer: Answer) -> Seen:
    (card,) = answer.messages
    assert card.private
    return card


async def document(club: Club, number: int) -> str:
    """The record that Alice downloads."""
    card = await club.open(club.alice, "replay", match=str(number))
    (file,) = only(await club.press(club.alice, "Download", on=card)).files
    return club.download(file)


async def test_a_file_is_imported_then_replayed_tried_and_downloaded(club: Club) -> None:
    illegal = str(SHORT).replace("3. d4", "3. e5")
    card = only(await imported(club, f"{GAME}\n{illegal}\n{SHORT}"))
    assert "Record 2 was not imported: line 19, turn 3, e5:" in card.text, "the good ones are kept"
    assert "Dalen, size 5: Magnus vs \\*Judit\\*\n-# #1 · `1-0` · 40 turns" in card.text.replace("**", "")
    assert "Ann vs Anonymous player\n-# #2 · `*` · 3 turns" in card.text.replace("**", "")
    replay = await club.slash(club.alice, "replay", match="1")
    assert "🏆" in replay.private
    assert "Continue from here" not in only(replay).labels, "the game is over"
    await club.press(club.alice, "◀", on=replay.private_handle)
    assert {"Continue from here", "Review", "Note", "Delete"} <= set(club.seen(replay.private_handle).labels)
    await club.press(club.alice, "Try from here", on=replay.private_handle)
    assert "Trying out turns" in club.seen(replay.private_handle).text
    assert await document(club, 1) == str(GAME)
    assert await document(club, 2) == str(SHORT)
    unfinished = await club.slash(club.alice, "replay", match="2")
    assert "The record ends here; the match is not finished." in unfinished.private


async def test_the_form_imports_pasted_text_and_a_file(club: Club) -> None:
    card = await club.slash(club.alice, "import")
    assert "You have none yet." in card.private
    await club.restart()
    form = await club.press(club.alice, "Import…", on=card.private_handle)
    assert form.form
    pasted = f"Ann — Today at 14:03\n```\n{SHORT}```".replace('"dalen"', '"Dalen"').replace("e5", "e5!")
    answer = await club.fill(club.alice, form, text=pasted, files=[("game.txt", str(GAME).encode("utf-16-le"))])
    assert "#1 · `*` · 3 turns" in answer.private
    assert "Comments, variations, signs such as `!` and headings are left out." in answer.private
    assert "#2 · `1-0` · 40 turns" in answer.private
    form = await club.press(club.alice, "Import…", on=card.private_handle)
    again = await club.fill(club.alice, form, text=str(SHORT), files=[])
    assert "#1 · `*` · 3 turns · imported before" in again.private
    assert "left out" not in again.private
    form = await club.press(club.alice, "Import…", on=card.private_handle)
    assert "nothing to import yet" in (await club.fill(club.alice, form, text=" ", files=[])).private
    assert len(import_form().children) == 2


async def test_odd_files_are_refused(club: Club) -> None:
    for data, expected in (
        (b"\xff\xfe\x00", "save them as UTF-8"),
        (b"", "nothing to import yet"),
        (b"*" * (LARGEST_FILE + 1), "at most 256 kB"),
        (b"hello\x00 @everyone **you**", "the tag Game is missing"),
        (b'[Game "dalen"]\n[Size "5"]\n1. **@everyone**', "line 3, turn 1, \\*\\*\\@\u200beveryone"),
    ):
        assert expected in (await imported(club, data)).private, data[:20]
    assert "You have none yet." in (await club.slash(club.alice, "import")).private


async def test_only_the_first_of_many_records_are_read(club: Club) -> None:
    many = "\n".join(str(Record(DALEN, SHORT.turns, "*", {"Round": str(number)})) for number in range(1000))
    card = only(await imported(club, many))
    card.says("… and 10 more.", f"I read only the first {MOST_AT_ONCE}.")
    listed = await club.slash(club.alice, "import")
    assert f"{MOST_AT_ONCE} of at most 200" in listed.private
    await club.press(club.alice, "▶", on=listed.private_handle)
    assert "#10 " in club.seen(listed.private_handle).text


async def test_only_its_owner_sees_and_deletes_a_record(club: Club) -> None:
    await imported(club, str(GAME))
    for command in ("replay", "try"):
        assert "no match with that number" in (await club.slash(club.bob, command, match="1")).private, command
    for command in ("board", "resign", "undo"):
        assert "no match with that number" in (await club.slash(club.alice, command, match="1")).private, command
    assert await club.offers(club.bob, "", command="replay", option="match") == []
    assert "Magnus vs *Judit*" in str(await club.offers(club.alice, "", command="replay", option="match"))
    assert "None yet." in (await club.slash(club.alice, "history")).private
    assert "Magnus" not in (await club.slash(club.alice, "profile")).private
    history = await club.slash(club.alice, "history")
    await club.press(club.alice, "Imported records", on=history.private_handle)
    assert "Magnus" in club.seen(history.private_handle).text
    replay = await club.slash(club.alice, "replay", match="1")
    form = await club.press(club.alice, "Note", on=replay.private_handle)
    await club.fill(club.alice, form, text="A classic.")
    await club.press(club.alice, "◀", on=replay.private_handle)
    await club.press(club.alice, "Share", on=replay.private_handle)
    assert "An imported record, shown by Alice" in club.card().text
    assert "Try from here" not in club.card().labels, "it would lead the others nowhere"
    await club.press(club.alice, "Delete", on=replay.private_handle)
    assert "Delete record #1?" in club.seen(replay.private_handle).text
    await club.press(club.alice, "Yes, delete it", on=replay.private_handle)
    assert "You have none yet." in club.seen(replay.private_handle).text
    assert "no match with that number" in (await club.slash(club.alice, "replay", match="1")).private
    await imported(club, str(SHORT))
    assert "Ann" in (await club.slash(club.alice, "replay", match="2")).private, "its number is never used again"


async def test_help_is_refused_while_its_owner_plays_a_position_of_the_record(club: Club) -> None:
    """The last position of the record is ahead of the match, and another record begins with its position."""
    await stored_match(club, ("e5", "light", "d4"))
    ahead = Record(DALEN, ("e5", "light", "d4", "a1", "b2"))
    setup = Record(rules.continued(DALEN, ("e5", "light", "d4")), ("a1", "b2"))
    other = Record(DALEN, ("e5", "light", "a1", "b2"))
    await imported(club, f"{ahead}\n{setup}\n{other}")
    unfair = "help would not be fair"
    for number, after in (("2", 3), ("3", 0)):
        replay = await club.open(club.alice, "replay", match=number)
        assert unfair in (await club.press(club.alice, "Review", on=replay)).private.replace("\n", " ")
        tried = await club.open(club.alice, "try", match=number, after=after)
        assert unfair in (await club.press(club.alice, "Hint", on=tried)).private
    form = await club.open(club.alice, "replay", "◀", "◀", "Continue from here", match="2")
    assert unfair in (await club.press(club.alice, "The computer", on=form)).private
    assert "not be fair" not in club.seen(await club.open(club.alice, "replay", "Review", match="4")).text
    await club.app.matches.resign(1, club.bob.id, shown_by_caller=True)
    assert "not be fair" not in club.seen(await club.open(club.alice, "replay", "Review", match="2")).text
