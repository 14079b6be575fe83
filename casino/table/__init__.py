"""The live table: one game after another, with bets from the gallery.

domain      pure: commands, state, settings, decisions, events applied to state
public      what everyone may know of a table: state, messages, the versioned feed
runtime     threads, clocks and secrets: the command service, table runners, the casino
practice    a game for one person, without stake or log
"""
