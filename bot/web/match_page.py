"""The page of a match: what a reader sees of it, and what they can do now."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

import render
from bot.domain.computer import gives_hints
from bot.domain.matches import Game
from bot.domain.proposals import ProposalKind
from bot.domain.turn_entry import TurnEntry
from bot.texts import gettext as _
from bot.web import boards
from bot.web.boards import Sheet
from bot.web.markup import html
from bot.web.pictures import Shot
from bot.web.visitors import Visitor
from bot.wording import words
from bot.wording.looks import conclusion_of, header_of, private_look
from bot.wording.proposals import request_of
from bot.wording.ratings import result
from bot.wording.turns import effect_of, play_question, question_of
from rules import PASS, Phase, Side, TurnError, bits, elements_of

#: Presses that are no elements; no element begins with the first characters.
CELL, END, BACK = "@", ".end", ".back"
#: The marks of elements that act on a cell, which the bar offers by name.
_ACTS = "+*"
#: The most acts that the bar offers besides the cells.
_MOST_ACTS = 8
#: The themes for dark and for light pages of readers who have chosen none.
_DARK, _LIGHT = "dark", "light"
NOTHING = Markup()


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as a button: its name, its ``label`` for the ear, and its neighbours."""

    name: str
    label: str
    beside: str
    open: bool
    chosen: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """A button of the bar, and the press that it stands for."""

    press: str
    label: str
    main: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """What there is to do now; ``told`` is what the turn would do."""

    text: Markup
    told: Markup = NOTHING
    choices: tuple[Choice, ...] = ()
    risky: bool = False


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
    """What a reader has asked for: a match, a window, a cell with several elements, or marks."""

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

    def shot(self, theme: str) -> Shot:
        match, look, asked = self.now.match, self.look, self.request
        return Shot(
            step=match.step,
            over=match.result is not None,
            language=self.visitor.language,
            theme=theme,
            orientation=look.orientation,
            coordinates=look.coordinates,
            ply=None if self.is_current else self.game.ply,
            draft="" if self.entry is None else self.entry.text,
            near=asked.near,
            marks=asked.marks,
            on=asked.on,
            outside=not self.plays,
        )

    @property
    def pictures(self) -> tuple[str, str]:
        """The addresses of the picture for dark and for light pages."""
        chosen = self.visitor.preferences.theme
        themes = (chosen, chosen) if chosen else (_DARK, _LIGHT)
        dark, light = (f"/m/{self.request.key}/board.png?{self.shot(theme).query}" for theme in themes)
        return dark, light

    @property
    def description(self) -> str:
        entry, game = self.entry, self.game
        if entry is not None and entry.draft.has_effect:
            draft = entry.draft
            return render.describe(draft.preview, draft.events, None, self.look, header_of(game), game.position)
        return render.describe(game.position, game.events, conclusion_of(game), self.look, header_of(game))

    @cached_property
    def source(self) -> TurnEntry | None:
        """The turn that presses on cells go on with: once it is finished, the one before its last choice."""
        entry = self.entry
        return entry.back()[0] if entry is not None and entry.finished and entry.text else entry

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells of the picture as buttons; none where there is nothing to choose."""
        source, entry = self.source, self.entry
        if source is None or entry is None or source.position.phase is Phase.CHOICE:
            return []
        position, geometry = source.position, self.sheet.geometry
        offered = _cells_of(source)
        chosen = {position.element_cell(element) for element in elements_of(entry.text)}
        told = {True: _("can be chosen"), False: ""}
        return [
            Cell(
                position.board.name(cell),
                boards.label(position, cell, _("chosen") if cell in chosen else told[cell in offered]),
                boards.neighbours(geometry, cell),
                cell in offered,
                cell in chosen,
            )
            for cell in geometry.cells
        ]

    @property
    def hints(self) -> bool:
        """Whether there are so few choices that marks on them help."""
        source = self.source
        if source is None or source.position.phase is not Phase.PLAY:
            return False
        return 2 * len(_cells_of(source)) < source.position.empty.bit_count()

    @property
    def coarse(self) -> list[tuple[str, str, bool]]:
        """The coarse cells that magnify a part of a large board: their names, those of the middles of the parts, and
        whether marks on them help.
        """
        if self.request.near or self.source is None or not self.cells:
            return []
        board, open_cells, name = self.now.position.board, _cells_of(self.source), self.now.position.board.name
        found = []
        for cell in boards.coarse_cells(board.size):
            helps = self.hints and not open_cells.isdisjoint({cell, *bits(board.neighbours[cell])})
            found.append((name(cell), name(boards.middle_near(board.size, cell)), helps))
        return found

    # The bar

    @property
    def bar(self) -> Bar:
        if not self.is_current:
            return Bar(html(words.last_turn(self.game)) or Markup.escape(_("The start of the match")))
        entry = self.entry
        if self.now.match.result is not None:
            ended, _line, more = result(self.now).partition("\n")
            return Bar(html(ended), html(more))
        if entry is None:
            return Bar(self.status)
        effect = html(effect_of(entry, entry.position.turn_of))
        back = (Choice(BACK, _("Back")),) if entry.text else ()
        if entry.finished:
            play = Choice(END, _("Play it"), main=True)
            return Bar(html(play_question(entry)), effect, (*back, play), entry.is_risky)
        asked = self._elements_on(self.request.cell)
        if len(asked) > 1:
            text = _("What do you do on {cell}?").format(cell=self.request.cell)
            return Bar(Markup.escape(text), effect, (*map(self._choice, asked), Choice("", _("Cancel"))))
        listed = [element for element in entry.next if self._is_listed(element)]
        end: tuple[Choice, ...] = ()
        if entry.complete:
            label = _("Play only {turn}").format(turn=words.translate(entry.position.turn_name(entry.text)))
            end = (Choice(END, label, main=True),)
        return Bar(html(question_of(entry)), effect, (*back, *map(self._choice, listed), *end))

    def _elements_on(self, cell: str) -> list[str]:
        """The next elements on the cell of that name."""
        entry, found = self.entry, self.now.position.board.find(cell)
        if entry is None or found is None:
            return []
        return [element for element in entry.next if entry.position.element_cell(element) == found]

    def _is_listed(self, element: str) -> bool:
        """Whether the bar offers an element: because it has no cell, or is one of few acts."""
        assert self.entry is not None
        if self.entry.position.element_cell(element) is None:
            return True
        acts = [each for each in self.entry.next if each[0] in _ACTS]
        return element in acts and len(acts) <= _MOST_ACTS

    def _choice(self, element: str) -> Choice:
        assert self.entry is not None
        position = self.entry.position
        label = words.translate(position.element_name(self.entry.text, element))
        if position.phase is Phase.CHOICE:
            return Choice(element, _("Play {side}").format(side=label), main=True)
        return Choice(element, label, main=element == PASS and self.entry.must_pass)

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
        if ply <= 2:
            return ""
        starts = self.now.position.starts
        side = starts if ply % 2 else starts.other
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


def _cells_of(entry: TurnEntry) -> set[int]:
    """The cells of the elements that can be chosen next."""
    return {cell for element in entry.next if (cell := entry.position.element_cell(element)) is not None}
