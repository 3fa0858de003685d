"""/rules opens rule pages. A refused turn leads to its rule, and newcomers read the goal once."""

from __future__ import annotations

from bot.discord.ui.actions import ReadSection
from tests.support.discord.actions import stored_match
from tests.support.discord.club import Club
from tests.support.games import TWO_LEAVES


async def test_rule_pages_are_turned_and_opened_by_section_after_a_restart(club: Club) -> None:
    handle = await club.open(club.alice, "rules", game="dalen", page="dalen")
    assert "### 📖 Dalen" in club.seen(handle).text
    assert "### 📖 Dalen · The opening" in (await club.change(club.alice, "▶", on=handle)).text
    assert len(club.seen(handle).pictures) == 1
    await club.restart()
    await club.choose_in(club.alice, "rules-section", "the-end", on=handle)
    assert "### 📖 Dalen · The end" in club.seen(handle).text
    assert "Only one empty cell" not in (await club.change(club.alice, "◀", on=handle)).text
    await club.choose_in(club.alice, "rules-section", "passing", on=handle)
    assert "You pass when there is no cell where you may place a stone" in club.seen(handle).text


async def test_a_link_is_a_button_and_a_section_is_found_by_its_title(club: Club) -> None:
    handle = await club.open(club.alice, "rules", "→ Hedu", game="common")
    assert "### 📖 Hedu" in club.seen(handle).text
    assert "### 📖 What all games share · The board" in (await club.change(club.alice, "→ The board", on=handle)).text
    offered = await club.offers(club.alice, "pass", command="rules", option="page", game="dalen")
    assert [(each["name"], each["value"]) for each in offered] == [("Passing", "passing")]
    for typed in ("the end", "the-end"):
        assert "### 📖 Dalen · The end" in (await club.slash(club.alice, "rules", game="dalen", page=typed)).private
    assert "no section" in (await club.slash(club.alice, "rules", game="dalen", page="moon")).private
    for press, heading in (
        (ReadSection("dalen", "moon", in_place=False), "### 📖 Dalen"),
        (ReadSection("moon", "end", in_place=False), "I have no rules for that."),
    ):  # outdated presses
        assert heading in (await club.forge(club.alice, press, on=handle)).private, press


async def test_pages_are_in_the_language_of_the_reader(club: Club) -> None:
    club.speak(club.alice, "de")
    club.speak(club.bob, "es-ES")
    assert "Ein Spiel für zwei von Saïd Galdseid" in (await club.slash(club.alice, "rules", game="hedu")).private
    offered = await club.offers(club.bob, "pas", command="rules", option="page", game="dalen")
    assert [(each["name"], each["value"]) for each in offered] == [("Pasar", "passing")]
    page = await club.slash(club.bob, "rules", game="dalen", page="passing")
    assert "Pasas cuando no hay ninguna casilla" in page.private
    await stored_match(club, TWO_LEAVES)
    refusal = (await club.slash(club.alice, "move", turn="e5")).card
    assert refusal.labels == ("Regeln",)


async def test_a_refused_turn_leads_to_its_rule(club: Club) -> None:
    await stored_match(club, TWO_LEAVES)
    answer = await club.slash(club.alice, "move", turn="e5")
    assert answer.private == "e5 is next to two of your leaves: d5, e6."
    await club.restart()
    rule = await club.press(club.alice, "Rules", on=answer.private_handle)
    assert "### 📖 Dalen · Your turn: place a stone" in rule.private
    assert len(rule.messages[0].pictures) == 1
    assert await club.turns() == TWO_LEAVES


async def test_newcomers_read_once_how_a_game_is_won(club: Club) -> None:
    await club.match()
    assert "Alice, your first Dalen? You win when all stones are yours." in club.card().text
    assert club.card().text.count("/move") == 1, "how to play is told once"
    assert club.card().labels[-2:] == ("More…", "Learn in 3 minutes")
    assert "### 🎓 Trees" in (await club.press(club.alice, "Learn in 3 minutes")).private
    await club.move(club.alice, "e5")
    assert "Bob, your first Dalen?" in club.card().text
    await club.restart()
    await club.press(club.bob, "Play Light")
    assert "your first" not in club.card().text, "Bob has seen it"
    assert "Learn in 3 minutes" not in club.card().labels
    await club.match(club.bob, club.carol)
    (thread,) = club.threads()
    assert "your first" not in club.card(thread).text
    await club.move(club.bob, "e5", where=thread)
    assert "Carol, your first Dalen?" in club.card(thread).text
