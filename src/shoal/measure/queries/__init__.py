"""Queries that are answered from what is published: an estimate, and bounds that the truth cannot leave.

A *question* says what is asked of some columns. A column is an *axis*: of each of its cells it is known whether all,
some or none of the values that the cell may stand for are asked for, and how many of them. Columns that are published
side by side are a *part*; of parts that are joined by a class alone, it is not known which of their rows belong
together. A form says which parts its tables have, and no more: one module a form in the folder `forms`.

The bounds are sure: no table that was published so has a truth beyond them. They speak of the published records; of
those that were left out nothing is known. The estimate takes the values that a cell may stand for to be equally likely,
each column by itself, and every way in which rows of a class may belong together.
"""
