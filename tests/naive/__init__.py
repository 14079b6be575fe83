"""A naive implementation of Écarté and of its records, to test the engine against.

It shares no code with the engine: cards are texts such as `KH`, hands are lists, and every
rule is written out in the most obvious way. It is slow where slow code is simpler.
"""
