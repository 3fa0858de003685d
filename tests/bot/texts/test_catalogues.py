"""The catalogues have every text of the code, in every language, with the same values in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import pytest
from babel.messages import Catalog, Message
from babel.messages.pofile import read_po

from bot.texts import LANGUAGES, SOURCE, catalogue_file
from bot.texts.__main__ import extract, update
from tests.support.sources import ROOT, files

TRANSLATED = [language for language in LANGUAGES if language != SOURCE]
#: What marks a text, as in pyproject.toml, and how many of its first arguments are texts.
MARKS = {
    "_": 1,
    "gettext": 1,
    "gettext_noop": 1,
    "ngettext": 2,
    "pgettext": 2,
    "pgettext_noop": 2,
    "Text": 1,
    "counted": 2,
}
REFUSALS = ("TurnError", "NotATurn", "OffTheBoard", "IllegalTurn", "GameOver", "UnknownRuleset", "RecordError")
MARKED = re.compile(rf"\b(?:{'|'.join((*MARKS, *REFUSALS))})\(")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("texts") / "hexgrove.pot"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        extract(file)
    return file


@cache
def read(file: Path, language: str | None = None) -> list[Message]:
    with file.open("rb") as opened:
        catalogue: Catalog = read_po(opened, locale=language)
    return [message for message in catalogue if message.id]


def body(file: Path) -> str:
    """The catalogue without its header, which names the version of Babel."""
    return file.read_text(encoding="utf-8").partition("\n\n")[2]


def source(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def names(texts: list[Message]) -> set[tuple[str | None, tuple[str, ...]]]:
    return {(message.context, source(message)) for message in texts}


def translations(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def fields(text: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(text) if field is not None}


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_has_the_texts_of_the_code_and_no_others(language: str, template: Path) -> None:
    """Where this fails, ``python -m bot.texts`` brings the catalogues up to date; then translate what is new."""
    assert names(read(catalogue_file(language), language)) == names(read(template))


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_is_translated(language: str) -> None:
    texts = read(catalogue_file(language), language)
    assert [source(text) for text in texts if text.fuzzy or not all(translations(text))] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_same_values(language: str) -> None:
    for text in read(catalogue_file(language), language):
        one, many = fields(source(text)[0]), fields(source(text)[-1])
        *others, last = translations(text)
        assert fields(last) == many, f"{last!r} for {source(text)}"
        for form in others:
            # One of something may be said without its number, and without what only several have.
            assert one - {"count"} <= fields(form) <= many, f"{form!r} for {source(text)}"


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_begins_and_ends_as_the_text_does(language: str) -> None:
    """Spaces around a text, its last full stop and its formatting are part of the place where it stands."""
    for text in read(catalogue_file(language), language):
        for translation in translations(text):
            (first, *_) = source(text)
            assert (first[0] == " ", first[-1] == " ") == (translation[0] == " ", translation[-1] == " ")
            assert (first[-1] in ".!?") is (translation[-1] in ".!?"), translation
            assert translation.count("*") == first.count("*"), translation
            assert translation.count("`") == first.count("`"), translation


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_sentence_names_a_button_as_it_is_labelled(language: str) -> None:
    texts = read(catalogue_file(language), language)
    labels = {source(text)[0]: translations(text)[0] for text in texts if text.context is None}
    for text in texts:
        for name in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", source(text)[0]):
            if name[0].isupper() and name in labels:
                assert all(f"*{labels[name]}*" in each for each in translations(text)), (name, translations(text))


def test_catalogues_that_are_up_to_date_stay_as_they_are(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for language in TRANSLATED:
        copy = tmp_path / language / "LC_MESSAGES" / "hexgrove.po"
        copy.parent.mkdir(parents=True)
        copy.write_bytes(catalogue_file(language).read_bytes())
    monkeypatch.setattr("bot.texts.__main__.LOCALE", tmp_path)
    update(template)
    for language in TRANSLATED:
        copy = tmp_path / language / "LC_MESSAGES" / "hexgrove.po"
        assert body(copy) == body(catalogue_file(language))


def test_no_translation_of_a_new_text_is_guessed_from_a_similar_one(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = tmp_path / "hexgrove.pot"
    new.write_text(template.read_text(encoding="utf-8").replace('msgid "Hint"', 'msgid "Hints"'), encoding="utf-8")
    monkeypatch.setattr("bot.texts.__main__.LOCALE", tmp_path)
    for language in TRANSLATED:
        copy = tmp_path / language / "LC_MESSAGES" / "hexgrove.po"
        copy.parent.mkdir(parents=True)
        copy.write_bytes(catalogue_file(language).read_bytes())
    update(new)
    for language in TRANSLATED:
        texts = read(tmp_path / language / "LC_MESSAGES" / "hexgrove.po", language)
        assert [(text.id, text.string, text.fuzzy) for text in texts if text.id == "Hints" or text.fuzzy] == [
            ("Hints", "", False)
        ]


class Marks(NamedTuple):
    """The texts that a file marks, each with the place where it does, and the names that stand for plain strings."""

    texts: list[tuple[str, ast.expr]]
    plain: set[str]


@cache
def marks() -> list[Marks]:
    """The same of every file."""
    return [marks_of(file) for file in files().values()]


def marks_of(file: Path) -> Marks:
    texts, plain = list[tuple[str, ast.expr]](), set[str]()
    code = file.read_text(encoding="utf-8")
    if not MARKED.search(code):
        return Marks(texts, plain)
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            count = MARKS.get(called, 1 if called in REFUSALS else 0)
            texts += [(f"{file.relative_to(ROOT)}:{node.lineno}", text) for text in node.args[:count]]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            plain |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return Marks(texts, plain)


def marked() -> Iterator[tuple[str, ast.expr]]:
    """The texts that the code marks, each with the place where it does."""
    return chain.from_iterable(each.texts for each in marks())


def test_the_code_marks_whole_texts() -> None:
    """No text is put together before it is looked up, for no catalogue could have it."""
    for where, text in marked():
        assert not isinstance(text, ast.JoinedStr | ast.BinOp), f"{where} is no text that can be translated"
        if isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute):
            assert text.func.attr != "format", f"{where} translates a text after its values are in it"


def test_no_text_is_looked_up_by_a_name_without_being_marked() -> None:
    """``reason = later("…")`` is found by the extraction, ``reason = "…"`` is not."""
    for file in marks():
        for where, text in file.texts:
            assert not (isinstance(text, ast.Name) and text.id in file.plain), f"{where} is not extracted"


def test_every_text_that_the_code_marks_is_found(template: Path) -> None:
    found = {text for message in read(template) for text in (*source(message), message.context)}
    for where, text in marked():
        if isinstance(text, ast.Constant):
            assert text.value in found, f"{where} is not extracted"
