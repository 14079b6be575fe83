"""Training: solve the exchange stage by CFR and produce policy tables."""
