"""Encode values as compact JSON text. This module is independent of the web framework."""

import json

encode = json.JSONEncoder(separators=(",", ":")).encode
"""Encode a value as JSON. The encoder is made once: to make one takes longer than most uses of it."""
