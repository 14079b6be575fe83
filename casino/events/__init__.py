"""Events of the casino's log, with their types, construction and decoding.

types        event classes, the parts they share, and decoding of log leaves
factories    construction of events from the results of play, betting and dealing
game_record  record, bets and payments of a finished game, reconstructed from its events
"""
