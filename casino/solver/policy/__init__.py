"""Policy tables of the expert: hand abstraction, information sets, exchange and card play."""
