"""EndoVis 2018: a class for every pixel of 15 robotic nephrectomy sequences, as colour images."""
