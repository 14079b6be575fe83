"""Live tables, which play one game after another while the gallery bets.

domain    pure: commands are decided into events, and events applied to the state
public    public state, client messages and the versioned feed
runtime   threads, clocks and secrets: command service, table runners, casino
practice  a game for one person, without stake or log
"""
