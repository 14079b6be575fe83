"""The live table: one game after another, with a gallery that bets on it.

commands      what is asked: frozen records
rules         what a table goes by, as its terms say
state         a table as events have left it
evolve        how an event changes a table
decide        what a command comes to, or its refusal: pure, as are the modules it chooses among:
desk          what decisions need to know; betting, cutting, playing, seating, terms, ending
limits        what a player allows himself
seeds         what follows from the master secret: seeds, and what the file keeps encrypted
public_table  a table as everybody knows it, from events alone
messages      what everybody is told of an event; lobby: a table in a line
board         messages grouped and numbered, with the snapshot that they come to
private_view  what one person alone may know
clerk         the one door to the tables: a transaction a command, publish after commit
resume        where every table stands, read from the log
croupier      paces a table and asks its bots
course        what the bots of a game will do, whatever is bet on it
foresight     courses worked out ahead by a second process
spectators    simulated bettors
witnesses     checkpoints cosigned by others
house         many tables for a night
"""
