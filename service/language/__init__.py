"""The words of the game in every language, for mails, pages and pictures.

The package is pure text; nothing in it knows about HTTP or a database.
"""
