"""What can happen: one class for each kind of leaf, and how its leaves are made and read.

kinds    the classes, public by construction; parts: what several of them have
made     events made from what the rules, the gallery and the dealing come to
reading  bytes of the log as events
"""
