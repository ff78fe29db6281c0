"""EndoVis 2017: masks of every robotic instrument in eight sequences, two frames a second."""
