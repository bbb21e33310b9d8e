#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Manual pages of the command line and its completion in bash, from the parsers of --help.

    manual.py --list          names of the pages, without .1
    manual.py --pages FOLDER  write them there
    manual.py --bash FILE     write the completion
"""

import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from gpucache import _constants, cli  # noqa: E402

FILES = re.compile(r"FILE|TRACE|TABLE|RESULT|OUT|DIR|FOLDER|SCENARIOS|PLAN|PATH")

BASH = """\
# bash completion of gpucache, written by manual.py

_gpucache() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local options= values= further=
    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "@commands@" -- "$current")
        return
    fi
    if [[ $COMP_CWORD -gt 2 ]]; then
        case "$command ${COMP_WORDS[2]}" in
        @nested@) command+=" ${COMP_WORDS[2]}" ;;
        esac
    fi
    case $command in
@options@
    *) return ;;
    esac
    [[ $COMP_CWORD -eq 2 ]] || further=
    case "$command $previous" in
@values@
    esac
    if [[ $values == PRESETS || $command == presets && $current != -* ]]; then
        values=$("${COMP_WORDS[0]}" presets 2>/dev/null | sed '1d; s/ .*//')
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
    elif [[ $values == FILES || -z $values && $current != -* ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -W "$further" -- "$current")
    elif [[ $values != NOTHING ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${values:-$options}" -- "$current")
    fi
}

complete -F _gpucache gpucache
"""


def commands():
    """{name: (a line of help, parser)} of every command, in the order of --help."""
    top = cli.parser()
    (action,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    said = {choice.dest: choice.help for choice in action._choices_actions}
    return top, {name: (said[name], parser) for name, parser in action.choices.items()}


# Manual pages


def plain(text):
    """Text in troff's form."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def paragraphs(text):
    return "\n.PP\n".join(plain(" ".join(part.split())) for part in re.split(r"\n\s*\n", text.strip()))


def page_name(command=None):
    return "-".join(["gpucache", *(command or "").split()])


def heading(name, summary):
    return [
        f'.TH "{page_name(name).upper()}" "1" "" "gpucache {_constants.__version__}" "User Commands"',
        ".SH NAME", f"{plain(page_name(name))} \\- {plain(summary)}",
    ]  # fmt: skip


def synopsis(parser):
    formatter = parser.formatter_class(prog=parser.prog, width=10**6)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    words = formatter.format_help().strip()[len(parser.prog):].strip()
    # Keep an option together with its value.
    kept = re.sub(r"\[[^][]*\]", lambda match: match.group().replace(" ", "\0"), words)
    return [".SH SYNOPSIS", f"\\fB{plain(parser.prog)}\\fR " + plain(kept).replace("\0", "\\ ")]


def options(parser, left_out=()):
    """A section per group of arguments."""
    formatter = parser.formatter_class(prog=parser.prog)
    lines = []
    for group in parser._action_groups:
        actions = [action for action in group._group_actions
                   if action.help != argparse.SUPPRESS and type(action) not in left_out]  # fmt: skip
        if not actions and not group.description:
            continue
        lines.append(f".SH {plain(group.title or 'options').upper()}")
        if group.description:
            lines.append(paragraphs(group.description))
        for action in actions:
            lines += [".TP", f"\\fB{plain(formatter._format_action_invocation(action))}\\fR"]
            lines.append(plain(" ".join(formatter._expand_help(action).split())) if action.help else "\\&")
    return lines


def page(name, summary, parser):
    """Text of the page of a command."""
    lines = heading(name, summary) + synopsis(parser)
    lines += [".SH DESCRIPTION", paragraphs(parser.description or summary[:1].upper() + summary[1:] + ".")]
    lines += options(parser)
    if parser.epilog:
        lines += [".SH NOTES", paragraphs(parser.epilog)]
    return "\n".join(lines + [".SH SEE ALSO", ".BR gpucache (1)", ""])


def top_page(top, known):
    """Text of the page with the list of commands."""
    lines = heading(None, "memory hierarchy of a GPU") + [".SH SYNOPSIS", "\\fBgpucache\\fR COMMAND ..."]
    lines += [".SH DESCRIPTION", paragraphs(top.description), ".SH COMMANDS"]
    for name, (summary, _) in known.items():
        lines += [".TP", f".BR {plain(page_name(name))} (1)", plain(summary)]
    return "\n".join(lines + options(top, left_out=(argparse._SubParsersAction,)) + [""])


def pages():
    """{name without .1: text} of all pages."""
    top, known = commands()
    made = {page_name(): top_page(top, known)}
    made.update({page_name(name): page(name, *each) for name, each in known.items()})
    return made


# Completion


def argument(action):
    """Completion of an option's value, as a word of BASH; none if the option takes no value."""
    if action.nargs == 0:
        return None
    if action.choices:
        return " ".join(map(str, action.choices))
    if action.option_strings[0] == "--preset":
        return "PRESETS"
    metavar = action.metavar or action.dest.upper()
    return "FILES" if FILES.search(metavar if isinstance(metavar, str) else metavar[0]) else "NOTHING"


def bash():
    """Text of the completion."""
    _, known = commands()
    options, values = [], []
    nested = [name for name in known if " " in name]
    for name, (_, parser) in known.items():
        own = [action for action in parser._actions if action.option_strings and action.help != argparse.SUPPRESS]
        words = " ".join(word for action in own for word in action.option_strings if word.startswith("--"))
        further = " ".join(pair.split()[1] for pair in nested if pair.split()[0] == name)
        options.append(f'    "{name}") options="{words}" further="{further}" ;;')
        for action in own:
            value = argument(action)
            if value is not None:
                patterns = " | ".join(f'"{name} {word}"' for word in action.option_strings)
                values.append(f'    {patterns}) values="{value}" ;;')
    parts = {
        "commands": " ".join([name for name in known if name not in nested] + ["--help", "--version"]),
        "nested": " | ".join(f'"{name}"' for name in nested),
        "options": "\n".join(options), "values": "\n".join(values),
    }  # fmt: skip
    return re.sub(r"@(\w+)@", lambda match: parts[match.group(1)], BASH)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Write the manual pages and the completion of the command gpucache.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--list", action="store_true", help="names of the pages")
    what.add_argument("--pages", metavar="FOLDER")
    what.add_argument("--bash", metavar="FILE")
    asked = parser.parse_args(arguments)
    if asked.list:
        print(*map(page_name, [None, *cli.COMMANDS]), sep="\n")
        return
    files = {asked.bash: bash()} if asked.bash else {
        os.path.join(asked.pages, f"{name}.1"): text for name, text in pages().items()
    }  # fmt: skip
    for path, text in files.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
