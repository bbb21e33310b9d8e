# SPDX-License-Identifier: BSD-2-Clause
"""Executors of many runs: processes of this machine, ranks of MPI, workers of Dask."""

import concurrent.futures
import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys

from . import _stdin

_PR_SET_PDEATHSIG = 1


def _begin(initializer, arguments, parent):
    """Setup of a worker. The parent handles Ctrl-C and ends its workers; a worker ends with a killed parent too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _stdin.restore()
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    if initializer is not None:
        initializer(*arguments)


def processes(jobs, initializer=None, arguments=()):
    """A pool of forked processes, so that classes and the initializer need no importable name."""
    fork = multiprocessing.get_context("fork")
    return concurrent.futures.ProcessPoolExecutor(jobs, fork, _begin, (initializer, arguments, os.getpid()))


def ended(pool, function, tasks, **options):
    """Yield (index of a task, future of function(*task)) at the end of each run; an early exit cancels the rest."""
    others = set(multiprocessing.active_children())
    futures = {}
    try:
        for index, task in enumerate(tasks):
            futures[pool.submit(function, *task, **options)] = index
        for future in concurrent.futures.as_completed(list(futures)):
            yield futures.pop(future), future
    except BaseException:
        if isinstance(pool, concurrent.futures.ProcessPoolExecutor):
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            # Wait for the pool's thread: while it closes its pipe, the interpreter's exit would write to the pipe.
            pool.shutdown(cancel_futures=True)
        else:  # running tasks end first
            for future in futures:
                future.cancel()
        raise


class ExecutorError(Exception):
    """Reason for a missing executor, or failure of its workers."""


@contextlib.contextmanager
def mpi():
    """The pool of all ranks except 0, for rank 0. Other ranks work within the call, and then get None."""
    try:
        from mpi4py import MPI
        from mpi4py.futures import MPICommExecutor
    except ImportError as error:
        raise ExecutorError(f"mpi needs mpi4py: {error}") from None
    if MPI.COMM_WORLD.Get_size() < 2:
        raise ExecutorError("mpi is one process here, which has no worker: start it as mpiexec -n N python3 -m "
                            "gpucache ...")  # fmt: skip
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as pool:
        yield pool


@contextlib.contextmanager
def dask(address):
    """Workers of a cluster, by the scheduler's address."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ExecutorError(f"dask needs distributed: {error}") from None
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ExecutorError(f"dask={address}: {error}") from None
    with client, client.get_executor(pure=False) as pool:
        yield pool
