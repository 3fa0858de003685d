"""The card of a tournament: its entrants, standings and cross table."""

from __future__ import annotations

from collections.abc import Sequence

import discord

import render
from bot.discord.ui import markdown, scenes
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import (
    LONGEST_DESCRIPTION,
    MOST_OPTIONS,
    ActionButton,
    Menu,
    Message,
    Picture,
    compose,
    confirmation,
    option_menu,
)
from bot.discord.ui.presses import Id, Press, user_input
from bot.domain.competitions.cross_tables import CrossTable, CrossTables
from bot.domain.competitions.cups import MAX_IN_GROUP, Cup
from bot.domain.competitions.round_robin import Row
from bot.domain.competitions.tournaments import MAX_ENTRANTS, MIN_ENTRANTS, Pairing, Tournament, TournamentState
from bot.domain.players import Player
from bot.texts import gettext as _, gettext_noop, ngettext
from bot.texts.durations import time_control
from bot.wording import words
from bot.wording.quoting import as_drawable, shorten
from render.statistics.tables import CrossTableRow, CrossTableWords, cross_table

_SCORES = {2: "1", 1: "½", 0: "0"}
_UNPLAYED = {2: "+", 0: "−"}
_TIE_BREAK_WRITTEN = gettext_noop("In brackets: the Sonneborn-Berger score, which breaks ties on points.")
_TIE_BREAK_DRAWN = gettext_noop("Ties on points are broken by the Sonneborn-Berger score (S-B).")
#: Maximum number of matches in a list.
_MOST_LISTED = 6


class TournamentPress(Press):
    tournament_id: Id


class ShowTournament(TournamentPress, action="tournament"):
    """Show a tournament privately, with the viewer's options."""

    tournament_id: Id = user_input()


class BeginTournament(Press, action="tournament-new"):
    """Show the form of a new tournament."""


class JoinTournament(TournamentPress, action="tournament-join"):
    pass


class LeaveTournament(TournamentPress, action="tournament-leave"):
    pass


class StartTournament(TournamentPress, action="tournament-start"):
    pass


class WithdrawFromTournament(TournamentPress, action="tournament-withdraw"):
    pass


class StayInTournament(Press, action="tournament-stay"):
    pass


class RemoveEntrant(TournamentPress, action="tournament-remove"):
    player_id: Id


class KeepEntrant(Press, action="tournament-keep"):
    pass


class ChooseEntrant(TournamentPress, action="tournament-entrant"):
    """Remove a player, perhaps after a question. ``part`` distinguishes the menus of a card."""

    part: int
    player_id: Id = user_input()


class AskToCallOff(TournamentPress, action="tournament-ask-cancel"):
    pass


class CallOff(TournamentPress, action="tournament-cancel"):
    pass


def no_tournament_card() -> Message:
    return compose(_("No tournament on this server yet."), buttons=(_begin_button(),))


def options_card(
    tables: CrossTables,
    picture: Picture | None,
    others: Sequence[Tournament],
    viewer_id: int,
    *,
    organises: bool,
) -> Message:
    """A tournament with its standings and the viewer's options, and a menu of the ``others`` to show instead."""
    tournament, menus, buttons = tables.tournament, [], list[ActionButton]()
    if len(others) > 1:
        labels = {str(other.id): f"#{other.id} {words.title(other)} · {other.ruleset.game.title}" for other in others}
        menus.append(option_menu(ShowTournament(), labels, _("Other tournaments"), str(tournament.id)))
    if tournament.ongoing and tournament.has_active(viewer_id):
        label = _("Leave") if tournament.state is TournamentState.OPEN else _("Withdraw…")
        buttons.append(ActionButton(LeaveTournament(tournament.id), label))
    elif tournament.state is TournamentState.OPEN:
        buttons.append(_join_button(tournament))
    buttons += _next_edition(tournament)
    if tournament.ongoing and organises:
        if tournament.state is TournamentState.OPEN:
            buttons.append(_start_button(tournament))
        buttons.append(ActionButton(AskToCallOff(tournament.id), _("Call it off…")))
        names = [
            (str(player.id), words.plain_name(player))
            for player in tournament.active
            if player.id != viewer_id and not player.deleted
        ]
        for part in range(0, len(names), MOST_OPTIONS):
            labels = dict(names[part : part + MOST_OPTIONS])
            menus.append(option_menu(ChooseEntrant(tournament.id, part), labels, _("Remove a player…")))
    return _card(tables, picture, (*buttons, _begin_button()), menus)


def tournament_card(tables: CrossTables, picture: Picture | None = None) -> Message:
    """The card of a tournament. The ``picture`` of a cross table replaces the standings in words."""
    tournament = tables.tournament
    buttons = _next_edition(tournament)
    if tournament.state is TournamentState.OPEN:
        leave = ActionButton(LeaveTournament(tournament.id), _("Leave"))
        # A cup starts by itself.
        start = (_start_button(tournament),) if tournament.cup is None else ()
        buttons = (_join_button(tournament), leave, *start)
    return _card(tables, picture, buttons)


def _card(
    tables: CrossTables, picture: Picture | None, buttons: tuple[ActionButton, ...], menus: Sequence[Menu] = ()
) -> Message:
    tournament = tables.tournament
    match tournament.state:
        case TournamentState.OPEN:
            body = _entry_list(tournament)
        case TournamentState.CANCELLED:
            body = _calling_off(tournament)
        case _:
            progress = [_progress(*tables.groups), *_games(tables)] if tournament.ongoing else []
            body = "\n".join(filter(None, [*progress, *_all_standings(tables, picture)]))
            if tournament.ongoing and tournament.open_next is not None:
                body += "\n" + _("The next edition is open to everybody.")
    return compose(
        _heading(tournament),
        _outcome(tables),
        body,
        picture=picture,
        footer=_footer(tournament),
        menus=tuple(menus),
        buttons=buttons,
        colour=scenes.GOLD,
    )


def _join_button(tournament: Tournament) -> ActionButton:
    return ActionButton(JoinTournament(tournament.id), _("Join"), discord.ButtonStyle.success)


def _start_button(tournament: Tournament) -> ActionButton:
    return ActionButton(StartTournament(tournament.id), _("Start"))


def _begin_button() -> ActionButton:
    return ActionButton(BeginTournament(), _("Open a tournament"), emoji="🏟️")


def _next_edition(tournament: Tournament) -> tuple[ActionButton, ...]:
    """The button to join the next edition of a running cup while it is open."""
    if tournament.state is not TournamentState.RUNNING or tournament.open_next is None:
        return ()
    label = _("Join edition {number}").format(number=tournament.edition + 1)
    return (ActionButton(JoinTournament(tournament.open_next), label, discord.ButtonStyle.success),)


def past_tournament_card(tournament: Tournament) -> Message:
    """The card after the final card is posted: without the result, because a match may still be voided."""
    return compose(_heading(tournament), _("This tournament is over."), footer=_footer(tournament))


def cross_table_picture(table: CrossTable, look: render.Look) -> Picture:
    """The picture of the cross table. Renders pictures: call it in a thread."""
    tournament = table.tournament
    theme = render.face(tournament.ruleset.game).themes[look.theme]
    leaders = table.winners
    entries = [
        CrossTableRow(
            "–" if row.player in table.annulled else str(row.rank),
            words.drawable_name(table.player(row.player)),
            _half(row.points),
            _quarter(row.sonneborn_berger),
            _opponents(table, row, 2),
            _opponents(table, row, 1),
            _opponents(table, row, 0),
            table.player(row.player) in leaders,
        )
        for row in table.rows
    ]
    named = [] if tournament.cup is None or len(table.rows) == len(tournament.entrants) else [_group_name(table)]
    subtitle = " · ".join([*named, _progress(table), time_control(tournament.control)])
    name = as_drawable(words.title(tournament)) or words.numbered(tournament)
    heads = CrossTableWords(_("Points"), _("S-B"), words.results())
    png = cross_table(f"{name} · {tournament.ruleset.game.title}", subtitle, heads, entries, theme)
    return Picture(f"tournament-{tournament.id}.png", png, _description(table, entries, subtitle))


def _opponents(table: CrossTable, row: Row, score: int) -> frozenset[int]:
    """The numbers of the rows of the opponents against whom a player has this score, in half points."""
    meetings = [None if other is row else table.meeting(row.player, other.player) for other in table.rows]
    return frozenset(
        number for number, meeting in enumerate(meetings) if meeting and meeting.score_of(row.player) == score
    )


def _description(table: CrossTable, entries: Sequence[CrossTableRow], subtitle: str) -> str:
    """The alternative text of the picture, with all players' scores if there is room."""
    tournament, what = table.tournament, _("Points and, in brackets, Sonneborn-Berger:")
    rows, full = [], []
    for row, entry in zip(table.rows, entries, strict=True):
        name, dot = words.plain_name(table.player(row.player)), "." * entry.rank.isdecimal()
        rows.append(f"{entry.rank}{dot} {name}: {entry.points} ({entry.tie_break})")
        scores = ("x" if other is row else _score(table, row, other) for other in table.rows)
        full.append(f"{rows[-1]}, {' '.join(scores)}")
    head = f"{words.title(tournament)} · {tournament.ruleset.game.title}. {subtitle}. {what}"
    long, short = (f"{head} {'; '.join(lines)}." for lines in (full, rows))
    return long if len(long) <= LONGEST_DESCRIPTION else shorten(short, LONGEST_DESCRIPTION)


def homeless_tournament_notice(tournament: Tournament, command_mentions: CommandMentions) -> Message:
    """The direct message to the organiser of a tournament that nobody can see where it is played."""
    text = _(
        "📍 I can no longer reach the channel of **{tournament}**, so its matches wait and no clock runs. As soon as a "
        "player uses {board} with the number of a match in another channel, the tournament goes on there."
    )
    return compose(text.format(tournament=words.tournament(tournament), board=command_mentions.of("board")))


def withdrawal_question(tournament: Tournament) -> Message:
    text = _(
        "Withdraw from **{name}**? You resign your running matches in it. If you have played less than half of your "
        "matches, none of them counts; otherwise your opponents win the rest."
    ).format(name=words.tournament(tournament))
    withdraw = WithdrawFromTournament(tournament.id)
    return confirmation(text, withdraw, _("Yes, withdraw"), ShowTournament(tournament.id), _("Stay"))


def removal_question(tournament: Tournament, player: Player) -> Message:
    text = _(
        "Remove **{player}** from **{name}**? Their running matches end without a winner. If they have played less "
        "than half of their matches, none of them counts; otherwise their opponents get the points for the rest."
    ).format(player=words.name(player), name=words.tournament(tournament))
    remove = RemoveEntrant(tournament.id, player.id)
    return confirmation(text, remove, _("Yes, remove them"), ShowTournament(tournament.id), _("Keep them"))


def calling_off_question(tournament: Tournament) -> Message:
    text = _("Call **{name}** off? Its running matches go on, and no others start.")
    return confirmation(
        text.format(name=words.tournament(tournament)),
        CallOff(tournament.id),
        _("Yes, call it off"),
        ShowTournament(tournament.id),
        _("Keep it"),
    )


def _heading(tournament: Tournament) -> str:
    return f"### 🏟️ {words.tournament(tournament)}"


def _footer(tournament: Tournament) -> str:
    number = words.numbered(tournament)
    terms = words.terms(tournament.ruleset), time_control(tournament.control), at_once_label(tournament.at_once)
    return " · ".join([number, *terms])


def at_once_label(count: int) -> str:
    """How many matches a player has at the same time."""
    text = ngettext("{count} match per player at a time", "{count} matches per player at a time", count)
    return text.format(count=count)


def _entry_list(tournament: Tournament) -> str:
    names = ", ".join(words.name(entrant.player) for entrant in tournament.entrants)
    count = len(tournament.entrants)
    text = ngettext("**{count} player:** {names}", "**{count} players:** {names}", count)
    entered = text.format(count=count, names=names) if count else _("Nobody has joined yet.")
    if tournament.cup is not None:
        return f"{entered}\n{_cup_rule(tournament, tournament.cup)}"
    rule = _(
        "Everyone plays everyone else once. {organiser} starts the tournament once {fewest} to {most} players have "
        "joined."
    ).format(organiser=words.name(tournament.organiser), fewest=MIN_ENTRANTS, most=MAX_ENTRANTS)
    return f"{entered}\n{rule}"


def _cup_rule(tournament: Tournament, cup: Cup) -> str:
    """How a cup starts, is played, and ends."""
    start = _("The cup starts {when} with everybody who has joined, if there are at least {fewest}.")
    played = _(
        "More than {most} players are split into groups by rating, and the group winners meet. Everyone in a "
        "group plays everyone else once."
    ).format(most=MAX_IN_GROUP)
    if cup.starts_with is not None:
        start = _("The cup starts as soon as {count} have joined, or {when} if there are at least {fewest}.")
        played = _("Everyone plays everyone else once.")
    start = start.format(count=cup.starts_with, when=markdown.when(tournament.starts_at), fewest=MIN_ENTRANTS)
    end = ngettext(
        "Every match ends within {count} week; if it is still running then, whoever used less time wins.",
        "Every match ends within {count} weeks; if it is still running then, whoever used less time wins.",
        cup.weeks,
    ).format(count=cup.weeks)
    reopens = _("When the cup starts, the next edition opens.") if cup.reopens else ""
    return "\n".join(filter(None, [start, f"{played} {end}", reopens]))


def _calling_off(tournament: Tournament) -> str:
    count = len(tournament.entrants)
    if tournament.cup is None or count >= MIN_ENTRANTS:
        return _("The tournament was called off.")
    text = ngettext(
        "The cup was called off: it needs at least {fewest} players, and {count} had joined.",
        "The cup was called off: it needs at least {fewest} players, and {count} had joined.",
        count,
    )
    return text.format(fewest=MIN_ENTRANTS, count=count)


def _outcome(tables: CrossTables) -> str:
    if tables.tournament.state is not TournamentState.OVER:
        return ""
    winners = [f"**{words.name(player)}**" for player in tables.winners]
    if len(winners) == 1:
        return _("🏆 {player} wins the tournament!").format(player=winners[0])
    return _("🏆 {players} share first place!").format(players=", ".join(winners)) if winners else ""


def _progress(*tables: CrossTable) -> str:
    total, over = sum(table.games for table in tables), sum(len(table.meetings) for table in tables)
    if tables[0].tournament.state is TournamentState.OVER:
        return ngettext("{count} match", "{count} matches", over).format(count=over)
    return _("{over} of {total} matches played").format(over=over, total=total)


def _games(tables: CrossTables) -> list[str]:
    """The running matches and, unless several groups still play, the next ones."""
    tournament = tables.tournament
    playing = [*tournament.running, *tournament.startable]
    queued = [pairing for pairing in tournament.upcoming if pairing not in playing]
    lists = {_("**Playing now** {games}"): playing, _("**Up next** {games}"): queued if tables.decided else []}
    return [text.format(games=_list_of(tournament, pairings)) for text, pairings in lists.items() if pairings]


def _list_of(tournament: Tournament, pairings: Sequence[Pairing]) -> str:
    versus = list[str]()
    for pairing in pairings[:_MOST_LISTED]:
        versus.append(words.versus(tournament.player(pairing.first_id), tournament.player(pairing.second_id)))
    left = len(pairings) - len(versus)
    if left:
        versus.append(ngettext("{count} more", "{count} more", left).format(count=left))
    return " · ".join(versus)


def _all_standings(tables: CrossTables, picture: Picture | None) -> list[str]:
    """The standings of the last group unless a ``picture`` shows them, and the winners of earlier groups."""
    if not tables.decided:
        return [_group_score(table) for table in tables.groups]
    last = tables.last
    standings = _standings(last) if picture is None else _tie_break(last, _TIE_BREAK_DRAWN)
    if len(tables.groups) == 1:
        return [standings]
    # A winner of a group who has left the last one is still named.
    met = [last.player(row.player) for row in last.rows]
    winners = []
    for table in tables.groups[:-1]:
        group = [table.player(row.player) for row in table.rows]
        names = [words.name(player) for player in group if player in met]
        winners.append(f"**{_group_name(table)}:** {', '.join(names) or '–'}")
    return [f"**{_group_name(last)}**\n{standings}" if standings else "", *winners]


def _group_score(table: CrossTable) -> str:
    """The points in a group, on a single line."""
    scores = []
    for row in table.rows:
        name = words.name(table.player(row.player))
        scores.append(f"~~{name}~~" if row.player in table.withdrawals else f"{name} **{_half(row.points)}**")
    return f"**{_group_name(table)}** · {' · '.join(scores)}"


def _group_name(table: CrossTable) -> str:
    return _("Group {number}").format(number=table.group) if table.group else _("Winners' group")


def _standings(table: CrossTable) -> str:
    """The standings in words; empty before the first result."""
    if not table.meetings and not table.withdrawals:
        return ""
    lines: list[str] = []
    for row in table.rows:
        name: str = words.name(table.player(row.player))
        if row.player in table.withdrawals:
            name = _("~~{player}~~ withdrew").format(player=name)
        if row.player in table.annulled:
            lines.append(name)
            continue
        counted = ngettext("{count} match", "{count} matches", row.games).format(count=row.games)
        score = f"**{_half(row.points)}** ({_quarter(row.sonneborn_berger)})"
        lines.append(f"`{row.rank:>2}.` {name} · {score} · {counted}")
    return "\n".join(filter(None, [*lines, _tie_break(table, _TIE_BREAK_WRITTEN)]))


def _tie_break(table: CrossTable, note: str) -> str:
    """A note on the tie-breaking score, once a player has one."""
    return f"-# {_(note)}" if any(row.sonneborn_berger for row in table.rows) else ""


def _score(table: CrossTable, row: Row, other: Row) -> str:
    """A player's score against another player, as in cross tables."""
    meeting = table.meeting(row.player, other.player)
    if meeting is None:
        return "·"
    return (_SCORES if meeting.played else _UNPLAYED)[meeting.score_of(row.player)]


def _half(points: int) -> str:
    """A number of half points, such as ``3½``."""
    whole, half = divmod(points, 2)
    return f"{whole or ('' if half else 0)}{'½' if half else ''}"


def _quarter(points: int) -> str:
    """A number of quarter points, such as ``2.25``."""
    return f"{points / 4:g}"
