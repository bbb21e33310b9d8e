# SPDX-License-Identifier: BSD-2-Clause
"""Reports: results as one page, or as figures one by one.

    report(["run.json", "compare.json"]).save("page.html")    # as the command report does
    report(["run.json"])                                      # the last line of a notebook's cell shows it
    report(["run.json"]).write_figures("figures")             # each as SVG

A page is one file that loads nothing. It needs the standard library alone.
"""

from ._inputs import ReportError, of_document
from ._report import Figure, Report, report

__all__ = ["Figure", "Report", "ReportError", "of_document", "report"]
