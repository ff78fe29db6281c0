"""CATARACTS: instruments and steps of 50 cataract operations, in tables with a row per frame."""
