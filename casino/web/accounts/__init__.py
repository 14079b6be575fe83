"""Accounts of people: names, passwords, sessions."""
