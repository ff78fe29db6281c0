"""EndoVis 2018: every pixel of 15 sequences of robotic nephrectomy, as coloured pictures."""
