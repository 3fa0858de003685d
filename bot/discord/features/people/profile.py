"""``/profile``: a player's ratings, results and openings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import discord
from discord import app_commands

import render
import rules
from bot.discord.features.challenges.computer import levels_card
from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature
from bot.discord.interaction.interactions import Interaction, is_computer, player_of
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.ruleset import GameChoice
from bot.discord.transport.answers import Answer
from bot.discord.ui.actions import starting_buttons
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import LONGEST_DESCRIPTION, Message, Picture, compose
from bot.domain.competitions.leaderboards import Profile, Results, Streak
from bot.domain.players import Conduct
from bot.domain.ratings import OVERALL
from bot.domain.study.puzzles import PuzzleProgress
from bot.pictures import private_look
from bot.services.ladders import Ladders
from bot.services.people.privacy import Privacy
from bot.services.ratings import LONGEST_HISTORY, Ratings
from bot.services.study.puzzles import Puzzles
from bot.texts import gettext as _, gettext_noop, ngettext
from bot.wording import ratings, words
from bot.wording.quoting import as_code, shorten
from render.statistics import charts
from rules import Position

#: Maximum number of opponents, sizes or openings in a list.
_MOST_NAMED = 5
#: Minimum number of ratings or openings that are worth a picture.
_LEAST_DRAWN = 2


@dataclass
class ProfileCommand(Feature):
    ratings: Ratings
    privacy: Privacy
    puzzles: Puzzles
    ladders: Ladders
    languages: Languages
    access: Access
    command_mentions: CommandMentions

    @app_commands.command(description=gettext_noop("Ratings, results and openings of a player"))
    @app_commands.describe(
        player=gettext_noop("Whose profile to show; your own by default"), game=gettext_noop("One game only")
    )
    async def profile(
        self,
        interaction: Interaction,
        player: discord.Member | discord.User | None = None,
        game: GameChoice | None = None,
    ) -> None:
        user = interaction.user
        if is_computer(interaction, player):
            games = rules.GAMES if game is None else [game.name]
            rated = {name: await self.ratings.levels(name) for name in games}
            await Answer.of(interaction).respond(levels_card(rated, self.command_mentions))
            return
        viewer, name = await self.access.viewer_of_lists(interaction), None if game is None else game.name
        found = await self.ratings.profile(player_of(player or user), viewer, name, interaction.guild_id)
        look = private_look(await self.languages.load(interaction))
        conduct = await self.privacy.conduct(found.player.id, name)
        history, openings = await asyncio.to_thread(profile_pictures, found, look)
        puzzles = await self.puzzles.progress(found.player.id)
        places = {} if interaction.guild_id is None else await self.ladders.rungs_of(found.player.id, viewer)
        card = profile_card(found, conduct, history, openings, puzzles, places)
        await Answer.of(interaction).respond(card)


def profile_pictures(profile: Profile, look: render.Look) -> tuple[Picture | None, Picture | None]:
    """The rating over several days, and the openings, if there are enough of them.

    Renders pictures: call it in a thread.
    """
    return _history(profile, look.theme), _openings(profile, look)


def _history(profile: Profile, theme_name: str) -> Picture | None:
    if len(profile.history) < _LEAST_DRAWN:
        return None
    dated = [(rating.at, rating) for rating in profile.history if rating.at is not None]
    start, end = words.day(dated[0][0]), words.day(dated[-1][0])
    if start == end:
        return None
    title = f"{words.drawable_name(profile.player)} · {ratings.game_title(profile.game)}"
    now = ratings.rating(profile.ratings[profile.game])
    count = len(profile.history)
    if count < LONGEST_HISTORY:
        games = ngettext("{count} rated match", "{count} rated matches", count).format(count=count)
    else:
        games = _("the last {count} rated matches").format(count=count)
    points = [charts.RatingPoint(at.timestamp(), rating.value, rating.deviation) for at, rating in dated]
    theme = ratings.theme_of(profile.game, theme_name)
    png = charts.rating_history(title, f"{now} · {games}", points, (start, end), theme)
    values = [round(rating.value) for rating in profile.history]
    described = _(
        "{player}'s rating over time, {game}: from {first} on {start} to {last} on {end}; lowest {low}, highest "
        "{high}. Now {now}."
    ).format(
        player=words.plain_name(profile.player),
        game=ratings.game_title(profile.game),
        first=values[0],
        start=start,
        last=values[-1],
        end=end,
        low=min(values),
        high=max(values),
        now=now,
    )
    return Picture("rating.png", png, described)


def _openings(profile: Profile, look: render.Look) -> Picture | None:
    if profile.openings_ruleset is None or sum(profile.openings.values()) < _LEAST_DRAWN:
        return None
    png = charts.openings(render.face(profile.openings_ruleset.game), profile.openings_ruleset, profile.openings, look)
    cells = ", ".join(f"{cell} ×{count}" for cell, count in profile.openings.items())
    described = _("Where {player} opened in {terms}: {cells}.").format(
        player=words.plain_name(profile.player), terms=words.terms(profile.openings_ruleset).plain, cells=cells
    )
    return Picture("openings.png", png, shorten(described, LONGEST_DESCRIPTION))


def profile_card(
    profile: Profile,
    conduct: Conduct,
    history: Picture | None,
    openings: Picture | None,
    puzzles: PuzzleProgress,
    places: Mapping[type[Position], tuple[int, int]],
) -> Message:
    heading = f"### 👤 {words.name(profile.player)}"
    unplayed = _("No finished match yet.")
    if profile.game != OVERALL:
        heading += f" · {ratings.game_title(profile.game)}"
        unplayed = _("No finished match of {game} yet.").format(game=ratings.game_title(profile.game))
    more = [_places(profile, places), _conduct(conduct), _puzzles(profile, puzzles)]
    if not (profile.results.games or profile.by_level):
        text = "\n".join(filter(None, [unplayed, *more]))
        return compose(heading, text, buttons=starting_buttons(profile.game))
    rated, body, caption = "\n".join(_games(profile)), "\n".join(filter(None, [*_results(profile), *more])), ""
    if profile.openings_ruleset is not None:
        caption = _("**Favourite openings** in {terms}: {cells}").format(
            terms=words.terms(profile.openings_ruleset),
            cells=", ".join(
                f"{as_code(cell)} ×{count}" for cell, count in list(profile.openings.items())[:_MOST_NAMED]
            ),
        )
    footer = [_("Rated and casual matches. ± is the rating's uncertainty.")] if profile.results.games else []
    if conduct.aborted:
        footer.append(
            _("Aborted matches were lost on time, called off, or resigned before both players had made two turns.")
        )
    # A player who has only played against the computer is almost a new player.
    buttons = () if profile.results.games else starting_buttons(profile.game)
    return compose(heading, rated, history, body, caption, openings, footer=" ".join(footer), buttons=buttons)


def _conduct(conduct: Conduct) -> str:
    if not conduct.aborted:
        return ""
    text = ngettext(
        "**Aborted** {share}: {aborted} of {count} match",
        "**Aborted** {share}: {aborted} of {count} matches",
        conduct.matches,
    )
    count, aborted = words.number(conduct.matches), words.number(conduct.aborted)
    return text.format(share=words.share(conduct.aborted_rate), aborted=aborted, count=count)


def _puzzles(profile: Profile, puzzles: PuzzleProgress) -> str:
    """The rating and the streak in puzzles, which only the profile of all games has."""
    if profile.game != OVERALL or not puzzles.tried:
        return ""
    return _(
        "**Puzzles** {rating} · {solved} of {count} solved at the first try · streak {streak}, longest {longest}"
    ).format(
        rating=round(puzzles.rating),
        solved=words.number(puzzles.solved),
        count=words.number(puzzles.tried),
        streak=puzzles.streak,
        longest=puzzles.longest,
    )


def _places(profile: Profile, places: Mapping[type[Position], tuple[int, int]]) -> str:
    """The player's places on this server's ladders; ``places`` are, by game, the place and the number of places."""
    shown = [
        _("{game}: place {number} of {count}").format(game=game.title, number=number, count=count)
        for game, (number, count) in places.items()
        if profile.game in (OVERALL, game.name)
    ]
    return _("**Ladders here** {places}").format(places=" · ".join(shown)) if shown else ""


def _games(profile: Profile) -> list[str]:
    """A line for each game, with the rating and the results."""
    lines = []
    if OVERALL in profile.ratings and profile.game == OVERALL:
        lines.append(f"**{ratings.game_title(OVERALL)}** {ratings.rating(profile.ratings[OVERALL])}")
    for game, results in profile.by_game.items():
        rated = [ratings.rating(profile.ratings[game])] if game in profile.ratings else []
        lines.append(f"**{ratings.game_title(game)}** {' · '.join([*rated, ratings.results(results)])}")
    return lines


def _results(profile: Profile) -> list[str]:
    if not profile.results.games:
        return [_against_computer(profile)]
    lines = [_("**Results** {results}").format(results=ratings.results(profile.results))]
    if profile.streak is not None:
        lines[0] += f" · {_streak(profile.streak, profile.longest)}"
    if profile.game != OVERALL:
        lines.append(_list(_("Sides"), {_(side).capitalize(): results for side, results in profile.by_side.items()}))
        lines.append(_list(_("Sizes"), {str(size): results for (_game, size), results in profile.by_size.items()}))
    opponents = profile.by_opponent.items()
    lines.append(_list(_("Opponents"), {words.name(player): results for player, results in opponents}))
    if profile.against_viewer is not None:
        lines.append(_("**Against you** {results}").format(results=ratings.results(profile.against_viewer)))
    return [*lines, _against_computer(profile)]


def _against_computer(profile: Profile) -> str:
    levels = {_("level {level}").format(level=level): results for level, results in profile.by_level.items()}
    return _list(_("Against the computer"), levels)


def _list(label: str, named: Mapping[str, Results]) -> str:
    if not named:
        return ""
    items = list(named.items())[:_MOST_NAMED]
    shown = [f"{name}: {ratings.results(results)}" for name, results in items]
    return f"**{label}** {' · '.join(shown)}{' · …' if len(named) > _MOST_NAMED else ''}"


def _streak(streak: Streak, longest: int) -> str:
    length = streak.length
    if streak.score == 1:
        text = ngettext("won the last match", "won the last {count} matches", length)
    elif streak.score == 0:
        text = ngettext("lost the last match", "lost the last {count} matches", length)
    else:
        text = ngettext("drew the last match", "drew the last {count} matches", length)
    now = text.format(count=length)
    if longest < 2:
        return now
    if streak.score == 1 and length == longest:
        return _("{now}, the longest streak").format(now=now)
    return _("{now}; longest winning streak: {longest}").format(now=now, longest=longest)
