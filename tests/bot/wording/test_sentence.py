"""Sentences as Discord shows them, and as the pages do."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st
from markupsafe import Markup, escape

from bot.wording.quoting import as_code, as_markdown, as_text
from bot.wording.sentence import Sentence, joined


@pytest.mark.parametrize(
    ("sentence", "html", "plain"),
    [
        (Sentence("Play {turn}?").format(turn=as_code("c7*d7-b7")), "Play <code>c7*d7-b7</code>?", "Play c7*d7-b7?"),
        (Sentence("**{side}** · *this*").format(side="Dark"), "<strong>Dark</strong> · <em>this</em>", "Dark · this"),
        (Sentence("{a} & {b}").format(a="*1*", b="<i>"), "*1* &amp; &lt;i&gt;", "*1* & <i>"),
        (Sentence("2 * 3 ** 4, a_b_c"), "2 * 3 ** 4, a_b_c", "2 * 3 ** 4, a_b_c"),
        (Sentence("[Jump](https://discord.com/x)"), "[Jump](https://discord.com/x)", "[Jump](https://discord.com/x)"),
        (joined("<", "", Sentence("**b**"), by="\n"), "&lt;<br>\n<strong>b</strong>", "< b"),
        (Sentence("you *win*").capitalized(), "You <em>win</em>", "You win"),
    ],
)
def test_a_sentence_keeps_its_emphasis_and_shows_values_as_they_are(sentence: Sentence, html: str, plain: str) -> None:
    assert str(escape(sentence)) == html
    assert sentence.plain == plain


@given(st.text(max_size=40))
@example("<b>{0}</b> **&amp;** @everyone")
def test_a_name_adds_no_markup(name: str) -> None:
    sentence = joined(Sentence("**{name}** opens.").format(name=as_markdown(name)), as_markdown(name))
    assert sentence.__html__() == Markup("<strong>{0}</strong> opens.{1}{0}").format(
        as_text(name), " " if as_text(name) else ""
    )


@given(st.text(alphabet="abc-+*`\\<>&\n{}", max_size=20))
def test_a_turn_adds_no_markup(turn: str) -> None:
    html = Sentence("{player} played {turn}").format(player="Anna", turn=as_code(turn)).__html__()
    assert html.startswith("Anna played <code>")
    assert html.count("<") == html.count(">") == 2
