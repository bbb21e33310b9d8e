# SPDX-License-Identifier: BSD-2-Clause
"""Tables of text."""


def table(header, rows, left=(0,)):
    """Lines of aligned columns; those in `left` to the left."""
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
