"""The rules of a table: commands, events, reducers. Pure: no clock, no thread, no I/O."""
