"""The page of a match: what a reader sees and can do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from markupsafe import Markup

import render
from bot.domain.clocks import DAY, ClockView
from bot.domain.computer import gives_hints, offered_levels
from bot.domain.matches import Game, ProposalKind
from bot.domain.study.reviews import can_review
from bot.domain.turn_entry import TurnEntry
from bot.services.clocks import bank_seconds
from bot.texts import gettext as _
from bot.texts.durations import span, time_control
from bot.web.markup import html
from bot.web.pictures import Scene, Shot
from bot.web.replay import Replay
from bot.web.turn_board import NOTHING, Bar, CellRefusal, Choice, Link, Marking, Picture, TurnBoard, with_query
from bot.web.visitors import Visitor
from bot.wording import clocks, words
from bot.wording.looks import overlay_titles
from bot.wording.proposals import request_of
from bot.wording.ratings import result
from rules import Phase, TurnError


@dataclass(frozen=True, slots=True)
class OpenProposal:
    """An open proposal, and whether the reader made it or may answer it."""

    id: int
    text: Markup
    own: bool
    mine_to_answer: bool


@dataclass(frozen=True, slots=True)
class Time:
    """A player's time, with the seconds left while it is running."""

    player: str
    remaining: str
    days_off: str
    seconds: int | None


@dataclass(frozen=True, slots=True)
class Request:
    """What a reader asks to see: a match, a window, a cell with several elements, or marks.

    Marks may be about the cell ``on``, which a player to act ``chooses`` before going on with a turn. The answer to a
    press is a ``note``, or a ``refusal`` at the pressed cell.
    """

    key: str
    near: str = ""
    cell: str = ""
    marks: str = ""
    on: str = ""
    chooses: bool = False
    note: Markup = NOTHING
    refusal: CellRefusal | None = None


@dataclass(frozen=True)
class MatchPage:
    """The page of a match, for one reader.

    ``game`` is the position shown, ``now`` the current one, and ``draft`` the turn that the reader has begun. A running
    match may have a ``clock``; ``suggested_level`` suits a reader who plays the computer. ``to_play`` is how many
    matches wait for the reader; the match with ``next_key`` has waited longest.
    """

    request: Request
    visitor: Visitor
    now: Game
    game: Game
    draft: str = ""
    next_key: str = ""
    to_play: int = 0
    rematch_key: str = ""
    version: str = ""
    clock: ClockView | None = None
    suggested_level: int | None = None

    @property
    def plays(self) -> bool:
        """Whether the reader plays this match."""
        return self.visitor.plays(self.now.match)

    @property
    def is_awaited(self) -> bool:
        """Whether the match waits for the reader."""
        awaited = self.now.to_act
        return awaited is not None and awaited.id == self.visitor.player_id and not self.now.match.waiting

    @property
    def is_to_act(self) -> bool:
        """Whether the reader can play on the board, which shows the current position."""
        return self.is_awaited and self.is_current and not self.request.chooses

    @cached_property
    def entry(self) -> TurnEntry | None:
        """The turn that the reader puts together; it starts afresh if the stored one is not legal."""
        if not self.is_to_act:
            return None
        try:
            return TurnEntry.begin(self.now.position, self.draft)
        except TurnError:
            return TurnEntry.begin(self.now.position)

    @property
    def overlay(self) -> render.Overlay[Any] | None:
        """The marks that the reader wants to see."""
        return render.overlays_of(self.now.match.ruleset.game).get(self.request.marks)

    def at(self, **asked: object) -> str:
        """The address of this view with a changed query; empty values are left out."""
        return with_query(self.here, {**self._query, "near": self.request.near, **asked})

    @property
    def here(self) -> str:
        return f"/m/{self.request.key}"

    def to(self, action: str) -> str:
        """The address of a form, which keeps the marks on the board."""
        return with_query(f"{self.here}/{action}", {"marks": self.request.marks, "on": self.request.on})

    @property
    def _query(self) -> dict[str, object]:
        """The query of this view's address, without the window."""
        ply = None if self.is_current else self.game.ply
        return {"ply": ply, "marks": self.request.marks, "on": self.request.on}

    # The board

    @property
    def shot(self) -> Shot:
        match, asked = self.now.match, self.request
        return Shot(
            step=match.step,
            over=match.result is not None,
            ply=None if self.is_current else self.game.ply,
            near=asked.near,
            marks=asked.marks,
            on=asked.on,
            outside=not self.plays,
        )

    @cached_property
    def board(self) -> TurnBoard:
        here, entry, look = self.here, self.entry, self.visitor.look(self.now)
        asked, marks = self.request, self.overlay
        return TurnBoard(
            address=here,
            action=self.to("turn"),
            picture=Picture.of(f"{here}/board.png", self.shot, Scene.of(self.game), look, self.visitor, entry),
            message=self.message,
            entry=entry,
            fields={"step": self.now.step},
            query=self._query,
            near=asked.near,
            cell=asked.cell,
            links=tuple(self._links()),
            refusal=asked.refusal,
            marking=Marking(self.game.position, asked.on)
            if entry is None and marks is not None and marks.of_cell
            else None,
            legend=self._legend,
        )

    @property
    def message(self) -> Bar:
        """The bar while there is no turn to put together."""
        if not self.is_current:
            return Bar(html(words.last_turn(self.game)) or Markup.escape(_("The start of the match")))
        if self.now.match.result is not None:
            ended, _line, more = result(self.now).partition("\n")
            return Bar(html(ended), html(more), tuple(self._rematches()))
        if self.may_claim:
            own = self.now.match.player(self.visitor.player_id or 0)
            claim = Choice("", clocks.claim(), main=True, action=f"{self.here}/claim")
            return Bar(html(clocks.time_is_up(self.now.match, words.name(own))), choices=(claim,))
        return Bar(self.status)

    @property
    def _legend(self) -> Markup:
        """The meaning of the marks on the board; empty during a turn, which needs the room."""
        overlay, on = self.overlay, self.request.on
        if overlay is None or (self.entry is not None and self.entry.text):
            return NOTHING
        title = " · ".join(filter(None, [dict(self.marks)[overlay.name], on]))
        told = [_(overlay.legend)] if overlay.legend else []
        if overlay.of_cell and not on and self.entry is None:
            told.append(_("Tap a cell to see only what concerns it."))
        return Markup("<strong>{}</strong> {}").format(title, " ".join(told))

    def _rematches(self) -> Iterator[Choice]:
        for level, label, best in self.levels:
            yield Choice(str(level), label, best, f"{self.here}/level", "level")
        for kind, label in self.requests:
            yield Choice(kind, label, action=f"{self.here}/propose", name="kind")

    def _links(self) -> Iterator[Link]:
        if self.overlay is not None:
            yield Link(self.at(marks="", on=""), _("No marks"))
            if self.overlay.of_cell and self.entry is not None and not self.entry.text:
                yield Link(self.at(choose=1), _("Marks about one cell"))
            if self.request.on or self.request.chooses:
                yield Link(self.at(on=""), _("All cells"))
        if not self.is_current:
            yield Link(self.at(ply=None), _("To the current board"), main=True)
            return
        if self.next_key:
            label = _("Next game") if self.to_play < 2 else f"{_('Next game')} ({self.to_play})"
            yield Link(f"/m/{self.next_key}", label, main=True, away=True)
        if self.rematch_key:
            yield Link(f"/m/{self.rematch_key}", _("To the rematch"), main=True, away=True)

    @property
    def status(self) -> Markup:
        """Words about the player to act."""
        game = self.now
        awaited = game.to_act
        assert awaited is not None
        if game.match.waiting:
            return Markup.escape(_("The match waits for a place on Discord."))
        if awaited.level is not None and game.position.phase is Phase.PLAY:
            return html(_("🤖 {player} is thinking…").format(player=words.name(awaited)))
        return html(words.awaited_act(game, awaited))

    # Around the board

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
        """The title of the tab, with the player to act."""
        match, awaited = self.now.match, self.now.to_act
        if match.result is not None:
            state = words.plain(words.result(self.now))
        elif self.is_awaited:
            state = _("● Your turn")
        else:
            assert awaited is not None
            state = _("{player} to play").format(player=words.plain_name(awaited))
        return f"{state} · {match.ruleset.game.title} · {self.heading}"

    @property
    def times(self) -> list[Time]:
        """The time that each player has left; none without a clock."""
        match, view = self.now.match, self.clock
        if view is None:
            return []
        return [
            Time(
                words.plain_name(player),
                clock_face(view.time_left(seat)),
                clocks.days_off_left(view, seat),
                int(view.time_left(seat).total_seconds()) if seat == view.clock.seat and view.clock.since else None,
            )
            for seat, player in enumerate(match.players)
        ]

    @property
    def clock_terms(self) -> str:
        assert self.clock is not None
        return f"{time_control(self.clock.clock.control)}. {clocks.terms(self.clock.clock.control)}"

    @property
    def gift(self) -> tuple[int, str] | None:
        """The seconds that the opponent has, and the label of the button that gives more; None without a clock."""
        if self.clock is None or self.visitor.player_id is None or not self.plays:
            return None
        clock, other = self.clock.clock, 1 - self.now.match.seat_of(self.visitor.player_id)
        return bank_seconds(clock, other), clocks.gift(clock.control)

    @property
    def may_claim(self) -> bool:
        """Whether the reader may claim the win, since the opponent's time is up."""
        own = self.visitor.player_id
        if self.clock is None or own is None or not self.plays:
            return False
        return self.clock.may_claim(self.now.match.seat_of(own))

    @property
    def last_turn(self) -> Markup:
        """The last turn and its effect."""
        return html(words.last_turn(self.game)) if self.is_current else Markup()

    @property
    def replay(self) -> Replay:
        """The standing turns, each with a link to look back."""
        return Replay(self.now, self.now.ply, self.game.ply, lambda ply: self.at(ply=ply))

    @property
    def proposals(self) -> list[OpenProposal]:
        match, player_id = self.now.match, self.visitor.player_id
        return [
            OpenProposal(
                each.id,
                html(request_of(each, match)),
                each.proposer.id == player_id,
                self.plays and each.proposer.id != player_id,
            )
            for each in match.proposals
        ]

    @property
    def requests(self) -> list[tuple[ProposalKind, str]]:
        """The proposals that the reader can make to the opponent."""
        match = self.now.match
        if not self.plays:
            return []
        if match.result is not None and match.computer is not None:
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
    def has_review(self) -> bool:
        """Whether the match is over and has turns to review."""
        return self.now.match.result is not None and can_review(self.now.match.ruleset, self.now.ply)

    @property
    def levels(self) -> list[tuple[int, str, bool]]:
        """The levels of the computer that the reader can play instead or next, and whether each suits them best."""
        match, own = self.now.match, self.visitor.player_id
        if match.computer is None or own is None:
            return []
        labels = {match.computer.level: _("Rematch")}
        return [
            (level, labels.get(level, _("Level {level}").format(level=level)), level == self.suggested_level)
            for level in offered_levels(match, own)
        ]

    @property
    def continuing(self) -> Markup:
        """A note that a match from a position of this one begins on Discord, where it needs a place."""
        text = _("To play on from one of these positions, use {replay} on Discord and press *Continue from here*.")
        return html(text.format(replay=f"`{words.command_name('replay')}`"))

    @property
    def marks(self) -> list[tuple[str, str]]:
        """The overlays of the game, each with its title."""
        return list(overlay_titles(self.now.match.ruleset.game).items())


def clock_face(left: timedelta) -> str:
    """A time as a clock shows it, such as ``1:05:09``; in words if it is a day or more."""
    if left >= DAY:
        return span(left)
    minutes, seconds = divmod(int(left.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
