# SPDX-License-Identifier: BSD-2-Clause
"""What numbers are of: library, preset, mode, traces, and the settings that differ from the preset."""

import textwrap

from .context import version

# The GPU of who names none. `defaults` are the keys' own, which are of no GPU.
DEFAULT_PRESET = "h100"
NO_PRESET = "defaults"


def about(config, traces=(), kernels=None):
    """Of a Config: what goes into JSON. `preset` is None where none was applied. `kernels`: those chosen of each trace."""
    settings = config.changes()
    for key in ("mode", "threads"):  # the one is told of besides, of the other nothing depends
        settings.pop(key, None)
    return {
        "version": version(), "preset": config.preset, "mode": config["mode"], "traces": list(map(str, traces)),
        **({} if kernels is None else {"only_kernels": str(kernels)}), "settings": settings,
    }  # fmt: skip


def settings_text(found):
    """The settings of about() in a line."""
    return ", ".join(f"{key} = {value}" for key, value in found["settings"].items())


# Columns of CSV, and what about() has for them; traces have a column of their own.
COLUMNS = ("version", "preset", "mode", "settings")


def cells(found):
    return [found["version"], found["preset"] or NO_PRESET, found["mode"], settings_text(found)]


def heading(found, width=120):
    """Lines above a table."""
    preset = found["preset"] or f"{NO_PRESET} (no GPU)"
    lines = [f"gpucache {found['version']}, preset {preset}, {found['mode']}"]
    if found["traces"]:
        lines.append("traces: " + ", ".join(found["traces"]))
    if "only_kernels" in found:
        lines.append(f"only kernels: {found['only_kernels']}")
    if found["settings"]:
        lines.append("settings: " + settings_text(found))
    return [part for line in lines
            for part in textwrap.wrap(line, width, subsequent_indent="    ", break_on_hyphens=False)]  # fmt: skip
