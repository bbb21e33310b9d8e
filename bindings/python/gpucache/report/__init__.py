# SPDX-License-Identifier: BSD-2-Clause
"""Reports: results as a page, or as single figures.

    report(["run.json", "compare.json"]).save("page.html")    # as the command report does
    report(["run.json"])                                      # shown by the last line of a notebook's cell
    report(["run.json"]).write_figures("figures")             # each as SVG

A page is a single file that loads nothing. The report needs the standard library only.
"""

from ._inputs import ReportError, of_document
from ._report import Figure, Report, report

__all__ = ["Figure", "Report", "ReportError", "of_document", "report"]
