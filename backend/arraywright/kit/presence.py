"""Whether a host is there: the one definition, for every page, filter, alert and command.

    enrolled ----> connecting ----> online <----> late ----> offline
                      ^                ^                        |
                      +----------------+------------------------+

enrolled     it has a key and has never connected
connecting   connected; what it has now is on its way, what is shown is from before
online       connected, and what is shown is what it reported last
late         expected, but not heard for two heartbeats
offline      not heard for three and a half heartbeats, or disconnected for the grace time

The link alone moves a host from one to another, by its own clock.
"""

from enum import StrEnum


class Presence(StrEnum):
    ENROLLED = "enrolled"
    CONNECTING = "connecting"
    ONLINE = "online"
    LATE = "late"
    OFFLINE = "offline"


# It can be asked and told things.
HERE = (Presence.CONNECTING.value, Presence.ONLINE.value, Presence.LATE.value)
LATE_HEARTBEATS = 2.0
OFFLINE_HEARTBEATS = 3.5
NEVER_CONNECTED_S = 15 * 60
"""How long a host may stay enrolled before somebody is told."""
