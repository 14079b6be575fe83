"""The policy tables of the expert: abstraction, information sets, exchange and play."""
