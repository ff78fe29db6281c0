"""One folder an operator.

``signature.py``: what it takes and gives, and how it is said.  ``naive.py``: what it means in one
world; this is its definition.  ``columns.py``: its certain answer for many fillings at once.
``example.yaml``: a runnable example, shown in the docs.  A folder is found by its name; nothing
lists them.
"""
