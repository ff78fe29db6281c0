"""The meaning of the language: the value of a program in one possible world, and all worlds.

A possible world is one exact timeline that the labels allow: borders lie within their bounds, gaps
(nobody annotated there) contain something or nothing, and two tracks may be one instance. The
definitions are slow loops; the engine and user-supplied operators are tested against them.
"""
