"""The meaning of the language: what a program gives in one world, and which worlds there are.

A world is one completion of what is known of a video: every border somewhere within its bounds,
something or nothing where nobody looked, instances that are one or two.  The definitions are
plain loops and are slow; the engine is held against them, and so is an operator of your own.
"""
