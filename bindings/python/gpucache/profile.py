# SPDX-License-Identifier: BSD-2-Clause
"""Profiles: behaviour of a trace's loads in L1, by SM, instruction, transactions per load, and line address.

    with gpucache.Profile(context, config) as profile, gpucache.Trace(context, source) as trace:
        profile.run(trace)
        for row in profile.classes():
            print(row.transactions, row.counts.reuse, row.counts.utilisation, row.counts.score)
        profile.write("trace.profile")  # for the predictors profile-address, hybrid and compiler

gpucache/ext/observe.h defines every figure.
"""

import ctypes
import weakref
from collections import namedtuple

from . import _generated as g
from ._constants import GPC_PROFILE_ALL_SMS, GPC_PROFILE_CLASSES, CounterTable, ProfileFormat, Status, Token
from ._loader import lib
from ._native import Handle, call, decoded, drop, file_stream, hold, invoke, settle, strict, text
from .hierarchy import WarpResult, launch_of
from .replay import Result, forward_progress
from .stats import Stats, read_all
from .timed import warp_access


def _row_of(name, raw):
    """A named tuple of a record's fields."""
    return namedtuple(name, [field for field, _ in raw._fields_ if field not in ("struct_size", "reserved")])


ProfileCounts = _row_of("ProfileCounts", g.gpc_profile_counts)
ProfileSm = _row_of("ProfileSm", g.gpc_profile_sm)
ProfileInstruction = _row_of("ProfileInstruction", g.gpc_profile_instruction)
ProfileClass = _row_of("ProfileClass", g.gpc_profile_class)
ProfileLine = _row_of("ProfileLine", g.gpc_profile_line)
ProfileSummary = _row_of("ProfileSummary", g.gpc_profile_summary)


class CurvePoint(namedtuple("CurvePoint", "bytes accesses hits")):
    """A point of a miss-ratio curve: hits of a fully associative LRU cache of `bytes` bytes."""

    @property
    def miss_ratio(self):
        """Misses over all accesses; None without an access."""
        return 1 - self.hits / self.accesses if self.accesses else None


def _plain(kind, raw):
    """A row with copies of its values."""
    values = []
    for name in kind._fields:
        value = getattr(raw, name)
        if isinstance(value, g.gpc_profile_counts):
            value = _plain(ProfileCounts, value)
        elif isinstance(value, ctypes.Array):
            value = list(value)
        elif name == "kernel":
            value = decoded(value)
        values.append(value)
    return kind(*values)


def profile_score(utilisation, reuse):
    """Eq. (1) of seeds/001: U x (1 + R). Below 1 bypassing moves fewer bytes."""
    return lib.gpc_profile_score(utilisation, reuse)


class Profile(Handle):
    """A functional replay with counts of loads in L1, made from a copy of a Config.

    on_progress  as of Replay
    Returned rows stay unchanged when the profile continues.
    """

    def __init__(self, context, config, on_progress=None):
        self.on_progress = on_progress
        self._context = context
        self._create(lib.gpc_profile_destroy, lib.gpc_profile_create, context._live(), config._live(), keep=(context,))
        self._token = hold(weakref.ref(self))
        weakref.finalize(self, drop, self._token).atexit = False
        lib.gpc_profile_on_progress(self._pointer, forward_progress, self._token)

    @classmethod
    def read(cls, context, path):
        """A profile written by write(): answers all queries, takes no further access."""
        found = cls.__new__(cls)
        found.on_progress = None
        found._context = context
        found._create(
            lib.gpc_profile_destroy, lib.gpc_profile_load, context._live(), file_stream(path), keep=(context,)
        )
        return found

    # Filling it

    def kernel(self, trace):
        """Replay the trace's next kernel into the profile: a Result, or None if no kernel is left."""
        raw, error = g.gpc_kernel(), g.gpc_error()
        pointer, source = self._live(), trace._live()
        trace._busy += 1
        try:
            status = invoke(lib.gpc_profile_kernel, pointer, source, ctypes.byref(raw), ctypes.byref(error))
        finally:
            trace._busy -= 1
        if settle(status, error) == Status.END:
            return None
        stats = Stats(read_all(CounterTable.HIERARCHY, lib.gpc_profile_read_kernel, pointer))
        return Result(trace._entered(raw), stats)

    def run(self, trace):
        """Replay all remaining kernels into the profile."""
        while self.kernel(trace) is not None:
            pass

    def begin_kernel(self, name="", launch=None, **fields):
        """For a host without a trace: a kernel begins; `launch` or fields as of Hierarchy.begin_kernel."""
        call(lib.gpc_profile_begin_kernel, self._live(), text(name, "name"), launch_of(launch, fields))

    def access(self, addresses, *, token=Token.UNUSED, **fields):
        """Add a warp instruction, as Hierarchy.access. Returns a WarpResult."""
        access, result = warp_access(addresses, token, **fields), WarpResult()
        call(lib.gpc_profile_access, self._live(), ctypes.byref(access), ctypes.byref(result))
        return result

    def reset(self):
        """Forget all counts. The caches keep their lines."""
        call(lib.gpc_profile_reset, self._live())

    # What it found

    def summary(self):
        """Totals: a ProfileSummary."""
        raw = g.gpc_profile_summary()
        call(lib.gpc_profile_get_summary, self._live(), ctypes.byref(raw))
        return _plain(ProfileSummary, raw)

    def _rows(self, kind, function, raw):
        rows, count = ctypes.POINTER(raw)(), ctypes.c_size_t()
        call(function, self._live(), ctypes.byref(rows), ctypes.byref(count))
        return [_plain(kind, rows[index]) for index in range(count.value)]

    def sms(self):
        """A ProfileSm of every SM."""
        return self._rows(ProfileSm, lib.gpc_profile_sms, g.gpc_profile_sm)

    def instructions(self):
        """A ProfileInstruction of every load instruction, by kernel and PC."""
        return self._rows(ProfileInstruction, lib.gpc_profile_instructions, g.gpc_profile_instruction)

    def classes(self):
        """A ProfileClass for every possible number of transactions of a load, 1 to 32."""
        return self._rows(ProfileClass, lib.gpc_profile_classes, g.gpc_profile_class)

    def lines(self):
        """A ProfileLine for every loaded line address on every SM."""
        return self._rows(ProfileLine, lib.gpc_profile_lines, g.gpc_profile_line)

    def curve(self, sizes=None, sm=None):
        """CurvePoints of the miss-ratio curve, exact.

        sizes  capacities in bytes; default: each power of two of lines, up to the first with room for all reused lines
        sm     one SM; default: sums over SMs with a cache of the capacity each
        """
        sm = GPC_PROFILE_ALL_SMS if sm is None else sm
        if sizes is not None:
            return self._points(list(sizes), sm)
        line = self.summary().line_bytes
        (all_of_them,) = self._points([2**63], sm)
        found = []
        while not found or found[-1].hits < all_of_them.hits:
            found += self._points([line << len(found)], sm)
        return found

    def _points(self, sizes, sm):
        raw = (g.gpc_profile_point * len(sizes))(*(g.gpc_profile_point(bytes=size) for size in sizes))
        call(lib.gpc_profile_curve, self._live(), sm, raw, len(sizes))
        return [_plain(CurvePoint, point) for point in raw]

    def thresholds(self):
        """Candidates for the threshold of the predictor `hybrid`, ascending: the scores of the classes."""
        values, count = (ctypes.c_double * GPC_PROFILE_CLASSES)(), ctypes.c_size_t()
        call(lib.gpc_profile_thresholds, self._live(), values, len(values), ctypes.byref(count))
        return values[:count.value]

    def classes_above(self, threshold):
        """Numbers of transactions kept in L1 by a threshold: scores above the threshold."""
        bits = ctypes.c_uint32()
        call(lib.gpc_profile_classes_above, self._live(), threshold, ctypes.byref(bits))
        return [number + 1 for number in range(GPC_PROFILE_CLASSES) if bits.value >> number & 1]

    # Files

    def write(self, path):
        """Write the profile to a file, for read() and for predictors that read profiles."""
        call(lib.gpc_profile_save, self._live(), file_stream(path), None)

    def _save_json(self, stream, lines):
        options = g.gpc_profile_save_options(format=ProfileFormat.JSON, lines=bool(lines))
        call(lib.gpc_profile_save, self._live(), stream, ctypes.byref(options))

    def json(self, lines=False):
        """A JSON object; with every line address if `lines`."""
        parts = []

        @strict(g.gpc_write_fn, Status.ERROR_CALLBACK)
        def take(_, data, size):
            parts.append(ctypes.string_at(data, size))
            return Status.OK

        self._save_json(ctypes.byref(g.gpc_stream(write=take)), lines)
        return decoded(b"".join(parts))

    def write_json(self, path, lines=False):
        """Write json() to a file; an existing file is replaced at the end."""
        self._save_json(file_stream(path), lines)
