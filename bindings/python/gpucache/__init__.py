# SPDX-License-Identifier: BSD-2-Clause
"""The memory hierarchy of a GPU: caches, policies, traces, replay. Bindings of libgpucache.

    import gpucache

    context = gpucache.Context()
    config = gpucache.Config(context, preset="h100", settings={"l1.replacement": "fifo"})
    with gpucache.Replay(context, config) as replay, gpucache.Trace(context, "kernelslist.g") as trace:
        for kernel, stats in replay.run(trace):
            print(kernel.name, stats["l1.load_hit_rate"])

With settings={"mode": "timed"} there is a clock: stats["cycles"], stats["ipc"], Replay(..., sample_interval=1000), and
Hierarchy.try_issue() and advance() for a host of its own.

    print(gpucache.compare(["lru", "age-lru", MyPolicy], ["kernelslist.g", "synthetic:atax"], mode="timed"))

compare() runs policies on traces; ReplacementPolicy, Predictor, SchedulerPolicy and Throttle are what to subclass for
one's own; Profile tells what the loads of a trace do in L1; Coherence is a tree of caches to step through.

The library is loaded when it is first needed; see _loader.py for where it is looked for.
"""

from ._coherence import (
    AddressRange,
    Atomic,
    Choice,
    CoherenceBlock,
    CoherenceModule,
    CoherenceNetwork,
    CoherenceResult,
    CoherenceStats,
    DirectoryEntry,
    Hashed,
    Interleaved,
    Message,
    Transition,
)
from ._constants import (
    GPC_BATCH_BYPASSED,
    GPC_BATCH_EVICTED,
    GPC_BATCH_HIT,
    GPC_BATCH_SECTOR_MISS,
    GPC_BATCH_WRITE_BACK,
    GPC_BATCH_WRITE_BELOW,
    AccessBits,
    Admission,
    Allocate,
    AtomicOp,
    Busy,
    BypassFetch,
    CacheEventKind,
    ChoiceKind,
    CoherenceEvent,
    CoherenceKind,
    CoherenceState,
    Component,
    Control,
    Decision,
    DoBits,
    Hint,
    Index,
    Kind,
    LogLevel,
    Merge,
    MessageKind,
    OpClass,
    Object,
    Order,
    Origin,
    Outcome,
    PolicyKind,
    Priority,
    ProtocolBits,
    ReadsBits,
    Scope,
    Simd,
    Space,
    Status,
    Token,
    TokenClear,
    Tokens,
    TraceFormat,
    ValueType,
    VerifyBits,
    VerifyLimit,
    VerifyStepKind,
    VerifyVerdict,
    WarpClass,
    WarpEventKind,
    WarpState,
    What,
    WriteAllocate,
    WritePolicy,
    __version__,
)
from .cache import NO_LINE, AccessResult, Batch, Cache, Eviction, Line, Request, WarpEvent, next_uses
from .coherence import Coherence
from .comparison import Comparison, compare
from .config import Config, Key, Preset, config_keys, preset_text, presets
from .context import Context, PolicyInfo, version
from .dram import Dram
from .errors import (
    AbiError,
    ArgumentError,
    CallbackError,
    CancelledError,
    ExistsError,
    FormatError,
    GpucacheError,
    InputOutputError,
    LibraryError,
    NotFoundError,
    OutOfMemoryError,
    RangeError,
    StateError,
    UnsupportedError,
)
from .events import Event, Perfetto, Text
from .hierarchy import Hierarchy, Launch, WarpResult
from .policy import BYPASS_WAY, Parameter, Predictor, ReplacementPolicy, TextParameter
from .profile import (
    CurvePoint,
    Profile,
    ProfileClass,
    ProfileCounts,
    ProfileInstruction,
    ProfileLine,
    ProfileSm,
    ProfileSummary,
    profile_score,
)
from .protocol import Protocol, Rule
from .replay import Estimate, Progress, Replay, Result, Sample, Sampling, TimeSeries
from .scheduler import Scheduler, SchedulerEnvironment, SchedulerPolicy
from .stats import CacheStats, Counter, Stats, cache_counters, counters
from .throttle import Throttle, WarpClasses, WarpView
from .timed import Completion, MemoryRequest
from .trace import Block, Instruction, Kernel, Synthetic, Trace, TraceWriter, Warp, synthetics

__all__ = [name for name in dir() if not name.startswith("_")] + ["__version__"]
