"""Rule pages on the web."""

from __future__ import annotations

import re

import pytest

import rules
from bot.texts import LANGUAGES
from bot.web.html.markup import blocks
from tests.support.web.pages import Seen, Site

LINK = '<a href="(/rules[^"]*)"'
PAGES = ["/rules", *(f"/rules/{game}" for game in rules.GAMES)]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_links_of_rule_pages_lead_to_existing_sections(site: Site, language: str) -> None:
    browser, pages, waiting = await site.browser(), dict[str, Seen](), [*PAGES]
    while waiting:
        path = waiting.pop()
        if path not in pages:
            page = pages[path] = await browser.get(path, **{"Accept-Language": language})
            assert page.status == 200, path
            assert f'lang="{language}"' in page.html
            assert "](" not in page.text
            assert "**" not in page.text
            waiting += [target.partition("#")[0] for target in page.addresses(LINK)]
    for path, page in pages.items():
        for target in page.addresses(LINK):
            other, _hash, anchor = target.partition("#")
            assert not anchor or f'id="{anchor}"' in pages[other].html, (path, target)


async def test_every_rule_page_has_pictures(site: Site) -> None:
    browser = await site.browser()
    for path in PAGES:
        pictures = (await browser.get(path)).addresses(r'<img src="(/rules[^"]*)" alt="[^"]+"')
        assert pictures, path
        for address in (pictures[0], pictures[-1]):
            assert (await browser.bytes_of(address)).startswith(b"\x89PNG")
        beyond = re.sub(r"/(\d+)\.png", lambda found: f"/{int(found[1]) + 1}.png", pictures[-1])
        for missing in (beyond, pictures[-1].replace("theme=dark", "theme=neon"), "/rules/chess"):
            assert (await browser.get(missing)).status == 404


def test_only_our_markup_becomes_html() -> None:
    text = "One <b>:\n- a\n  b\n- *c*\n\n| h |\n| --- |\n| [2](#zü) [3](x.md) |"
    html = blocks(text, lambda target: f"/p{target}" if target.startswith("#") else None)
    assert re.sub(r"\s*\n", "", html) == (
        "<p>One &lt;b&gt;:</p><ul><li>ab</li><li><em>c</em></li></ul>"
        '<div class="wide-table" tabindex="0"><table><thead><tr><th>h</th></tr></thead>'
        '<tbody><tr><td><a href="/p#zü">2</a> 3</td></tr></tbody></table></div>'
    )
