"""Table domain: commands, events and reducers, without clocks, threads or I/O."""
