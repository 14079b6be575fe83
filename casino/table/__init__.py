"""The live table: one game after another, with a gallery that bets on it.

commands   what is asked: frozen records
state      a table as events have left it
evolve     how an event changes a table
decide     what a command comes to, or its refusal: pure, as are the modules it chooses among:
desk       what decisions need to know; betting, playing, seating, ending
limits     what a player allows himself
told       the messages of an event
clerk      the one door to the tables: a transaction a command, publish after commit
resume     where every table stands, read from the log
croupier   paces a table and asks its bots
course     what the bots of a game will do, whatever is bet on it
foresight  courses worked out ahead by a second process
spectators simulated bettors
house      many tables for a night
"""
