"""Tests of betting: tables of cases, and properties."""
