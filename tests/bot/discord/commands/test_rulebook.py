"""/rules shows the rule pages leaf by leaf; a refused turn leads to its rule; newcomers get a hint once."""

from __future__ import annotations

import pytest

import render
import rules
from bot.discord.cards.rulebook import choices, leaf_card, leaf_of, leaves, name_of
from bot.discord.commands.rulebook import leaf_number
from rules import GAMES
from rules.pages import COMMON, Example, sections
from tests.support.club import Club, seen
from tests.support.games import TWO_LEAVES

PAGES = [name for name in choices() if name_of(name) == COMMON or name in rules.GAMES]
every_page = pytest.mark.parametrize("name", PAGES)


@every_page
def test_every_leaf_can_be_sent_with_all_its_examples(name: str) -> None:
    page = name_of(name)
    found = leaves(page)
    for number, leaf in enumerate(found):
        post = leaf_card(name, number, render.DEFAULT_LOOK, english=False)
        assert 0 < post.view.content_length() <= 3000, "it is read on a phone"
        assert len(list(post.view.walk_children())) <= 40
        examples = [part for part in leaf.parts if isinstance(part, Example)]
        assert len(post.pictures) == sum(2 if each.turns() else 1 for each in examples) <= 4
        assert len({picture.filename for picture in post.pictures}) == len(post.pictures)
        for item in post.view.walk_children():
            assert len(getattr(getattr(item, "item", None), "custom_id", None) or "") <= 100
    shown = [part for leaf in found for part in leaf.parts if isinstance(part, Example)]
    written = [part for section in sections(page) for part in section.parts if isinstance(part, Example)]
    assert shown == written


@every_page
def test_no_word_of_a_page_is_lost_and_no_markdown_is_left_that_discord_does_not_know(name: str) -> None:
    for section in sections(name_of(name)):
        shown = "\n".join(
            part
            for leaf in leaves(name_of(name))
            if leaf.section is section
            for part in leaf.parts
            if isinstance(part, str)
        )
        for line in "\n".join(part for part in section.parts if isinstance(part, str)).split("\n"):
            if not line.startswith("|"):
                assert all(word in shown for word in line.replace("](", " ](").split() if word.isalpha())
        assert "](" not in shown
        assert "|" not in shown
        assert "```" not in shown


@pytest.mark.parametrize("game", GAMES)
def test_the_sections_that_a_game_names_have_leaves(game: str) -> None:
    for link in GAMES[game].sections:
        name, number, title = leaf_of(link)
        assert leaves(name_of(name))[number].section.title.replace("*", "") == title


def test_a_section_can_be_typed() -> None:
    assert leaves("dalen")[leaf_number("dalen", "passing")].section.title == "Passing"


async def test_the_rules_are_turned_and_opened_by_section_after_a_restart(club: Club) -> None:
    handle = (await club.slash(club.alice, "rules", game="dalen")).private_handle
    assert "### 📖 Dalen" in seen(club.env, handle).text
    await club.press(club.alice, "▶", on=handle)
    assert "### 📖 Dalen · The opening" in seen(club.env, handle).text
    assert len(seen(club.env, handle).pictures) == 1
    await club.restart()
    passing = next(at for at, leaf in enumerate(leaves("dalen")) if leaf.section.title == "Passing")
    await club.choose_in(club.alice, "rules-section", str(passing), on=handle)
    assert "### 📖 Dalen · Passing" in seen(club.env, handle).text
    await club.press(club.alice, "◀", on=handle)
    assert "### 📖 Dalen · Your turn: flip" in seen(club.env, handle).text


async def test_a_section_is_offered_and_found_by_its_title(club: Club) -> None:
    offered = await club.offers(club.alice, "pass", command="rules", option="page", game="dalen")
    assert [each["name"] for each in offered] == ["Passing"]
    answer = await club.slash(club.alice, "rules", game="dalen", page="the end")
    assert "### 📖 Dalen · The end" in answer.private
    assert "no section" in (await club.slash(club.alice, "rules", game="dalen", page="moon")).private


async def test_others_are_told_that_the_pages_are_in_english(club: Club) -> None:
    assert "in English so far" not in (await club.slash(club.alice, "rules", game="common")).private
    club.speak(club.bob, "fr")
    club.speak(club.alice, "de")
    german = (await club.slash(club.alice, "rules", game="common")).private
    assert len(german) > len((await club.slash(club.bob, "rules", game="common")).private)


async def test_a_refused_turn_leads_to_its_rule(club: Club) -> None:
    await club.match(turns=TWO_LEAVES)
    answer = await club.slash(club.alice, "move", turn="e5")
    assert answer.private == "e5 is next to two of your leaves: d5, e6."
    await club.restart()
    rule = await club.press(club.alice, "Rule: Your turn: place a stone", on=answer.private_handle)
    assert "### 📖 Dalen · Your turn: place a stone" in rule.private
    assert len(rule.messages[0].pictures) == 1
    assert await club.turns() == TWO_LEAVES


async def test_newcomers_to_a_game_are_told_once_how_it_is_won(club: Club) -> None:
    await club.match()
    assert "Alice, your first Dalen? You win when all stones are yours." in club.card().text
    await club.move(club.alice, "e5")
    assert "Bob, your first Dalen?" in club.card().text
    await club.restart()
    await club.press(club.bob, "Play Light")
    assert "your first" not in club.card().text, "Bob has seen it"
    await club.match(club.bob, club.carol)
    (thread,) = club.threads()
    assert "your first" not in club.card(thread).text
    await club.move(club.bob, "e5", where=thread)
    assert "Carol, your first Dalen?" in club.card(thread).text
