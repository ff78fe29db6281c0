"""The command ``surgqa``: what did the user ask for.  One module per command.

A command imports what it needs inside its function, so that help and lists answer at
once; ``tests/pipeline/cli/test_start.py`` guards it.
"""
