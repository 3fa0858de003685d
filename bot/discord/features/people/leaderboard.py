"""``/leaderboard``: the best players on this server, everywhere, or among the people one has played."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, get_type_hints

from discord import app_commands

import rules
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.options.ruleset import GameChoice
from bot.discord.transport import replies
from bot.discord.ui import ratings, words
from bot.discord.ui.links import first_steps
from bot.discord.ui.messages import (
    LONGEST_DESCRIPTION,
    ActionButton,
    Menu,
    Message,
    Picture,
    compose,
    option_menu,
)
from bot.discord.ui.presses import NONE, Codec, GameType, Press, chosen, codec_of
from bot.discord.ui.quoting import shorten
from bot.discord.ui.scenes import private_look
from bot.domain.leaderboards import LEAST_GAMES, Leaderboard, LeaderboardQuery, LeaderboardRow, Order, Period, Scope
from bot.domain.players import Player
from bot.domain.ratings import OVERALL
from bot.services.ratings import Ratings
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop, ngettext
from render import charts

SCOPES = {
    Scope.SERVER: gettext_noop("this server"),
    Scope.EVERYWHERE: gettext_noop("everywhere"),
    Scope.FRIENDS: gettext_noop("people I have played"),
}
PERIODS = {
    Period.ALL: gettext_noop("all time"),
    Period.MONTH: gettext_noop("this month"),
    Period.SEASON: gettext_noop("this season"),
}
ORDERS = {
    Order.RATING: gettext_noop("rating"),
    Order.GAMES: gettext_noop("matches"),
    Order.WINS: gettext_noop("wins"),
    Order.RATE: gettext_noop("win rate"),
    Order.STREAK: gettext_noop("longest winning streak"),
}
_HEADINGS = {
    Order.RATING: gettext_noop("By rating"),
    Order.GAMES: gettext_noop("By matches"),
    Order.WINS: gettext_noop("By wins"),
    Order.RATE: gettext_noop("By win rate"),
    Order.STREAK: gettext_noop("By longest winning streak"),
}
_MENU = {
    "game": gettext_noop("Game: {name}"),
    "scope": gettext_noop("Players: {name}"),
    "period": gettext_noop("Period: {name}"),
}
_ORDERED = gettext_noop("By {name}")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a leaderboard shows, whoever looks at it."""

    game: GameType | None
    scope: Scope
    period: Period
    order: Order

    @classmethod
    def of(cls, query: LeaderboardQuery) -> Shown:
        game = None if query.game == OVERALL else rules.GAMES[query.game]
        return cls(game, query.scope, query.period, query.order)

    def query(self, interaction: Interaction) -> LeaderboardQuery:
        game = OVERALL if self.game is None else self.game.name
        return LeaderboardQuery(interaction.user.id, interaction.guild_id, self.scope, game, self.period, self.order)


def _change(text: str) -> dict[str, Any]:
    """Read a choice of the menu, such as ``period-month``."""
    name, _dash, value = text.partition("-")
    hints = get_type_hints(Shown, include_extras=True)
    if name not in hints:
        raise ValueError(text)
    return {name: codec_of(hints[name]).read(value)}


class TurnLeaderboard(Press, action="leaderboard"):
    """Turns to a page, or to that of whoever presses."""

    shown: Shown
    page: int | None


class ChangeLeaderboard(Press, action="leaderboard-with"):
    shown: Shown
    change: Annotated[dict[str, Any], Codec(str, _change)] = chosen()


@dataclass
class LeaderboardCommand(Feature):
    ratings: Ratings
    settings: Settings

    @app_commands.command(description=gettext_noop("The best players, and your own rank"))
    @app_commands.describe(
        game=gettext_noop("One game only"),
        scope=gettext_noop("Whose leaderboard"),
        period=gettext_noop("Matches of which period"),
        by=gettext_noop("What players are ranked by"),
    )
    @app_commands.choices(
        scope=[app_commands.Choice(name=text, value=each.value) for each, text in SCOPES.items()],
        period=[app_commands.Choice(name=text, value=each.value) for each, text in PERIODS.items()],
        by=[app_commands.Choice(name=text, value=each.value) for each, text in ORDERS.items()],
    )
    async def leaderboard(
        self,
        interaction: Interaction,
        game: GameChoice | None = None,
        scope: Scope | None = None,
        period: Period = Period.ALL,
        by: Order = Order.RATING,
    ) -> None:
        usual = Scope.EVERYWHERE if interaction.guild_id is None else Scope.SERVER
        query = Shown(game, scope or usual, period, by).query(interaction)
        await replies.tell(interaction, await self._card(interaction, query, 1))

    @handles(TurnLeaderboard)
    async def turn_page(self, interaction: Interaction, press: TurnLeaderboard) -> None:
        await replies.replace(interaction, await self._card(interaction, press.shown.query(interaction), press.page))

    @handles(ChangeLeaderboard)
    async def change(self, interaction: Interaction, press: ChangeLeaderboard) -> None:
        """Show another leaderboard chosen from the menu."""
        query = replace(press.shown, **press.change).query(interaction)
        await replies.replace(interaction, await self._card(interaction, query, 1))

    async def _card(self, interaction: Interaction, query: LeaderboardQuery, page: int | None) -> Message:
        if query.scope is Scope.SERVER and query.guild_id is None:
            raise RefusalError(_("This is not a server. Choose another leaderboard, such as everywhere."))
        shown = await self.ratings.leaderboard(query, page)
        if not shown.rows:
            return leaderboard_card(shown, None)
        guild = interaction.guild
        server = _("this server") if guild is None else ratings.drawable(Player(guild.id, guild.name))
        look = private_look(await self.settings.preferences(interaction.user.id))
        picture = await asyncio.to_thread(leaderboard_picture, shown, server, look.theme)
        return leaderboard_card(shown, picture)


def leaderboard_picture(shown: Leaderboard, server: str, theme_name: str) -> Picture:
    """The picture of a page; drawing takes a while, so call it outside the event loop."""
    query = shown.query
    title = f"{ratings.game_title(query.game)} · {server if query.scope is Scope.SERVER else _(SCOPES[query.scope])}"
    subtitle = _subtitle(shown)
    on_page = {row.player.id for row in shown.rows}
    own = shown.own_row if shown.own_row is not None and shown.own_row.player.id not in on_page else None
    most = max([_most(query, row) for row in (*shown.rows, *([own] if own else []))], default=1)
    theme = ratings.theme_of(query.game, theme_name)
    lines = [_line(query, row, most) for row in shown.rows]
    own_line = _line(query, own, most) if own else None
    counted = query.order in (Order.GAMES, Order.WINS, Order.RATE)
    png = charts.leaderboard(title, subtitle, lines, own_line, theme, words.results() if counted else ())
    rows = [_words(query, row) for row in shown.rows] + ([_words(query, own)] if own else [])
    described = f"{title}. {subtitle}. {'; '.join(rows)}."
    described = shorten(described, LONGEST_DESCRIPTION)
    return Picture(
        f"leaderboard-{query.game or 'all'}-{query.scope}-{query.period}-{query.order}-{shown.page}.png", png, described
    )


def leaderboard_card(shown: Leaderboard, picture: Picture | None) -> Message:
    """A page of a leaderboard, with the viewer's own row in words."""
    query = shown.query
    title = _("Leaderboard")
    heading = f"### 🏆 {title} · {ratings.game_title(query.game)}"
    menus = (_menu(query),)
    if picture is None:
        return compose(heading, _nobody(query), footer=_terms(query), menus=menus, buttons=first_steps(query.game))
    return compose(
        heading, _own_row(shown), picture=picture, footer=_terms(query), menus=menus, buttons=_buttons(shown)
    )


def _nobody(query: LeaderboardQuery) -> str:
    if query.period is not Period.ALL:
        return _("Nobody has finished a rated match in this period yet.")
    return _("Nobody has finished a rated match here yet.")


def _own_row(shown: Leaderboard) -> str:
    mine, query = shown.own_row, shown.query
    if mine is None:
        return _("You are not on this leaderboard yet. Play a rated match to join it.")
    values = {"value": value(query, mine), "results": ratings.results(mine.totals)}
    if mine.rank is not None:
        return _("You: **#{rank}** of {ranked} · {value} · {results}").format(
            rank=mine.rank, ranked=shown.ranked, **values
        )
    if query.order is Order.RATE:
        return _("You: {value} · {results} · ranked after {games} matches").format(games=LEAST_GAMES, **values)
    return _("You: {value} · {results} · ranked once your rating is more certain, after about seven matches").format(
        **values
    )


def _terms(query: LeaderboardQuery) -> str:
    """The small print."""
    if query.order is Order.RATING:
        return _("Rated matches only. ± is the uncertainty; `?` marks a rating that is provisional and not ranked yet.")
    if query.order is Order.RATE:
        return _("Rated matches only; ranked from {games} matches on.").format(games=LEAST_GAMES)
    return _("Rated matches only.")


def _subtitle(shown: Leaderboard) -> str:
    query = shown.query
    parts = [_(_HEADINGS[query.order]), _(PERIODS[query.period])]
    parts.append(ngettext("{count} player", "{count} players", shown.total).format(count=words.number(shown.total)))
    if shown.pages > 1:
        parts.append(_("page {page} of {pages}").format(page=words.number(shown.page), pages=words.number(shown.pages)))
    return " · ".join(parts)


def value(query: LeaderboardQuery, row: LeaderboardRow) -> str:
    """The value that a player is ranked by."""
    totals = row.totals
    match query.order:
        case Order.RATING:
            return ratings.rating(row.rating)
        case Order.GAMES:
            return ngettext("{count} match", "{count} matches", totals.games).format(count=words.number(totals.games))
        case Order.WINS:
            return ngettext("{count} win", "{count} wins", totals.wins).format(count=words.number(totals.wins))
        case Order.RATE:
            return words.share(totals.wins / totals.games)
        case Order.STREAK:
            return _("{count} in a row").format(count=totals.best)


def _most(query: LeaderboardQuery, row: LeaderboardRow) -> int:
    return row.totals.best if query.order is Order.STREAK else row.totals.games


def _line(query: LeaderboardQuery, row: LeaderboardRow, most: int) -> charts.ChartRow:
    totals = row.totals
    parts: tuple[int, int, int] | None = None
    if query.order is Order.STREAK:
        parts = (totals.best, 0, 0)
    elif query.order is not Order.RATING:
        parts = (totals.wins, totals.draws, totals.losses)
    return charts.ChartRow(
        rank="" if row.rank is None else words.number(row.rank),
        name=ratings.drawable(row.player),
        value=value(query, row),
        mine=row.player.id == query.viewer_id,
        course=row.history if parts is None else (),
        parts=parts,
        most=totals.games if query.order is Order.RATE else most,
    )


def _words(query: LeaderboardQuery, row: LeaderboardRow) -> str:
    rank = _("unranked") if row.rank is None else f"{row.rank}."
    return f"{rank} {words.plain_name(row.player)} {value(query, row)}"


def _menu(query: LeaderboardQuery) -> Menu:
    """A menu of the other leaderboards, each one choice away."""

    def options(name: str, label: str, named: dict[str, str], current: StrEnum | str) -> dict[str, str]:
        return {f"{name}-{key}": _(label).format(name=text) for key, text in named.items() if key != current}

    games = {NONE: _("All games"), **{name: game.title for name, game in rules.GAMES.items()}}
    scopes = {each.value: _(text) for each, text in SCOPES.items() if query.guild_id or each is not Scope.SERVER}
    return option_menu(
        ChangeLeaderboard(Shown.of(query)),
        options("order", _ORDERED, {each.value: _(text) for each, text in ORDERS.items()}, query.order)
        | options("period", _MENU["period"], {each.value: _(text) for each, text in PERIODS.items()}, query.period)
        | options("scope", _MENU["scope"], scopes, query.scope)
        | options("game", _MENU["game"], games, query.game or NONE),
        _("Show another leaderboard"),
    )


def _buttons(shown: Leaderboard) -> tuple[ActionButton, ...]:
    def turn_to(page: int | None, label: str, emoji: str | None = None) -> ActionButton:
        return ActionButton(TurnLeaderboard(Shown.of(shown.query), page), label, emoji=emoji)

    buttons = []
    if shown.page > 1:
        buttons.append(turn_to(shown.page - 1, _("Back"), "◀️"))
    if shown.page < shown.pages:
        buttons.append(turn_to(shown.page + 1, _("Next"), "▶️"))
    if shown.own_page not in (None, shown.page):
        buttons.append(turn_to(None, _("My rank"), "🙋"))
    return tuple(buttons)
