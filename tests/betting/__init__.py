"""Tests of the gallery: tables, and laws that always hold."""
