"""Finds every link and form on the pages, so that each kind is pressed once."""

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
from bot.domain.matches import ProposalKind
from bot.domain.places import Place
from rules.tasks import tasks
from tests.support.games import WHOLE_GAME
from tests.support.services.matches import ALICE, BOB, DALEN, start
from tests.support.thorough import THOROUGH
from tests.support.web.pages import Site, store_review

#: The id of the page part that the script replaces.
PART = 'id="match"'
#: Addresses of pages that do not exist.
NOWHERE = ("/m/1-x", "/nothing")
_CELL, _NUMBER, _KEY = re.compile(r"\b[a-z]{1,2}\d+\b"), re.compile(r"\d+"), re.compile(r"^/(m|puzzle)/[^/]+")


@dataclass(frozen=True)
class Target:
    """A link or, with ``fields``, a form's button. For a ``part``, the script fetches only part of the page."""

    address: str
    part: bool
    fields: Mapping[str, str] | None = None

    @property
    def kind(self) -> str:
        """A key shared by targets that lead to the same kind of page."""
        url = urlsplit(self.address)
        path = _KEY.sub(r"/\1/KEY", url.path)
        path = path if THOROUGH else _NUMBER.sub("N", path)
        values = {**dict(parse_qsl(url.query)), **(self.fields or {})}
        shown = (_NUMBER.sub("N", _CELL.sub("CELL", values.get(name, ""))) for name in ("marks", "press"))
        return " ".join(["GET" if self.fields is None else "POST", path, *sorted(values), *shown, "part" * self.part])


@dataclass
class Reader(HTMLParser):
    """Reads a page's text and its targets."""

    html: str
    said: list[str] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._silent = self._in_match = self._in_part = False
        self._action, self._fields = "", dict[str, str]()
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.said += [attributes[name] for name in ("aria-label", "alt", "title", "data-title") if name in attributes]
        match tag:
            case "script" | "style":
                self._silent = True
            case "main":
                self._in_match = attributes.get("id") == "match"
            case "a" if "aria-disabled" not in attributes:
                self.targets.append(Target(attributes["href"].partition("#")[0], "data-part" in attributes))
            case "form":
                self._action, self._fields = attributes["action"], {}
                self._in_part = self._in_match and "data-away" not in attributes
            case "input" if attributes.get("type") == "hidden":
                self._fields[attributes["name"]] = attributes["value"]
            case "button" if "disabled" not in attributes:
                own = {attributes["name"]: attributes["value"]} if "name" in attributes else {}
                address = attributes.get("formaction", self._action)
                self.targets.append(Target(address, self._in_part, {**self._fields, **own}))

    def handle_endtag(self, tag: str) -> None:
        self._silent = self._silent and tag not in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.said.append(data)

    @property
    def text(self) -> str:
        return "\n".join(said for said in map(str.strip, self.said) if said)


async def furnish(site: Site) -> list[str]:
    """Give Alice matches of all kinds, a review and proposals; return the addresses at which to start."""
    services, places = site.services, (Place(1, number) for number in count(200))
    control = TimeControl.banks_of(timedelta(days=3), timedelta(hours=1))
    hers = [
        await start(services.matches, place=next(places), turns=("e5", "dark"), control=control),
        await start(services.matches, place=next(places), turns=("e5", "dark", "d4")),
        await start(services.matches, place=next(places), ruleset=rules.ruleset("nadraz", 14)),
        await start(services.matches, place=next(places), ruleset=rules.ruleset("nadraz", 6), turns=("e6,h8", "white")),
        await start(services.matches, place=next(places), turns=WHOLE_GAME),
        await start(services.matches, place=next(places), turns=WHOLE_GAME),
        await start(services.matches, place=Place(1, 200)),  # waits for its channel
        await services.computer_games.start(next(places), ALICE, 1, DALEN, First.CHALLENGER),
    ]
    await store_review(site, hers[4], 7)
    await services.proposals.propose(hers[0].id, BOB.id, ProposalKind.ABANDON)
    await services.proposals.propose(hers[1].id, BOB.id, ProposalKind.MOVE, place=next(places))
    courses = [f"/learn/{game}/{len(tasks(game))}" for game in rules.GAMES]
    return ["/", *[await site.path(match) for match in hers], *courses, "/puzzle", "/learn", "/rules", *NOWHERE]
