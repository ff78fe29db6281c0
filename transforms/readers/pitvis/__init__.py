"""PitVis: steps and instruments of endoscopic pituitary operations, second by second."""
