"""Commands, events and reducers of tables, without clocks, threads or I/O."""
