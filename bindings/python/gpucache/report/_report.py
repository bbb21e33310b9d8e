# SPDX-License-Identifier: BSD-2-Clause
"""Figures for each kind of result, in order."""

import os
import re
from html import escape

from .._names import short
from .._output import Output
from . import causes, energy, heat, loads, memory, series, trees, warps
from ._figures import count, percent, ratio
from ._inputs import Input, ReportError, hardware_of, measured, of_document, read
from ._page import details, grid, page, series as linked, table
from ._plot import bars
from ._svg import COLOURS

_NARROW = 330  # pixels of a picture on a phone
_MOST_KERNELS = 8  # limit of kernels of a run with figures of their own: the longest kernels


class Figure:
    """A picture with a name for its file; `tall`: the picture for narrow screens."""

    def __init__(self, name, picture, tall=None):
        self.name = re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-")
        self.picture, self.tall = picture, tall

    def svg(self):
        """The picture as a separate file."""
        return self.picture.render(alone=True)

    _repr_svg_ = svg

    def html(self):
        left = getattr(self.picture, "left", None)
        more = {} if left is None else {f"data-{name}": getattr(self.picture, name)
                                        for name in ("left", "right", "top", "bottom")}  # fmt: skip
        if self.tall is None:
            return f"<figure>{self.picture.render(**more)}</figure>"
        return (f'<figure><div class="wide">{self.picture.render()}</div>'
                f'<div class="tall">{self.tall.render()}</div></figure>')  # fmt: skip


_NOTE = '<p class="muted">hw: what the GPU itself counted.</p>'


def _memory_figure(name, stats, config, title, hardware=None, baseline=None):
    wide, tall = (memory.chart(stats, config, title, hardware, baseline, tall) for tall in (False, True))
    return Figure(f"{name}-memory", wide, tall)


def _energy_table(stats, config, baseline=None):
    """HTML; empty if no energy is known."""
    rows = list(energy.rows(stats, config, baseline))
    return table(energy.header(baseline), rows) if rows else ""


def _bars_figure(name, title, groups, names, form, base=None, colours=range(COLOURS)):
    wide, tall = (bars(title, groups, names, form, base, width, colours) for width in (480, _NARROW))
    return Figure(name, wide, tall)


class _Section:
    """HTML of a result, with its figures."""

    def __init__(self, heading, about):
        self.figures = []
        self.parts = [f"<h2>{escape(heading)}</h2>", f'<p class="muted">{escape(about)}</p>']

    def add(self, html):
        self.parts.append(html)

    def show(self, *figures):
        """Show figures side by side; HTML."""
        self.figures += figures
        return grid(figures)

    def wide(self, figure):
        self.figures.append(figure)
        return figure.html()

    def scrolled(self, figure):
        """A figure of constant size."""
        return f'<div class="scroll">{self.wide(figure)}</div>'

    def html(self):
        return "\n".join(self.parts)


def _about(document, path):
    """Description of the numbers."""
    mode = document.get("mode") or document.get("config", {}).get("mode")
    parts = [f"preset {document['preset']}" if document.get("preset") else None, mode,
             f"libgpucache {document['version']}" if document.get("version") else None]  # fmt: skip
    changed = document.get("settings") or {}
    if isinstance(changed, dict):
        parts += [f"{key} = {value}" for key, value in changed.items()]
    return ", ".join(filter(None, [*parts, os.path.basename(path)]))


# Runs


def _run(given, hardware_path, baseline):
    document = given.content
    config = document.get("config", {})
    kernels = [kernel for kernel in document["kernels"] if "stats" in kernel]
    hardware = hardware_of([kernel["trace"] for kernel in kernels], hardware_path)
    names = dict.fromkeys(short(kernel["name"]) for kernel in kernels)
    section = _Section("Run: " + ", ".join(list(names)[:4]), _about(document, given.path))
    base = baseline.content["total"] if baseline else None
    if base:
        other = escape(os.path.basename(baseline.path))
        section.add(f'<p class="muted">Below each value: how far it is from that of {other}.</p>')
    if energy.whole(document["total"]) is not None:
        section.add(f'<p class="muted">{energy.NOTE}</p>')
    if len(kernels) != 1:
        title = f"All {len(kernels)} kernels"
        section.add(section.wide(_memory_figure("total", document["total"], config, title, None, base)))
        section.add(_energy_table(document["total"], config, base))
    if len(kernels) > 1:
        section.add(_kernel_table(kernels, hardware))
    chosen = sorted(kernels, key=lambda kernel: -kernel["stats"].get("cycles", kernel["stats"]["warp_instructions"]))
    for n, kernel in enumerate(chosen[:_MOST_KERNELS]):
        name = short(kernel["name"])
        html = _kernel(section, kernel, config, measured(hardware, kernel["trace"], kernel["name"]),
                       base if len(kernels) == 1 else None)  # fmt: skip
        section.add(html if len(kernels) == 1 else details(f"{name}, {kernel['trace']}", html, n == 0))
    if len(chosen) > _MOST_KERNELS:
        section.add(f'<p class="muted">Figures of the {_MOST_KERNELS} longest kernels of {len(chosen)}.</p>')
    for tree in document.get("coherence", ()):
        section.add(f"<h3>Coherence: {escape(tree['protocol'])}</h3>")
        section.add(section.show(*(Figure(f"{level}-states", trees.matrix(level, stats))
                                   for level, stats in tree["levels"].items() if "transitions" in stats)))  # fmt: skip
    return section


def _off(value, real, form):
    """A value, and the hardware's."""
    return f"{form(value)} ({form(real)})" if real is not None else form(value)


def _kernel_table(kernels, hardware):
    rows = []
    for kernel in kernels:
        stats, real = kernel["stats"], measured(hardware, kernel["trace"], kernel["name"]) or {}
        rows.append((
            short(kernel["name"]), _off(stats.get("cycles"), real.get("cycles"), count), count(stats.get("ipc")),
            _off(stats.get("l1.load_hit_rate"), real.get("load_sector_hit_rate"), percent),
            _off(stats.get("l2.read_hit_rate"), real.get("l2_read_sector_hit_rate"), percent),
            _off(stats.get("dram.read_sectors"), real.get("dram_read_sectors"), count),
            percent(stats.get("dram.utilisation")),
        ))  # fmt: skip
    heading = '<p class="muted">In brackets: what the GPU itself counted.</p>' if hardware else ""
    header = "kernel", "cycles", "IPC", "L1 load hits", "L2 read hits", "DRAM read sectors", "DRAM bus"
    return heading + table(header, rows)


def _kernel(section, kernel, config, real, base):
    name = short(kernel["name"])
    parts = [section.wide(_memory_figure(name, kernel["stats"], config, name, None if base else real, base))]
    parts += [_NOTE] if real and not base else []
    parts.append(_energy_table(kernel["stats"], config, base))
    if kernel.get("series", {}).get("cycle"):
        plots = series.plots(kernel["series"])
        figures = [Figure(f"{name}-{plot.title}", plot) for plot, _ in plots]
        section.figures += figures
        values = {key: each for _, found in plots for key, each in found.items()}
        parts.append(linked(figures, kernel["series"]["cycle"], values))
    if kernel.get("heat"):
        maps = (Figure(f"{name}-{each['name']}", heat.chart(each)) for each in kernel["heat"])
        parts.append(section.show(*maps))
    return "".join(parts)


# The other results


def _base(trace):
    return os.path.basename(trace.rstrip("/"))


def _compare(given, *_):
    document = given.content
    runs = [run for run in document["runs"] if "stats" in run]
    policies = list(dict.fromkeys(run["policy"] for run in runs))
    section = _Section(f"Policies: {', '.join(policies)}", _about(document, given.path))
    by = {(run["trace"], run["policy"]): run for run in runs}
    traces = list(dict.fromkeys(run["trace"] for run in runs))

    def values(of):
        return {_base(trace): [of(by.get((trace, policy))) for policy in policies] for trace in traces}

    over = document.get("over", policies[0])
    others = [n for n, policy in enumerate(policies) if policy != over]
    speedups = values(lambda run: run and run.get("speedup"))
    speed = None
    if others and any(value is not None for each in speedups.values() for value in each):
        means = {mean["policy"]: mean.get("speedup") for mean in document["geometric_means"]}
        speedups["geometric mean"] = [means.get(policy) for policy in policies]
        shown = {group: [each[n] for n in others] for group, each in speedups.items()}
        speed = _bars_figure("speed-up", f"Speed-up over {over}", shown, [policies[n] for n in others],
                             "{:.3f}".format, 1.0, [n % COLOURS for n in others])  # fmt: skip
    hits = values(lambda run: run and run["stats"].get("l1.load_hit_rate"))
    figures = [speed, _bars_figure("hits", "L1 load hits, of all sectors", hits, policies, percent)]
    shares = values(lambda run: run and energy.beside(run["stats"], by.get((run["trace"], over))))
    if any(value is not None for each in shares.values() for value in each):
        figures.append(_bars_figure("energy", f"Energy, of {over}'s", shares, policies, "{:.3f}".format, 1.0))
    section.add(section.show(*filter(None, figures)))
    for trace in traces:
        held = [by[trace, policy] for policy in policies[1:] if (trace, policy) in by]
        first = by.get((trace, policies[0]))
        if first and held:
            best = max(held, key=lambda run: run.get("speedup") or run["stats"].get("l1.load_hit_rate") or 0)
            title = f"{_base(trace)}: {best['policy']}, beside {policies[0]}"
            name = f"{_base(trace)}-{best['policy']}"
            figure = _memory_figure(name, best["stats"], document.get("config", {}), title, baseline=first["stats"])
            section.add(details(title, section.wide(figure)))
    return section


def _tune(given, *_):
    section = _Section("How many warps are fastest", _about(given.content, given.path))
    for application in given.content["applications"]:
        section.add(section.show(*(Figure(plot.title, plot) for plot in warps.of_tune(application))))
    return section


def _bottleneck(given, *_):
    section = _Section("What limits a kernel", _about(given.content, given.path))
    for application in given.content["applications"]:
        plots, sentences = warps.of_bottleneck(application)
        section.add(f"<h3>{escape(application['name'])}</h3>")
        section.add("".join(f"<p>{escape(sentence)}</p>" for sentence in sentences))
        section.add(section.show(*(Figure(plot.title, plot) for plot in plots)))
    return section


def _explain(given, *_):
    section = _Section("What bounds each kernel", _about(given.content, given.path))
    for application in given.content["applications"]:
        section.add(f"<h3>{escape(application['name'])}</h3>" + causes.summary(application["explained"]))
        for kernel in application["explained"]:
            if kernel["tried"]:
                title = f"{short(kernel['name'])}: loads and stores, and changes"
                section.add(details(title, causes.accesses(kernel) + causes.changes(kernel), True))
    return section


def _profile(given, *_):
    document = given.content
    section = _Section("Loads in L1", f"{count(document['summary']['accesses'])} accesses, "
                       f"{percent(ratio(document['summary']['hits'], document['summary']['accesses']))} hits, "
                       f"{os.path.basename(given.path)}")  # fmt: skip
    section.add(table(loads.HEADER, loads.rows(document)))
    figures = [Figure("reuse", loads.reuse(document))]
    curve = loads.curve(document)
    section.add(section.show(*figures, *([Figure("miss-ratio", curve)] if curve else [])))
    return section


def _coherence(given, *_):
    section = _Section("Coherence, step by step", os.path.basename(given.path))
    scenarios = [*given.content.get("sequential", ()), *given.content.get("timed", ())]
    for n, scenario in enumerate(scenarios[:_MOST_KERNELS]):
        modules, steps = trees.steps_of_scenario(scenario)
        if steps:
            figure = Figure(f"{scenario['name']}-steps", trees.sequence(scenario["name"], modules, steps))
            summary = ", ".join(filter(None, (scenario["name"], scenario.get("protocol"))))
            section.add(details(summary, section.scrolled(figure), n == 0))
    if len(scenarios) > _MOST_KERNELS:
        section.add(f'<p class="muted">The first {_MOST_KERNELS} scenarios of {len(scenarios)}.</p>')
    return section


def _events(given, *_):
    modules, steps = trees.steps_of_events(given.content)
    if not steps:
        raise ReportError(f"{given.path}: there is no coherence message in it")
    section = _Section("Messages between modules", os.path.basename(given.path))
    section.add(section.scrolled(Figure("messages", trees.sequence("Messages", modules, steps))))
    return section


_KINDS = {"run": _run, "compare": _compare, "tune": _tune, "bottleneck": _bottleneck, "explain": _explain,
          "profile": _profile,
          "coherence": _coherence, "events": _events}  # fmt: skip


class Report:
    """A page of sections, a section for each result."""

    def __init__(self, title, sections):
        self.title = title
        self._sections = sections

    @property
    def figures(self):
        """All Figures, in the order of the page."""
        return [figure for section in self._sections for figure in section.figures]

    def html(self):
        return page(self.title, [section.html() for section in self._sections])

    def _repr_html_(self):
        """HTML in a frame, because a notebook has its own style."""
        return f'<iframe style="width:100%;height:700px;border:0" srcdoc="{escape(self.html())}"></iframe>'

    def save(self, path):
        """Save to a file, which appears when complete."""
        with Output(path) as file:
            file.commit(self.html())

    def named(self):
        """{file name without its ending: Figure}, each name once."""
        found = {}
        for figure in self.figures:
            name, n = figure.name, 1
            while name in found:
                n += 1
                name = f"{figure.name}-{n}"
            found[name] = figure
        return found

    def write_figures(self, folder):
        """Write each figure as NAME.svg into a folder, made if missing; returns the paths."""
        os.makedirs(folder, exist_ok=True)
        paths = []
        for name, figure in self.named().items():
            paths.append(os.path.join(folder, f"{name}.svg"))
            with Output(paths[-1]) as file:
                file.commit(figure.svg())
        return paths


def report(results, title="Memory hierarchy", hardware=None, baseline=None):
    """The Report of results: paths of files of --json and --events, or documents, in the order of the page.

    hardware  path of a hardware.json; default: a file beside, above or two above a run's traces
    baseline  path or document of a reference run, for comparison of totals
    """
    found = [each if isinstance(each, Input) else of_document(each) if isinstance(each, dict) else read(os.fspath(each))
             for each in results]  # fmt: skip
    base = None
    if baseline is not None:
        base = of_document(baseline) if isinstance(baseline, dict) else read(os.fspath(baseline))
        if base.kind != "run":
            raise ReportError(f"{base.path}: the baseline is not the JSON of run")
        if not any(each.kind == "run" for each in found):
            raise ReportError("there is no run to compare with the baseline")
    sections = []
    for each in found:
        try:
            sections.append(_KINDS[each.kind](each, hardware, base))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ReportError(f"{each.path}: not what {each.kind} writes: {type(error).__name__} {error}") from error
    return Report(title, sections)
