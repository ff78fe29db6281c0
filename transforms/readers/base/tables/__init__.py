"""User-supplied tables, and the mapping file that defines their columns.

A plan is the parsed description of tables: ``surgqa.yaml`` of a user or ``files.yaml`` of a
dataset. A role is what a column means, such as ``start``. A flag is a column that is named after a
label and states whether the label applies. A pictured table has one file for each image.
"""
