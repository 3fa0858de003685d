"""The rule pages on the web."""

from __future__ import annotations

import re

import pytest

import rules
from bot.texts import LANGUAGES
from bot.web.html.markup import blocks
from tests.support.pages import Site

PAGES = ["/rules", *(f"/rules/{game}" for game in rules.GAMES)]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_rule_page_leads_only_to_what_there_is(site: Site, language: str) -> None:
    browser = await site.browser()
    shown = {path: await browser.get(path, **{"Accept-Language": language}) for path in PAGES}
    anchors = {path: set(re.findall(r'id="([^"]+)"', page.html)) for path, page in shown.items()}
    for path, page in shown.items():
        assert page.status == 200
        assert f'lang="{language}"' in page.html
        assert "](" not in page.text
        assert "**" not in page.text
        for target in re.findall(r'<a href="(/rules[^"]*)"', page.html):
            other, _hash, anchor = target.partition("#")
            if other not in anchors:
                seen = await browser.get(other, **{"Accept-Language": language})
                assert seen.status == 200
                anchors[other] = set(re.findall(r'id="([^"]+)"', seen.html))
            assert not anchor or anchor in anchors[other], (path, target)


async def test_every_example_has_its_picture(site: Site) -> None:
    browser = await site.browser()
    for path in PAGES:
        page = await browser.get(path)
        pictures = re.findall(r'<img src="(/rules[^"]*)" alt="([^"]+)"', page.html)
        assert pictures, path
        for address, _description in (pictures[0], pictures[-1]):
            assert (await browser.bytes_of(address.replace("&amp;", "&"))).startswith(b"\x89PNG")
        last = pictures[-1][0].replace("&amp;", "&")
        beyond = re.sub(r"/(\d+)\.png", lambda found: f"/{int(found[1]) + 1}.png", last)
        assert (await browser.get(beyond)).status == 404
        assert (await browser.get(last.replace("theme=dark", "theme=neon"))).status == 404


async def test_there_are_no_rules_of_other_games(site: Site) -> None:
    assert (await (await site.browser()).get("/rules/chess")).status == 404


def test_lists_and_tables_keep_their_form() -> None:
    text = "One:\n- a\n  b\n- *c*\n\n1. x\n2. y\n\n| h | i |\n| --- | --- |\n| 1 | [2](#t) |"
    assert str(blocks(text, lambda target: f"/p{target}")) == (
        "<p>One:</p><ul><li>a b</li><li><em>c</em></li></ul>\n<ol><li>x</li><li>y</li></ol>\n"
        '<div class="wide-table" tabindex="0"><table><tr><th scope="col">h</th><th scope="col">i</th></tr>'
        '<tr><td>1</td><td><a href="/p#t">2</a></td></tr></table></div>'
    )
