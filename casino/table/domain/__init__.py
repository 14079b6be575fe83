"""The table's domain: commands, events, reducers. Pure: no clock, no thread, no I/O."""
