"""Tests of the gallery: tables, laws that always hold, and mistakes that must be caught."""
