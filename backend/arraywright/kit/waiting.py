"""Waiting for an event, but not for ever.

`asyncio.wait_for` may swallow a cancellation that comes together with the event (Python 3.11);
a worker would then outlive its shutdown. `asyncio.timeout` does not.
"""

import asyncio


async def happened(event: asyncio.Event, seconds: float) -> bool:
    """True if the event is set within so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
