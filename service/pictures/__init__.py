"""Pictures of a table: SVG of a tile, a display, the wheel, the moon track or all of it, and PNG of each.

Nothing here has side effects but the renderer processes. The package knows no web framework, no mail and no database.

    drawing = draw(Scene(state, people, version), Part.TABLE, seat=None, scheme=LIGHT)      an SVG document as text
    png = raster.png(drawing, width=700)                                                    in a process of its own
"""
