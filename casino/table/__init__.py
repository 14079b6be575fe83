"""Live tables, which play one game after another while the gallery bets.

domain    pure functions that turn commands into events and apply events to the state
public    public state, client messages and the versioned feed
runtime   threads, clocks and secrets: command service, table runners, casino
practice  a game for one person, without stake or log
"""
