"""Custom definitions of private text: a sentence and a few examples become something that finds the type everywhere.

The idea is that of paper 000 (section 3.2, figures 4 and 6): whoever runs the program says what is private, in words
and with examples. Nothing is trained and nothing leaves the computer.
"""
