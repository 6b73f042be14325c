"""The commands of `muntin`, a module each: arguments, output, exit status.

What a command computes lives in the package that it is about.
"""
