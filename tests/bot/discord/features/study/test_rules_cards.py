"""The cards of the rule pages can be sent in each language, and show everything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import render
import rules
from bot.discord.features.study.rules import leaf_card, leaves, number_of
from bot.discord.ui.actions import ReadSection, choices, name_of
from bot.texts import LANGUAGES, SOURCE, in_language
from rules import GAMES
from rules.pages import COMMON, Example, sections
from tests.support.discord.cards import check_card, look, written
from tests.support.thorough import sample

PAGES = [name for name in choices() if name_of(name) == COMMON or name in rules.GAMES]
every_page = pytest.mark.parametrize("name", PAGES)
every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture(params=LANGUAGES, autouse=True)
def language(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The language of the cards. Pictures are drawn in one language only."""
    if request.param != SOURCE:
        undraw(monkeypatch)
    with in_language(request.param):
        yield request.param


def undraw(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(render, "picture", lambda *_args, **_options: b"png")


@every_page
def test_every_leaf_can_be_sent_with_its_examples(name: str, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    page = name_of(name)
    found = leaves(page)
    drawn = sample(range(len(found)), 8)
    for number, leaf in enumerate(found):
        with monkeypatch.context() as patch:
            if number not in drawn:
                undraw(patch)
            post = leaf_card(name, number, look())
        check_card(post)
        examples = [piece for piece in leaf.content if isinstance(piece, Example)]
        assert len(post.pictures) == sum(2 if each.turns() else 1 for each in examples) <= 4
    shown = [piece for leaf in found for piece in leaf.content if isinstance(piece, Example)]
    originals = [piece for section in sections(page) for piece in section.content if isinstance(piece, Example)]
    assert shown == originals


@pytest.mark.parametrize("game", sample([*GAMES], 2))
def test_boards_have_coordinates_whatever_the_readers_preference(game: str) -> None:
    plain = replace(look(), coordinates=False)
    assert [each.png for each in leaf_card(game, 2, plain).pictures] == [
        each.png for each in leaf_card(game, 2, look()).pictures
    ]


@every_page
def test_every_section_begins_on_one_leaf_and_none_is_lost(name: str, language: str) -> None:
    found = leaves(name_of(name))
    for leaf in found:  # no leaf is a title or a sentence alone
        said = sum(len(piece) for piece in leaf.content if isinstance(piece, str))
        assert said > 120 or any(isinstance(piece, Example) for piece in leaf.content), leaf.section.title
    starts = [anchor for leaf in found for anchor in leaf.starts]
    assert starts == [section.anchor for section in sections(name_of(name))]
    whole = "\n".join(piece for leaf in found for piece in leaf.content if isinstance(piece, str))
    for section in sections(name_of(name), language):
        assert section.title in whole or any(leaf.section is section for leaf in found)
        for line in "\n".join(piece for piece in section.content if isinstance(piece, str)).split("\n"):
            if not line.startswith("|"):
                assert all(word in whole for word in line.replace("](", " ](").split() if word.isalpha())


@pytest.mark.usefixtures("undrawn")
def test_the_links_of_a_leaf_are_buttons_that_lead_to_sections() -> None:
    def linked(name: str, number: int) -> set[tuple[str, str]]:
        found = (getattr(item, "press", None) for item in leaf_card(name, number, look()).view.walk_children())
        return {(press.page, press.anchor) for press in found if isinstance(press, ReadSection)}

    for name in PAGES:
        for page, anchor in {link for number in range(len(leaves(name_of(name)))) for link in linked(name, number)}:
            assert anchor in leaves(name_of(page))[number_of(page, anchor)].starts
    first = {name: leaves(name_of(name))[0].starts[0] for name in (*GAMES, "common")}
    assert linked("common", 0) == {(game, first[game]) for game in GAMES}
    assert linked("hedu", 0) == {("common", "the-board")}
    assert linked("dalen", 0) == {("dalen", "the-variant-leaves"), ("common", first["common"])}


@every_game
def test_the_sections_that_a_game_names_have_leaves(game: str) -> None:
    for link in filter(None, GAMES[game].sections):
        page, _md, anchor = link.partition(".md#")
        assert anchor in leaves(page)[number_of(game, anchor)].starts


def test_refused_turns_are_crossed_out_in_the_picture_and_named_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    marked: list[dict[int, str]] = []
    draw = render.picture

    def picture(*args: object, **options: object) -> bytes:
        marked.append(options["targets"])  # type: ignore[arg-type]
        return draw(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(render, "picture", picture)
    post = leaf_card("dalen", number_of("dalen", "your-turn-place-a-stone"), look())
    (crosses,) = marked
    board = rules.board(5)
    refused = ("d6", "e5", "f6", "g5", "h7")
    assert {board.name(cell): sign for cell, sign in crosses.items()} == dict.fromkeys(refused, "×")
    (caption,) = (text for text in written(post) if text.startswith("-# ×"))
    assert all(f"`{cell}`" in caption for cell in refused)
