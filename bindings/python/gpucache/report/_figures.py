# SPDX-License-Identifier: BSD-2-Clause
"""Readable numbers, and values of a result; a missing value is a dash, never a zero."""

_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
SECTOR = 32  # bytes


def _three(value):
    """Three digits, or all digits of a larger whole number."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def count(value):
    """12345678 -> 12.3 M."""
    if value is None:
        return "-"
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e4)):
        if abs(value) >= size:
            return f"{_three(value / (1e3 if unit == 'k' else size))} {unit}"
    return f"{value:,.0f}" if value == int(value) else _three(value)


def size(value):
    """Bytes: 12345678 -> 11.8 MiB."""
    if value is None:
        return "-"
    for unit in reversed(_UNITS):
        if value >= _UNITS[unit]:
            return f"{_three(value / _UNITS[unit])} {unit}"
    return "0 B"


def energy(picojoules):
    """12345678 -> 12.3 µJ."""
    if picojoules is None:
        return "-"
    for unit, size in (("J", 1e12), ("mJ", 1e9), ("µJ", 1e6), ("nJ", 1e3)):
        if picojoules >= size:
            return f"{_three(picojoules / size)} {unit}"
    return f"{_three(picojoules)} pJ"


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def number(config, key):
    """A number of a configuration, sizes in bytes; None if not a number."""
    text = str(config.get(key, "")).strip()
    for unit in ("KiB", "MiB", "GiB", "B"):
        if text.endswith(unit):
            text, scale = text[: -len(unit)], _UNITS[unit]
            break
    else:
        scale = 1
    try:
        return float(text) * scale
    except ValueError:
        return None


def ratio(numerator, denominator):
    """Quotient; None for an unknown value or a zero denominator."""
    return numerator / denominator if numerator is not None and denominator else None


def product(*factors):
    """Product; None for an unknown factor."""
    found = 1.0
    for factor in factors:
        if factor is None:
            return None
        found *= factor
    return found
