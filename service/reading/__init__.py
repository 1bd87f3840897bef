"""Parse incoming mail: bytes in, commands out.

Everything here is pure: no clock, no I/O, and no knowledge of games or accounts.
"""
