# SPDX-License-Identifier: BSD-2-Clause
"""Description of a run's numbers: library, preset, mode, traces, and settings that differ from the preset."""

import textwrap

from .context import version

# Default GPU. `defaults` means the keys' own values, without a GPU.
DEFAULT_PRESET = "h100"
NO_PRESET = "defaults"


def about(config, traces=(), kernels=None):
    """Description of a Config for JSON. `preset` is None without a preset. `kernels`: chosen kernels of each trace."""
    settings = config.changes()
    for key in ("mode", "threads"):  # `mode` has its own field, results do not depend on `threads`
        settings.pop(key, None)
    return {
        "version": version(), "preset": config.preset, "mode": config["mode"], "traces": list(map(str, traces)),
        **({} if kernels is None else {"only_kernels": str(kernels)}), "settings": settings,
    }  # fmt: skip


def settings_text(found):
    """The settings of about() in a line."""
    return ", ".join(f"{key} = {value}" for key, value in found["settings"].items())


# Columns of CSV from about(); traces have their own column.
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
