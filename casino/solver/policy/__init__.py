"""Policy tables of the expert: information sets, exchange and card play."""
