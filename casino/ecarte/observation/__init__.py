"""Views of a deal without hidden cards, inference from them, and their encoding for learning."""
