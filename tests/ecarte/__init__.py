"""The rules of Écarté tested, article by article, and the tools these tests share."""
