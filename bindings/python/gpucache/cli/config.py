# SPDX-License-Identifier: BSD-2-Clause
"""config: reference of keys, or values of a configuration."""

from .._constants import ValueType
from .._table import wrapped
from ..config import config_keys
from ._common import add_configuration, add_verbose, chosen, configuration, configured, context

_HEADER = ["key", "type", "unit", "default", "values", "meaning"]


def add(commands):
    parser = commands.add_parser(
        "config", description="List the keys. With a preset, "
        "files or settings: the value of every key, as a file that --config takes.",
    )  # fmt: skip
    parser.add_argument("patterns", nargs="*", metavar="KEY", help="only keys with these names; * is any text")
    parser.add_argument("--markdown", action="store_true", help="the key reference as a Markdown table")
    add_configuration(parser)
    add_verbose(parser)

    def checked(options):
        if options.markdown and configured(options):
            parser.error("--markdown is for the key reference: it takes no configuration")
        run(options)

    parser.set_defaults(run=checked)


def _bound(key, value):
    """A limit in the form of configuration text."""
    if key.type == ValueType.NUMBER:
        return f"{value:.15g}"
    number = int(value)
    if key.type != ValueType.SIZE:
        return str(number)
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if number and number % (1 << shift) == 0:
            return f"{number >> shift}{unit}"
    return f"{number}B"


def values(key):
    """Allowed values of a key."""
    if key.type == ValueType.BOOL:
        return "true, false"
    if key.type == ValueType.CHOICE:
        return ", ".join(key.choices)
    if key.type == ValueType.POLICY:
        return f"a {key.choices[0]}" + (" policy" if key.choices[0] == "replacement" else "")
    if key.type == ValueType.TEXT:
        return "text"
    if key.type == ValueType.SIZES:
        return "sizes separated by spaces"
    return ", ".join([*key.choices, f"{_bound(key, key.minimum)} to {_bound(key, key.maximum)}"])


def _row(key):
    return [key.name, key.type.name.lower(), key.unit, key.initial, values(key), key.meaning]


def _markdown(rows):
    yield "| " + " | ".join(_HEADER) + " |"
    yield "|" + "---|" * len(_HEADER)
    for row in rows:
        name, kind, unit, initial, allowed, meaning = (cell.replace("|", "\\|") for cell in row)
        yield f"| `{name}` | {kind} | {unit} | {f'`{initial}`' if initial else ''} | {allowed} | {meaning} |"


def _effective(config, keys):
    for key, value in [(key, config[key.name]) for key in keys]:
        line = f"{key.name} = {value}"
        yield line if value == key.initial else f"{line.ljust(38)}  # default {key.initial or 'none'}"


def run(options):
    keys = chosen(config_keys(), options.patterns, "key")
    if configured(options):
        with context(options) as made, configuration(made, options) as config:
            print("\n".join(_effective(config, keys)))
        return
    if options.markdown:
        print("\n".join(_markdown([_row(key) for key in keys])))
        return
    rows = []
    for name, kind, unit, initial, allowed, meaning in map(_row, keys):
        about = f"{kind}, {unit}" if unit else kind
        rows.append([name, initial or "none", f"{meaning} ({about}: {allowed})"])
    print("\n".join(wrapped(["key", "default", "meaning (type, unit: values)"], rows, left=(0, 1))))
