"""The events of a casino: one class for each type of leaf, how they are made, encoded and decoded.

types        the event classes and the parts they share
factories    events made from the results of rules, betting and dealing
codec        bytes of the log as events
game_record  a game's record, bets and payments out of its events
"""
