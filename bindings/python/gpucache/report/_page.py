# SPDX-License-Identifier: BSD-2-Clause
"""The page: a single file with all parts, for wide and narrow, light and dark screens, and for paper."""

import json
from html import escape

from ._svg import style

_CSS = """\
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
header,main{max-width:1240px;margin:auto;padding:16px}
h1{font-size:24px;margin:8px 0}h2{font-size:19px;margin:0 0 4px}h3{font-size:15px;margin:18px 0 6px}
p{margin:4px 0}.muted{color:var(--muted)}a{color:var(--c0)}
section{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:16px;margin:0 0 16px}
section{min-width:0}
figure{margin:0;min-width:0}figure svg{width:100%}.grid svg{max-width:620px}
.scroll svg{width:auto;max-width:none}figcaption{color:var(--muted);font-size:13px}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:16px;margin:12px 0}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:3px 10px;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}
th:first-child,td:first-child{text-align:left}th{color:var(--muted);font-weight:600}
details{margin:8px 0}summary{cursor:pointer;color:var(--c0)}
.tall{display:none}output{display:block;min-height:3em;font-size:13px;color:var(--muted)}
code{font-size:13px;overflow-wrap:anywhere}
@media(max-width:720px){.wide{display:none}.tall{display:block}header,main{padding:8px}section{padding:10px}}
@media print{section{break-inside:avoid}}
"""

# One cursor for all plots of a kernel: a line in each, and below them the values of that moment.
_SCRIPT = """\
for (const group of document.querySelectorAll('.series')) {
  const data = JSON.parse(group.querySelector('script').textContent);
  const out = group.querySelector('output');
  const plots = [...group.querySelectorAll('svg[data-left]')];
  const lines = plots.map(svg => {
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
    line.setAttribute('class', 'axis'); line.setAttribute('visibility', 'hidden');
    line.setAttribute('y1', svg.dataset.top); line.setAttribute('y2', svg.dataset.bottom);
    svg.append(line); return line; });
  const end = data.cycle[data.cycle.length - 1];
  const show = share => {
    const at = share * end;
    let n = data.cycle.findIndex(cycle => cycle >= at); if (n < 0) n = data.cycle.length - 1;
    plots.forEach((svg, i) => {
      const x = +svg.dataset.left + (svg.dataset.right - svg.dataset.left) * data.cycle[n] / end;
      lines[i].setAttribute('x1', x); lines[i].setAttribute('x2', x);
      lines[i].setAttribute('visibility', 'visible'); });
    out.textContent = 'until cycle ' + data.cycle[n].toLocaleString('en') + ': ' +
      Object.entries(data.values).map(([name, each]) => name + ' ' + each[n]).join(', '); };
  for (const svg of plots) svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
    const share = (x - svg.dataset.left) / (svg.dataset.right - svg.dataset.left);
    show(Math.min(1, Math.max(0, share))); });
}
"""


def table(header, rows):
    """An HTML table of text."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def grid(figures):
    return f'<div class="grid">{"".join(figure.html() for figure in figures)}</div>' if figures else ""


def series(figures, cycles, values):
    """Plots over the same time, with a shared cursor."""
    data = json.dumps({"cycle": cycles, "values": values}).replace("<", "\\u003c")
    return (f'<div class="series">{grid(figures)}<output class="muted">Move over a plot to read it.</output>'
            f'<script type="application/json">{data}</script></div>')  # fmt: skip


def details(summary, html, opened=False):
    return f"<details{' open' if opened else ''}><summary>{escape(summary)}</summary>{html}</details>"


def page(title, sections):
    """The whole document, with its script: no other file is loaded."""
    script = f"<script>{_SCRIPT}</script>" if any('class="series"' in section for section in sections) else ""
    body = "\n".join(f"<section>{section}</section>" for section in sections)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width,initial-scale=1"><title>{escape(title)}</title>'
            f"<style>{style()}{_CSS}</style></head>\n<body><header><h1>{escape(title)}</h1></header>\n"
            f"<main>{body}</main>{script}</body></html>\n")  # fmt: skip
