"""``/history``: a player's finished matches, with filters and replays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import discord
from discord import app_commands
from discord.utils import format_dt

from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, is_computer, place_of, player_of
from bot.discord.interaction.options.ruleset import GameChoice
from bot.discord.transport.answers import Answer
from bot.discord.ui.actions import ChooseReplay, DownloadAll, ListImports, starting_buttons
from bot.discord.ui.messages import ActionButton, Menu, Message, compose, option_menu, turners
from bot.discord.ui.presses import NONE, GameType, Id, Press, user_input
from bot.domain.matches import Ending, Match, MatchFilter, MatchListPage, Score, score_of
from bot.domain.players import COMPUTER_ID, Player
from bot.services.history import History
from bot.services.study.imports import Imports
from bot.texts import gettext as _, gettext_noop, ngettext
from bot.wording import words

_MOST_OPPONENTS = 24
_SCORES = {
    Score.WON: gettext_noop("Won"),
    Score.LOST: gettext_noop("Lost"),
    Score.DRAWN: gettext_noop("Drawn"),
    Score.ABANDONED: gettext_noop("Called off"),
}
_EMOJIS: dict[str, str] = {
    Score.WON: "✅",
    Score.LOST: "❌",
    Score.DRAWN: "🤝",
    Score.ABANDONED: "🍂",
}


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """A search among a player's finished matches."""

    player_id: Id
    game: GameType | None = None
    score: Score | None = None
    opponent_id: Id | None = None

    @property
    def narrowed(self) -> bool:
        return (self.game, self.score, self.opponent_id) != (None, None, None)


class HistoryPress(Press):
    query: HistoryQuery


class ListFinished(HistoryPress, action="history"):
    page: int


class ChooseScore(HistoryPress, action="history-result"):
    score: Score | None = user_input()


class FilterByOpponent(HistoryPress, action="history-opponent"):
    opponent_id: Id | None = user_input()


@dataclass
class HistoryCommand(Feature):
    history: History
    imports: Imports
    access: Access

    @app_commands.command(
        name="history", description=gettext_noop("Finished matches with their results, to replay: yours, or a friend's")
    )
    @app_commands.describe(
        player=gettext_noop("Whose matches on this server to show; your own by default"),
        game=gettext_noop("One game only"),
        opponent=gettext_noop("Matches with this opponent only"),
    )
    async def show_history(
        self,
        interaction: Interaction,
        player: discord.Member | discord.User | None = None,
        game: GameChoice | None = None,
        opponent: discord.Member | discord.User | None = None,
    ) -> None:
        if is_computer(interaction, player):  # its matches are listed as its opponents'
            player, opponent = opponent, player
        whose = player_of(player or interaction.user)
        opponent_id = None if opponent is None else opponent.id
        if is_computer(interaction, opponent):
            opponent_id = COMPUTER_ID
        query = HistoryQuery(whose.id, game, opponent_id=opponent_id)
        await Answer.of(interaction).respond(await self._card(interaction, whose, query, 1))

    @handles(ListFinished, ChooseScore, FilterByOpponent)
    async def change(self, interaction: Interaction, press: HistoryPress) -> None:
        """Turn to a page, or narrow the search."""
        query, page = press.query, 1
        match press:
            case ListFinished():
                page = press.page
            case ChooseScore():
                query = replace(query, score=press.score)
            case FilterByOpponent():
                query = replace(query, opponent_id=press.opponent_id)
        player = await self.history.player(query.player_id, place_of(interaction))
        await Answer.of(interaction).respond(await self._card(interaction, player, query, page))

    async def _card(self, interaction: Interaction, player: Player, query: HistoryQuery, page: int) -> Message:
        """A page of the user's matches from everywhere, or of another player's matches on this server."""
        here, mine = place_of(interaction), player.id == interaction.user.id
        wanted = MatchFilter(
            viewer=None if mine else await self.access.viewer_of_lists(interaction),
            player_id=player.id,
            opponent_id=query.opponent_id,
            game=None if query.game is None else query.game.name,
            score=query.score,
        )
        found = await self.history.finished(wanted, page, seen_from=here)
        opponents = await self.history.opponents(wanted, _MOST_OPPONENTS, here)
        if query.opponent_id is not None and query.opponent_id not in {opponent.id for opponent in opponents}:
            opponents = [await self.history.player(query.opponent_id, here), *opponents[: _MOST_OPPONENTS - 1]]
        reasons = await self.history.reasons(found.matches)
        has_imports = mine and bool(await self.imports.count(player.id))
        return history_card(found, reasons, query, player, opponents, mine=mine, has_imports=has_imports)


def history_card(
    page: MatchListPage,
    reasons: Mapping[int, str],
    query: HistoryQuery,
    player: Player,
    opponents: list[Player],
    *,
    mine: bool,
    has_imports: bool = False,
) -> Message:
    """A page of finished matches, with menus for filters and replays.

    ``reasons`` say, by match number, why the rules ended a match.
    """
    heading = _("### 📜 Your finished matches")
    if not mine:
        heading = _("### 📜 Finished matches of {player}").format(player=words.name(player))
    imports = (ActionButton(ListImports(), _("Imported records"), emoji="📥"),) if has_imports else ()
    if not page.matches and not query.narrowed:
        return compose(heading, _("None yet."), buttons=(*starting_buttons(), *imports))
    menus, footer, text = [_scores(query)], "", _("No finished match fits.")
    if len(opponents) > 1 or query.opponent_id is not None:
        menus.append(_opponents(query, opponents))
    if page.matches:
        menus.insert(0, _replays(page.matches, player.id))
        text = "\n".join(_entry(match, reasons.get(match.id), player.id) for match in page.matches)
        footer = ngettext("{count} match", "{count} matches", page.total).format(count=page.total)
        if page.pages > 1:
            number = _("page {number} of {pages}").format(number=page.number, pages=page.pages)
            footer = f"{footer} · {number}"
    turning = turners(partial(ListFinished, query), page.number, page.pages)
    download = (ActionButton(DownloadAll(), _("Download all"), emoji="💾"),) if mine and page.matches else ()
    return compose(heading, text, footer=footer, menus=tuple(menus), buttons=(*turning, *imports, *download))


def _entry(match: Match, reason: str | None, player_id: int) -> str:
    score = score_of(match, player_id)
    turns = ngettext("{count} turn", "{count} turns", match.ply).format(count=match.ply)
    how = "" if reason is None else _(reason)
    if match.result is not None and match.result.ending is Ending.RESIGNATION:
        how = _("by resignation")
    ended = "" if match.ended_at is None else format_dt(match.ended_at, "d")
    items = filter(None, [f"#{match.id}", how, turns, ended])
    return (
        f"{_EMOJIS[score]} {words.terms(match.ruleset)}: {words.result_for(match, player_id)}\n-# {' · '.join(items)}"
    )


def _replays(matches: tuple[Match, ...], player_id: int) -> Menu:
    labels = {
        str(match.id): f"#{match.id} {match.ruleset.game.title} · {words.plain_name(match.opponent_of(player_id))}"
        for match in matches
    }
    emojis = {str(match.id): _EMOJIS[score_of(match, player_id)] for match in matches}
    return option_menu(ChooseReplay(), labels, _("Replay…"), emojis=emojis)


def _scores(query: HistoryQuery) -> Menu:
    labels: dict[str, str] = {NONE: _("All results")}
    labels |= {score: _(label) for score, label in _SCORES.items()}
    return option_menu(ChooseScore(query), labels, _("All results"), query.score or NONE, emojis=_EMOJIS)


def _opponents(query: HistoryQuery, opponents: list[Player]) -> Menu:
    labels = {NONE: _("All opponents"), **{str(opponent.id): words.plain_name(opponent) for opponent in opponents}}
    current = NONE if query.opponent_id is None else str(query.opponent_id)
    return option_menu(FilterByOpponent(query), labels, _("All opponents"), current)
