# SPDX-License-Identifier: BSD-2-Clause
"""Structures and functions of the headers. Written by generate.py: change a header and run that."""

from ctypes import (
    CFUNCTYPE,
    POINTER,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_size_t,
    c_uint,
    c_uint16,
    c_uint32,
    c_uint64,
    c_uint8,
    c_void_p,
)

from ._base import Record, SizedRecord


class gpc_atomic(Record):
    __slots__ = ()
    _fields_ = (
        ("operand", c_uint64), ("compare", c_uint64), ("old", c_uint64), ("offset", c_uint32), ("op", c_uint8),
        ("width", c_uint8), ("done", c_uint8), ("reserved", c_uint8),
    )


class gpc_request_policy(Record):
    __slots__ = ()
    _fields_ = (
        ("next_use", c_uint64), ("policy_word", c_uint32), ("token", c_uint8), ("token_l2", c_uint8),
        ("admitted", c_uint8), ("unused", c_uint8),
    )


class gpc_request(Record):
    __slots__ = ()
    _fields_ = (
        ("address", c_uint64), ("pc", c_uint64), ("cycle", c_uint64), ("byte_mask", c_uint64 * 2), ("size", c_uint32),
        ("sm", c_uint32), ("warp", c_uint32), ("warp_age", c_uint32), ("block", c_uint32), ("kernel", c_uint32),
        ("transactions", c_uint16), ("bytes_used", c_uint16), ("stream", c_uint8), ("copy", c_uint8),
        ("process", c_uint8), ("unused", c_uint8), ("sector_mask", c_uint8), ("kind", c_uint8), ("space", c_uint8),
        ("hint", c_uint8), ("priority", c_uint8), ("scope", c_uint8), ("order", c_uint8), ("continues", c_uint8),
        ("policy", gpc_request_policy), ("reserved", c_uint8 * 32),
    )


gpc_state_fn = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)
gpc_write_fn = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
gpc_read_fn = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, POINTER(c_size_t))


class gpc_stream(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("path", c_char_p), ("write", gpc_write_fn), ("read", gpc_read_fn),
        ("user_data", c_void_p),
    )


class gpc_eviction(Record):
    __slots__ = ()
    _fields_ = (
        ("line_address", c_uint64), ("set", c_uint32), ("way", c_uint32), ("reuse_count", c_uint32),
        ("valid_sectors", c_uint8), ("dirty_sectors", c_uint8), ("forced", c_uint8), ("process", c_uint8),
        ("dirty_bytes", c_uint64 * 2),
    )


class gpc_error(SizedRecord):
    __slots__ = ()
    _fields_ = (("struct_size", c_size_t), ("status", c_int), ("message", c_char * 1012))


class gpc_counter_info(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("unit", c_char_p), ("meaning", c_char_p), ("since", c_char_p),
        ("id", c_uint32), ("table", c_uint32), ("kind", c_uint32), ("objects", c_uint32), ("numerator", c_uint32),
        ("denominator", c_uint32), ("merge", c_int), ("ratio", c_bool), ("buckets", c_size_t), ("values", c_size_t),
        ("needs", c_char_p), ("equals", c_char_p),
    )


class gpc_access_result(Record):
    __slots__ = ()
    _fields_ = (
        ("outcome", c_uint8), ("needed_sectors", c_uint8), ("hit_sectors", c_uint8), ("fetch_sectors", c_uint8),
        ("write_sectors", c_uint8), ("evicted", c_uint8), ("admission", c_uint8), ("reserved", c_uint8),
        ("set", c_uint32), ("way", c_uint32), ("policy_word", c_uint32), ("write_bytes", c_uint64 * 2),
        ("eviction", gpc_eviction),
    )


gpc_fill_fn = CFUNCTYPE(None, c_void_p, c_uint64, c_uint32, c_uint32, c_uint8, POINTER(gpc_request))
gpc_evict_fn = CFUNCTYPE(None, c_void_p, POINTER(gpc_eviction), POINTER(gpc_request))
gpc_index_fn = CFUNCTYPE(c_uint32, c_void_p, c_uint64, c_uint32)


class gpc_cache_options(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("sets", c_uint64), ("ways", c_uint32), ("line_bytes", c_uint32),
        ("sectors", c_uint32), ("fetch_sectors", c_uint32), ("index", c_uint32), ("write_policy", c_uint32),
        ("write_policy_local", c_uint32), ("write_allocate", c_uint32), ("write_allocate_local", c_uint32),
        ("allocate", c_uint32), ("atomics_here", c_uint32), ("track_reuse", c_uint32), ("track_warps", c_uint32),
        ("instance", c_uint32), ("instances", c_uint32), ("replacement", c_char_p), ("predictor", c_char_p),
        ("index_fn", gpc_index_fn), ("index_data", c_void_p), ("on_fill", gpc_fill_fn), ("on_evict", gpc_evict_fn),
        ("callback_data", c_void_p), ("seed", c_uint64), ("bypass_fetch", c_uint32), ("track_future", c_uint32),
        ("tokens", c_uint32), ("token_clear", c_uint32), ("token_period", c_uint64), ("token_warps", c_uint32),
        ("index_bits", c_uint32), ("tells", c_uint64), ("share_with", c_void_p), ("last_ways", c_uint32),
        ("lines", c_uint32),
    )
    _defaults_ = {"sets": 32, "ways": 4, "line_bytes": 128, "write_allocate": 1, "write_allocate_local": 1}


class gpc_batch(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("count", c_size_t), ("addresses", POINTER(c_uint64)), ("kinds", POINTER(c_uint8)),
        ("pcs", POINTER(c_uint64)), ("warps", POINTER(c_uint32)), ("next_uses", POINTER(c_uint64)), ("size", c_uint32),
        ("sm", c_uint32), ("results", POINTER(c_uint8)), ("evicted", POINTER(c_uint64)),
    )


class gpc_warp_access(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("sm", c_uint32), ("warp", c_uint32), ("warp_age", c_uint32), ("block", c_uint32),
        ("pc", c_uint64), ("mask", c_uint64), ("addresses", POINTER(c_uint64)), ("width", c_uint32), ("kind", c_uint8),
        ("space", c_uint8), ("hint", c_uint8), ("priority", c_uint8), ("token", c_uint8), ("token_l2", c_uint8),
        ("scope", c_uint8), ("order", c_uint8), ("atomic", c_uint8), ("stream", c_uint8), ("copy", c_uint8),
        ("process", c_uint8), ("bytes", POINTER(c_uint8)), ("out", POINTER(c_uint8)), ("compare", POINTER(c_uint8)),
        ("multicast", POINTER(c_uint32)), ("multicast_count", c_uint32), ("local_offsets", c_uint8),
        ("reserved_2", c_uint8 * 3),
    )


class gpc_warp_result(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("lines", c_uint32), ("sectors", c_uint32), ("l1_sector_hits", c_uint32),
        ("l2_sectors", c_uint32), ("l2_sector_hits", c_uint32), ("dram_sectors", c_uint32),
    )


class gpc_launch(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("threads", c_uint32), ("registers", c_uint32), ("shared_bytes", c_uint32),
        ("reserved", c_uint32), ("code_bytes", c_uint64),
    )


class gpc_fence(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("sm", c_uint32), ("warp", c_uint32), ("scope", c_uint8), ("order", c_uint8),
        ("control", c_uint8), ("reserved", c_uint8 * 5),
    )


class gpc_completion(Record):
    __slots__ = ()
    _fields_ = (
        ("token", c_uint64), ("issued", c_uint64), ("cycle", c_uint64), ("sm", c_uint32), ("warp", c_uint32),
        ("kind", c_uint8), ("level", c_uint8), ("fence", c_uint8), ("port", c_uint8), ("reserved", c_uint8 * 4),
        ("values", POINTER(c_uint8)), ("value_bytes", c_uint32), ("stage_count", c_uint32),
        ("stages", POINTER(c_uint64)),
    )


class gpc_memory_request(Record):
    __slots__ = ()
    _fields_ = (
        ("address", c_uint64), ("id", c_uint64), ("bytes", c_uint32), ("channel", c_uint32), ("write", c_uint8),
        ("process", c_uint8), ("reserved", c_uint8 * 6),
    )


gpc_hierarchy_callbacks_on_complete = CFUNCTYPE(None, c_void_p, POINTER(gpc_completion))
gpc_hierarchy_callbacks_on_ready = CFUNCTYPE(None, c_void_p, c_uint32)
gpc_hierarchy_callbacks_on_fill = CFUNCTYPE(None, c_void_p, c_uint, c_uint32, c_uint64, c_uint8, POINTER(gpc_request))
gpc_hierarchy_callbacks_on_evict = CFUNCTYPE(None, c_void_p, c_uint, c_uint32, POINTER(gpc_eviction))
gpc_hierarchy_callbacks_on_memory = CFUNCTYPE(c_bool, c_void_p, POINTER(gpc_memory_request))


class gpc_hierarchy_callbacks(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("user_data", c_void_p), ("on_complete", gpc_hierarchy_callbacks_on_complete),
        ("on_ready", gpc_hierarchy_callbacks_on_ready), ("on_fill", gpc_hierarchy_callbacks_on_fill),
        ("on_evict", gpc_hierarchy_callbacks_on_evict), ("on_memory", gpc_hierarchy_callbacks_on_memory),
    )


class gpc_shape(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("l1_bytes", c_uint64), ("shared_bytes", c_uint64), ("l2_bytes", c_uint64),
        ("sms", c_uint32), ("partitions", c_uint32), ("slices", c_uint32), ("channels", c_uint32),
        ("l1_sets", c_uint32), ("l1_ways", c_uint32), ("l1_line", c_uint32), ("l1_sectors", c_uint32),
        ("l2_sets", c_uint32), ("l2_ways", c_uint32), ("l2_line", c_uint32), ("l2_sectors", c_uint32),
        ("lanes", c_uint32), ("reserved", c_uint32),
    )


class gpc_instruction(Record):
    __slots__ = ()
    _fields_ = (
        ("pc", c_uint64), ("mask", c_uint64), ("addresses", POINTER(c_uint64)), ("opcode", c_uint32),
        ("line", c_uint32), ("registers", c_uint16 * 8), ("destinations", c_uint8), ("sources", c_uint8),
        ("op_class", c_uint8), ("kind", c_uint8), ("space", c_uint8), ("hint", c_uint8), ("priority", c_uint8),
        ("width", c_uint8),
    )


class gpc_warp(Record):
    __slots__ = ()
    _fields_ = (
        ("warp", c_uint32), ("reserved", c_uint32), ("count", c_uint64), ("instructions", POINTER(gpc_instruction)),
    )


class gpc_block(Record):
    __slots__ = ()
    _fields_ = (
        ("x", c_uint32), ("y", c_uint32), ("z", c_uint32), ("index", c_uint32), ("warp_count", c_uint32),
        ("reserved", c_uint32), ("warps", POINTER(gpc_warp)), ("instruction_count", c_uint64),
    )


class gpc_turn(Record):
    __slots__ = ()
    _fields_ = (
        ("block", c_uint32), ("warp", c_uint32), ("sm", c_uint32), ("slot", c_uint32), ("warp_age", c_uint32),
        ("what", c_uint8), ("token", c_uint8), ("token_l2", c_uint8), ("scope", c_uint8), ("order", c_uint8),
        ("control", c_uint8), ("event", c_uint8), ("reserved", c_uint8),
    )


class gpc_recording(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("turns", POINTER(gpc_turn)), ("turn_count", c_uint64), ("threads", c_uint32),
        ("registers", c_uint32), ("shared_bytes", c_uint32), ("begun", c_uint8), ("launched", c_uint8),
        ("reserved", c_uint8 * 2), ("code_bytes", c_uint64), ("warp_instructions", c_uint64),
        ("thread_instructions", c_uint64), ("blocks", c_uint64),
    )


class gpc_kernel(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("file", c_char_p), ("id", c_uint32), ("index", c_uint32),
        ("grid", c_uint32 * 3), ("block", c_uint32 * 3), ("shared_bytes", c_uint32), ("registers", c_uint32),
        ("binary_version", c_uint32), ("tracer_version", c_uint32), ("warp_lanes", c_uint32), ("stream", c_uint64),
        ("shared_base", c_uint64), ("local_base", c_uint64), ("block_count", c_uint64),
        ("placement", POINTER(c_uint32)), ("placement_count", c_uint64), ("recording", POINTER(gpc_recording)),
        ("cluster", c_uint32 * 3), ("reserved", c_uint32),
    )


class gpc_progress(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("warp_instructions", c_uint64), ("blocks", c_uint64), ("block_count", c_uint64),
        ("trace_fraction", c_double),
    )


gpc_progress_fn = CFUNCTYPE(c_bool, c_void_p, POINTER(gpc_progress))
gpc_log_fn = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
gpc_allocate_fn = CFUNCTYPE(c_void_p, c_void_p, c_size_t)
gpc_resize_fn = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t)
gpc_release_fn = CFUNCTYPE(None, c_void_p, c_void_p)


class gpc_context_options(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("allocate", gpc_allocate_fn), ("resize", gpc_resize_fn),
        ("release", gpc_release_fn), ("allocator_data", c_void_p), ("log", gpc_log_fn), ("log_data", c_void_p),
        ("seed", c_uint64), ("simd", c_uint32), ("reserved", c_uint32),
    )
    _defaults_ = {"seed": 1}


class gpc_coherence_network(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("bandwidth", c_uint32), ("input_buffer", c_uint32),
        ("output_buffer", c_uint32), ("reserved", c_uint32),
    )
    _defaults_ = {"bandwidth": 64}


class gpc_coherence_module(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("replacement", c_char_p), ("low", POINTER(c_uint32)),
        ("low_count", c_uint32), ("low_network", c_uint32), ("high_network", c_uint32), ("sets", c_uint32),
        ("ways", c_uint32), ("block_bytes", c_uint32), ("latency", c_uint32), ("directory_latency", c_uint32),
        ("ports", c_uint32), ("mshrs", c_uint32), ("served", c_uint32), ("directory_ways", c_uint32),
        ("first", c_uint64), ("last", c_uint64), ("divisor", c_uint64), ("modulus", c_uint64), ("residue", c_uint64),
        ("memory", c_bool), ("non_inclusive", c_bool), ("any_victim", c_bool), ("write_through", c_bool),
        ("no_write_allocate", c_bool), ("index", c_uint8), ("dense", c_bool), ("reserved", c_uint8 * 1),
        ("directory_pointers", c_uint8), ("directory_overflow", c_uint8), ("directory_region", c_uint8),
        ("sectors", c_uint8), ("home", c_uint8), ("byte_masks", c_bool), ("fetch_blocks", c_uint8),
        ("reserved_too", c_uint8 * 2), ("near_of", c_uint32),
    )
    _defaults_ = {
        "low_network": 4294967295, "high_network": 4294967295, "sets": 1, "ways": 1, "block_bytes": 64, "latency": 1,
        "last": 18446744073709551615, "divisor": 1, "modulus": 1, "sectors": 1, "fetch_blocks": 1,
        "near_of": 4294967295,
    }


class gpc_coherence_options(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("protocol", c_char_p), ("modules", POINTER(gpc_coherence_module)),
        ("networks", POINTER(gpc_coherence_network)), ("module_count", c_uint32), ("network_count", c_uint32),
        ("control_bytes", c_uint32), ("data", c_bool), ("timing", c_bool), ("reserved", c_uint8 * 2),
        ("page_bytes", c_uint64), ("homes", c_uint32), ("placement", c_uint32),
    )
    _defaults_ = {"control_bytes": 8, "data": True, "timing": True}


class gpc_protocol_state(Record):
    __slots__ = ()
    _fields_ = (("name", c_char_p), ("means", c_uint32), ("reserved", c_uint32))


class gpc_protocol_event(Record):
    __slots__ = ()
    _fields_ = (("name", c_char_p), ("like", c_uint32), ("reserved", c_uint32))


class gpc_protocol_raise(Record):
    __slots__ = ()
    _fields_ = (("below", c_uint8), ("above", c_uint8))


class gpc_protocol_rule(Record):
    __slots__ = ()
    _fields_ = (("actions", c_uint16), ("next", c_uint8), ("next_shared", c_uint8))


gpc_protocol_rules = gpc_protocol_rule * 16 * 6


class gpc_protocol(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("summary", c_char_p), ("source", c_char_p),
        ("flags", c_uint32), ("pass_loads", c_uint32 * 2), ("pass_stores", c_uint32 * 2), ("through_stores", c_uint32),
        ("first", POINTER(gpc_protocol_rules)), ("between", POINTER(gpc_protocol_rules)),
        ("shared", POINTER(gpc_protocol_rules)), ("memory", POINTER(gpc_protocol_rules)), ("letters", c_char_p),
        ("states", POINTER(gpc_protocol_state)), ("state_count", c_uint32), ("event_count", c_uint32),
        ("events", POINTER(gpc_protocol_event)), ("event_rules", POINTER(gpc_protocol_rule) * 4),
        ("raises", POINTER(gpc_protocol_raise) * 4),
    )


class gpc_coherence_request(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("address", c_uint64), ("cycle", c_uint64), ("bytes", POINTER(c_uint8)),
        ("mask", POINTER(c_uint8)), ("out", POINTER(c_uint8)), ("module", c_uint32), ("size", c_uint32),
        ("kind", c_uint32), ("flags", c_uint32), ("atomics", POINTER(gpc_atomic)), ("atomic_count", c_uint32),
        ("reserved", c_uint32),
    )
    _defaults_ = {"size": 1}


class gpc_coherence_message(Record):
    __slots__ = ()
    _fields_ = (
        ("address", c_uint64), ("sent", c_uint64), ("received", c_uint64), ("kind", c_uint32), ("from", c_uint32),
        ("to", c_uint32), ("network", c_uint32), ("bytes", c_uint32), ("after", c_uint32), ("join", c_uint32),
        ("needs", c_uint32), ("delay", c_uint32), ("directory", c_uint32), ("request", c_uint32), ("block", c_uint32),
        ("looks", c_uint8), ("memory", c_uint8), ("masked", c_uint8), ("found", c_uint8),
    )


class gpc_coherence_transition(Record):
    __slots__ = ()
    _fields_ = (
        ("cycle", c_uint64), ("tag_before", c_uint64), ("tag", c_uint64), ("module", c_uint32), ("set", c_uint32),
        ("way", c_uint32), ("origin", c_uint32), ("from", c_uint8), ("to", c_uint8), ("reserved", c_uint8 * 6),
    )


class gpc_coherence_result(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("completed", c_uint64), ("messages", POINTER(gpc_coherence_message)),
        ("transitions", POINTER(gpc_coherence_transition)), ("message_count", c_uint32),
        ("transition_count", c_uint32), ("hit", c_uint8), ("found", c_uint8), ("state", c_uint8), ("level", c_uint8),
        ("reserved", c_uint8 * 4),
    )


class gpc_coherence_block(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("tag", c_uint64), ("bytes", POINTER(c_uint8)), ("dirty", POINTER(c_uint8)),
        ("state", c_uint32), ("recency", c_uint32), ("sub_blocks", c_uint32), ("sub_block_bytes", c_uint32),
    )
    _defaults_ = {"state": 5}


class gpc_coherence_completion(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("token", c_uint64), ("issued", c_uint64), ("cycle", c_uint64),
        ("address", c_uint64), ("bytes", POINTER(c_uint8)), ("module", c_uint32), ("size", c_uint32),
        ("kind", c_uint32), ("retries", c_uint32), ("hit", c_uint8), ("joined", c_uint8), ("reserved", c_uint8 * 6),
    )


gpc_coherence_callbacks_on_transition = CFUNCTYPE(None, c_void_p, POINTER(gpc_coherence_transition))
gpc_coherence_callbacks_on_message = CFUNCTYPE(None, c_void_p, POINTER(gpc_coherence_message))
gpc_coherence_callbacks_on_complete = CFUNCTYPE(None, c_void_p, POINTER(gpc_coherence_completion))


class gpc_coherence_callbacks(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("user_data", c_void_p), ("on_transition", gpc_coherence_callbacks_on_transition),
        ("on_message", gpc_coherence_callbacks_on_message), ("on_complete", gpc_coherence_callbacks_on_complete),
    )


class gpc_verify_progress(Record):
    __slots__ = ()
    _fields_ = (
        ("states", c_uint64), ("edges", c_uint64), ("waiting", c_uint64), ("bytes", c_uint64), ("depth", c_uint32),
        ("reserved", c_uint32),
    )


gpc_verify_options_on_progress = CFUNCTYPE(c_bool, c_void_p, POINTER(gpc_verify_progress))


class gpc_verify_options(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("protocol", c_char_p), ("tree", c_char_p), ("blocks", c_uint32),
        ("bytes", c_uint32), ("in_flight", c_uint32), ("kinds", c_uint32), ("entries", c_uint32),
        ("channels", c_uint32), ("states", c_uint64), ("memory", c_uint64), ("walks", c_uint64),
        ("interval", c_uint64), ("latencies", c_bool), ("symmetry", c_bool), ("coherent", c_bool),
        ("reserved", c_uint8 * 5), ("user_data", c_void_p), ("on_progress", gpc_verify_options_on_progress),
    )
    _defaults_ = {"blocks": 1, "bytes": 1, "in_flight": 1, "channels": 3, "symmetry": True}


class gpc_verify_report(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("states", c_uint64), ("edges", c_uint64), ("bytes", c_uint64), ("text", c_char_p),
        ("depth", c_uint32), ("verdict", c_uint32), ("limit", c_uint32), ("step_count", c_uint32),
        ("address", c_uint64), ("module", c_uint32), ("wrong", c_uint8), ("value", c_uint8), ("cut", c_uint8),
        ("symmetric", c_uint8),
    )


class gpc_verify_step(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("address", c_uint64), ("text", c_char_p), ("kind", c_uint32), ("module", c_uint32),
        ("access", c_uint32), ("flags", c_uint32), ("size", c_uint32), ("value", c_uint32), ("index", c_uint32),
        ("choice", c_uint32), ("message", c_uint32), ("from", c_uint32), ("to", c_uint32), ("reserved", c_uint32),
    )


class gpc_coherence_choice(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("address", c_uint64), ("kind", c_uint32), ("message", c_uint32),
        ("from", c_uint32), ("to", c_uint32), ("ready", c_uint8), ("reserved", c_uint8 * 7),
    )


class gpc_stage_row(Record):
    __slots__ = ()
    _fields_ = (
        ("pc", c_uint64), ("kernel", c_uint32), ("kind", c_uint8), ("level", c_uint8), ("reserved", c_uint8 * 2),
        ("accesses", c_uint64), ("latency", c_uint64), ("longest", c_uint64), ("stages", POINTER(c_uint64)),
        ("stage_count", c_uint32), ("reserved_2", c_uint32),
    )


gpc_stage_fn = CFUNCTYPE(None, c_void_p, POINTER(gpc_stage_row))


class gpc_access_window(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("begin", c_uint64), ("bytes", c_uint64), ("hit_ratio", c_uint32), ("hit", c_uint8),
        ("miss", c_uint8), ("process", c_uint8), ("reserved", c_uint8 * 1),
    )
    _defaults_ = {"hit_ratio": 100, "hit": 2}


class gpc_parameter(Record):
    __slots__ = ()
    _fields_ = (
        ("name", c_char_p), ("initial", c_double), ("minimum", c_double), ("maximum", c_double), ("whole", c_bool),
        ("meaning", c_char_p),
    )


class gpc_text_parameter(Record):
    __slots__ = ()
    _fields_ = (("name", c_char_p), ("initial", c_char_p), ("choices", c_char_p), ("meaning", c_char_p))


class gpc_policy_env(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("sets", c_uint32), ("ways", c_uint32), ("line_bytes", c_uint32),
        ("sectors", c_uint32), ("index", c_uint32), ("count", c_uint32), ("seed", c_uint64), ("set_state", c_void_p),
        ("line_state", c_void_p), ("parameters", POINTER(c_double)), ("arguments", c_char_p), ("user_data", c_void_p),
        ("texts", POINTER(c_char_p)), ("words", POINTER(c_uint32)), ("shared_state", c_void_p), ("context", c_void_p),
    )


class gpc_warp_event(Record):
    __slots__ = ()
    _fields_ = (
        ("kind", c_uint32), ("sm", c_uint32), ("warp", c_uint32), ("block", c_uint32), ("kernel", c_uint32),
        ("reserved", c_uint32), ("cycle", c_uint64),
    )


class gpc_sample(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("cycle", c_uint64), ("cycles", c_uint64), ("active_cycles", c_uint64),
        ("instructions", c_uint64), ("reads", c_uint64), ("read_hits", c_uint64),
    )


class gpc_policy_counter(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("unit", c_char_p), ("meaning", c_char_p),
        ("is_level", c_uint32), ("reserved", c_uint32), ("value", c_uint64),
    )


gpc_replacement_ops_init = CFUNCTYPE(c_int, c_void_p, POINTER(gpc_policy_env), POINTER(c_char))
gpc_replacement_ops_finish = CFUNCTYPE(None, c_void_p)
gpc_replacement_ops_on_hit = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, POINTER(gpc_request))
gpc_replacement_ops_on_miss = CFUNCTYPE(None, c_void_p, c_uint32, POINTER(gpc_request))
gpc_replacement_ops_choose_victim = CFUNCTYPE(c_uint32, c_void_p, c_uint32, POINTER(c_uint64), POINTER(gpc_request))
gpc_replacement_ops_on_fill = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, POINTER(gpc_request))
gpc_replacement_ops_on_evict = CFUNCTYPE(
    None, c_void_p, c_uint32, c_uint32, POINTER(gpc_eviction), POINTER(gpc_request),
)
gpc_replacement_ops_on_invalidate = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32)
gpc_replacement_ops_on_warp_event = CFUNCTYPE(None, c_void_p, POINTER(gpc_warp_event))
gpc_replacement_ops_cost_bits = CFUNCTYPE(c_uint64, POINTER(gpc_policy_env))
gpc_replacement_ops_on_sample = CFUNCTYPE(None, c_void_p, POINTER(gpc_sample))
gpc_replacement_ops_declines = CFUNCTYPE(c_bool, c_void_p, c_uint32, POINTER(c_uint64), POINTER(gpc_request))
gpc_replacement_ops_reads_with = CFUNCTYPE(c_uint64, POINTER(gpc_policy_env))
gpc_replacement_ops_state = CFUNCTYPE(None, c_void_p, gpc_state_fn, c_void_p)
gpc_replacement_ops_on_sector_miss = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, POINTER(gpc_request))
gpc_replacement_ops_counter = CFUNCTYPE(c_bool, c_void_p, c_size_t, POINTER(gpc_policy_counter))


class gpc_replacement_ops(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("summary", c_char_p), ("source", c_char_p),
        ("instance_bytes", c_size_t), ("set_bytes", c_size_t), ("line_bytes", c_size_t),
        ("parameters", POINTER(gpc_parameter)), ("parameter_count", c_size_t), ("init", gpc_replacement_ops_init),
        ("finish", gpc_replacement_ops_finish), ("on_hit", gpc_replacement_ops_on_hit),
        ("on_miss", gpc_replacement_ops_on_miss), ("choose_victim", gpc_replacement_ops_choose_victim),
        ("on_fill", gpc_replacement_ops_on_fill), ("on_evict", gpc_replacement_ops_on_evict),
        ("on_invalidate", gpc_replacement_ops_on_invalidate), ("on_warp_event", gpc_replacement_ops_on_warp_event),
        ("cost_bits", gpc_replacement_ops_cost_bits), ("texts", POINTER(gpc_text_parameter)), ("text_count", c_size_t),
        ("shared_bytes", c_size_t), ("shared_cache_bytes", c_size_t), ("on_sample", gpc_replacement_ops_on_sample),
        ("needs_future", c_bool), ("declines", gpc_replacement_ops_declines), ("reads", c_uint64),
        ("reads_with", gpc_replacement_ops_reads_with), ("state", gpc_replacement_ops_state),
        ("on_sector_miss", gpc_replacement_ops_on_sector_miss), ("counter", gpc_replacement_ops_counter),
    )


class gpc_policy_info(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("summary", c_char_p), ("source", c_char_p),
        ("parameters", POINTER(gpc_parameter)), ("parameter_count", c_size_t), ("builtin", c_bool),
        ("texts", POINTER(gpc_text_parameter)), ("text_count", c_size_t),
    )


class gpc_policy_value(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char * 160), ("unit", c_char_p), ("meaning", c_char_p),
        ("is_level", c_uint32), ("instances", c_uint32), ("value", c_uint64),
    )


class gpc_prediction(Record):
    __slots__ = ()
    _fields_ = (("decision", c_uint32), ("policy_word", c_uint32))


gpc_predictor_ops_init = CFUNCTYPE(c_int, c_void_p, POINTER(gpc_policy_env), POINTER(c_char))
gpc_predictor_ops_finish = CFUNCTYPE(None, c_void_p)
gpc_predictor_ops_predict = CFUNCTYPE(None, c_void_p, c_uint32, POINTER(gpc_request), POINTER(gpc_prediction))
gpc_predictor_ops_on_reply = CFUNCTYPE(c_int, c_void_p, POINTER(gpc_request), c_int, c_uint32)
gpc_predictor_ops_respond = CFUNCTYPE(c_uint32, c_void_p, c_uint32, c_uint32, POINTER(gpc_request))
gpc_predictor_ops_on_hit = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, POINTER(gpc_request))
gpc_predictor_ops_on_fill = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, POINTER(gpc_request))
gpc_predictor_ops_on_evict = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, POINTER(gpc_eviction), POINTER(gpc_request))
gpc_predictor_ops_on_invalidate = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32)
gpc_predictor_ops_on_warp_event = CFUNCTYPE(None, c_void_p, POINTER(gpc_warp_event))
gpc_predictor_ops_cost_bits = CFUNCTYPE(c_uint64, POINTER(gpc_policy_env))
gpc_predictor_ops_on_sample = CFUNCTYPE(None, c_void_p, POINTER(gpc_sample))
gpc_predictor_ops_on_stall = CFUNCTYPE(c_int, c_void_p, POINTER(gpc_request), c_uint32)
gpc_predictor_ops_reads_with = CFUNCTYPE(c_uint64, POINTER(gpc_policy_env))
gpc_predictor_ops_state = CFUNCTYPE(None, c_void_p, gpc_state_fn, c_void_p)
gpc_predictor_ops_counter = CFUNCTYPE(c_bool, c_void_p, c_size_t, POINTER(gpc_policy_counter))
gpc_predictor_ops_on_sector_miss = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, POINTER(gpc_request))


class gpc_predictor_ops(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("summary", c_char_p), ("source", c_char_p),
        ("instance_bytes", c_size_t), ("set_bytes", c_size_t), ("line_bytes", c_size_t),
        ("parameters", POINTER(gpc_parameter)), ("parameter_count", c_size_t), ("before_lookup", c_bool),
        ("init", gpc_predictor_ops_init), ("finish", gpc_predictor_ops_finish), ("predict", gpc_predictor_ops_predict),
        ("on_reply", gpc_predictor_ops_on_reply), ("respond", gpc_predictor_ops_respond),
        ("on_hit", gpc_predictor_ops_on_hit), ("on_fill", gpc_predictor_ops_on_fill),
        ("on_evict", gpc_predictor_ops_on_evict), ("on_invalidate", gpc_predictor_ops_on_invalidate),
        ("on_warp_event", gpc_predictor_ops_on_warp_event), ("cost_bits", gpc_predictor_ops_cost_bits),
        ("texts", POINTER(gpc_text_parameter)), ("text_count", c_size_t), ("shared_bytes", c_size_t),
        ("shared_cache_bytes", c_size_t), ("on_sample", gpc_predictor_ops_on_sample),
        ("on_stall", gpc_predictor_ops_on_stall), ("below", c_char_p), ("reads", c_uint64),
        ("reads_with", gpc_predictor_ops_reads_with), ("state", gpc_predictor_ops_state),
        ("counter", gpc_predictor_ops_counter), ("on_sector_miss", gpc_predictor_ops_on_sector_miss),
    )


class gpc_prefetch_access(Record):
    __slots__ = ()
    _fields_ = (
        ("request", POINTER(gpc_request)), ("lane_address", c_uint64), ("lane", c_uint32), ("line", c_uint32),
        ("sectors", c_uint8), ("found", c_uint8), ("prefetched", c_uint8), ("level", c_uint8),
        ("reserved", c_uint8 * 4),
    )


class gpc_prefetch(Record):
    __slots__ = ()
    _fields_ = (("address", c_uint64), ("sectors", c_uint8), ("reserved", c_uint8 * 7))


gpc_prefetcher_ops_init = CFUNCTYPE(c_int, c_void_p, POINTER(gpc_policy_env), POINTER(c_char))
gpc_prefetcher_ops_finish = CFUNCTYPE(None, c_void_p)
gpc_prefetcher_ops_on_access = CFUNCTYPE(c_uint32, c_void_p, POINTER(gpc_prefetch_access), POINTER(gpc_prefetch))
gpc_prefetcher_ops_on_outcome = CFUNCTYPE(None, c_void_p, c_uint64, c_uint32)
gpc_prefetcher_ops_cost_bits = CFUNCTYPE(c_uint64, POINTER(gpc_policy_env))
gpc_prefetcher_ops_state = CFUNCTYPE(None, c_void_p, gpc_state_fn, c_void_p)
gpc_prefetcher_ops_counter = CFUNCTYPE(c_bool, c_void_p, c_size_t, POINTER(gpc_policy_counter))


class gpc_prefetcher_ops(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("summary", c_char_p), ("source", c_char_p),
        ("instance_bytes", c_size_t), ("reserved", c_size_t), ("reserved_too", c_size_t),
        ("parameters", POINTER(gpc_parameter)), ("parameter_count", c_size_t), ("texts", POINTER(gpc_text_parameter)),
        ("text_count", c_size_t), ("shared_bytes", c_size_t), ("shared_cache_bytes", c_size_t),
        ("init", gpc_prefetcher_ops_init), ("finish", gpc_prefetcher_ops_finish),
        ("on_access", gpc_prefetcher_ops_on_access), ("on_outcome", gpc_prefetcher_ops_on_outcome),
        ("cost_bits", gpc_prefetcher_ops_cost_bits), ("state", gpc_prefetcher_ops_state),
        ("counter", gpc_prefetcher_ops_counter),
    )


class gpc_key_info(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("type", c_int), ("unit", c_char_p), ("initial", c_char_p),
        ("minimum", c_double), ("maximum", c_double), ("choices", c_char_p), ("meaning", c_char_p),
    )


class gpc_import_option(Record):
    __slots__ = ()
    _fields_ = (("name", c_char_p), ("value", c_char_p), ("line", c_size_t), ("outcome", c_int), ("reason", c_char_p))


gpc_import_fn = CFUNCTYPE(None, c_void_p, POINTER(gpc_import_option))


class gpc_access_batch(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("count", c_size_t), ("lanes", c_uint32), ("width", c_uint32),
        ("addresses", POINTER(c_uint64)), ("masks", POINTER(c_uint64)), ("pcs", POINTER(c_uint64)),
        ("sms", POINTER(c_uint32)), ("warps", POINTER(c_uint32)), ("warp_ages", POINTER(c_uint32)),
        ("blocks", POINTER(c_uint32)), ("widths", POINTER(c_uint32)), ("kinds", POINTER(c_uint8)),
        ("spaces", POINTER(c_uint8)), ("hints", POINTER(c_uint8)), ("scopes", POINTER(c_uint8)),
        ("orders", POINTER(c_uint8)), ("results", POINTER(gpc_warp_result)), ("processes", POINTER(c_uint8)),
    )
    _defaults_ = {"lanes": 32}


class gpc_location(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("line", c_uint64), ("slice_address", c_uint64), ("row", c_uint64),
        ("partition", c_uint32), ("slice", c_uint32), ("near_slice", c_uint32), ("set", c_uint32),
        ("channel", c_uint32), ("bank", c_uint32), ("column", c_uint32), ("reserved", c_uint32),
    )


class gpc_port_request(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("address", c_uint64), ("bytes", c_uint64), ("port", c_uint32), ("kind", c_uint8),
        ("process", c_uint8), ("reserved", c_uint8 * 2),
    )


class gpc_port_stats(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("requests", c_uint64), ("completed", c_uint64), ("request_cycles", c_uint64),
        ("read_lines", c_uint64), ("write_lines", c_uint64), ("read_sectors", c_uint64), ("write_sectors", c_uint64),
        ("l2_read_hits", c_uint64), ("busy_cycles", c_uint64), ("limit_cycles", c_uint64),
    )


class gpc_event(Record):
    __slots__ = ()
    _fields_ = (
        ("cycle", c_uint64), ("until", c_uint64), ("packet", c_uint64), ("parent", c_uint64), ("access", c_uint64),
        ("address", c_uint64), ("pc", c_uint64), ("value", c_uint64), ("sm", c_uint32), ("warp", c_uint32),
        ("block", c_uint32), ("index", c_uint32), ("bank", c_uint32), ("bytes", c_uint32), ("from", c_uint32),
        ("to", c_uint32), ("what", c_uint8), ("component", c_uint8), ("kind", c_uint8), ("outcome", c_uint8),
        ("process", c_uint8), ("reserved", c_uint8 * 3),
    )


gpc_event_fn = CFUNCTYPE(c_bool, c_void_p, POINTER(gpc_event))


gpc_event_options_destroy = CFUNCTYPE(None, c_void_p)


class gpc_event_options(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("on_event", gpc_event_fn), ("user_data", c_void_p),
        ("destroy", gpc_event_options_destroy), ("whats", c_uint64), ("components", c_uint32), ("kinds", c_uint32),
        ("first_sm", c_uint32), ("last_sm", c_uint32), ("first_address", c_uint64), ("last_address", c_uint64),
        ("first_pc", c_uint64), ("last_pc", c_uint64), ("first_cycle", c_uint64), ("last_cycle", c_uint64),
    )
    _defaults_ = {
        "last_sm": 4294967295, "last_address": 18446744073709551615, "last_pc": 18446744073709551615,
        "last_cycle": 18446744073709551615,
    }


class gpc_profile_counts(Record):
    __slots__ = ()
    _fields_ = (
        ("loads", c_uint64), ("accesses", c_uint64), ("hits", c_uint64), ("sector_misses", c_uint64),
        ("bypasses", c_uint64), ("fills", c_uint64), ("reuses", c_uint64), ("evictions", c_uint64),
        ("zero_reuse_evictions", c_uint64), ("intra_warp_hits", c_uint64), ("inter_warp_hits", c_uint64),
        ("mru_hits", c_uint64), ("lru_hits", c_uint64), ("bytes_used", c_uint64), ("bytes_moved", c_uint64),
        ("segments", c_uint64), ("first_accesses", c_uint64), ("reuse_distances", c_uint64 * 33),
        ("stack_distances", c_uint64 * 33), ("reuse", c_double), ("utilisation", c_double), ("score", c_double),
    )


class gpc_profile_sm(Record):
    __slots__ = ()
    _fields_ = (
        ("sm", c_uint32), ("reserved", c_uint32), ("counts", gpc_profile_counts), ("lines", c_uint64),
        ("bypass_lines", c_uint64), ("lines_by_reuse", c_uint64 * 16), ("residences_by_reuse", c_uint64 * 16),
        ("loads_by_transactions", c_uint64 * 33), ("hits_by_age", c_uint64 * 65), ("hits_by_recency", c_uint64 * 65),
    )


class gpc_profile_instruction(Record):
    __slots__ = ()
    _fields_ = (
        ("kernel", c_char_p), ("pc", c_uint64), ("kernel_index", c_uint32), ("reserved", c_uint32),
        ("counts", gpc_profile_counts), ("lines", c_uint64), ("bypass_lines", c_uint64), ("bypass_accesses", c_uint64),
    )


class gpc_profile_class(Record):
    __slots__ = ()
    _fields_ = (("transactions", c_uint32), ("reserved", c_uint32), ("counts", gpc_profile_counts))


class gpc_profile_line(Record):
    __slots__ = ()
    _fields_ = (
        ("address", c_uint64), ("sm", c_uint32), ("reserved", c_uint32), ("accesses", c_uint64), ("hits", c_uint64),
        ("fills", c_uint64), ("evictions", c_uint64), ("zero_reuse_evictions", c_uint64), ("bytes_used", c_uint64),
        ("bytes_moved", c_uint64), ("segments", c_uint64), ("distances", c_uint64), ("reuse_distance_sum", c_uint64),
        ("stack_distance_sum", c_uint64), ("reuse", c_double), ("utilisation", c_double), ("score", c_double),
    )


class gpc_profile_summary(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("line_bytes", c_uint32), ("sms", c_uint32), ("launches", c_uint64),
        ("kernels", c_uint64), ("instructions", c_uint64), ("lines", c_uint64), ("bypass_lines", c_uint64),
        ("counts", gpc_profile_counts),
    )


class gpc_profile_point(Record):
    __slots__ = ()
    _fields_ = (("bytes", c_uint64), ("accesses", c_uint64), ("hits", c_uint64))


class gpc_profile_save_options(SizedRecord):
    __slots__ = ()
    _fields_ = (("struct_size", c_size_t), ("format", c_uint32), ("lines", c_uint32))


class gpc_cache_event(Record):
    __slots__ = ()
    _fields_ = (
        ("kind", c_uint32), ("warp", c_uint32), ("owner", c_uint32), ("pc", c_uint32), ("line_address", c_uint64),
        ("cycle", c_uint64),
    )


class gpc_scheduler_env(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("warps", c_uint32), ("sm", c_uint32), ("index", c_uint32), ("count", c_uint32),
        ("sms", c_uint32), ("seed", c_uint64), ("warp_state", c_void_p), ("parameters", POINTER(c_double)),
        ("arguments", c_char_p), ("user_data", c_void_p), ("texts", POINTER(c_char_p)), ("words", POINTER(c_uint32)),
        ("shared_state", c_void_p), ("context", c_void_p),
    )


gpc_scheduler_ops_init = CFUNCTYPE(c_int, c_void_p, POINTER(gpc_scheduler_env), POINTER(c_char))
gpc_scheduler_ops_finish = CFUNCTYPE(None, c_void_p)
gpc_scheduler_ops_on_start = CFUNCTYPE(None, c_void_p, c_uint32, c_uint64)
gpc_scheduler_ops_on_state = CFUNCTYPE(None, c_void_p, c_uint32, c_int, c_int)
gpc_scheduler_ops_pick = CFUNCTYPE(c_uint32, c_void_p, POINTER(c_uint64), c_uint64)
gpc_scheduler_ops_on_issue = CFUNCTYPE(None, c_void_p, c_uint32, c_uint64)
gpc_scheduler_ops_class_of = CFUNCTYPE(c_int, c_void_p, c_uint32)
gpc_scheduler_ops_on_cache_event = CFUNCTYPE(None, c_void_p, POINTER(gpc_cache_event))
gpc_scheduler_ops_sample = CFUNCTYPE(None, c_void_p, c_void_p, c_uint64)
gpc_scheduler_ops_cost_bits = CFUNCTYPE(c_uint64, POINTER(gpc_scheduler_env))
gpc_scheduler_ops_state = CFUNCTYPE(None, c_void_p, gpc_state_fn, c_void_p)
gpc_scheduler_ops_on_block = CFUNCTYPE(None, c_void_p, c_uint32, c_uint32)
gpc_scheduler_ops_counter = CFUNCTYPE(c_bool, c_void_p, c_size_t, POINTER(gpc_policy_counter))


class gpc_scheduler_ops(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("summary", c_char_p), ("source", c_char_p),
        ("instance_bytes", c_size_t), ("warp_bytes", c_size_t), ("reserved", c_size_t),
        ("parameters", POINTER(gpc_parameter)), ("parameter_count", c_size_t), ("init", gpc_scheduler_ops_init),
        ("finish", gpc_scheduler_ops_finish), ("on_start", gpc_scheduler_ops_on_start),
        ("on_state", gpc_scheduler_ops_on_state), ("pick", gpc_scheduler_ops_pick),
        ("on_issue", gpc_scheduler_ops_on_issue), ("class_of", gpc_scheduler_ops_class_of),
        ("on_cache_event", gpc_scheduler_ops_on_cache_event), ("sample", gpc_scheduler_ops_sample),
        ("cost_bits", gpc_scheduler_ops_cost_bits), ("texts", POINTER(gpc_text_parameter)), ("text_count", c_size_t),
        ("state", gpc_scheduler_ops_state), ("on_block", gpc_scheduler_ops_on_block),
        ("counter", gpc_scheduler_ops_counter),
    )


class gpc_throttle_view(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("cycle", c_uint64), ("by_age", POINTER(c_uint16)), ("states", POINTER(c_uint8)),
        ("blocks", POINTER(c_uint32)), ("running", c_uint32), ("reserved", c_uint32),
    )


class gpc_throttle_classes(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("throttled", POINTER(c_uint64)), ("held", POINTER(c_uint64)),
        ("bypassing", POINTER(c_uint64)), ("bypassing_l2", POINTER(c_uint64)), ("again", c_uint64),
        ("others", c_uint32), ("reserved", c_uint32),
    )


gpc_throttle_ops_init = CFUNCTYPE(c_int, c_void_p, POINTER(gpc_scheduler_env), POINTER(c_char))
gpc_throttle_ops_finish = CFUNCTYPE(None, c_void_p)
gpc_throttle_ops_on_start = CFUNCTYPE(None, c_void_p, c_uint32, c_uint64)
gpc_throttle_ops_on_state = CFUNCTYPE(None, c_void_p, c_uint32, c_int, c_int)
gpc_throttle_ops_classify = CFUNCTYPE(None, c_void_p, POINTER(gpc_throttle_view), POINTER(gpc_throttle_classes))
gpc_throttle_ops_on_cache_event = CFUNCTYPE(c_bool, c_void_p, POINTER(gpc_cache_event))
gpc_throttle_ops_sample = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_uint64)
gpc_throttle_ops_cost_bits = CFUNCTYPE(c_uint64, POINTER(gpc_scheduler_env))
gpc_throttle_ops_on_issue = CFUNCTYPE(None, c_void_p, c_uint32, c_uint64)
gpc_throttle_ops_state = CFUNCTYPE(None, c_void_p, gpc_state_fn, c_void_p)
gpc_throttle_ops_on_kernel = CFUNCTYPE(c_bool, c_void_p, c_char_p)
gpc_throttle_ops_counter = CFUNCTYPE(c_bool, c_void_p, c_size_t, POINTER(gpc_policy_counter))


class gpc_throttle_ops(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("name", c_char_p), ("summary", c_char_p), ("source", c_char_p),
        ("instance_bytes", c_size_t), ("warp_bytes", c_size_t), ("reserved", c_size_t),
        ("parameters", POINTER(gpc_parameter)), ("parameter_count", c_size_t), ("init", gpc_throttle_ops_init),
        ("finish", gpc_throttle_ops_finish), ("on_start", gpc_throttle_ops_on_start),
        ("on_state", gpc_throttle_ops_on_state), ("classify", gpc_throttle_ops_classify),
        ("on_cache_event", gpc_throttle_ops_on_cache_event), ("sample", gpc_throttle_ops_sample),
        ("cost_bits", gpc_throttle_ops_cost_bits), ("texts", POINTER(gpc_text_parameter)), ("text_count", c_size_t),
        ("shared_bytes", c_size_t), ("shared_scheduler_bytes", c_size_t), ("on_issue", gpc_throttle_ops_on_issue),
        ("state", gpc_throttle_ops_state), ("on_kernel", gpc_throttle_ops_on_kernel),
        ("counter", gpc_throttle_ops_counter),
    )


class gpc_scheduler_options(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("warps", c_uint32), ("warp_limit", c_uint32), ("sm", c_uint32),
        ("index", c_uint32), ("count", c_uint32), ("sms", c_uint32), ("policy", c_char_p), ("seed", c_uint64),
        ("share_with", c_void_p),
    )
    _defaults_ = {"warps": 48}


class gpc_line(Record):
    __slots__ = ()
    _fields_ = (
        ("line_address", c_uint64), ("set", c_uint32), ("way", c_uint32), ("reuse_count", c_uint32),
        ("warp", c_uint32), ("valid_sectors", c_uint8), ("dirty_sectors", c_uint8), ("pending_sectors", c_uint8),
        ("priority", c_uint8), ("prioritised", c_uint8), ("reserved", c_uint8 * 3), ("written_bytes", c_uint64 * 2),
    )


class gpc_policy_event(Record):
    __slots__ = ()
    _fields_ = (
        ("request", POINTER(gpc_request)), ("eviction", POINTER(gpc_eviction)),
        ("warp_event", POINTER(gpc_warp_event)), ("sample", POINTER(gpc_sample)), ("kind", c_uint32),
        ("set", c_uint32), ("way", c_uint32), ("reserved", c_uint32),
    )


class gpc_replacement_options(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("policy", c_char_p), ("sets", c_uint64), ("ways", c_uint32),
        ("line_bytes", c_uint32), ("sectors", c_uint32), ("instance", c_uint32), ("instances", c_uint32),
        ("reserved", c_uint32), ("seed", c_uint64), ("tells", c_uint64), ("share_with", c_void_p),
    )
    _defaults_ = {"sets": 32, "ways": 4, "line_bytes": 128}


class gpc_predictor_options(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("policy", c_char_p), ("sets", c_uint64), ("ways", c_uint32),
        ("line_bytes", c_uint32), ("sectors", c_uint32), ("instance", c_uint32), ("instances", c_uint32),
        ("reserved", c_uint32), ("seed", c_uint64), ("tells", c_uint64), ("share_with", c_void_p),
    )
    _defaults_ = {"sets": 32, "ways": 4, "line_bytes": 128}


gpc_dram_done_fn = CFUNCTYPE(None, c_void_p, c_uint64, c_bool, c_uint64)


class gpc_throttle_options(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("warps", c_uint32), ("sm", c_uint32), ("index", c_uint32), ("count", c_uint32),
        ("sms", c_uint32), ("reserved", c_uint32), ("throttles", c_char_p), ("seed", c_uint64),
        ("share_with", c_void_p),
    )
    _defaults_ = {"warps": 48}


class gpc_ordering(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("scope", c_uint8), ("order", c_uint8), ("control", c_uint8), ("copy", c_uint8),
        ("mapped", c_uint8), ("reserved", c_uint8 * 3),
    )


class gpc_note(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("reason", c_uint32), ("reserved", c_uint32), ("text", c_char_p),
        ("file", c_char_p), ("line", c_uint64), ("count", c_uint64), ("bytes", c_uint64), ("why", c_char_p),
    )


gpc_memcpy_fn = CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)


class gpc_trace_accesses(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("count", c_size_t), ("lanes", c_uint32), ("width", c_uint32),
        ("addresses", POINTER(c_uint64)), ("masks", POINTER(c_uint64)), ("pcs", POINTER(c_uint64)),
        ("blocks", POINTER(c_uint32)), ("warps", POINTER(c_uint32)), ("widths", POINTER(c_uint32)),
        ("kinds", POINTER(c_uint8)),
    )
    _defaults_ = {"lanes": 32}


class gpc_load_options(SizedRecord):
    __slots__ = ()
    _fields_ = (("struct_size", c_size_t), ("threads", c_char_p))


gpc_sample_fn = CFUNCTYPE(None, c_void_p, c_uint64, c_void_p)


class gpc_sampling(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("mode", c_uint32), ("group", c_uint32), ("launches", c_uint64),
        ("timed_launches", c_uint64), ("windows", c_uint64), ("timed_instructions", c_uint64),
        ("warmed_instructions", c_uint64), ("skipped_blocks", c_uint64),
    )


class gpc_estimate(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("value", c_double), ("low", c_double), ("high", c_double), ("estimated", c_uint8),
        ("reserved", c_uint8 * 7),
    )


class gpc_kernel_options(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("launch", POINTER(gpc_launch)), ("sms", POINTER(c_uint32)), ("sm_count", c_uint32),
        ("stream", c_uint32),
    )


class gpc_replay_stream(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("trace", c_void_p), ("sms", POINTER(c_uint32)), ("sm_count", c_uint32),
        ("priority", c_int32), ("select", c_uint8), ("null_stream", c_uint8), ("process", c_uint8),
        ("reserved", c_uint8 * 5), ("id", c_uint64),
    )
    _defaults_ = {"process": 255}


class gpc_kernel_result(SizedRecord):
    __slots__ = ()
    _fields_ = (
        ("struct_size", c_size_t), ("kernel", POINTER(gpc_kernel)), ("stats", c_void_p), ("launched", c_uint64),
        ("ended", c_uint64), ("started", c_uint64), ("dispatched", c_uint64), ("stream", c_uint32),
        ("process", c_uint8), ("reserved", c_uint8 * 3),
    )


gpc_kernel_result_fn = CFUNCTYPE(None, c_void_p, POINTER(gpc_kernel_result))


# name: (result, arguments)
FUNCTIONS = {
    "gpc_version": (c_uint, ()),
    "gpc_version_string": (c_char_p, ()),
    "gpc_status_string": (c_char_p, (c_int,)),
    "gpc_counter_table_count": (c_size_t, (c_int,)),
    "gpc_counter_table_at": (c_int, (c_int, c_size_t, POINTER(gpc_counter_info), POINTER(gpc_error))),
    "gpc_counter_by_name": (c_int, (c_int, c_char_p, POINTER(gpc_counter_info), POINTER(gpc_error))),
    "gpc_counter_by_id": (c_int, (c_uint32, POINTER(gpc_counter_info), POINTER(gpc_error))),
    "gpc_counter_values": (c_size_t, (POINTER(c_uint32), c_size_t)),
    "gpc_counters_json": (c_int, (
        POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, POINTER(c_char), c_size_t, POINTER(c_size_t),
        POINTER(gpc_error),
    )),
    "gpc_counters_csv": (c_int, (
        POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, c_bool, POINTER(c_char), c_size_t, POINTER(c_size_t),
        POINTER(gpc_error),
    )),
    "gpc_cache_create": (c_int, (c_void_p, POINTER(gpc_cache_options), POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_cache_destroy": (None, (c_void_p,)),
    "gpc_cache_access": (c_int, (c_void_p, POINTER(gpc_request), POINTER(gpc_access_result), POINTER(gpc_error))),
    "gpc_cache_access_many": (c_int, (c_void_p, POINTER(gpc_batch), POINTER(c_size_t), POINTER(gpc_error))),
    "gpc_cache_read": (c_int, (c_void_p, POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, POINTER(gpc_error))),
    "gpc_cache_reset_stats": (None, (c_void_p,)),
    "gpc_hierarchy_create": (c_int, (c_void_p, c_void_p, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_hierarchy_destroy": (None, (c_void_p,)),
    "gpc_hierarchy_begin_kernel": (c_int, (c_void_p, POINTER(gpc_launch), POINTER(gpc_error))),
    "gpc_hierarchy_access": (c_int, (c_void_p, POINTER(gpc_warp_access), POINTER(gpc_warp_result), POINTER(gpc_error))),
    "gpc_hierarchy_fence": (c_int, (c_void_p, POINTER(gpc_fence), POINTER(gpc_error))),
    "gpc_hierarchy_set_callbacks": (c_int, (c_void_p, POINTER(gpc_hierarchy_callbacks), POINTER(gpc_error))),
    "gpc_hierarchy_try_issue": (c_int, (
        c_void_p, POINTER(gpc_warp_access), c_uint64, POINTER(c_int), POINTER(gpc_error),
    )),
    "gpc_hierarchy_try_fence": (c_int, (c_void_p, POINTER(gpc_fence), c_uint64, POINTER(c_int), POINTER(gpc_error))),
    "gpc_hierarchy_try_miss": (c_int, (c_void_p, POINTER(gpc_request), c_uint64, POINTER(c_int), POINTER(gpc_error))),
    "gpc_hierarchy_now": (c_uint64, (c_void_p,)),
    "gpc_hierarchy_advance": (c_int, (c_void_p, c_uint64, POINTER(gpc_error))),
    "gpc_hierarchy_next_event": (c_uint64, (c_void_p,)),
    "gpc_hierarchy_in_flight": (c_uint64, (c_void_p,)),
    "gpc_hierarchy_drain": (c_int, (c_void_p, POINTER(gpc_error))),
    "gpc_hierarchy_memory_reply": (c_int, (c_void_p, c_uint64, POINTER(gpc_error))),
    "gpc_hierarchy_memory_ready": (c_int, (c_void_p, c_uint32, POINTER(gpc_error))),
    "gpc_hierarchy_count_instructions": (None, (c_void_p, c_uint64, c_uint64, c_uint64)),
    "gpc_hierarchy_reset_stats": (None, (c_void_p,)),
    "gpc_hierarchy_object_count": (c_uint32, (c_void_p, c_int)),
    "gpc_hierarchy_read": (c_int, (
        c_void_p, c_int, c_uint32, POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, POINTER(gpc_error),
    )),
    "gpc_hierarchy_can_accept": (c_bool, (c_void_p, c_uint32, POINTER(c_int))),
    "gpc_hierarchy_can_accept_miss": (c_bool, (c_void_p, c_uint32, POINTER(c_int))),
    "gpc_hierarchy_is_idle": (c_bool, (c_void_p,)),
    "gpc_hierarchy_get_shape": (c_int, (c_void_p, POINTER(gpc_shape), POINTER(gpc_error))),
    "gpc_hierarchy_try_transactions": (c_int, (
        c_void_p, POINTER(gpc_request), c_uint32, c_uint64, POINTER(c_int), POINTER(gpc_error),
    )),
    "gpc_trace_open": (c_int, (c_void_p, c_char_p, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_trace_close": (None, (c_void_p,)),
    "gpc_trace_next_kernel": (c_int, (c_void_p, POINTER(gpc_kernel), POINTER(gpc_error))),
    "gpc_trace_next_block": (c_int, (c_void_p, POINTER(POINTER(gpc_block)), POINTER(gpc_error))),
    "gpc_trace_release_block": (None, (c_void_p, POINTER(gpc_block))),
    "gpc_replay_create": (c_int, (c_void_p, c_void_p, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_replay_destroy": (None, (c_void_p,)),
    "gpc_replay_kernel": (c_int, (c_void_p, c_void_p, POINTER(gpc_kernel), POINTER(gpc_error))),
    "gpc_replay_hierarchy": (c_void_p, (c_void_p,)),
    "gpc_replay_keep_objects": (c_int, (c_void_p, c_bool, POINTER(gpc_error))),
    "gpc_replay_read": (c_int, (
        c_void_p, c_int, c_uint32, POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, POINTER(gpc_error),
    )),
    "gpc_replay_read_total": (c_int, (
        c_void_p, POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, POINTER(gpc_error),
    )),
    "gpc_struct_init": (c_int, (c_char_p, c_size_t, c_void_p, POINTER(gpc_error))),
    "gpc_context_create_0_3": (c_int, (POINTER(gpc_context_options), POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_context_destroy": (None, (c_void_p,)),
    "gpc_config_create": (c_int, (c_void_p, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_config_destroy": (None, (c_void_p,)),
    "gpc_config_load_preset": (c_int, (c_void_p, c_char_p, POINTER(gpc_error))),
    "gpc_config_load_file": (c_int, (c_void_p, c_char_p, POINTER(gpc_error))),
    "gpc_config_load_text": (c_int, (c_void_p, c_char_p, c_char_p, POINTER(gpc_error))),
    "gpc_config_set": (c_int, (c_void_p, c_char_p, c_char_p, POINTER(gpc_error))),
    "gpc_config_set_pair": (c_int, (c_void_p, c_char_p, POINTER(gpc_error))),
    "gpc_config_get": (c_int, (c_void_p, c_char_p, POINTER(c_char_p), POINTER(gpc_error))),
    "gpc_config_get_u64": (c_int, (c_void_p, c_char_p, POINTER(c_uint64), POINTER(gpc_error))),
    "gpc_context_register_protocol": (c_int, (c_void_p, POINTER(gpc_protocol), POINTER(gpc_error))),
    "gpc_protocol_find": (POINTER(gpc_protocol), (c_void_p, c_char_p)),
    "gpc_protocol_state_name": (c_size_t, (POINTER(gpc_protocol), c_uint32, POINTER(c_char), c_size_t)),
    "gpc_protocol_event_name": (c_size_t, (POINTER(gpc_protocol), c_uint32, POINTER(c_char), c_size_t)),
    "gpc_protocol_matrices_text": (c_size_t, (
        POINTER(gpc_protocol), POINTER(c_uint64), POINTER(c_uint32), c_char_p, POINTER(c_char), c_size_t,
    )),
    "gpc_coherence_event_name": (c_char_p, (c_int,)),
    "gpc_coherence_create": (c_int, (c_void_p, POINTER(gpc_coherence_options), POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_coherence_destroy": (None, (c_void_p,)),
    "gpc_coherence_access": (c_int, (
        c_void_p, POINTER(gpc_coherence_request), POINTER(gpc_coherence_result), POINTER(gpc_error),
    )),
    "gpc_coherence_flush": (c_int, (c_void_p, c_uint32, c_uint64, POINTER(gpc_coherence_result), POINTER(gpc_error))),
    "gpc_coherence_acquire": (c_int, (c_void_p, c_uint32, c_uint64, POINTER(gpc_coherence_result), POINTER(gpc_error))),
    "gpc_coherence_read_memory": (c_int, (c_void_p, c_uint64, POINTER(c_uint8), c_size_t, POINTER(gpc_error))),
    "gpc_coherence_write_memory": (c_int, (c_void_p, c_uint64, POINTER(c_uint8), c_size_t, POINTER(gpc_error))),
    "gpc_coherence_get_block": (c_int, (
        c_void_p, c_uint32, c_uint32, c_uint32, POINTER(gpc_coherence_block), POINTER(gpc_error),
    )),
    "gpc_coherence_get_directory": (c_int, (
        c_void_p, c_uint32, c_uint32, c_uint32, c_uint32, POINTER(c_uint32), POINTER(c_uint32), c_size_t,
        POINTER(c_size_t), POINTER(gpc_error),
    )),
    "gpc_coherence_find": (c_int, (
        c_void_p, c_uint32, c_uint64, POINTER(c_uint32), POINTER(c_uint32), POINTER(gpc_error),
    )),
    "gpc_coherence_module_index": (c_uint32, (c_void_p, c_char_p)),
    "gpc_coherence_get_module": (c_int, (c_void_p, c_uint32, POINTER(gpc_coherence_module), POINTER(gpc_error))),
    "gpc_coherence_protocol": (POINTER(gpc_protocol), (c_void_p,)),
    "gpc_coherence_read": (c_int, (
        c_void_p, c_uint32, POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, POINTER(gpc_error),
    )),
    "gpc_coherence_get_matrices": (c_int, (
        c_void_p, c_uint32, c_uint32, POINTER(c_uint64), POINTER(c_uint32), POINTER(gpc_error),
    )),
    "gpc_coherence_reset_stats": (None, (c_void_p,)),
    "gpc_coherence_set_callbacks": (c_int, (c_void_p, POINTER(gpc_coherence_callbacks), POINTER(gpc_error))),
    "gpc_coherence_issue": (c_int, (c_void_p, POINTER(gpc_coherence_request), POINTER(c_uint64), POINTER(gpc_error))),
    "gpc_coherence_advance": (c_int, (c_void_p, c_uint64, POINTER(gpc_error))),
    "gpc_coherence_next_event": (c_uint64, (c_void_p,)),
    "gpc_coherence_check": (c_int, (c_void_p, c_uint64, c_uint64, POINTER(gpc_error))),
    "gpc_hierarchy_set_reply_credits": (c_int, (c_void_p, c_uint32, c_uint64, POINTER(gpc_error))),
    "gpc_hierarchy_add_reply_credits": (c_int, (c_void_p, c_uint32, c_uint64, POINTER(gpc_error))),
    "gpc_hierarchy_reply_credits": (c_uint64, (c_void_p, c_uint32)),
    "gpc_verify_run": (c_int, (c_void_p, POINTER(gpc_verify_options), POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_verify_destroy": (None, (c_void_p,)),
    "gpc_verify_get_report": (c_int, (c_void_p, POINTER(gpc_verify_report), POINTER(gpc_error))),
    "gpc_verify_get_step": (c_int, (c_void_p, c_uint32, POINTER(gpc_verify_step), POINTER(gpc_error))),
    "gpc_verify_system": (c_int, (c_uint32, POINTER(gpc_verify_options), POINTER(gpc_error))),
    "gpc_verify_tree_name": (c_char_p, (c_uint32,)),
    "gpc_verify_make_tree": (c_int, (c_void_p, POINTER(gpc_verify_options), POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_coherence_hold": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(gpc_error))),
    "gpc_coherence_get_choice": (c_int, (c_void_p, c_uint32, POINTER(gpc_coherence_choice), POINTER(gpc_error))),
    "gpc_coherence_choose": (c_int, (c_void_p, c_uint32, POINTER(gpc_error))),
    "gpc_hierarchy_stages": (c_int, (c_void_p, gpc_stage_fn, c_void_p, POINTER(gpc_error))),
    "gpc_stage_name": (c_char_p, (c_uint,)),
    "gpc_stage_meaning": (c_char_p, (c_uint,)),
    "gpc_hierarchy_set_window": (c_int, (c_void_p, POINTER(gpc_access_window), POINTER(gpc_error))),
    "gpc_hierarchy_reset_persisting": (c_int, (c_void_p, POINTER(gpc_error))),
    "gpc_stats_read": (c_int, (c_void_p, POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, POINTER(gpc_error))),
    "gpc_context_register_replacement": (c_int, (
        c_void_p, POINTER(gpc_replacement_ops), c_void_p, CFUNCTYPE(None, c_void_p), POINTER(gpc_error),
    )),
    "gpc_policy_count": (c_size_t, (c_void_p, c_int)),
    "gpc_policy_at": (c_int, (c_void_p, c_int, c_size_t, POINTER(gpc_policy_info), POINTER(gpc_error))),
    "gpc_policy_cost": (c_int, (
        c_void_p, c_int, c_char_p, c_uint32, c_uint32, c_uint32, c_uint32, POINTER(c_uint64), POINTER(gpc_error),
    )),
    "gpc_policy_level_cost": (c_int, (
        c_void_p, c_int, c_char_p, c_uint32, c_uint32, c_uint32, c_uint32, c_uint32, POINTER(c_uint64),
        POINTER(gpc_error),
    )),
    "gpc_policy_reads": (c_int, (c_void_p, c_int, c_char_p, POINTER(c_uint64), POINTER(gpc_error))),
    "gpc_context_register_predictor": (c_int, (
        c_void_p, POINTER(gpc_predictor_ops), c_void_p, CFUNCTYPE(None, c_void_p), POINTER(gpc_error),
    )),
    "gpc_context_register_prefetcher": (c_int, (
        c_void_p, POINTER(gpc_prefetcher_ops), c_void_p, CFUNCTYPE(None, c_void_p), POINTER(gpc_error),
    )),
    "gpc_key_count": (c_size_t, ()),
    "gpc_key_at": (c_int, (c_size_t, POINTER(gpc_key_info), POINTER(gpc_error))),
    "gpc_preset_count": (c_size_t, ()),
    "gpc_preset_at": (c_int, (c_size_t, POINTER(c_char_p), POINTER(c_char_p), POINTER(gpc_error))),
    "gpc_preset_text": (c_char_p, (c_char_p,)),
    "gpc_config_copy": (c_int, (c_void_p, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_config_preset": (c_char_p, (c_void_p,)),
    "gpc_config_import_gpgpusim": (c_int, (c_void_p, c_char_p, gpc_import_fn, c_void_p, POINTER(gpc_error))),
    "gpc_config_import_gpgpusim_text": (c_int, (
        c_void_p, c_char_p, c_char_p, gpc_import_fn, c_void_p, POINTER(gpc_error),
    )),
    "gpc_hierarchy_local_address": (c_uint64, (c_void_p, c_uint32, c_uint32, c_uint32, c_uint64)),
    "gpc_hierarchy_get_config": (c_int, (c_void_p, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_hierarchy_occupancy": (c_uint32, (c_void_p, POINTER(gpc_launch))),
    "gpc_hierarchy_access_many": (c_int, (c_void_p, POINTER(gpc_access_batch), POINTER(c_size_t), POINTER(gpc_error))),
    "gpc_hierarchy_threads": (c_uint32, (c_void_p,)),
    "gpc_hierarchy_warp_event": (c_int, (c_void_p, POINTER(gpc_warp_event), POINTER(gpc_error))),
    "gpc_hierarchy_sample": (c_int, (c_void_p, POINTER(gpc_sample), POINTER(gpc_error))),
    "gpc_hierarchy_wants_samples": (c_bool, (c_void_p,)),
    "gpc_hierarchy_flush": (c_int, (c_void_p, POINTER(gpc_error))),
    "gpc_hierarchy_object_name": (c_int, (c_void_p, c_int, c_uint32, POINTER(c_char), c_size_t, POINTER(gpc_error))),
    "gpc_hierarchy_policy_value": (c_int, (c_void_p, c_size_t, POINTER(gpc_policy_value), POINTER(gpc_error))),
    "gpc_hierarchy_cache": (c_void_p, (c_void_p, c_uint, c_uint32)),
    "gpc_hierarchy_coherence": (c_void_p, (c_void_p,)),
    "gpc_hierarchy_locate": (c_int, (c_void_p, c_uint32, c_uint64, POINTER(gpc_location), POINTER(gpc_error))),
    "gpc_hierarchy_preload": (c_int, (c_void_p, c_uint, c_uint32, c_uint64, c_uint64, POINTER(gpc_error))),
    "gpc_hierarchy_rank_warps": (c_int, (c_void_p, c_bool, POINTER(gpc_error))),
    "gpc_hierarchy_try_port": (c_int, (c_void_p, POINTER(gpc_port_request), c_uint64, POINTER(gpc_error))),
    "gpc_hierarchy_ports": (c_uint32, (c_void_p,)),
    "gpc_hierarchy_port_stats": (c_int, (c_void_p, c_uint32, POINTER(gpc_port_stats), POINTER(gpc_error))),
    "gpc_hierarchy_set_trace": (c_int, (c_void_p, POINTER(gpc_event_options), POINTER(gpc_error))),
    "gpc_what_name": (c_char_p, (c_uint,)),
    "gpc_what_meaning": (c_char_p, (c_uint,)),
    "gpc_component_name": (c_char_p, (c_uint,)),
    "gpc_component_meaning": (c_char_p, (c_uint,)),
    "gpc_event_outcome": (c_char_p, (POINTER(gpc_event),)),
    "gpc_profile_create": (c_int, (c_void_p, c_void_p, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_profile_destroy": (None, (c_void_p,)),
    "gpc_profile_on_progress": (None, (c_void_p, gpc_progress_fn, c_void_p)),
    "gpc_profile_kernel": (c_int, (c_void_p, c_void_p, POINTER(gpc_kernel), POINTER(gpc_error))),
    "gpc_profile_read_kernel": (c_int, (
        c_void_p, POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, POINTER(gpc_error),
    )),
    "gpc_profile_run": (c_int, (c_void_p, c_void_p, POINTER(gpc_error))),
    "gpc_profile_begin_kernel": (c_int, (c_void_p, c_char_p, POINTER(gpc_launch), POINTER(gpc_error))),
    "gpc_profile_access": (c_int, (c_void_p, POINTER(gpc_warp_access), POINTER(gpc_warp_result), POINTER(gpc_error))),
    "gpc_profile_reset": (c_int, (c_void_p, POINTER(gpc_error))),
    "gpc_profile_get_summary": (c_int, (c_void_p, POINTER(gpc_profile_summary), POINTER(gpc_error))),
    "gpc_profile_sms": (c_int, (c_void_p, POINTER(POINTER(gpc_profile_sm)), POINTER(c_size_t), POINTER(gpc_error))),
    "gpc_profile_instructions": (c_int, (
        c_void_p, POINTER(POINTER(gpc_profile_instruction)), POINTER(c_size_t), POINTER(gpc_error),
    )),
    "gpc_profile_classes": (c_int, (
        c_void_p, POINTER(POINTER(gpc_profile_class)), POINTER(c_size_t), POINTER(gpc_error),
    )),
    "gpc_profile_lines": (c_int, (c_void_p, POINTER(POINTER(gpc_profile_line)), POINTER(c_size_t), POINTER(gpc_error))),
    "gpc_profile_curve": (c_int, (c_void_p, c_uint32, POINTER(gpc_profile_point), c_size_t, POINTER(gpc_error))),
    "gpc_profile_score": (c_double, (c_double, c_double)),
    "gpc_profile_thresholds": (c_int, (c_void_p, POINTER(c_double), c_size_t, POINTER(c_size_t), POINTER(gpc_error))),
    "gpc_profile_classes_above": (c_int, (c_void_p, c_double, POINTER(c_uint32), POINTER(gpc_error))),
    "gpc_profile_save": (c_int, (c_void_p, POINTER(gpc_stream), POINTER(gpc_profile_save_options), POINTER(gpc_error))),
    "gpc_profile_load": (c_int, (c_void_p, POINTER(gpc_stream), POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_hierarchy_record": (c_int, (c_void_p, c_char_p, POINTER(gpc_error))),
    "gpc_hierarchy_is_recording": (c_bool, (c_void_p,)),
    "gpc_hierarchy_record_end": (c_int, (c_void_p, POINTER(gpc_error))),
    "gpc_context_register_throttle": (c_int, (
        c_void_p, POINTER(gpc_throttle_ops), c_void_p, CFUNCTYPE(None, c_void_p), POINTER(gpc_error),
    )),
    "gpc_context_register_scheduler": (c_int, (
        c_void_p, POINTER(gpc_scheduler_ops), c_void_p, CFUNCTYPE(None, c_void_p), POINTER(gpc_error),
    )),
    "gpc_scheduler_cost": (c_int, (c_void_p, c_char_p, c_uint32, POINTER(c_uint64), POINTER(gpc_error))),
    "gpc_scheduler_create": (c_int, (c_void_p, POINTER(gpc_scheduler_options), POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_scheduler_destroy": (None, (c_void_p,)),
    "gpc_scheduler_start": (c_int, (c_void_p, c_uint32, POINTER(gpc_error))),
    "gpc_scheduler_start_block": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(gpc_error))),
    "gpc_scheduler_begin_kernel": (c_int, (c_void_p, c_char_p, POINTER(gpc_error))),
    "gpc_scheduler_set_state": (c_int, (c_void_p, c_uint32, c_int, POINTER(gpc_error))),
    "gpc_scheduler_pick": (c_int, (c_void_p, c_uint64, c_bool, POINTER(c_uint32), POINTER(gpc_error))),
    "gpc_scheduler_issued": (c_int, (c_void_p, c_uint32, c_uint64, POINTER(gpc_error))),
    "gpc_scheduler_class_of": (c_int, (c_void_p, c_uint32)),
    "gpc_scheduler_token_of": (c_int, (c_void_p, c_uint32, c_uint)),
    "gpc_scheduler_class_count": (c_uint32, (c_void_p, c_int)),
    "gpc_scheduler_next_change": (c_uint64, (c_void_p,)),
    "gpc_scheduler_age_of": (c_uint32, (c_void_p, c_uint32)),
    "gpc_scheduler_policy_value": (c_int, (c_void_p, c_size_t, POINTER(gpc_policy_value), POINTER(gpc_error))),
    "gpc_scheduler_cache_event": (None, (c_void_p, POINTER(gpc_cache_event))),
    "gpc_scheduler_sample": (c_int, (
        c_void_p, c_uint64, POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, POINTER(gpc_error),
    )),
    "gpc_next_uses": (c_int, (c_void_p, POINTER(c_uint64), c_size_t, c_uint32, POINTER(c_uint64), POINTER(gpc_error))),
    "gpc_cache_probe": (c_int, (c_void_p, POINTER(gpc_request), POINTER(gpc_access_result), POINTER(gpc_error))),
    "gpc_cache_probe_victim": (c_int, (c_void_p, POINTER(gpc_request), POINTER(gpc_access_result), POINTER(gpc_error))),
    "gpc_cache_lookup": (c_int, (c_void_p, POINTER(gpc_request), POINTER(gpc_access_result), POINTER(gpc_error))),
    "gpc_cache_reserve": (c_int, (
        c_void_p, POINTER(gpc_request), c_uint8, POINTER(gpc_access_result), POINTER(gpc_error),
    )),
    "gpc_cache_fill": (c_int, (
        c_void_p, POINTER(gpc_request), c_uint8, POINTER(gpc_access_result), POINTER(gpc_error),
    )),
    "gpc_cache_reply": (c_int, (c_void_p, POINTER(gpc_request), c_int, c_uint32)),
    "gpc_cache_respond": (c_uint32, (c_void_p, POINTER(gpc_request))),
    "gpc_cache_invalidate_line": (c_int, (c_void_p, c_uint64, POINTER(gpc_error))),
    "gpc_cache_invalidate_range": (c_int, (c_void_p, c_uint64, c_uint64, POINTER(gpc_error))),
    "gpc_cache_invalidate_all": (c_int, (c_void_p, POINTER(gpc_error))),
    "gpc_cache_flush": (c_int, (c_void_p, POINTER(c_uint64), POINTER(gpc_error))),
    "gpc_cache_resize": (c_int, (c_void_p, c_uint64, c_uint32, POINTER(gpc_error))),
    "gpc_cache_next_line": (c_int, (c_void_p, POINTER(c_uint64), POINTER(gpc_line), POINTER(gpc_error))),
    "gpc_cache_warp_event": (c_int, (c_void_p, POINTER(gpc_warp_event), POINTER(gpc_error))),
    "gpc_cache_sample": (c_int, (c_void_p, POINTER(gpc_sample), POINTER(gpc_error))),
    "gpc_cache_stall": (c_int, (c_void_p, POINTER(gpc_request), c_uint32)),
    "gpc_cache_set_replacement": (c_int, (c_void_p, c_char_p, POINTER(gpc_error))),
    "gpc_cache_set_predictor": (c_int, (c_void_p, c_char_p, POINTER(gpc_error))),
    "gpc_cache_policy_value": (c_int, (c_void_p, c_size_t, POINTER(gpc_policy_value), POINTER(gpc_error))),
    "gpc_cache_lacks": (c_uint64, (c_void_p,)),
    "gpc_cache_token_bits": (c_uint64, (c_void_p,)),
    "gpc_replacement_create": (c_int, (
        c_void_p, POINTER(gpc_replacement_options), POINTER(c_void_p), POINTER(gpc_error),
    )),
    "gpc_replacement_destroy": (None, (c_void_p,)),
    "gpc_replacement_choose": (c_int, (
        c_void_p, c_uint32, POINTER(c_uint64), POINTER(gpc_request), POINTER(c_uint32), POINTER(gpc_error),
    )),
    "gpc_replacement_declines": (c_bool, (c_void_p, c_uint32, POINTER(c_uint64), POINTER(gpc_request))),
    "gpc_replacement_event": (c_int, (
        c_void_p, POINTER(gpc_policy_event), c_size_t, POINTER(c_size_t), POINTER(gpc_error),
    )),
    "gpc_replacement_policy_value": (c_int, (c_void_p, c_size_t, POINTER(gpc_policy_value), POINTER(gpc_error))),
    "gpc_predictor_create": (c_int, (c_void_p, POINTER(gpc_predictor_options), POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_predictor_destroy": (None, (c_void_p,)),
    "gpc_predictor_before_lookup": (c_bool, (c_void_p,)),
    "gpc_predictor_predict": (c_int, (
        c_void_p, c_uint32, POINTER(gpc_request), POINTER(gpc_prediction), POINTER(gpc_error),
    )),
    "gpc_predictor_predict_many": (c_int, (
        c_void_p, POINTER(c_uint32), POINTER(gpc_request), c_size_t, POINTER(gpc_prediction), POINTER(c_size_t),
        POINTER(gpc_error),
    )),
    "gpc_predictor_event": (c_int, (
        c_void_p, POINTER(gpc_policy_event), c_size_t, POINTER(c_size_t), POINTER(gpc_error),
    )),
    "gpc_predictor_reply": (c_int, (c_void_p, POINTER(gpc_request), c_int, c_uint32)),
    "gpc_predictor_respond": (c_uint32, (c_void_p, c_uint32, c_uint32, POINTER(gpc_request))),
    "gpc_predictor_stall": (c_int, (c_void_p, POINTER(gpc_request), c_uint32)),
    "gpc_predictor_policy_value": (c_int, (c_void_p, c_size_t, POINTER(gpc_policy_value), POINTER(gpc_error))),
    "gpc_dram_create": (c_int, (c_void_p, c_void_p, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_dram_destroy": (None, (c_void_p,)),
    "gpc_dram_on_done": (None, (c_void_p, gpc_dram_done_fn, c_void_p)),
    "gpc_dram_burst_bytes": (c_uint32, (c_void_p,)),
    "gpc_dram_try_request": (c_int, (c_void_p, c_uint32, c_uint64, c_bool, c_uint64, POINTER(gpc_error))),
    "gpc_dram_advance": (c_int, (c_void_p, c_uint64, POINTER(gpc_error))),
    "gpc_dram_now": (c_uint64, (c_void_p,)),
    "gpc_dram_next_event": (c_uint64, (c_void_p,)),
    "gpc_dram_read": (c_int, (c_void_p, POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, POINTER(gpc_error))),
    "gpc_throttle_create": (c_int, (c_void_p, POINTER(gpc_throttle_options), POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_throttle_destroy": (None, (c_void_p,)),
    "gpc_throttle_start": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(gpc_error))),
    "gpc_throttle_set_state": (c_int, (c_void_p, c_uint32, c_int, POINTER(gpc_error))),
    "gpc_throttle_issued": (c_int, (c_void_p, c_uint32, c_uint64, POINTER(gpc_error))),
    "gpc_throttle_begin_kernel": (c_int, (c_void_p, c_char_p, POINTER(gpc_error))),
    "gpc_throttle_cache_event": (c_bool, (c_void_p, POINTER(gpc_cache_event))),
    "gpc_throttle_sample": (c_int, (
        c_void_p, c_uint64, POINTER(c_uint32), c_size_t, POINTER(c_uint64), c_size_t, POINTER(gpc_error),
    )),
    "gpc_throttle_wants_events": (c_bool, (c_void_p,)),
    "gpc_throttle_wants_samples": (c_bool, (c_void_p,)),
    "gpc_throttle_classify": (c_int, (c_void_p, c_uint64, POINTER(gpc_throttle_classes), POINTER(gpc_error))),
    "gpc_throttle_class_of": (c_int, (c_void_p, c_uint32)),
    "gpc_throttle_token_of": (c_int, (c_void_p, c_uint32, c_uint)),
    "gpc_throttle_held": (c_bool, (c_void_p, c_uint32)),
    "gpc_throttle_next_change": (c_uint64, (c_void_p,)),
    "gpc_throttle_policy_value": (c_int, (c_void_p, c_size_t, POINTER(gpc_policy_value), POINTER(gpc_error))),
    "gpc_trace_choose": (c_int, (c_void_p, c_char_p, POINTER(gpc_error))),
    "gpc_trace_kernel_count": (c_uint64, (c_void_p,)),
    "gpc_trace_opcode": (c_char_p, (c_void_p, c_uint32)),
    "gpc_trace_ordering": (c_int, (c_void_p, c_uint32, POINTER(gpc_ordering), POINTER(gpc_error))),
    "gpc_trace_note_count": (c_size_t, (c_void_p,)),
    "gpc_trace_note": (c_int, (c_void_p, c_size_t, POINTER(gpc_note), POINTER(gpc_error))),
    "gpc_trace_progress": (c_double, (c_void_p,)),
    "gpc_trace_on_memcpy": (None, (c_void_p, gpc_memcpy_fn, c_void_p)),
    "gpc_synthetic_count": (c_size_t, ()),
    "gpc_synthetic_at": (c_int, (
        c_size_t, POINTER(c_char_p), POINTER(c_char_p), POINTER(c_uint64), POINTER(gpc_error),
    )),
    "gpc_trace_writer_create": (c_int, (c_void_p, c_char_p, c_int, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_trace_writer_kernel": (c_int, (c_void_p, POINTER(gpc_kernel), POINTER(gpc_error))),
    "gpc_trace_writer_block": (c_int, (c_void_p, c_void_p, POINTER(gpc_block), POINTER(gpc_error))),
    "gpc_trace_writer_accesses": (c_int, (c_void_p, POINTER(gpc_trace_accesses), POINTER(gpc_error))),
    "gpc_trace_writer_finish": (c_int, (c_void_p, POINTER(gpc_error))),
    "gpc_trace_writer_destroy": (None, (c_void_p,)),
    "gpc_hierarchy_save": (c_int, (c_void_p, POINTER(gpc_stream), POINTER(gpc_error))),
    "gpc_hierarchy_load": (c_int, (
        c_void_p, POINTER(gpc_stream), POINTER(gpc_load_options), POINTER(c_void_p), POINTER(gpc_error),
    )),
    "gpc_hierarchy_copy": (c_int, (c_void_p, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_replay_on_progress": (None, (c_void_p, gpc_progress_fn, c_void_p)),
    "gpc_replay_pause_at": (c_int, (c_void_p, c_uint64, POINTER(gpc_error))),
    "gpc_replay_now": (c_uint64, (c_void_p,)),
    "gpc_replay_on_sample": (c_int, (c_void_p, c_uint64, gpc_sample_fn, c_void_p, POINTER(gpc_error))),
    "gpc_replay_get_config": (c_int, (c_void_p, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_replay_policy_value": (c_int, (c_void_p, c_size_t, POINTER(gpc_policy_value), POINTER(gpc_error))),
    "gpc_replay_get_sampling": (c_int, (c_void_p, c_int, POINTER(gpc_sampling), POINTER(gpc_error))),
    "gpc_replay_estimate": (c_int, (c_void_p, c_int, c_uint32, POINTER(gpc_estimate), POINTER(gpc_error))),
    "gpc_replay_save": (c_int, (c_void_p, POINTER(gpc_stream), POINTER(gpc_error))),
    "gpc_replay_load": (c_int, (
        c_void_p, POINTER(gpc_stream), POINTER(gpc_load_options), POINTER(c_void_p), POINTER(gpc_error),
    )),
    "gpc_replay_copy": (c_int, (c_void_p, POINTER(c_void_p), POINTER(gpc_error))),
    "gpc_replay_resume": (c_int, (c_void_p, c_void_p, POINTER(gpc_error))),
    "gpc_hierarchy_start_kernel": (c_int, (
        c_void_p, POINTER(gpc_kernel_options), POINTER(c_uint32), POINTER(gpc_error),
    )),
    "gpc_hierarchy_end_kernel": (c_int, (c_void_p, c_uint32, POINTER(gpc_error))),
    "gpc_hierarchy_running_kernels": (c_uint32, (c_void_p,)),
    "gpc_replay_streams": (c_int, (
        c_void_p, POINTER(gpc_replay_stream), c_size_t, gpc_kernel_result_fn, c_void_p, POINTER(gpc_error),
    )),
}
