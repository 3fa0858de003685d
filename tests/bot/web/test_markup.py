"""HTML from the Markdown of sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web.html.markup import html
from bot.wording.quoting import as_code, as_markdown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Play `e5`?", "Play <code>e5</code>?"),
        ("**30½ : 23** · regions", "<strong>30½ : 23</strong> · regions"),
        ("one\n-# two", "one<br>two"),
        (r"\*not\* this, *this*", "*not* this, <em>this</em>"),
        (r"**a\*b**", "<strong>a*b</strong>"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("[Jump](https://discord.com/x)", "Jump"),
        ("2 * 3 ** 4", "2 * 3 ** 4"),
        ("use </replay:1576265344144637970>", "use <code>/replay</code>"),
        ("go on in <#207>", "go on in Discord"),
    ],
)
def test_sentences_keep_their_emphasis(text: str, expected: str) -> None:
    assert str(html(text)) == expected


@given(st.text(max_size=40))
def test_names_come_out_as_they_are(name: str) -> None:
    shown = str(html(as_markdown(name)))
    assert "<" not in shown


@given(st.text(alphabet="abc-+*`\\<>&\n", max_size=20))
def test_turns_and_anything_else_are_escaped(text: str) -> None:
    for said in (text, as_code(text)):
        shown = str(html(said))
        for tag in ("<code>", "</code>", "<strong>", "</strong>", "<em>", "</em>", "<br>"):
            shown = shown.replace(tag, "")
        assert "<" not in shown
        assert ">" not in shown
