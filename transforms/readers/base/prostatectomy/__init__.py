"""Label files of PSI-AVA and GraSP: COCO's form, with phases, steps and actions."""
