"""Files of the HeiChole operations, which EndoVis2019 shared out."""
