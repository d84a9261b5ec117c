"""The screen in a browser: the only room that serves HTTP. Each page has a process that draws its screen.

Nobody is let in without the link that the terminal printed (gate.py); nothing is served but a table of files.
"""
