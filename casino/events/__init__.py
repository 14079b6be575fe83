"""Events of the casino's log, with their types, construction, encoding and decoding.

types        event classes and the parts they share
factories    construction of events from the results of play, betting and dealing
codec        decoding of log leaves into events
game_record  record, bets and payments of a finished game, reconstructed from its events
"""
