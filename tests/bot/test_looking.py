from __future__ import annotations

from tests.bot.club import Club


async def test_smoke(club: Club) -> None:
    from tests.bot.games import WHOLE_GAME

    await club.match(turns=WHOLE_GAME)
    await club.match(turns=["e5"])
    for name, opt in (
        ("games", {}),
        ("history", {}),
        ("replay", {"match": "1"}),
        ("export", {"match": "1"}),
        ("rules", {"game": "dalen"}),
        ("try", {"turns": "light e6 e4 zz", "match": "2"}),
        ("board", {"overlay": "legal"}),
    ):
        answer = await club.slash(club.alice, name, **opt)
        print("=====", name)
        print(answer.private)
        (m,) = answer.messages
        print(m.labels, m.pictures, m.descriptions, m.files)
