"""Commands for simulations and bots."""
