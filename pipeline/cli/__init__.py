"""The command ``surgqa``, with one module per command.

A command imports its packages inside its function, so that help and lists print at once;
``tests/pipeline/cli/test_start.py`` checks this.
"""
