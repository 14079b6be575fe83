"""One module for each family of commands: each turns a command into events."""
