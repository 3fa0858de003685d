"""Everything that a reader of pages can press: the links and the forms, each kind of them once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from html.parser import HTMLParser
from itertools import count
from urllib.parse import parse_qsl, urlsplit

import rules
from bot.domain.challenges import First
from bot.domain.clocks import TimeControl
from bot.domain.places import Place
from bot.domain.proposals import ProposalKind
from rules.tasks import tasks
from tests.support.games import WHOLE_GAME
from tests.support.pages import Site, store_review
from tests.support.services import ALICE, BOB, DALEN, start
from tests.support.thorough import THOROUGH

#: The address of the part of a page that the script replaces.
PART = 'id="match"'
#: Addresses where there is nothing.
NOWHERE = ("/m/1-x", "/nothing")
_CELL, _NUMBER, _KEY = re.compile(r"\b[a-z]{1,2}\d+\b"), re.compile(r"\d+"), re.compile(r"^/(m|puzzle)/[^/]+")


@dataclass(frozen=True)
class Target:
    """A link or, with ``fields``, a button of a form; the script fetches a ``part`` of the page behind it."""

    address: str
    part: bool
    fields: Mapping[str, str] | None = None

    @property
    def kind(self) -> str:
        """What it has in common with targets that lead to the same kind of page."""
        url = urlsplit(self.address)
        path = _KEY.sub(r"/\1/KEY", url.path)
        path = path if THOROUGH else _NUMBER.sub("N", path)
        told = {**dict(parse_qsl(url.query)), **(self.fields or {})}
        shown = (_NUMBER.sub("N", _CELL.sub("CELL", told.get(each, ""))) for each in ("marks", "press"))
        return " ".join(["GET" if self.fields is None else "POST", path, *sorted(told), *shown, "part" * self.part])


@dataclass
class Reader(HTMLParser):
    """What a page says, and its targets."""

    html: str
    said: list[str] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._silent = self._in_match = False
        self._action, self._fields = "", dict[str, str]()
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self.said += [told[name] for name in ("aria-label", "alt", "title", "data-title") if name in told]
        match tag:
            case "script" | "style":
                self._silent = True
            case "main":
                self._in_match = told.get("id") == "match"
            case "a" if "aria-disabled" not in told:
                self.targets.append(Target(told["href"].partition("#")[0], "data-part" in told))
            case "form":
                self._action, self._fields = told["action"], {}
            case "input" if told.get("type") == "hidden":
                self._fields[told["name"]] = told["value"]
            case "button":
                own = {told["name"]: told["value"]} if "name" in told else {}
                address = told.get("formaction", self._action)
                self.targets.append(Target(address, self._in_match, {**self._fields, **own}))

    def handle_endtag(self, tag: str) -> None:
        self._silent = self._silent and tag not in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.said.append(data)

    @property
    def text(self) -> str:
        return "\n".join(each for each in map(str.strip, self.said) if each)


async def furnish(site: Site) -> list[str]:
    """Give Alice matches of all kinds, a review and proposals; return the addresses to begin with."""
    pages, places = site.pages, (Place(1, each) for each in count(200))
    control = TimeControl.banks_of(timedelta(days=3), timedelta(hours=1))
    hers = [
        await start(pages.matches, place=next(places), turns=("e5", "dark"), control=control),
        await start(pages.matches, place=next(places), turns=("e5", "dark", "d4")),
        await start(pages.matches, place=next(places), ruleset=rules.ruleset("nadraz", 14)),
        await start(pages.matches, place=next(places), ruleset=rules.ruleset("nadraz", 6), turns=("e6,h8", "white")),
        await start(pages.matches, place=next(places), turns=WHOLE_GAME),
        await start(pages.matches, place=next(places), turns=WHOLE_GAME),
        await start(pages.matches, place=Place(1, 200)),  # waits for its channel
        await pages.computer_games.start(next(places), ALICE, 1, DALEN, First.CHALLENGER),
    ]
    await store_review(site, hers[4], 7)
    await pages.proposals.propose(hers[0].id, BOB.id, ProposalKind.DRAW)
    await pages.proposals.propose(hers[1].id, BOB.id, ProposalKind.MOVE, place=next(places))
    courses = [f"/learn/{each}/{len(tasks(each))}" for each in rules.GAMES]
    return ["/", *[await site.path(each) for each in hers], *courses, "/puzzle", "/learn", "/rules", *NOWHERE]
