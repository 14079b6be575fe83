"""Count the complete lines of play of a deal, by trying every legal card at every turn."""

from __future__ import annotations

from .basics import follows, reply_wins


def lines_of_play(leader: list[str], follower: list[str], trump: str, play: str) -> int:
    """How many ways two hands can be played out, the leader's hand given first."""
    if not leader:
        return 1
    lines = 0
    for led in leader:
        rest = [card for card in leader if card != led]
        for reply in follows(follower, led, trump, play):
            other_rest = [card for card in follower if card != reply]
            if reply_wins(led, reply, trump):
                lines += lines_of_play(other_rest, rest, trump, play)
            else:
                lines += lines_of_play(rest, other_rest, trump, play)
    return lines
