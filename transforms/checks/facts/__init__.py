"""Derives facts a second time, in SQL, from the annotations that readers wrote.

All answers are computed from the tables ``facts``, ``holes``, ``looked``, ``samples`` and
``instants`` of ``evidence/``. This package computes these tables again from the *raw* tables
``videos``, ``events``, ``segments``, ``regions``, ``labels`` and ``moments``, and compares them
with the stored ones. ``docs/rows.md`` describes all tables. This package shares only the data files
of ``ontology/`` with the code that generates questions.
"""

from surgqa.transforms.checks.facts.held import hold_facts

__all__ = ["hold_facts"]
