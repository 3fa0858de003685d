"""Sentences about standing requests to play anyone, for Discord and the pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import rules
from bot.domain.competitions.strangers import MOST_AT_ONCE, Lobby, Pace, RequestState, StandingRequest
from bot.domain.preferences import Outside
from bot.texts import gettext_noop
from bot.texts.durations import time_control
from bot.wording.sentence import Sentence, gettext as _, joined, ngettext

_STRENGTHS = {False: gettext_noop("Opponents of any strength"), True: gettext_noop("Opponents near my rating")}
#: How a player appears to people from elsewhere.
_SEEN_AS = {
    Outside.ACCOUNT: gettext_noop("your display name"),
    Outside.USERNAME: gettext_noop("your username"),
    Outside.HIDDEN: gettext_noop("“Anonymous player”"),
}


def what_others_see(outside: Outside) -> Sentence:
    """What people from elsewhere learn about a player, who agrees to it before the first request."""
    return _(
        "I find you opponents from anywhere. They see {name}, your rating and how you play, but not your server, your "
        "account or your picture. You see as much of them. Nobody can write to anybody."
    ).format(name=_(_SEEN_AS[outside]))


def what_happens() -> Sentence:
    return _(
        "As soon as another request fits, a rated match begins, and after it the next one, until you pause. Make your "
        "first turn within three days, or two with the shorter clock: otherwise the match is called off, and your "
        "request is paused for a while. Resigning at once again and again pauses it, too."
    )


def numbers() -> dict[str, str]:
    """The numbers of matches at once to choose from."""
    return {str(count): _at_once(count) for count in range(1, MOST_AT_ONCE + 1)}


def paces() -> dict[str, str]:
    """The clocks to choose from."""
    return {str(pace): time_control(pace.control) for pace in Pace}


def strengths() -> dict[str, str]:
    """The strengths of opponents to choose from, by whether they are near."""
    return {str(int(near)): _(label) for near, label in _STRENGTHS.items()}


def state(lobby: Lobby, when: Callable[[datetime], object]) -> Sentence:
    """What happens to a player's request now; ``when`` shows a time."""
    own = lobby.own
    assert own is not None
    match own.state:
        case RequestState.ENDED:
            return _("You are not looking for opponents. Running matches go on.")
        case RequestState.PAUSED if own.resumes_at is not None:
            text = _("Your request is paused, because matches with you ended too soon. It goes on {when}.")
            return text.format(when=when(own.resumes_at))
        case RequestState.PAUSED:
            return _("Your request is paused. Running matches go on.")
    if lobby.running >= own.at_once:
        return _("You play as many matches as you asked for. When one ends, I find you the next opponent.")
    return _("You started looking for an opponent {when}.").format(when=when(own.waiting_since))


def terms(own: StandingRequest) -> Sentence:
    """The terms of a request."""
    games = ", ".join(game.title for name, game in rules.GAMES.items() if name in own.games)
    return joined(games, _at_once(own.at_once), time_control(own.pace.control), _(_STRENGTHS[own.near]), by=" · ")


def where(own: StandingRequest, channel: str = "") -> Sentence:
    """Where the matches of a request appear; ``channel`` is its channel, where that can be shown."""
    if own.home.guild_id is None:
        return _("Your matches appear in your conversation with me.")
    if not channel:
        return _("Your matches appear in the channel where you asked.")
    return _("Your matches appear in {channel}.").format(channel=channel)


def waiting(lobby: Lobby) -> Sentence:
    """How many people wait for an opponent in each game; empty if nobody does."""
    counts = [f"{game.title} {lobby.waiting[name]}" for name, game in rules.GAMES.items() if lobby.waiting[name]]
    return _("Waiting for an opponent: {games}").format(games=", ".join(counts)) if counts else Sentence()


def _at_once(count: int) -> Sentence:
    return ngettext("{count} match at once", "{count} matches at once", count).format(count=count)
