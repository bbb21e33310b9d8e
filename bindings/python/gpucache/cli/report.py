# SPDX-License-Identifier: BSD-2-Clause
"""report: results as a page, or as figures."""

import os
import shutil
import subprocess

from ..report import ReportError, report
from ._common import terminal
from ._output import Failure, Output

# Converters of SVG to PNG; the first installed is used: {program: arguments}.
_CONVERTERS = {
    "rsvg-convert": ("-z", "2", "-o", "{png}", "{svg}"),
    "inkscape": ("--export-type=png", "--export-dpi=192", "--export-filename={png}", "{svg}"),
    "chromium": ("--headless", "--no-sandbox", "--disable-gpu", "--force-device-scale-factor=2", "--hide-scrollbars",
                 "--screenshot={png}", "--window-size={size}", "file://{svg}"),
}  # fmt: skip


def add(commands):
    parser = commands.add_parser(
        "report", description="Make one page of results: memory chart, time "
        "series, heat maps, policies, warps, loads, coherence. It is one file, and loads nothing.",
    )  # fmt: skip
    parser.add_argument("results", nargs="+", metavar="RESULT", help="what run, compare, tune, bottleneck, profile or "
                        "coherence has written with --json, or run with --events as text")  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE", help="the page; - prints it")
    parser.add_argument("--figures", metavar="FOLDER", help="write each figure as SVG, too")
    parser.add_argument("--png", action="store_true", help="and as PNG, by " + ", ".join(_CONVERTERS))
    parser.add_argument("--title", default="Memory hierarchy", metavar="TEXT")
    parser.add_argument("--hardware", metavar="FILE", help="hardware.json to show beside; default: one beside, above "
                        "or two above a run's traces")  # fmt: skip
    parser.add_argument("--baseline", metavar="RESULT", help="a run: show how far the others are from it")

    def checked(options):
        if options.output is None and options.figures is None:
            parser.error("neither a page (-o) nor figures (--figures) are asked for")
        if options.png and options.figures is None:
            parser.error("--png is for --figures")
        run(options)

    parser.set_defaults(run=checked)


def _convert(svg, size):
    """A PNG beside an SVG."""
    for program, arguments in _CONVERTERS.items():
        found = shutil.which(program)
        if found:
            path = os.path.abspath(svg)
            png = path[:-3] + "part.png"  # the name's ending selects the format
            names = {"svg": path, "png": png, "size": "{},{}".format(*size)}
            words = [found, *(each.format(**names) for each in arguments)]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode or not os.path.exists(png):
                if os.path.exists(png):
                    os.unlink(png)
                raise Failure(f"{svg}: {program} failed: {done.stderr.strip()[-200:]}")
            os.replace(png, path[:-3] + "png")
            return
    raise Failure(f"--png needs one of {', '.join(_CONVERTERS)}, and none is installed")


def run(options):
    try:
        made = report(options.results, options.title, options.hardware, options.baseline)
    except ReportError as error:
        raise Failure(str(error)) from None
    if options.output is not None:
        with Output(options.output) as output:
            output.commit(made.html())
    if options.figures is not None:
        paths = made.write_figures(options.figures)
        for path, figure in zip(paths, made.figures):
            if options.png:
                _convert(path, (figure.picture.width, figure.picture.height))
        if options.output != "-":
            terminal.note(f"{len(paths)} figures in {options.figures}")
