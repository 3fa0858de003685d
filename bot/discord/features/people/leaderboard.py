"""``/leaderboard``: the best players on this server, everywhere, or among the user's opponents."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, get_type_hints

from discord import app_commands

import rules
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.ruleset import GameChoice
from bot.discord.transport.answers import Answer
from bot.discord.ui.actions import starting_buttons
from bot.discord.ui.messages import (
    LONGEST_DESCRIPTION,
    ActionButton,
    Menu,
    Message,
    Picture,
    compose,
    option_menu,
)
from bot.discord.ui.presses import NONE, Codec, GameType, Press, codec_of, user_input
from bot.domain.competitions.leaderboards import (
    LEAST_GAMES,
    Leaderboard,
    LeaderboardQuery,
    LeaderboardRow,
    Order,
    Period,
    Scope,
)
from bot.domain.players import Player
from bot.domain.ratings import OVERALL
from bot.pictures import private_look
from bot.services.ratings import Ratings
from bot.texts import gettext as _, gettext_noop, ngettext
from bot.wording import ratings, words
from bot.wording.quoting import shorten
from render.statistics import tables

_SCOPES = {
    Scope.SERVER: gettext_noop("this server"),
    Scope.EVERYWHERE: gettext_noop("everywhere"),
    Scope.FRIENDS: gettext_noop("people I have played"),
}
_PERIODS = {
    Period.ALL: gettext_noop("all time"),
    Period.MONTH: gettext_noop("this month"),
    Period.SEASON: gettext_noop("this season"),
}
_ORDERS = {
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
    "order": gettext_noop("By {name}"),
    "game": gettext_noop("Game: {name}"),
    "scope": gettext_noop("Players: {name}"),
    "period": gettext_noop("Period: {name}"),
}


@dataclass(frozen=True, slots=True)
class Ranking:
    """The kind of a leaderboard, for any viewer."""

    game: GameType | None
    scope: Scope
    period: Period
    order: Order

    @classmethod
    def of(cls, query: LeaderboardQuery) -> Ranking:
        game = None if query.game == OVERALL else rules.GAMES[query.game]
        return cls(game, query.scope, query.period, query.order)

    def query(self, interaction: Interaction) -> LeaderboardQuery:
        game = OVERALL if self.game is None else self.game.name
        return LeaderboardQuery(interaction.user.id, interaction.guild_id, self.scope, game, self.period, self.order)


def _change(text: str) -> dict[str, Any]:
    """The change that a choice from the menu makes, such as ``period-month``."""
    name, _dash, value = text.partition("-")
    hints = get_type_hints(Ranking, include_extras=True)
    if name not in hints:
        raise ValueError(text)
    return {name: codec_of(hints[name]).read(value)}


class TurnLeaderboard(Press, action="leaderboard"):
    """Turn to a page, by default the page with the user's rank."""

    ranking: Ranking
    page: int | None


class ChangeLeaderboard(Press, action="leaderboard-with"):
    ranking: Ranking
    change: Annotated[dict[str, Any], Codec(str, _change)] = user_input()


@dataclass
class LeaderboardCommand(Feature):
    ratings: Ratings
    languages: Languages

    @app_commands.command(description=gettext_noop("The best players, and your own rank"))
    @app_commands.describe(
        game=gettext_noop("One game only"),
        scope=gettext_noop("Whose leaderboard"),
        period=gettext_noop("Period of the matches"),
        by=gettext_noop("What players are ranked by"),
    )
    @app_commands.choices(
        scope=[app_commands.Choice(name=text, value=scope.value) for scope, text in _SCOPES.items()],
        period=[app_commands.Choice(name=text, value=period.value) for period, text in _PERIODS.items()],
        by=[app_commands.Choice(name=text, value=order.value) for order, text in _ORDERS.items()],
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
        query = Ranking(game, scope or usual, period, by).query(interaction)
        await Answer.of(interaction).respond(await self._card(interaction, query, 1))

    @handles(TurnLeaderboard)
    async def turn_page(self, interaction: Interaction, press: TurnLeaderboard) -> None:
        await Answer.of(interaction).respond(
            await self._card(interaction, press.ranking.query(interaction), press.page)
        )

    @handles(ChangeLeaderboard)
    async def change(self, interaction: Interaction, press: ChangeLeaderboard) -> None:
        query = replace(press.ranking, **press.change).query(interaction)
        await Answer.of(interaction).respond(await self._card(interaction, query, 1))

    async def _card(self, interaction: Interaction, query: LeaderboardQuery, page: int | None) -> Message:
        if query.scope is Scope.SERVER and query.guild_id is None:
            raise RefusalError(_("This is not a server. Choose another leaderboard, such as everywhere."))
        table = await self.ratings.leaderboard(query, page)
        if not table.rows:
            return leaderboard_card(table, None)
        guild, look = interaction.guild, private_look(await self.languages.load(interaction))

        def draw() -> Picture:
            server = _("this server") if guild is None else words.drawable_name(Player(guild.id, guild.name))
            return leaderboard_picture(table, server, look.theme)

        return leaderboard_card(table, await asyncio.to_thread(draw))


def leaderboard_picture(table: Leaderboard, server: str, theme_name: str) -> Picture:
    """The picture of a page. Renders pictures: call it in a thread."""
    query = table.query
    title = f"{ratings.game_title(query.game)} · {server if query.scope is Scope.SERVER else _(_SCOPES[query.scope])}"
    subtitle = _subtitle(table)
    on_page = {row.player.id for row in table.rows}
    own = table.own_row if table.own_row is not None and table.own_row.player.id not in on_page else None
    totals = [row.totals for row in (*table.rows, *([own] if own else []))]
    most = max((counted.best if query.order is Order.STREAK else counted.games for counted in totals), default=1)
    theme = ratings.theme_of(query.game, theme_name)
    ranking = [_row(query, row, most) for row in table.rows]
    own_row = _row(query, own, most) if own else None
    shows_results = query.order in (Order.GAMES, Order.WINS, Order.RATE)
    png = tables.leaderboard(title, subtitle, ranking, own_row, theme, words.results() if shows_results else ())
    rows = [_words(query, row) for row in table.rows] + ([_words(query, own)] if own else [])
    described = f"{title}. {subtitle}. {'; '.join(rows)}."
    name = f"leaderboard-{query.game or 'all'}-{query.scope}-{query.period}-{query.order}-{table.page}.png"
    return Picture(name, png, shorten(described, LONGEST_DESCRIPTION))


def leaderboard_card(table: Leaderboard, picture: Picture | None) -> Message:
    """A page of a leaderboard, with the viewer's own row in words."""
    query = table.query
    title = _("Leaderboard")
    heading = f"### 🏆 {title} · {ratings.game_title(query.game)}"
    if picture is not None:
        text, buttons = _own_row(table), _buttons(table)
    else:
        buttons, text = starting_buttons(query.game), _("Nobody has finished a rated match here yet.")
        if query.period is not Period.ALL:
            text = _("Nobody has finished a rated match in this period yet.")
    return compose(heading, text, picture=picture, footer=_terms(query), menus=(_menu(query),), buttons=buttons)


def _own_row(table: Leaderboard) -> str:
    mine, query = table.own_row, table.query
    if mine is None:
        return _("You are not on this leaderboard yet. Play a rated match to join it.")
    text = _("You: {value} · ranked once your rating is more certain, after about seven matches")
    if mine.rank is not None:
        text = _("You: **#{rank}** of {ranked} · {value}")
    elif query.order is Order.RATE:
        text = _("You: {value} · ranked after {games} matches")
    value = ratings.results(mine.totals)
    if query.order is not Order.WINS:
        value = f"{_value(query, mine)} · {value}"
    return text.format(rank=mine.rank, ranked=table.ranked, games=LEAST_GAMES, value=value)


def _terms(query: LeaderboardQuery) -> str:
    """The footer: which matches count, and what the marks mean."""
    if query.order is Order.RATING:
        return _("Rated matches only. ± is the uncertainty; `?` marks a rating that is provisional and not ranked yet.")
    if query.order is Order.RATE:
        return _("Rated matches only; ranked from {games} matches on.").format(games=LEAST_GAMES)
    return _("Rated matches only.")


def _subtitle(table: Leaderboard) -> str:
    query = table.query
    items = [_(_HEADINGS[query.order]), _(_PERIODS[query.period])]
    items.append(ngettext("{count} player", "{count} players", table.total).format(count=words.number(table.total)))
    if table.pages > 1:
        items.append(_("page {page} of {pages}").format(page=words.number(table.page), pages=words.number(table.pages)))
    return " · ".join(items)


def _value(query: LeaderboardQuery, row: LeaderboardRow) -> str:
    """The value by which a player is ranked."""
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


def _row(query: LeaderboardQuery, row: LeaderboardRow, most: int) -> tables.RankingRow:
    totals = row.totals
    counts: tuple[int, int, int] | None = None
    if query.order is Order.STREAK:
        counts = (totals.best, 0, 0)
    elif query.order is not Order.RATING:
        counts = (totals.wins, totals.draws, totals.losses)
    return tables.RankingRow(
        rank="" if row.rank is None else words.number(row.rank),
        name=words.drawable_name(row.player),
        value=_value(query, row),
        mine=row.player.id == query.viewer_id,
        course=row.history if counts is None else (),
        results=counts,
        most=totals.games if query.order is Order.RATE else most,
    )


def _words(query: LeaderboardQuery, row: LeaderboardRow) -> str:
    rank = _("unranked") if row.rank is None else f"{row.rank}."
    return f"{rank} {words.plain_name(row.player)} {_value(query, row)}"


def _menu(query: LeaderboardQuery) -> Menu:
    """The menu of other leaderboards."""
    scopes = {scope: text for scope, text in _SCOPES.items() if query.guild_id or scope is not Scope.SERVER}
    games = {NONE: _("All games"), **{name: game.title for name, game in rules.GAMES.items()}}
    choices = {
        "order": ({order.value: _(text) for order, text in _ORDERS.items()}, query.order),
        "period": ({period.value: _(text) for period, text in _PERIODS.items()}, query.period),
        "scope": ({scope.value: _(text) for scope, text in scopes.items()}, query.scope),
        "game": (games, query.game or NONE),
    }
    labels = {
        f"{field}-{value}": _(_MENU[field]).format(name=name)
        for field, (names, current) in choices.items()
        for value, name in names.items()
        if value != current
    }
    return option_menu(ChangeLeaderboard(Ranking.of(query)), labels, _("Show another leaderboard"))


def _buttons(table: Leaderboard) -> tuple[ActionButton, ...]:
    turn_to, buttons = partial(TurnLeaderboard, Ranking.of(table.query)), []
    if table.page > 1:
        buttons.append(ActionButton(turn_to(table.page - 1), _("Back"), emoji="◀️"))
    if table.page < table.pages:
        buttons.append(ActionButton(turn_to(table.page + 1), _("Next"), emoji="▶️"))
    if table.own_page not in (None, table.page):
        buttons.append(ActionButton(turn_to(None), _("My rank"), emoji="🙋"))
    return tuple(buttons)
