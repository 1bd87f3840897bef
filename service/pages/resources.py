"""The blueprints of all pages."""

from __future__ import annotations

from service.pages import (
    account,
    at_table,
    calendar,
    game_text,
    home,
    imported,
    invitation,
    moves,
    never_mail,
    new_table,
    open_tables,
    own_data,
    own_tables,
    player,
    programs,
    received,
    record,
    rules,
    settings,
    sign_in,
    solo,
    table,
    times,
    unsubscribe,
    verifier,
)
from service.pages.docs import assets, guide, reference

_MODULES = (
    reference,
    guide,
    assets,
    home,
    table,
    moves,
    record,
    game_text,
    imported,
    verifier,
    calendar,
    invitation,
    never_mail,
    unsubscribe,
    rules,
    programs,
    sign_in,
    account,
    own_tables,
    at_table,
    open_tables,
    new_table,
    solo,
    player,
    settings,
    times,
    own_data,
    received,
)

BLUEPRINTS = tuple(module.blp for module in _MODULES)
"""The blueprints, in the order in which they are registered."""
