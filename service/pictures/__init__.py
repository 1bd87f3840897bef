"""Pictures of a table: SVG of a tile, a display, the wheel, the moon track and all of it, and PNG of each. Pure but for
the renderer's processes; knows no web framework, no mail and no database.

    drawing = draw(Scene(state, people, version), Part.TABLE, seat=None, scheme=LIGHT)      an SVG document as text
    png = raster.png(drawing, width=700)                                                    in a process of its own
"""
