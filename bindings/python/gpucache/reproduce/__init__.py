# SPDX-License-Identifier: BSD-2-Clause
"""Numbers of the documents beside numbers of this library's runs.

An experiment is a table or figure of a document: the experiment runs programs on the document's GPU and yields a Claim
for each of the document's numbers. Curves in the documents have no numbers; claims come from tables and texts.
"""

from . import seeds000, seeds001, seeds002, seeds004
from ._bench import Bench
from ._kept import Verdicts, keep, kept, last_claims
from ._model import Claim, Experiment
from ._runs import Runs

EXPERIMENTS = [*seeds000.EXPERIMENTS, *seeds001.EXPERIMENTS, *seeds002.EXPERIMENTS, *seeds004.EXPERIMENTS]

__all__ = ["Bench", "Claim", "EXPERIMENTS", "Experiment", "Runs", "Verdicts", "keep", "kept", "last_claims"]
