"""Values of a template's expressions for many possible questions at once, as NumPy arrays.

A filling is a row with one value for each of the template's names, that is, one possible question.
A possible world is one exact timeline that the labels allow. Each value states for each row whether
it exists in every possible world (``ok``), and its bounds there. Only what is the same in all
worlds is an answer.
"""
