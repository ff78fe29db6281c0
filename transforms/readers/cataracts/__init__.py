"""CATARACTS: instruments and steps of 50 cataract operations, in a table a frame."""
