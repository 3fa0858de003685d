"""/leaderboard ranks the players of a server by their results."""

from __future__ import annotations

from simcord import ChannelHandle, MemberActor

from tests.bot.club import Club, Seen


async def beat(club: Club, winner: MemberActor, loser: MemberActor) -> None:
    await club.match(loser, winner)
    question = await club.press(loser, "Resign")
    await club.press(loser, "Yes, resign", on=question.private_handle)


async def leaderboard(club: Club, who: MemberActor, where: ChannelHandle | None = None, **options: str) -> Seen:
    """The leaderboard that everybody in the channel sees."""
    cards = len(club.cards(where))
    assert (await club.slash(who, "leaderboard", where=where, **options)).nothing
    assert len(club.cards(where)) == cards + 1
    card = club.card(where)
    assert card.pinged == ()
    assert card.labels == ()
    return card


async def test_without_a_finished_game_it_says_so(club: Club) -> None:
    await club.match()
    assert "Nobody has finished a game here yet" in (await leaderboard(club, club.alice)).text


async def test_more_wins_come_first_and_then_fewer_losses(club: Club) -> None:
    await beat(club, club.bob, club.alice)
    await beat(club, club.bob, club.carol)
    await beat(club, club.carol, club.alice)
    board = await leaderboard(club, club.carol)
    assert board.texts[0] == "### 🏆 All games · Club"
    assert board.texts[1].splitlines() == [
        "🥇 Bob · 2 wins, 0 losses",
        "🥈 **Carol** · 1 win, 1 loss",
        "🥉 Alice · 0 wins, 2 losses",
    ]


async def test_equal_results_share_a_rank(club: Club) -> None:
    await beat(club, club.bob, club.alice)
    await beat(club, club.carol, club.alice)
    board = await leaderboard(club, club.alice, game="dalen")
    assert board.texts[0] == "### 🏆 Dalen · Club"
    assert board.texts[1].splitlines() == [
        "🥇 Bob · 1 win, 0 losses",
        "🥇 Carol · 1 win, 0 losses",
        "🥉 **Alice** · 0 wins, 2 losses",
    ]


async def test_running_matches_and_other_servers_do_not_count(club: Club) -> None:
    await beat(club, club.bob, club.alice)
    await club.match()
    other = club.env.create_guild("Other club")
    room = other.create_text_channel("games")
    alice = other.add_member(club.alice.user)
    await club.env.settle()
    board = await leaderboard(club, alice, where=room)
    assert "Nobody has finished a game here yet" in board.text
    board = await leaderboard(club, club.alice)
    assert board.texts[1].splitlines() == ["🥇 Bob · 1 win, 0 losses", "🥈 **Alice** · 0 wins, 1 loss"]


async def test_where_the_bot_may_not_post_the_one_who_asks_sees_it_alone(club: Club) -> None:
    await beat(club, club.bob, club.alice)
    club.forbid("send_messages")
    answer = await club.slash(club.alice, "leaderboard")
    assert "🥇 Bob · 1 win, 0 losses" in answer.private
