# SPDX-License-Identifier: BSD-2-Clause
"""What the documents say, number by number, beside what runs of this library say.

An experiment is a table or figure of a document: it runs programs on the document's GPU and yields a Claim for each
number that the document gives. Figures of the documents have no numbers beside the curves; what is compared is what
their tables hold and their texts say.
"""

from . import seeds000, seeds001, seeds004
from ._bench import Bench
from ._kept import Verdicts, keep, kept
from ._model import Claim, Experiment
from ._runs import Runs

EXPERIMENTS = [*seeds000.EXPERIMENTS, *seeds001.EXPERIMENTS, *seeds004.EXPERIMENTS]

__all__ = ["Bench", "Claim", "EXPERIMENTS", "Experiment", "Runs", "Verdicts", "keep", "kept"]
