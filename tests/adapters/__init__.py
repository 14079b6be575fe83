"""Tests of the adapters against the engine."""
