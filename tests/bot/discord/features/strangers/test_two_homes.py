"""Matches of strangers: asking, and a card for each player at home."""

from __future__ import annotations

from simcord import ChannelHandle

from bot.domain.competitions.strangers import Pace
from bot.domain.matches import Match
from bot.domain.places import Place
from bot.domain.players import Names, Player
from bot.domain.preferences import Outside
from tests.support.discord.club import Club, Seen
from tests.support.services.matches import DAN


async def ask_here(club: Club) -> None:
    """Alice asks for opponents in the club's channel."""
    lobby = await club.open(club.alice, "play")
    await club.press_all(club.alice, "Play anyone", "Find me opponents", on=lobby)


async def ask_in_conversation(club: Club) -> ChannelHandle:
    """Carol asks for opponents in her conversation with the bot."""
    lobby = (await club.whisper(club.carol, "play")).private_handle
    await club.press_all(club.carol.user, "Play anyone", "Find me opponents", on=lobby)
    chat: ChannelHandle = club.carol.user.dm_channel
    return chat


async def meet(club: Club) -> tuple[Match, ChannelHandle]:
    """Alice and Carol meet; the match is shown in the channel and in the conversation."""
    await ask_here(club)
    chat = await ask_in_conversation(club)
    await club.env.advance_time(2)
    return await club.newest_match(), chat


def board(club: Club, where: ChannelHandle) -> Seen:
    return club.boards(where)[-1]


async def test_strangers_meet_and_each_sees_a_card_at_home(club: Club) -> None:
    match, chat = await meet(club)
    here, there = board(club, club.channel), board(club, chat)
    opener, other = (here, there) if match.first.id == club.alice.id else (there, here)
    assert (opener.pinged, other.pinged) == ((match.first.id,), ())
    here.says("from elsewhere", "first turn is due", "otherwise the match is called off")
    assert f"<@{club.carol.id}>" not in here.text
    assert f"<@{club.alice.id}>" not in there.text
    for card in (here, there):
        card.says("Alice", "Carol")


async def play(club: Club, match: Match, turn: str) -> None:
    """The player to act types a turn at home."""
    game = await club.app.matches.game(match.id)
    assert game.to_act is not None
    if game.to_act.id == club.alice.id:
        await club.slash(club.alice, "move", turn=turn, match=str(match.id))
    else:
        await club.whisper(club.carol, "move", turn=turn, match=str(match.id))
    await club.env.advance_time(2)


async def test_turns_from_either_home_are_shown_in_both_with_one_ping_each(club: Club) -> None:
    match, chat = await meet(club)
    side = match.ruleset.game.sides[0]
    for number, turn in enumerate(("e5", side, "d4", "c3"), 1):
        await play(club, match, turn)
        game = await club.app.matches.game(match.id)
        assert len(game.turns) == number
        assert game.to_act is not None
        for where, who in ((club.channel, club.alice), (chat, club.carol)):
            boards = club.boards(where)
            assert [bool(card.labels) for card in boards] == [*[False] * (len(boards) - 1), True]
            pinged = club.seen(where.history()[-1]).pinged
            assert pinged == ((who.id,) if game.to_act.id == who.id else ())
    for where in (club.channel, chat):
        assert sum("c3" in card.text for card in club.boards(where)) >= 1


async def test_a_proposal_is_shown_to_the_player_who_answers_it(club: Club) -> None:
    match, chat = await meet(club)
    await play(club, match, "e5")
    here, there = (club.channel, chat) if match.first.id == club.alice.id else (chat, club.channel)
    if here is club.channel:
        await club.slash(club.alice, "undo", match=str(match.id))
    else:
        await club.whisper(club.carol, "undo", match=str(match.id))
    await club.env.advance_time(2)
    (offer,) = [card for card in club.cards(there) if "Accept" in card.labels]
    assert "Withdraw" not in offer.labels, "the proposer does not see this card"
    assert not any("Accept" in card.labels for card in club.cards(here))
    assert offer.pinged == (match.second.id,)
    await club.press(club.alice if there is club.channel else club.carol.user, "Accept", on=there.history()[-1])
    await club.env.advance_time(2)
    assert (await club.app.matches.game(match.id)).turns == ()
    for where in (here, there):
        assert "More…" in club.boards(where)[-1].labels


async def test_a_rematch_and_the_next_opponent_need_no_common_server(club: Club) -> None:
    match, chat = await meet(club)
    await club.app.matches.resign(match.id, club.alice.id)
    await club.env.advance_time(2)
    await club.press(club.carol.user, "Rematch", on=chat.history()[-1])
    await club.env.advance_time(2)
    assert "Waiting for Alice" in board(club, chat).labels
    assert "Accept the rematch" in board(club, club.channel).labels
    await club.press(club.alice, "Accept")
    await club.env.advance_time(2)
    again = await club.newest_match()
    assert again.rematch_of == match.id
    for where in (club.channel, chat):
        assert "More…" in club.boards(where)[-1].labels


async def test_a_deleted_channel_sends_the_match_to_the_conversation(club: Club) -> None:
    match, _chat = await meet(club)
    club.env.backend.delete_channel(club.channel.id)
    await club.env.advance_time(2)
    home = await club.app.deliveries.get(match.id, club.alice.id)
    assert home.home.direct
    assert club.boards(club.alice.user.dm_channel)
    assert not (await club.app.matches.match(match.id)).waiting


async def test_a_server_without_the_bot_sends_the_match_and_later_ones_to_the_conversation(club: Club) -> None:
    match, _chat = await meet(club)
    club.env.backend.remove_guild(club.guild.id)
    await club.env.advance_time(2)
    assert board(club, club.alice.user.dm_channel).labels
    assert not (await club.app.matches.match(match.id)).waiting
    await club.app.matches.resign(match.id, club.alice.id)
    await club.app.standing_requests.ask(DAN, ["dalen"], 1, Pace.WEEK, Place(None, 77, direct=True), near=False)
    await club.env.advance_time(2)
    assert (await club.app.deliveries.get((await club.newest_match()).id, club.alice.id)).home.direct


async def test_a_channel_closed_to_the_bot_sends_the_match_to_the_conversation(club: Club) -> None:
    club.forbid("send_messages", "send_messages_in_threads", "create_public_threads")
    match, _chat = await meet(club)
    await club.env.advance_time(2)
    assert board(club, club.alice.user.dm_channel).labels
    assert (await club.app.matches.match(match.id)).shown


async def test_an_absent_bot_blames_nobody_for_a_missing_first_turn(club: Club) -> None:
    match, _chat = await meet(club)
    await club.env.advance_time(86_400)
    await club.stop()
    await club.env.advance_time(4 * 86_400)
    await club.start()
    await club.env.advance_time(86_400)
    assert (await club.app.matches.match(match.id)).result is None
    await club.env.advance_time(2 * 86_400)
    assert (await club.app.matches.match(match.id)).result is not None


async def test_a_channel_deleted_while_the_bot_was_away_blames_nobody_for_a_missing_first_turn(club: Club) -> None:
    match, _chat = await meet(club)
    await club.stop()
    club.env.backend.delete_channel(club.channel.id)
    await club.start()
    await club.env.advance_time(3 * 86_400 + 120)
    assert (await club.app.matches.match(match.id)).result is None
    assert board(club, club.alice.user.dm_channel).labels


async def test_moderators_of_one_home_end_nothing_but_can_remove_the_match_from_it(club: Club) -> None:
    match, _chat = await meet(club)
    moderator = club.join_as_moderator("Mo")
    answer = await club.slash(moderator, "resign", match=str(match.id))
    assert "not playing" in answer.private
    menu = await club.press(moderator, "More…")
    assert "End this match…" not in menu.card.labels
    await club.press(moderator, "Remove it from here", on=menu.private_handle)
    await club.env.advance_time(2)
    assert (await club.app.matches.match(match.id)).result is None
    assert "More…" in board(club, club.alice.user.dm_channel).labels
    await play(club, match, "e5")


async def test_a_player_blocks_an_opponent_without_learning_the_account(club: Club) -> None:
    match, chat = await meet(club)
    await club.app.matches.resign(match.id, club.alice.id)
    await club.env.advance_time(2)
    asked = await club.press(club.carol.user, "Block", on=chat.history()[-1])
    await club.press(club.carol.user, "Yes, block", on=asked.private_handle)
    refused = await club.press(club.carol.user, "Rematch", on=chat.history()[-1])
    assert "You have blocked Alice, so you two do not play again." in refused.private
    panel = await club.whisper(club.carol, "settings")
    privacy = await club.press_all(club.carol.user, "Privacy", on=panel.private_handle)
    assert str(club.alice.id) not in str(club.env.backend.get_message(chat.id, privacy.id).components)
    await club.env.advance_time(3 * 86400)
    assert (await club.newest_match()).id == match.id


async def test_each_hidden_name_is_shown_at_home_alone(club: Club) -> None:
    for who in (club.alice, club.carol):
        player = Player(who.id, who.user.name, Names(who.user.name, who.user.name))
        await club.app.settings.change_preferences(player, outside=Outside.HIDDEN)
    _match, chat = await meet(club)
    for card, own, other in ((board(club, club.channel), "Alice", "Carol"), (board(club, chat), "Carol", "Alice")):
        card.says(own, "Anonymous player")
        assert other not in card.text


async def test_nobody_is_offered_an_opponent_whom_they_have_just_met(club: Club) -> None:
    match, _chat = await meet(club)
    await club.app.matches.resign(match.id, club.alice.id)
    await club.env.advance_time(2)
    assert "Waiting for an opponent" not in (await club.slash(club.alice, "play")).private
    assert "Waiting for an opponent: Dalen 2" in (await club.slash(club.bob, "play")).private


async def test_meeting_whoever_waits_keeps_a_running_request(club: Club) -> None:
    match, _chat = await meet(club)
    await club.app.standing_requests.ask(DAN, ["hedu"], 1, Pace.DAYS, Place(None, 77, direct=True), near=False)
    await club.press(club.alice, "Meet an opponent: Hedu", on=await club.open(club.alice, "play"))
    await club.env.advance_time(2)
    assert (await club.newest_match()).ruleset.game.name == "hedu"
    own = (await club.app.standing_requests.lobby(club.alice.id)).own
    assert own is not None
    assert (sorted(own.games), own.at_once, own.pace) == (["dalen", "hedu"], 2, Pace.DAYS)
    assert (await club.app.matches.match(match.id)).result is None


async def test_no_more_for_now_pauses_the_request(club: Club) -> None:
    match, chat = await meet(club)
    await club.app.matches.resign(match.id, club.alice.id)
    await club.env.advance_time(2)
    by_another = await club.press(club.bob, "No more for now")
    assert "You did not play" in by_another.private
    paused = await club.press(club.carol.user, "No more for now", on=chat.history()[-1])
    assert "Your request is paused." in paused.card.text
    await club.env.advance_time(3 * 86400)
    assert (await club.newest_match()).id == match.id


async def test_one_press_meets_whoever_waits(club: Club) -> None:
    await ask_here(club)
    lobby = (await club.whisper(club.carol, "play")).private_handle
    assert "Waiting for an opponent: Dalen 1" in club.seen(lobby).text
    assert not any(label.startswith("Meet") for label in club.seen(lobby).labels), "she has not agreed yet"
    request = await club.press_all(club.carol.user, "Play anyone", "Find me opponents", on=lobby)
    club.seen(request).says("You play as many matches as you asked for.")
    assert (await club.newest_match()).apart is not None


async def test_the_panel_of_the_time_says_when_the_first_turn_is_due(club: Club) -> None:
    await meet(club)
    menu = await club.press(club.alice, "More…")
    panel = await club.press_all(club.alice, "Time", on=menu.private_handle)
    club.seen(panel).says("first turn is due", "otherwise the match is called off")


async def test_people_at_home_on_one_server_are_not_called_from_elsewhere(club: Club) -> None:
    await ask_here(club)
    lobby = await club.open(club.carol, "play", "Play anyone")
    await club.press(club.carol, "Find me opponents", on=lobby)
    await club.env.advance_time(2)
    assert (await club.newest_match()).apart == (club.guild.id, club.guild.id)
    assert "from elsewhere" not in board(club, club.channel).text


async def test_a_request_paused_by_the_bot_offers_nothing_that_would_be_refused(club: Club) -> None:
    match, _chat = await meet(club)
    await club.env.advance_time(3 * 86_400 + 2)
    absent = club.alice if match.first.id == club.alice.id else club.carol
    lobby = (await club.whisper(absent, "play")).private_handle
    request = club.seen(await club.press_all(absent.user, "Play anyone", on=lobby))
    request.says("Your request is paused, because matches with you ended too soon.")
    assert request.labels == ("Stop",)


async def test_a_server_can_switch_matches_with_people_from_elsewhere_off(club: Club) -> None:
    await club.app.settings.change_server_settings(club.guild.id, strangers=False)
    lobby = await club.open(club.alice, "play", "Play anyone")
    answer = await club.press(club.alice, "Find me opponents", on=lobby)
    assert "This server does not show matches with people from elsewhere." in answer.private


async def test_both_homes_are_complete_after_a_restart(club: Club) -> None:
    match, chat = await meet(club)
    await club.stop()
    await club.start()
    await club.env.advance_time(2)
    for where in (club.channel, chat):
        assert len([card for card in club.boards(where) if card.labels]) == 1
    assert (await club.app.matches.match(match.id)).shown
