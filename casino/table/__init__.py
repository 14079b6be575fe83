"""The live table: one game after another, with a gallery that bets on it.

messages   commands in, facts out: frozen records
state      a table as the facts leave it; `evolve` folds them
decide     what a command comes to, or its refusal: pure
story      facts as leaves and entries of the bank's log, and back
limits     what a player allows himself
told       what each receiver may be told of a fact
clerk      the one door to the tables: a transaction a command, publish after commit
croupier   paces a table and asks its bots
course     what the bots of a game will do, whatever is bet on it
foresight  courses worked out ahead by a second process
spectators simulated bettors
house      many tables for a night
"""
