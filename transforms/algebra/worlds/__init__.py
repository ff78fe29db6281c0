"""The meaning of the template language, for tests: values on exact timelines, and random timelines.

A possible world is one exact timeline that the labels allow. Starts and ends lie within their
bounds, something or nothing happens where nobody annotated, and two tracks may be one instrument.
The definitions are slow loops; the engine and plug-in operators are tested against them.
"""
