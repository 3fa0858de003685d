"""The page of a match: what a reader sees of it, and what they can do now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

import render
from bot.domain.computer import gives_hints
from bot.domain.matches import Game
from bot.domain.proposals import ProposalKind
from bot.domain.turn_entry import TurnEntry
from bot.texts import gettext as _
from bot.web.boards import Sheet
from bot.web.markup import html
from bot.web.pictures import Scene, Shot
from bot.web.turn_board import NOTHING, Bar, Link, Picture, TurnBoard
from bot.web.visitors import Visitor
from bot.wording import words
from bot.wording.looks import private_look
from bot.wording.proposals import request_of
from bot.wording.ratings import result
from rules import Phase, Side, TurnError


@dataclass(frozen=True, slots=True)
class Asked:
    """An open proposal, and whether the reader made it or may answer it."""

    id: int
    text: Markup
    own: bool
    mine_to_answer: bool


@dataclass(frozen=True, slots=True)
class TurnLink:
    """A turn in the list of turns."""

    ply: int
    text: str
    side: str
    now: bool


@dataclass(frozen=True, slots=True)
class Request:
    """What a reader has asked for: a match, a window, a cell with several steps, or marks."""

    key: str
    near: str = ""
    cell: str = ""
    marks: str = ""
    on: str = ""
    note: Markup = NOTHING


@dataclass(frozen=True)
class MatchPage:
    """The page of a match, for one reader.

    ``game`` is the position that is shown, ``now`` the current one, and ``draft`` the turn that the reader has begun.
    """

    request: Request
    visitor: Visitor
    now: Game
    game: Game
    draft: str = ""
    next_key: str = ""
    rematch_key: str = ""

    @property
    def plays(self) -> bool:
        """Whether the reader plays this match."""
        return self.visitor.player_id is not None and self.now.match.has_player(self.visitor.player_id)

    @property
    def side(self) -> Side | None:
        return None if self.visitor.player_id is None or not self.plays else self.now.side_of(self.visitor.player_id)

    @property
    def is_to_act(self) -> bool:
        """Whether the page waits for the reader, and shows the current position."""
        awaited = self.now.to_act
        waits = awaited is not None and awaited.id == self.visitor.player_id and not self.now.match.waiting
        return waits and self.is_current

    @cached_property
    def entry(self) -> TurnEntry | None:
        """The turn that the reader puts together, from its beginning if the stored one is not legal."""
        if not self.is_to_act:
            return None
        try:
            return TurnEntry.begin(self.now.position, self.draft)
        except TurnError:
            return TurnEntry.begin(self.now.position)

    # The board

    @cached_property
    def look(self) -> render.Look:
        """The look of the picture, in a dark theme unless the reader has chosen one."""
        player_id = self.visitor.player_id if self.plays else None
        return private_look(self.visitor.preferences, self.now, player_id)

    @cached_property
    def sheet(self) -> Sheet:
        near = self.request.near
        around = self.now.position.board.find(near) if near else None
        return Sheet(self.now.match.ruleset.size, self.look.orientation, around)

    @property
    def shot(self) -> Shot:
        match, look, asked = self.now.match, self.look, self.request
        return Shot(
            language=self.visitor.language,
            step=match.step,
            over=match.result is not None,
            orientation=look.orientation,
            coordinates=look.coordinates,
            ply=None if self.is_current else self.game.ply,
            draft="" if self.entry is None else self.entry.text,
            near=asked.near,
            marks=asked.marks,
            on=asked.on,
            outside=not self.plays,
        )

    @cached_property
    def board(self) -> TurnBoard:
        key, entry = self.request.key, self.entry
        here = f"/m/{key}"
        description = Scene.of(self.game).describe(self.look, entry)
        theme = self.visitor.preferences.theme
        return TurnBoard(
            address=here,
            action=f"{here}/turn",
            picture=Picture.at(f"{here}/board.png", self.shot, description, self.sheet, theme),
            said=self.said,
            entry=entry,
            fields={"step": self.now.step},
            near=self.request.near,
            cell=self.request.cell,
            links=tuple(self._links()),
        )

    @property
    def said(self) -> Bar:
        """What the bar says while there is nothing to choose."""
        if not self.is_current:
            return Bar(html(words.last_turn(self.game)) or Markup.escape(_("The start of the match")))
        if self.now.match.result is not None:
            ended, _line, more = result(self.now).partition("\n")
            return Bar(html(ended), html(more))
        return Bar(self.status)

    def _links(self) -> Iterator[Link]:
        if not self.is_current:
            yield Link(f"/m/{self.request.key}", _("To the current board"), main=True)
            return
        if self.entry is None and self.next_key:
            yield Link(f"/m/{self.next_key}", _("Next game"), main=True, away=True)
        if self.rematch_key:
            yield Link(f"/m/{self.rematch_key}", _("To the rematch"), main=True, away=True)

    @property
    def status(self) -> Markup:
        """Whose decision is awaited."""
        game = self.now
        awaited = game.to_act
        assert awaited is not None
        if game.match.waiting:
            return Markup.escape(_("The match waits for a place on Discord."))
        player, ruleset = words.name(awaited), game.match.ruleset
        match game.position.phase:
            case Phase.OPENING:
                return html(_("{player} makes the opening.").format(player=player))
            case Phase.CHOICE:
                return html(_("{player} is choosing a side.").format(player=player))
        if awaited.level is not None:
            return html(_("🤖 {player} is thinking…").format(player=player))
        side = words.side(ruleset, game.position.turn_of)
        return html(_("{player} ({side}) to play.").format(player=player, side=side))

    # Around it

    @property
    def is_current(self) -> bool:
        return self.game.ply == self.now.ply

    @property
    def heading(self) -> str:
        return words.plain(words.versus(self.now.match))

    @property
    def terms(self) -> Markup:
        match = self.now.match
        return html(words.terms(match.ruleset, rated=match.rated))

    @property
    def title(self) -> str:
        """The title of the tab, which says whose turn it is."""
        match, awaited = self.now.match, self.now.to_act
        if match.result is not None:
            state = words.plain(words.result(self.now))
        elif self.entry is not None:
            state = _("● Your turn")
        else:
            assert awaited is not None
            state = _("{player} to play").format(player=words.plain_name(awaited))
        return f"{state} · {match.ruleset.game.title} · {self.heading}"

    @property
    def clock(self) -> Markup:
        """The time that the players have; nothing without a clock."""
        return html(words.clock_sentence(self.now.match))

    @property
    def told(self) -> Markup:
        """The last turn, and what it did."""
        return html(words.last_turn(self.game)) if self.is_current else Markup()

    @property
    def turns(self) -> list[TurnLink]:
        """The turns that stand, each a link that looks back."""
        found = []
        for ply, turn in enumerate(self.now.turns, 1):
            text = words.translate(self.now.position.turn_name(turn))
            found.append(TurnLink(ply, text, self._side_of_turn(ply), ply == self.game.ply))
        return found

    def _side_of_turn(self, ply: int) -> str:
        """The side that played a turn, for its colour; empty before the sides take turns."""
        if ply <= self.now.match.ruleset.plies_before_play:
            return ""
        last = self.now.position.turn_of.other
        side = last if (len(self.now.turns) - ply) % 2 == 0 else last.other
        return "first" if side is Side.FIRST else "second"

    @property
    def asked(self) -> list[Asked]:
        match, player_id = self.now.match, self.visitor.player_id
        return [
            Asked(
                each.id,
                html(request_of(each, match)),
                each.proposer.id == player_id,
                self.plays and each.proposer.id != player_id,
            )
            for each in match.proposals
        ]

    @property
    def requests(self) -> list[tuple[ProposalKind, str]]:
        """What the reader can ask of the opponent."""
        match = self.now.match
        if not self.plays:
            return []
        if match.result is not None:
            possible = match.rematch_id is None and not any(player.deleted for player in match.players)
            return [(ProposalKind.REMATCH, _("Rematch"))] if possible else []
        asked = {each.kind for each in match.proposals}
        abandon = _("Propose to abandon") if match.computer is None else _("Abandon")
        found = [(ProposalKind.DRAW, _("Offer a draw")), (ProposalKind.ABANDON, abandon)]
        if self.now.turns:
            found.insert(0, (ProposalKind.TAKE_BACK, _("Take back")))
        return [each for each in found if each[0] not in asked]

    @property
    def has_hints(self) -> bool:
        """Whether the reader may ask for a hint now."""
        return self.entry is not None and not self.entry.text and gives_hints(self.now.match)

    @property
    def marks(self) -> list[tuple[str, str]]:
        """The overlays of the game, each with its title."""
        offered = render.overlays_of(self.now.match.ruleset.game)
        return [(name, _(overlay.title)[:1].upper() + _(overlay.title)[1:]) for name, overlay in offered.items()]

    @property
    def legend(self) -> str:
        overlay = render.overlays_of(self.now.match.ruleset.game).get(self.request.marks)
        return _(overlay.legend) if overlay is not None and overlay.legend else ""
