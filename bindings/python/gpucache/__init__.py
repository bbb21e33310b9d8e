# SPDX-License-Identifier: BSD-2-Clause
"""The memory hierarchy of a GPU: caches, policies, traces, replay. Bindings of libgpucache.

    import gpucache

    context = gpucache.Context()
    config = gpucache.Config(context, preset="h100", settings={"l1.replacement": "fifo"})
    with gpucache.Replay(context, config) as replay, gpucache.Trace(context, "kernelslist.g") as trace:
        for kernel, stats in replay.run(trace):
            print(kernel.name, stats["l1.load_hit_rate"])

With settings={"mode": "timed"} the run has a clock: stats["cycles"], stats["ipc"], Replay(..., sample_interval=1000),
and Hierarchy.try_issue() and advance() for other hosts.

    print(gpucache.compare(["lru", "age-lru", MyPolicy], ["kernelslist.g", "synthetic:atax"], mode="timed"))

compare() runs policies on traces; ReplacementPolicy, Predictor, SchedulerPolicy, Throttle and Prefetcher are what to
subclass for one's own; Profile tells what the loads of a trace do in L1; Coherence is a tree of caches to step through.

The library is loaded when it is first needed; see _loader.py for where it is looked for.
"""

import importlib

# Exports of the package, by module. A module is imported at the first use of its names: a program that replays a trace
# does not wait for policies, protocols and events.
_EXPORTS = {
    "_coherence": (
        "AddressRange Atomic Choice CoherenceBlock CoherenceModule CoherenceNetwork CoherenceResult CoherenceStats "
        "DirectoryEntry Hashed Interleaved Message Transition"
    ),
    "_constants": (
        "GPC_BATCH_BYPASSED GPC_BATCH_EVICTED GPC_BATCH_HIT GPC_BATCH_SECTOR_MISS GPC_BATCH_WRITE_BACK "
        "GPC_BATCH_WRITE_BELOW GPC_READS_OF_REQUESTS AccessBits Admission Allocate AtomicOp Busy BypassFetch "
        "CacheEventKind ChoiceKind CoherenceEvent CoherenceKind CoherenceState Component Control Decision DoBits Hint "
        "ImportOutcome Index Kind LogLevel Merge MessageKind NoteReason OpClass Object Order Origin Outcome PolicyKind "
        "PrefetchFound PrefetchOutcome Priority ProtocolBits ReadsBits Scope Simd Space Stage Status PolicyEventKind Token "
        "TokenClear Tokens TraceFormat ValueType VerifyBits VerifyLimit VerifyStepKind VerifyVerdict WarpClass "
        "WarpEventKind WarpState What WriteAllocate WritePolicy __version__"
    ),
    "cache": "NO_LINE AccessResult Batch Cache Eviction Line Request WarpEvent next_uses",
    "coherence": "Coherence",
    "comparison": "Comparison compare",
    "config": "Config ImportedOption Key Preset config_keys preset_text presets",
    "context": "Context PolicyInfo version",
    "decisions": "Prediction PredictorDecisions ReplacementDecisions PolicyEvent ThrottleDecisions",
    "dram": "Dram",
    "errors": (
        "AbiError ArgumentError CallbackError CancelledError ExistsError FormatError GpucacheError InputOutputError "
        "LibraryError NotFoundError OutOfMemoryError RangeError StateError UnsupportedError"
    ),
    "events": "Event Perfetto Text",
    "heat": "Heat",
    "hierarchy": "Hierarchy Launch Location Recording Shape WarpResult",
    "loading": "LoadError",
    "plan": "Plan PlanError Point",
    "policy": "BYPASS_WAY Parameter PolicyCounter Predictor ReplacementPolicy TextParameter",
    "prefetcher": "PrefetchAccess Prefetcher",
    "profile": (
        "CurvePoint Profile ProfileClass ProfileCounts ProfileInstruction ProfileLine ProfileSm ProfileSummary "
        "profile_score"
    ),
    "protocol": "Protocol Rule",
    "report": "Figure Report ReportError",
    "replay": "Estimate Progress Replay Result Sample Sampling TimeSeries",
    "scheduler": "Scheduler SchedulerEnvironment SchedulerPolicy",
    "stages": "StageRow",
    "stats": "CacheStats Counter PolicyValue Stats cache_counters counters",
    "streams": "Stream StreamResult",
    "sweeping": "Sweep sweep",
    "throttle": "Throttle WarpClasses WarpView",
    "timed": "Completion MemoryRequest process_address",
    "trace": "Block Instruction Kernel Note Synthetic Trace TraceWriter Warp synthetics",
}
_MODULE_OF = {name: module for module, names in _EXPORTS.items() for name in names.split()}
_MODULES = [module for module in _EXPORTS if not module.startswith("_")]

__all__ = sorted({*_MODULE_OF, *_MODULES})


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = found
    return found


def __dir__():
    return sorted({*globals(), *__all__})
