"""The rule pages and lessons: every position is set up and played, every claim below it is checked, and each page
exists in each language with the same sections and examples.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from bot.texts import LANGUAGES
from rules import GAMES, Position, Ruleset, TurnError, board
from rules.pages import (
    COMMON,
    LESSONS,
    RULES,
    SOURCE,
    TASKS,
    Example,
    Section,
    anchor_of,
    examples,
    page_file,
    sections,
    text,
)
from tests.support.diagrams import TERMS, Reading
from tests.support.each import for_each
from tests.support.positions import ANY_GAME, refusal, walk
from tests.support.tern import Tern

with pytest.MonkeyPatch.context() as registered:
    registered.setitem(GAMES, Tern.name, Tern)
    PAGES = {page: text(page) for page in (COMMON, *(f"{game}{RULES}" for game in ANY_GAME))}
    LESSON_PAGES = [f"{game}{LESSONS}" for game in ANY_GAME]
    EXAMPLES = [example for page in (*PAGES, *LESSON_PAGES) for example in examples(page)]
TASK_PAGES = [f"{game}{TASKS}" for game in ANY_GAME]
TRANSLATIONS = [language for language in LANGUAGES if language != SOURCE]
every_page = for_each("page", PAGES)
every_page_lesson_and_task = for_each("page", [*PAGES, *LESSON_PAGES, *TASK_PAGES])
every_language = for_each("language", LANGUAGES)
every_translation = for_each("language", TRANSLATIONS)
every_game = for_each("game", ANY_GAME.values(), lambda game: game.name)
#: The games on the common page, which have everything players need to learn them.
every_offered_game = for_each("game", GAMES.values(), lambda game: game.name)


# The claims of a page's diagrams


every_example = for_each("example", EXAMPLES, lambda example: f"{example.page}-line-{example.line}")


@every_example
def test_an_example_is_true_and_drawn_as_the_program_draws_it(example: Example) -> None:
    assert example.ruleset.variant in example.ruleset.game.variants
    assert example.ruleset.size <= example.ruleset.game.default_size
    Reading(example).read()


#: The claims about what a turn does; none may be missing.
EFFECTS = {"flips", "flips back", "captures", "germinates", "sprouts", "height", "reduced", "raised", "wins"}


@every_example
def test_false_claims_and_unclaimed_effects_are_detected(example: Example) -> None:
    for at, (what, said) in enumerate(example.claims):
        instead: list[tuple[tuple[str, str], ...]] = [((what, "none" if said != "none" else "a1"),), (("moon", said),)]
        if what in EFFECTS and said != "none":
            instead.append(())
        for claims in instead:
            spoiled = replace(example, claims=(*example.claims[:at], *claims, *example.claims[at + 1 :]))
            with pytest.raises((AssertionError, TurnError, ValueError, pytest.fail.Exception)):
                Reading(spoiled).read()


# The required parts of a page


@every_page
def test_a_page_has_examples_and_every_block_is_checked(page: str) -> None:
    found = [example for example in EXAMPLES if example.page == page]
    plain = len(re.findall(r"^```$", PAGES[page], re.MULTILINE))
    assert len(found) == plain, "a block names no game"
    name = page.removesuffix(RULES)
    if name in GAMES:
        assert len(found) >= 3
        assert {example.ruleset.game.name for example in found} == {name}
        assert {example.ruleset.variant for example in found} == set(GAMES[name].variants)


@every_game
def test_a_page_has_an_example_of_every_claim_about_a_side(game: type[Position]) -> None:
    said = {what for example in EXAMPLES if example.page == game.name + RULES for what, _ in example.claims}
    for term in TERMS.get(game.name, {}):
        assert any(f"{side} {term}" in said for side in game.sides)


@every_page
def test_a_page_credits_the_designer(page: str) -> None:
    introduction = " ".join(PAGES[page].split("\n## ")[0].split())
    assert re.search(r"\b[Bb]y (?:\*\*)?[A-Z]\w+ [A-Z]\w+", introduction)


def played_on(game: type[Position]) -> str:
    """The sentence about a game's sizes."""
    *others, last = map(str, game.sizes)
    if not others:
        return f"{game.title} is played on size {last}"
    return f"{game.title} is played on sizes {', '.join(others)} and {last}; size {game.default_size} is usual"


@every_game
def test_a_page_names_its_game_with_its_sizes_and_variants(game: type[Position]) -> None:
    page = " ".join(PAGES[game.name + RULES].split())
    assert page.startswith(f"# {game.title} ")
    assert played_on(game) in page
    assert set(re.findall(r" The variant \*(\w+)\*", page)) == set(game.variants[1:])


@every_offered_game
def test_the_common_page_lists_the_game_whose_page_links_back(game: type[Position]) -> None:
    variants = ", ".join(f"*{variant}*" for variant in game.variants[1:]) or "–"
    row = (f"[{game.title}]({game.name}/rules.md)", ", ".join(map(str, game.sizes)), str(game.default_size), variants)
    assert f"| {' | '.join(row)} |" in PAGES["README"]
    assert re.search(rf"^- \*\*\[{game.title}\]\({game.name}/rules\.md\)\*\*", PAGES["README"], re.MULTILINE)
    assert "(../README.md" in PAGES[game.name + RULES]


@every_page
def test_a_page_gives_the_right_numbers_of_cells(page: str) -> None:
    for size, count in re.findall(r"size (\d+)\s+has\s+(\d+)", PAGES[page]):
        assert int(count) == len(board(int(size)).cells)
    assert page != "README" or re.search(r"size \d+\s+has", PAGES[page])


@every_page
def test_a_page_ends_with_its_rulings(page: str) -> None:
    assert sections(page)[-1].anchor == "rulings"
    count = len(rulings(page, SOURCE))
    assert count > 0
    assert {len(rulings(page, language)) for language in LANGUAGES} == {count}


@every_game
def test_a_page_names_the_text_that_it_follows(game: type[Position]) -> None:
    named, *translated = (
        re.findall(r"(\w+\.\w+),\s\D+(\d+)\D+(\d{4})\.\s", said_of_rulings(game.name + RULES, language))
        for language in LANGUAGES
    )
    assert len(named) == 1
    assert all(dates == named for dates in translated)


def said_of_rulings(page: str, language: str) -> str:
    (said,) = (piece for piece in sections(page, language)[-1].content if isinstance(piece, str))
    return said


def rulings(page: str, language: str) -> list[str]:
    """The items of the last section, which all begin with the same word."""
    word = {"en": "Ruling", "de": "Auslegung", "es": "Interpretación"}[language]
    found = re.findall(r"^- \*\*(.*?)[:.*]", said_of_rulings(page, language), re.MULTILINE)
    assert set(found) == {word}
    return found


# Links


@every_page
def test_a_section_is_the_text_below_its_heading_and_the_contents_name_it(page: str) -> None:
    written = re.sub(r"^ *- \[.*\]\(#.*\)$", "", PAGES[page], flags=re.MULTILINE)
    said = [piece for section in sections(page) for piece in section.content if isinstance(piece, str)]
    assert [section.title for section in sections(page)[1:]] == re.findall(r"^##+ (.*)$", written, re.MULTILINE)
    plain = re.sub(r"(?ms)^#+ .*?$|^```.*?^```$|^<sub>.*?</sub>$", "", written)
    assert "".join("".join(said).split()) == "".join(plain.split())
    contents = re.findall(r"^ *- \[(.*)\]\(#(.*)\)$", PAGES[page], re.MULTILINE)
    assert contents in ([], [(section.title, section.anchor) for section in sections(page)[1:]])


@every_game
def test_every_refusal_of_a_turn_comes_from_a_section_of_the_rules(game: type[Position]) -> None:
    known = {f"{page}.md#{section.anchor}" for page in (COMMON, game.name + RULES) for section in sections(page)[1:]}
    named = {*filter(None, game.sections)}
    found = {*named}
    chance = random.Random(game.name)
    for seed in range(3):
        for position, turn in walk(Ruleset(game, 5, game.variants[0]), seed):
            names = chance.sample(position.board.names(position.board.mask), 4)
            marks = ("+", "*", "-", ",")
            marked = (f"{turn}{mark}{names[0]}" for mark in marks)
            for typed in (*names, "pass", game.sides[0], *marked, "-".join(names[:2])):
                error = refusal(position.parse, typed)
                if error is not None:
                    found.add(error.rule)
    assert found <= known
    assert found > named, "no refusal of an unreadable turn"


@every_language
@every_page
def test_every_link_leads_somewhere(page: str, language: str) -> None:
    file = page_file(page, language)
    links = re.findall(r"\]\(([^)]*)\)", file.read_text(encoding="utf-8"))
    assert links
    for link in links:
        target, _, section = link.partition("#")
        named = file.parent / target if target else file
        assert named.is_file()
        headings = re.findall(r"^#+ (.*)$", named.read_text(encoding="utf-8"), re.MULTILINE)
        assert not section or section in map(anchor_of, headings)


# Languages


def spoken(section: Section) -> str:
    return "\n".join(piece for piece in section.content if isinstance(piece, str))


def cells(section: Section) -> set[str]:
    """The cells and turns in a text."""
    quoted = re.findall(r"`([^`]*)`", spoken(section))
    return {word for text in quoted for word in text.split() if re.search(r"[a-z][0-9]", word)}


@every_translation
@every_page_lesson_and_task
def test_a_translation_has_the_sections_examples_cells_and_length_of_the_original(page: str, language: str) -> None:
    for section, source in zip(sections(page, language), sections(page), strict=True):
        assert (section.anchor, section.level) == (source.anchor, source.level)
        assert [piece for piece in section.content if isinstance(piece, Example)] == [
            piece for piece in source.content if isinstance(piece, Example)
        ]
        assert cells(section) == cells(source)
        assert not spoken(source) or spoken(section) not in {"", spoken(source)}
        assert 0.6 < (len(spoken(section)) + 40) / (len(spoken(source)) + 40) < 1.6


@every_translation
@every_page_lesson_and_task
def test_a_translation_links_the_section_of_a_missing_example(page: str, language: str) -> None:
    links = re.findall(r"^\[\w+\]\(\.\./(.*)\.md#(.*)\)$", text(page, language), re.MULTILINE)
    shown = [section.anchor for section in sections(page) for piece in section.content if isinstance(piece, Example)]
    assert links == [(page.rpartition("/")[2], anchor) for anchor in shown]
    assert "```" not in text(page, language)


@every_language
@every_page_lesson_and_task
def test_a_sentence_that_there_are_no_draws_speaks_of_the_rules(page: str, language: str) -> None:
    said = " ".join(" ".join(map(spoken, sections(page, language))).split())
    for sentence in re.findall(r"[^.!?]*(?:no draw|kein Unentschieden|Unentschieden gibt|no hay tablas)[^.!?]*", said):
        assert re.search("rules|Regeln|reglas", sentence)
        assert page in PAGES or re.search("agree on one|eines vereinbaren|pueden acordarlas", sentence)


def test_a_translation_with_other_sections_or_examples_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    german = text("hedu/rules", "de")
    for part in ("### Keine Höhe 0", "[Bild](../rules.md#no-height-0)"):
        spoiled = german.replace(f"\n{part}\n", "")
        assert spoiled != german
        with monkeypatch.context() as patch:
            patch.setattr("rules.pages.text", lambda page, language="en", spoiled=spoiled: spoiled)
            with pytest.raises(ValueError, match="zip"):
                sections.__wrapped__("hedu/rules", "de")


@every_language
@every_offered_game
def test_there_are_five_lessons_with_a_picture_and_short_sentences(game: type[Position], language: str) -> None:
    _title, *found = sections(game.name + LESSONS, language)
    assert len(found) == 5
    for lesson in found:
        words, example = lesson.content
        assert isinstance(words, str)
        assert isinstance(example, Example)
        assert 80 < len(words) < 480
        assert len(re.findall(r"[.!?](?:\s|$)", words)) <= 4
