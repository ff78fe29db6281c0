"""Question files of the VQLA sets over EndoVis 2017 and 2018."""
