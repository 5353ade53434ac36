"""Few hellos at a time, in turn; the others are sent away with a time that fits."""

import asyncio
import contextlib

import pytest

from arraywright.kit.clock import Clock
from arraywright.link import door as doors
from arraywright.link.door import Door
from tests.support.clock import HandClock

pytestmark = pytest.mark.anyio


@pytest.fixture
def full() -> Door:
    door = Door(Clock())
    for _ in range(doors.INSIDE):
        assert door.try_enter()
    return door


async def _waiting(door: Door, count: int) -> list[asyncio.Task[None]]:
    tasks = [asyncio.create_task(door.enter()) for _ in range(count)]
    await asyncio.sleep(0)
    return tasks


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_in_turn(full: Door) -> None:
    assert not full.try_enter()
    first, second = await _waiting(full, 2)
    full.leave()
    await asyncio.sleep(0)
    assert first.done()
    assert not second.done()
    full.leave()
    await second
    assert not full.try_enter()


async def test_who_has_gone_takes_no_turn(full: Door) -> None:
    first, second = await _waiting(full, 2)
    await _end([first])
    full.leave()
    await second


async def test_a_turn_that_comes_with_the_end_is_the_next_ones(full: Door) -> None:
    first, second = await _waiting(full, 2)
    full.leave()
    first.cancel()  # before it has noticed its turn
    with contextlib.suppress(asyncio.CancelledError):
        await first
    await second


async def test_nobody_waits_longer_than_agents_do(full: Door) -> None:
    most = int(doors.PATIENCE_S / full.cost_s)
    tasks = await _waiting(full, most)
    assert not full.is_full
    tasks += await _waiting(full, 1)
    assert full.is_full
    await _end(tasks)
    assert not full.is_full


async def test_the_more_are_away_the_later_they_come(full: Door) -> None:
    spreads = [full.send_away() for _ in range(4000)]
    assert spreads[0] == doors.SOONEST_S
    assert spreads == sorted(spreads)
    served = doors.SHARE / doors.COST_S * spreads[-1]
    assert served == pytest.approx(4000 + doors.INSIDE, rel=0.05)


async def test_the_time_follows_from_what_hellos_take() -> None:
    clock = HandClock()
    door = Door(clock)
    while door.try_enter():
        pass
    tasks = await _waiting(door, 1000)
    for _ in range(1000):
        clock.offset_s += 0.1
        door.leave()
    await asyncio.gather(*tasks)
    assert door.cost_s == pytest.approx(0.1, rel=0.05)
    assert door.spread_s(1000) == pytest.approx(200, rel=0.05)
    assert door.window_s(1000) == round(1000 * doors.COST_S / doors.SHARE), "of the next process"
