# SPDX-License-Identifier: BSD-2-Clause
"""Tables of text."""

import shutil
import textwrap


def table(header, rows, left=(0,)):
    """Lines of aligned columns; columns in `left` are aligned to the left."""
    cells = [header] + rows
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = []
    for row in cells:
        words = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(words).rstrip())
    return lines


def told(error, *names):
    """An error's message after a name, unless the message begins with the name."""
    return error if error.startswith(names[0]) else f"{', '.join(names)}: {error}"


def screen_width():
    """Width of the terminal, or COLUMNS, limited to 80 to 120."""
    return min(120, max(80, shutil.get_terminal_size((120, 24)).columns))


def wrapped(header, rows, left=(0,), width=None):
    """A table with as many lines as needed in the last column, within `width`, by default the screen's."""
    room = (width or screen_width()) - len(table(header[:-1] + ["|"], [row[:-1] + ["|"] for row in rows])[0]) + 1
    cells = []
    for row in rows:
        first, *more = textwrap.wrap(row[-1], max(20, room), break_on_hyphens=False) or [""]
        cells.append(row[:-1] + [first])
        cells += [[""] * (len(row) - 1) + [line] for line in more]
    return table(header, cells, [*left, len(header) - 1])
