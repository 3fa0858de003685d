"""The card of a tournament: who takes part, how it stands, and the cross table."""

from __future__ import annotations

import discord
from discord import utils

import render
from bot.cards import ratings, words
from bot.cards.clock import time_control
from bot.cards.post import LONGEST_DESCRIPTION, ActionButton, Picture, Post, Press, compose
from bot.matches.model import Player, Tournament, TournamentState
from bot.matches.round_robin import Meeting
from bot.matches.tournaments import FEWEST, MOST, Table
from bot.texts import gettext as _
from bot.texts import ngettext
from render.cross_table import Entry, cross_table

_COLOUR = 0xC9A227
_SCORES = {2: "1", 1: "½", 0: "0"}
_UNPLAYED = {2: "+", 0: "−"}


def tournament_card(table: Table, picture: Picture | None = None) -> Post:
    """The tournament as it is; the ``picture`` is the cross table, once it is over."""
    tournament = table.tournament
    match tournament.state:
        case TournamentState.OPEN:
            body, buttons = _entry_list(tournament), _entry_buttons(tournament)
        case TournamentState.CANCELLED:
            body, buttons = _("The tournament was called off."), ()
        case _:
            body, buttons = _standings(table), ()
    return compose(
        heading(tournament),
        _outcome(table),
        body,
        picture=picture,
        footer=_footer(tournament),
        buttons=buttons,
        colour=_COLOUR,
    )


def past_tournament_card(table: Table) -> Post:
    """What stays of the card when the final one is posted; the result is there alone, for it may be voided."""
    return compose(heading(table.tournament), _("This tournament is over."), footer=_footer(table.tournament))


def cross_table_picture(table: Table, look: render.Look) -> Picture:
    """The cross table; drawing takes a while, so call it outside the event loop's thread."""
    tournament = table.tournament
    theme = render.face(tournament.ruleset.game).themes[look.scheme]
    order, leaders = [row.player for row in table.rows], table.winners
    entries = [
        Entry(
            str(row.place),
            ratings.drawable_text(_plain_name(table.player(row.player))) or _("somebody"),
            [None if other == row.player else _score(table.meeting(row.player, other), row.player) for other in order],
            _half(row.points),
            _quarter(row.sonneborn_berger),
            frozenset(
                column
                for column, other in enumerate(order)
                if (meeting := table.meeting(row.player, other)) is not None and meeting.score_of(row.player) == 2
            ),
            table.player(row.player) in leaders,
        )
        for row in table.rows
    ]
    subtitle = " · ".join([_progress(tournament), time_control(tournament.control)])
    name = ratings.drawable_text(title(tournament)) or _number(tournament)
    heads = _("Points"), _("S-B")
    png = cross_table(f"{name} · {tournament.ruleset.game.title}", subtitle, heads, entries, theme)
    filename = f"tournament-{tournament.id}-{tournament.version}.png"
    return Picture(filename, png, _described(table, subtitle))


def _described(table: Table, subtitle: str) -> str:
    """The table in words, for those who cannot see the picture."""
    rows = [
        f"{row.place}. {_plain_name(table.player(row.player))}: {_half(row.points)} ({_quarter(row.sonneborn_berger)})"
        for row in table.rows
    ]
    what = _("Points and, in brackets, Sonneborn-Berger:")
    tournament = table.tournament
    text = f"{title(tournament)} · {tournament.ruleset.game.title}. {subtitle}. {what} {'; '.join(rows)}."
    return text if len(text) <= LONGEST_DESCRIPTION else f"{text[: LONGEST_DESCRIPTION - 1]}…"


def _plain_name(player: Player) -> str:
    return player.name or _("a deleted player")


def withdraw_question(tournament: Tournament) -> Post:
    """Asks a player whether they mean to leave a running tournament."""
    return compose(
        _(
            "Withdraw from **{name}**? Your running games in it are given up. If you have played less than half of "
            "your games, none of them counts; otherwise your opponents win the rest."
        ).format(name=_name(tournament)),
        buttons=(
            ActionButton.make(
                Press("tournament-withdraw", tournament.id), _("Yes, withdraw"), discord.ButtonStyle.danger
            ),
            ActionButton.make(Press("tournament-stay", tournament.id), _("Stay")),
        ),
    )


def take_out_question(tournament: Tournament, player: Player) -> Post:
    """Asks the organiser whether somebody else shall be out of a running tournament."""
    return compose(
        _(
            "Take **{player}** out of **{name}**? Their running games in it end, and nobody wins them. If they have "
            "played less than half of their games, none of them counts; otherwise their opponents get the points of "
            "the rest."
        ).format(player=words.name(player), name=_name(tournament)),
        buttons=(
            ActionButton.make(
                Press("tournament-take-out", tournament.id, argument=str(player.id)),
                _("Yes, take them out"),
                discord.ButtonStyle.danger,
            ),
            ActionButton.make(Press("tournament-keep", tournament.id), _("Leave them in")),
        ),
    )


def title(tournament: Tournament) -> str:
    """What the tournament is called, as plain text."""
    if tournament.name or tournament.organiser.forgotten:
        return tournament.name or _number(tournament)
    return _("{player}'s tournament").format(player=tournament.organiser.name)


def heading(tournament: Tournament) -> str:
    return f"### 🏟️ {_name(tournament)}"


def _name(tournament: Tournament) -> str:
    return utils.escape_mentions(utils.escape_markdown(title(tournament)))


def _number(tournament: Tournament) -> str:
    return _("Tournament #{number}").format(number=tournament.id)


def _footer(tournament: Tournament) -> str:
    number = _number(tournament)
    at_once = ngettext(
        "{count} game of each player at a time", "{count} games of each player at a time", tournament.at_once
    ).format(count=tournament.at_once)
    return " · ".join([number, words.terms(tournament.ruleset), time_control(tournament.control), at_once])


def _entry_list(tournament: Tournament) -> str:
    names = ", ".join(words.name(entrant.player) for entrant in tournament.entrants)
    count = len(tournament.entrants)
    text = ngettext("**{count} player:** {names}", "**{count} players:** {names}", count)
    rule = _("Everybody plays everybody once. {organiser} starts it once {fewest} to {most} players are in.").format(
        organiser=words.name(tournament.organiser), fewest=FEWEST, most=MOST
    )
    return f"{text.format(count=count, names=names)}\n{rule}"


def _entry_buttons(tournament: Tournament) -> tuple[ActionButton, ...]:
    return (
        ActionButton.make(Press("tournament-join", tournament.id), _("Join"), discord.ButtonStyle.success),
        ActionButton.make(Press("tournament-leave", tournament.id), _("Leave")),
        ActionButton.make(Press("tournament-start", tournament.id), _("Start")),
    )


def _outcome(table: Table) -> str:
    if table.tournament.state is not TournamentState.OVER:
        return ""
    winners = [f"**{words.name(player)}**" for player in table.winners]
    if len(winners) == 1:
        return _("🏆 {player} wins the tournament!").format(player=winners[0])
    return _("🏆 {players} share the first place!").format(players=", ".join(winners)) if winners else ""


def _progress(tournament: Tournament) -> str:
    total = len(tournament.pairings)
    over = sum(pairing.result is not None for pairing in tournament.pairings)
    if tournament.state is TournamentState.OVER:
        return ngettext("{count} game", "{count} games", over).format(count=over)
    return _("{over} of {total} games played").format(over=over, total=total)


def _standings(table: Table) -> str:
    rows = []
    for row in table.rows:
        name = words.name(table.player(row.player))
        if row.player in table.withdrawn:
            name = _("~~{player}~~ withdrew").format(player=name)
        played = sum(meeting.has(row.player) for meeting in table.meetings)
        counted = ngettext("{count} game", "{count} games", played).format(count=played)
        rows.append(
            f"`{row.place:>2}.` {name} · **{_half(row.points)}** ({_quarter(row.sonneborn_berger)}) · {counted}"
        )
    return "\n".join([_progress(table.tournament), *rows])


def _score(meeting: Meeting | None, player: int) -> str:
    if meeting is None:
        return ""
    score = meeting.score_of(player)
    return _SCORES[score] if meeting.played else _UNPLAYED[score]


def _half(points: int) -> str:
    """A number of half points."""
    whole, half = divmod(points, 2)
    return f"{whole or ('' if half else 0)}{'½' if half else ''}"


def _quarter(points: int) -> str:
    """A number of quarter points."""
    return f"{points / 4:g}"
