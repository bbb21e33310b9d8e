# SPDX-License-Identifier: BSD-2-Clause
"""Version, macros and enumerations of the headers. Written by generate.py: change a header and run that."""

from enum import IntEnum, IntFlag

__version__ = "0.3.0"

GPC_TRANSACTION_BUCKETS = 33
GPC_LATENCY_BUCKETS = 64
GPC_LATENCY_STEP = 32
GPC_AGE_BUCKETS = 65
GPC_SEGMENT_BUCKETS = 5
GPC_VERSION_MAJOR = 0
GPC_VERSION_MINOR = 3
GPC_VERSION_PATCH = 0
GPC_VERSION_NUMBER = 768
GPC_STRUCT_GROWTH = 1024
GPC_PROCESS_SHIFT = 57
GPC_PROCESSES = 128
GPC_PROCESS_OWN = 255
GPC_ABSENT = 18446744073709551615
GPC_OBJECTS_WHOLE = 1
GPC_OBJECTS_SM = 3
GPC_OBJECTS_SM_PART = 3
GPC_OBJECTS_L1 = 7
GPC_OBJECTS_L1_PART = 7
GPC_OBJECTS_SLICE = 33
GPC_OBJECTS_SLICE_PART = 33
GPC_OBJECTS_WHOLE_STREAM = 129
GPC_OBJECTS_L1_STREAM = 135
GPC_OBJECTS_SLICE_STREAM = 161
GPC_OBJECTS_CHANNEL = 65
GPC_OBJECTS_CACHE = 36
GPC_OBJECTS_NETWORK = 16
GPC_OBJECTS_MODULE = 44
GPC_NO_LAST_WAYS = 4294967295
GPC_BATCH_HIT = 1
GPC_BATCH_EVICTED = 2
GPC_BATCH_WRITE_BACK = 4
GPC_BATCH_BYPASSED = 8
GPC_BATCH_SECTOR_MISS = 16
GPC_BATCH_WRITE_BELOW = 32
GPC_MAX_TRANSACTIONS = 192
GPC_MAX_OPERANDS = 8
GPC_REGISTER_R = 0
GPC_REGISTER_UR = 256
GPC_REGISTER_P = 512
GPC_REGISTER_UP = 768
GPC_REGISTER_BARRIER = 32768
GPC_REGISTER_NUMBER = 16384
GPC_NO_MODULE = 4294967295
GPC_MAX_MODULES = 4096
GPC_MAX_STATES = 64
GPC_MEANS_N = 9
GPC_MEANS_M = 7
GPC_MEANS_O = 5
GPC_MEANS_E = 6
GPC_MEANS_S = 0
GPC_MEANS_F = 4
GPC_MAX_EVENTS = 64
GPC_ACCESS_EVENT_SHIFT = 24
GPC_NO_MESSAGE = 4294967295
GPC_UNLIMITED_CREDITS = 18446744073709551615
GPC_VERIFY_TEXT = 512
GPC_VERIFY_STEPS = 2048
GPC_MAX_WAYS = 1024
GPC_MAX_PARAMETERS = 16
GPC_WAY_BYPASS = 4294967295
GPC_READS_EVERYTHING = 4194303
GPC_READS_OF_REQUESTS = 522223
GPC_POLICY_VALUE_NAME = 160
GPC_MAX_PREFETCHES = 32
GPC_OBJECT_NAME = 40
GPC_NOWHERE = 4294967295
GPC_NONE = 4294967295
GPC_PROFILE_DISTANCE_BUCKETS = 33
GPC_PROFILE_REUSE_BUCKETS = 16
GPC_PROFILE_RECENCY_BUCKETS = 65
GPC_PROFILE_CLASSES = 32
GPC_PROFILE_ALL_SMS = 4294967295
GPC_NO_WARP = 4294967295


class Status(IntEnum):
    OK = 0
    END = 1
    BUSY = 2
    ERROR_ARGUMENT = -1
    ERROR_MEMORY = -2
    ERROR_ABI = -3
    ERROR_NOT_FOUND = -4
    ERROR_EXISTS = -5
    ERROR_RANGE = -6
    ERROR_IO = -7
    ERROR_FORMAT = -8
    ERROR_UNSUPPORTED = -9
    ERROR_STATE = -10
    ERROR_CANCELLED = -11
    ERROR_CALLBACK = -12


class Kind(IntEnum):
    LOAD = 0
    STORE = 1
    ATOMIC = 2
    REDUCTION = 3
    PREFETCH = 4


GPC_KIND_COUNT = 5


class Space(IntEnum):
    GLOBAL = 0
    LOCAL = 1
    SHARED = 2
    CONSTANT = 3
    TEXTURE = 4
    GENERIC = 5
    NONE = 6
    INSTRUCTION = 7
    CLUSTER = 8
    MIXED = 9


GPC_SPACE_COUNT = 10


class Hint(IntEnum):
    NONE = 0
    CA = 1
    CG = 2
    CS = 3
    CV = 4
    WB = 5
    WT = 6
    NO_ALLOCATE = 7


GPC_HINT_COUNT = 8


class Priority(IntEnum):
    NORMAL = 0
    FIRST = 1
    LAST = 2


GPC_PRIORITY_COUNT = 3


class Scope(IntEnum):
    CTA = 0
    CLUSTER = 1
    GPU = 2
    SYS = 3


GPC_SCOPE_COUNT = 4


class Order(IntEnum):
    WEAK = 0
    RELAXED = 1
    ACQUIRE = 2
    RELEASE = 3
    ACQ_REL = 4
    SC = 5


GPC_ORDER_COUNT = 6


class AtomicOp(IntEnum):
    NONE = 0
    ADD = 1
    MIN = 2
    MAX = 3
    MIN_SIGNED = 4
    MAX_SIGNED = 5
    AND = 6
    OR = 7
    XOR = 8
    EXCHANGE = 9
    COMPARE_SWAP = 10
    INC = 11
    DEC = 12


GPC_OP_COUNT = 13


class Copy(IntEnum):
    NONE = 0
    ASYNC = 1
    COMMIT = 2
    WAIT = 3
    BULK = 4
    BARRIER = 5
    BARRIER_INIT = 6
    BARRIER_ARRIVE = 7


GPC_COPY_COUNT = 8


class Control(IntEnum):
    NONE = 0
    INVALIDATE_ALL = 1
    WRITE_BACK_ALL = 2
    INVALIDATE = 3
    WRITE_BACK = 4
    OTHER = 5


GPC_CONTROL_COUNT = 6


class Token(IntEnum):
    UNUSED = 0
    HELD = 1
    NONE = 2


GPC_TOKEN_COUNT = 3


class Decision(IntEnum):
    CACHE = 0
    BYPASS = 1


class CounterId(IntEnum):
    kernels = 1
    blocks = 2
    warp_instructions = 3
    thread_instructions = 4
    l1_load_requests = 5
    l1_load_lines = 6
    l1_touched_lines = 405
    l1_load_sectors = 7
    l1_load_sector_hits = 8
    l1_load_bytes_used = 9
    l1_load_bytes_moved = 10
    l1_store_requests = 11
    l1_store_sectors = 12
    l1_store_sector_hits = 13
    l1_atomic_requests = 14
    l1_atomic_sectors = 15
    l1_lookups = 283
    l1_copy_requests = 312
    l1_copy_sectors = 313
    l1_copy_passed_sectors = 314
    bulk_copies = 318
    bulk_requests = 319
    bulk_bytes = 320
    bulk_read_sectors = 321
    bulk_write_sectors = 322
    bulk_multicast_copies = 328
    bulk_multicast_sectors = 329
    bulk_stalls = 323
    bulk_completed = 324
    bulk_cycles = 325
    tlb_l1_accesses = 352
    tlb_l1_hits = 353
    tlb_l1_merges = 354
    tlb_l1_stalls = 355
    tlb_wait_cycles = 356
    tlb_l2_accesses = 357
    tlb_l2_hits = 358
    tlb_l2_merges = 359
    tlb_l2_stalls = 360
    tlb_walks = 361
    tlb_walk_cycles = 362
    tlb_walk_waits = 363
    l2_persisting_sectors = 350
    l2_persisting_sector_hits = 351
    stages_queue = 336
    stages_l1_stall = 337
    stages_l1 = 338
    stages_merged = 339
    stages_request = 340
    stages_l2_queue = 341
    stages_l2 = 342
    stages_l2_merged = 343
    stages_partition = 344
    stages_dram_queue = 345
    stages_dram = 346
    stages_reply = 347
    stages_fill = 348
    stages_coherence = 349
    l1i_accesses = 364
    l1i_hits = 365
    l1i_merges = 366
    l1i_wait_cycles = 367
    const_requests = 374
    const_lines = 375
    const_line_hits = 376
    const_line_merges = 377
    const_stalls = 378
    l15_lines = 382
    l15_line_hits = 383
    l15_line_merges = 384
    l15_code_lines = 385
    l15_code_line_hits = 386
    l15_stalls = 387
    l1i_prefetches = 388
    l1i_prefetch_hits = 389
    l1i_late_prefetches = 390
    l1i_unused_prefetches = 391
    l1_evictions = 16
    l1_zero_reuse_evictions = 17
    l1_bypasses = 18
    l1_bypassed_sectors = 19
    l1_token_bypasses = 20
    l1_opportunistic_fills = 21
    l1_priority_evictions = 22
    l1_cache_warp_lines = 23
    l1_cache_warp_misses = 24
    l1_bypass_warp_lines = 25
    l1_bypass_warp_misses = 26
    l1_predictions = 27
    l1_overturned_bypasses = 28
    l1_overturned_fills = 29
    l1_oracle_decisions = 30
    l1_oracle_bypasses = 31
    l1_oracle_agreements = 32
    l1_oracle_agreed_bypasses = 33
    l1_fetched_sectors = 34
    l1_write_back_sectors = 35
    l1_invalidations = 36
    l1_intra_warp_hits = 37
    l1_inter_warp_hits = 38
    fences = 257
    fence_invalidations = 258
    fence_lines = 259
    fence_write_back_sectors = 260
    fence_cycles = 261
    l1_combined_requests = 311
    l2_read_sectors = 39
    l2_read_sector_hits = 40
    l2_constant_read_sectors = 277
    l2_constant_read_sector_hits = 278
    l2_texture_read_sectors = 279
    l2_texture_read_sector_hits = 280
    l2_instruction_read_sectors = 281
    l2_instruction_read_sector_hits = 282
    l2_write_sectors = 41
    l2_write_sector_hits = 42
    l2_atomic_sectors = 43
    l2_atomic_sector_hits = 44
    l2_atomic_busy_cycles = 268
    l2_atomic_wait_cycles = 269
    l2_written_wait_cycles = 392
    l2_prefetches = 368
    l2_useful_prefetches = 369
    l2_late_prefetches = 370
    l2_unused_prefetches = 371
    l2_redundant_prefetches = 372
    l2_dropped_prefetches = 373
    l2_lookups = 284
    l2_remote_sectors = 45
    l2_evictions = 46
    l2_token_bypasses = 47
    l2_opportunistic_fills = 48
    l2_priority_evictions = 49
    l2_write_back_sectors = 50
    memory_cache_read_sectors = 393
    memory_cache_read_sector_hits = 394
    memory_cache_write_sectors = 395
    dram_read_sectors = 51
    dram_write_sectors = 52
    dram_launch_sectors = 53
    l1_capacity = 54
    resident_blocks = 55
    cycles = 56
    sm_cycles = 57
    sm_active_cycles = 58
    sm_warp_cycles = 59
    sm_cache_warp_cycles = 60
    sm_bypass_warp_cycles = 61
    sm_throttled_warp_cycles = 62
    sm_cache_instructions = 63
    sm_bypass_instructions = 64
    scheduler_cycles = 65
    scheduler_issued = 66
    scheduler_empty = 67
    scheduler_memory_stalls = 68
    scheduler_line_stalls = 69
    scheduler_mshr_stalls = 70
    scheduler_unit_stalls = 71
    scheduler_load_stalls = 72
    scheduler_latency_stalls = 73
    scheduler_barrier_stalls = 74
    scheduler_throttled = 75
    copy_groups = 315
    copy_waits = 316
    copy_wait_cycles = 317
    cluster_accesses = 326
    cluster_bytes = 327
    cluster_barriers = 330
    mbarrier_phases = 331
    mbarrier_arrivals = 332
    mbarrier_checks = 333
    mbarrier_untold_checks = 334
    l1_pending_sector_hits = 76
    l1_load_line_misses = 77
    l1_load_dram_lines = 78
    l1_line_failures = 79
    l1_mshr_failures = 80
    l1_merge_failures = 81
    l1_queue_failures = 82
    l1_bank_failures = 83
    l1_data_turns = 379
    l1_data_conflicts = 380
    l1_data_waits = 381
    l1_line_bypasses = 84
    l1_mshr_bypasses = 85
    l1_queue_bypasses = 86
    l1_line_stalls = 87
    l1_mshr_stalls = 88
    l1_merge_stalls = 89
    l1_queue_stalls = 90
    l1_network_stalls = 91
    l1_reply_stalls = 276
    l1_queue_cycles = 92
    l1_reorder_cycles = 93
    l1_reorder_stalls = 94
    l1_reordered = 95
    l1_reorder_switches = 96
    l1_reorder_flushes = 97
    l1_prefetches = 270
    l1_useful_prefetches = 271
    l1_late_prefetches = 272
    l1_unused_prefetches = 273
    l1_redundant_prefetches = 274
    l1_dropped_prefetches = 275
    l1_mshr_cycles = 98
    l1_miss_queue_cycles = 99
    gl1_read_sectors = 400
    gl1_read_sector_hits = 401
    gl1_pending_sector_hits = 402
    gl1_fetched_sectors = 403
    gl1_stalls = 404
    l2_pending_sector_hits = 100
    l2_merged_sectors = 101
    l2_line_failures = 102
    l2_mshr_failures = 103
    l2_merge_failures = 104
    l2_queue_failures = 105
    l2_bank_failures = 106
    l2_line_stalls = 107
    l2_mshr_stalls = 108
    l2_merge_stalls = 109
    l2_queue_stalls = 110
    l2_cycles = 111
    l2_congested_cycles = 112
    l2_queue_cycles = 113
    l2_mshr_cycles = 114
    l2_miss_queue_cycles = 115
    l2_reply_queue_cycles = 116
    network_requests = 117
    network_request_cycles = 118
    network_request_bytes = 119
    network_replies = 120
    network_reply_cycles = 121
    network_reply_bytes = 122
    network_input_cycles = 123
    network_output_cycles = 124
    cluster_network_requests = 246
    cluster_network_request_cycles = 247
    cluster_network_request_bytes = 248
    cluster_network_replies = 249
    cluster_network_reply_cycles = 250
    cluster_network_reply_bytes = 251
    cluster_network_input_cycles = 252
    cluster_network_output_cycles = 253
    link_packets = 125
    link_cycles = 126
    link_bytes = 254
    gpu_link_packets = 264
    gpu_link_bytes = 265
    local_requests = 266
    remote_requests = 267
    memory_cache_write_back_sectors = 396
    memory_cache_stalls = 397
    dram_reads = 127
    dram_writes = 128
    dram_read_bytes = 255
    dram_write_bytes = 256
    dram_row_hits = 129
    dram_activates = 130
    dram_precharges = 131
    dram_refreshes = 132
    dram_cycles = 133
    dram_busy_cycles = 134
    dram_queue_cycles = 135
    dram_read_cycles = 136
    loads_completed = 137
    load_cycles = 138
    round_trips = 139
    round_trip_cycles = 140
    accepted = 141
    completed = 142
    energy_l1_tag = 285
    energy_l1_read = 286
    energy_l1_write = 287
    energy_l1_fill = 288
    energy_l2_tag = 289
    energy_l2_read = 290
    energy_l2_write = 291
    energy_l2_atomic = 292
    energy_l2_fill = 293
    energy_l2_remote = 294
    energy_network_request = 295
    energy_network_reply = 296
    energy_link = 297
    energy_gpu_link = 298
    energy_dram_read = 299
    energy_dram_write = 300
    energy_dram_activate = 301
    energy_dram_refresh = 302
    energy_warp_instruction = 303
    energy_thread_instruction = 304
    energy_static = 305
    energy_dynamic = 306
    energy_total = 307
    l1_transactions_per_load = 143
    l1_hits_by_age = 144
    l1_fetches = 145
    l1_bypass_fetches = 146
    load_latency = 147
    round_trip_latency = 148
    NETWORK_packets = 212
    NETWORK_cycles = 213
    NETWORK_bytes = 214
    NETWORK_input_cycles = 215
    NETWORK_output_cycles = 216


class Object(IntEnum):
    WHOLE = 0
    SM = 1
    L1 = 2
    CLUSTER = 3
    NETWORK = 4
    SLICE = 5
    CHANNEL = 6
    STREAM = 7


GPC_OBJECT_COUNT = 8


class CounterKind(IntEnum):
    SUM = 0
    MAX = 1
    GAUGE = 2
    HISTOGRAM = 3
    RATIO = 4


class Merge(IntEnum):
    SUM = 0
    MAX = 1


class CounterTable(IntEnum):
    HIERARCHY = 0
    CACHE = 1
    NETWORK = 2
    COHERENCE = 3


GPC_TABLE_COUNT = 4


class Index(IntEnum):
    MODULO = 0
    XOR = 1
    FERMI = 2
    IPOLY = 3
    USER = 4
    HOPPER = 5


GPC_INDEX_COUNT = 6


class WritePolicy(IntEnum):
    BACK = 0
    THROUGH = 1
    EVICT = 2


class WriteAllocate(IntEnum):
    NO_ALLOCATE = 0
    FETCH = 1
    LAZY_FETCH = 2
    NAIVE_FETCH = 3


class Allocate(IntEnum):
    ON_MISS = 0
    ON_FILL = 1
    STREAMING = 2
    REPLACEABLE = 3


class BypassFetch(IntEnum):
    NEEDED = 0
    ALL = 1


class Admission(IntEnum):
    NOT_ASKED = 0
    ADMITTED = 1
    DECLINED = 2


class Tokens(IntEnum):
    IGNORE = 0
    STRICT = 1
    OPPORTUNISTIC = 2


class TokenClear(IntEnum):
    KERNEL = 0
    OWNERS = 1
    LAST_OWNER = 2
    PERIODIC = 3


class Outcome(IntEnum):
    HIT = 0
    PENDING_HIT = 1
    SECTOR_MISS = 2
    MISS = 3
    BYPASSED = 4
    NO_VICTIM = 5


class CacheCounterId(IntEnum):
    reads = 175
    read_hits = 176
    read_sectors = 177
    read_sector_hits = 178
    pending_sector_hits = 179
    writes = 180
    write_hits = 181
    write_sectors = 182
    write_sector_hits = 183
    atomics = 184
    atomic_sectors = 185
    atomic_sector_hits = 186
    sector_misses = 187
    line_misses = 188
    bypasses = 189
    bypassed_sectors = 190
    token_bypasses = 191
    opportunistic_fills = 192
    priority_evictions = 193
    no_victims = 194
    fetched_sectors = 195
    fills = 196
    evictions = 197
    zero_reuse_evictions = 198
    write_backs = 199
    write_back_sectors = 200
    write_below_sectors = 201
    invalidations = 202
    intra_warp_hits = 203
    inter_warp_hits = 204
    predictions = 205
    overturned_bypasses = 206
    overturned_fills = 207
    oracle_decisions = 208
    oracle_bypasses = 209
    oracle_agreements = 210
    oracle_agreed_bypasses = 211


class Busy(IntEnum):
    NOT = 0
    PIPELINE = 1
    LINE = 2
    MSHR = 3
    MERGE = 4
    MISS_QUEUE = 5
    NETWORK = 6
    REPLY = 7


GPC_BUSY_COUNT = 8


class OpClass(IntEnum):
    ALU = 0
    DOUBLE = 1
    SFU = 2
    TENSOR = 3
    UNIFORM = 4
    CONTROL = 5
    BARRIER = 6
    FENCE = 7
    EXIT = 8
    MEMORY = 9
    FP = 10


GPC_OP_CLASS_COUNT = 11


class TurnWhat(IntEnum):
    INSTRUCTION = 0
    EVENT = 1
    FLUSH = 2


GPC_TURN_COUNT = 3


class LogLevel(IntEnum):
    WARNING = 0
    INFO = 1
    DEBUG = 2


class Simd(IntEnum):
    AUTO = 0
    NONE = 1
    SSE2 = 2
    AVX2 = 3
    AVX512 = 4


class Served(IntEnum):
    ALL = 0
    RANGE = 1
    INTERLEAVED = 2
    HASHED = 3


class DirectoryOverflow(IntEnum):
    BROADCAST = 0
    EVICT = 1
    COARSE = 2


class Placement(IntEnum):
    ROUND_ROBIN = 0
    FIRST_TOUCH = 1
    HASHED = 2


class CoherenceState(IntEnum):
    N = 0
    M = 1
    O = 2
    E = 3
    S = 4
    I = 5


GPC_LINE_COUNT = 6


class MeansBits(IntFlag):
    MODIFIED = 1
    ONLY = 2
    OWNER = 4
    NON_COHERENT = 8
    DETACHED = 16


class CoherenceEvent(IntEnum):
    LOAD = 0
    STORE = 1
    N_STORE = 2
    EVICTION = 3
    READ_PROBE = 4
    WRITE_PROBE = 5
    READ_ABOVE = 6
    WRITE_ABOVE = 7
    DATA_ABOVE = 8
    N_DATA_ABOVE = 9
    PROBE_DATA = 10
    INVALIDATE_DATA = 11
    PASSING_LOAD = 12
    PASSING_STORE = 13
    THROUGH_STORE = 14
    ACQUIRE = 15


GPC_EVENT_COUNT = 16


class DoBits(IntFlag):
    HIT = 1
    IGNORE = 2
    FORBID = 4
    READ_REQUEST = 8
    WRITE_REQUEST = 16
    WRITE_BACK = 32
    SEND_DATA = 64
    NOTIFY = 128
    CLEAR_OWNER = 256
    EVICT_FIRST = 512
    WRITE_THROUGH = 1024
    PASS = 2048


class ProtocolBits(IntFlag):
    DIRECTORY = 1
    PEER = 2
    PROBE_WHOLE = 4
    COUNT_REPLIES = 8
    WHOLE_BLOCKS = 16
    DROP_PROBE_DATA = 32
    STALE_REPLY = 64
    BARE_ACK = 128
    RETRY = 256
    INVALIDATES = 512


class AccessBits(IntFlag):
    GLC = 1
    SLC = 2
    THROUGH = 4
    NO_ALLOCATE = 8
    EVICT = 16
    RETURNS = 32


class Origin(IntEnum):
    LOAD_MISS = 1
    STORE = 2
    N_STORE = 4
    EVICTION = 8
    FIND_IN_MEMORY = 16
    EVICT_IN_MEMORY = 32
    EVICT_DATA = 64
    N_EVICT_DATA_1 = 128
    N_EVICT_DATA_2 = 256
    EVICTED = 512
    WRITE_UP_DOWN = 1024
    WRITE_DOWN_UP = 2048
    READ_UP_DOWN = 4096
    READ_DOWN_UP_1 = 8192
    READ_DOWN_UP_2 = 16384
    READ_DOWN_UP_3 = 32768
    INVALIDATE_DATA_1 = 65536
    INVALIDATE_DATA_2 = 131072
    PROBE_DATA = 262144
    WRITE_THROUGH = 524288
    ACQUIRE = 1048576
    PASS = 2097152
    DIRECTORY_ONLY = 4194304
    DETACHED = 8388608


class CoherenceKind(IntEnum):
    LOAD = 0
    STORE = 1
    N_STORE = 2
    ACQUIRE = 3
    RELEASE = 4


class MessageKind(IntEnum):
    READ_REQUEST = 0
    WRITE_REQUEST = 1
    READ_PROBE = 2
    WRITE_PROBE = 3
    DATA = 4
    ACK = 5
    WRITE_BACK = 6
    NOTICE = 7
    CLEAR_OWNER = 8
    WRITE_THROUGH = 9
    JOIN = 10
    FINISH = 11
    EVICTION = 12
    ACQUIRE = 13
    INVALIDATION = 14
    MARKER = 15


GPC_MESSAGE_KIND_COUNT = 16


class ModuleCounterId(IntEnum):
    accesses = 217
    hits = 218
    loads = 219
    load_hits = 220
    stores = 221
    store_hits = 222
    n_stores = 223
    n_store_hits = 224
    read_requests = 225
    read_request_hits = 226
    write_requests = 227
    write_request_hits = 228
    read_probes = 229
    write_probes = 230
    probe_misses = 231
    write_backs_received = 232
    notices_received = 233
    write_throughs_received = 234
    evictions = 235
    invalidations = 236
    data_sent = 237
    peer_transfers = 238
    directory_accesses = 239
    data_accesses = 240
    low_sent = 241
    low_received = 242
    high_sent = 243
    high_received = 244
    retries = 245
    directory_overflows = 262
    directory_evictions = 263


class VerifyVerdict(IntEnum):
    PASSED = 0
    STRUCTURE = 1
    VALUE = 2
    LOST = 3
    REFUSED = 4
    DEADLOCK = 5
    LIVELOCK = 6


class VerifyLimit(IntEnum):
    ALL = 0
    LIMIT_STATES = 1
    LIMIT_MEMORY = 2
    LIMIT_CANCELLED = 3
    LIMIT_VIOLATION = 4


class VerifyBits(IntFlag):
    LOADS = 1
    STORES = 2
    N_STORES = 4
    FLUSHES = 8
    ACQUIRES = 16


class VerifyStepKind(IntEnum):
    ACCESS = 0
    ISSUE = 1
    CHOICE = 2
    FLUSH = 3
    ACQUIRE = 4


class ChoiceKind(IntEnum):
    MESSAGE = 0
    STEP = 1
    RETRY = 2


class Stage(IntEnum):
    QUEUE = 0
    L1_STALL = 1
    L1 = 2
    MERGED = 3
    REQUEST = 4
    L2_QUEUE = 5
    L2 = 6
    L2_MERGED = 7
    PARTITION = 8
    DRAM_QUEUE = 9
    DRAM = 10
    REPLY = 11
    FILL = 12
    COHERENCE = 13


GPC_STAGE_COUNT = 14


class ReadsBits(IntFlag):
    PLACE = 1
    ADDRESS = 2
    PC = 4
    CYCLE = 8
    NEXT_USE = 16
    BYTES = 32
    SM = 64
    WARP = 128
    WARP_AGE = 256
    BLOCK = 512
    KERNEL = 1024
    POLICY_WORD = 2048
    TRANSACTIONS = 4096
    KIND = 8192
    SPACE = 16384
    HINT = 32768
    PRIORITY = 65536
    TOKEN = 131072
    ADMISSION = 262144
    WARP_EVENTS = 524288
    SAMPLES = 1048576
    STALLS = 2097152


class WarpEventKind(IntEnum):
    WARP_START = 0
    WARP_BARRIER = 1
    WARP_EXIT = 2
    KERNEL_START = 3
    KERNEL_END = 4


class PolicyKind(IntEnum):
    REPLACEMENT = 0
    PREDICTOR = 1
    SCHEDULER = 2
    THROTTLE = 3
    PROTOCOL = 4
    PREFETCHER = 5


GPC_POLICY_KIND_COUNT = 6


class PrefetchFound(IntEnum):
    HIT = 0
    FLIGHT = 1
    MISS = 2


class PrefetchOutcome(IntEnum):
    USEFUL = 0
    LATE = 1
    UNUSED = 2
    REDUNDANT = 3
    DROPPED = 4


class ValueType(IntEnum):
    COUNT = 0
    SIZE = 1
    BOOL = 2
    CHOICE = 3
    POLICY = 4
    TEXT = 5
    NUMBER = 6
    SIZES = 7


class ImportOutcome(IntEnum):
    APPLIED = 0
    IGNORED = 1
    UNKNOWN = 2


class Component(IntEnum):
    SM = 0
    L1 = 1
    COALESCER = 2
    CLUSTER = 3
    L2 = 4
    MEMORY = 5
    HOST = 6
    REQUESTS = 7
    REPLIES = 8
    PARTITION_REQUESTS = 9
    PARTITION_REPLIES = 10
    MEMORY_REQUESTS = 11
    MEMORY_REPLIES = 12
    CLUSTER_REQUESTS = 13
    CLUSTER_REPLIES = 14
    GPU_LINKS = 15
    CONST = 16
    L15 = 17
    PORT = 18
    GL1 = 19
    MEMORY_CACHE = 20


GPC_COMPONENT_COUNT = 21


class What(IntEnum):
    ISSUE = 0
    LINE = 1
    LOOKUP = 2
    MSHR_ALLOCATE = 3
    MSHR_MERGE = 4
    MSHR_FREE = 5
    FETCH = 6
    WRITE_BACK = 7
    BYPASS = 8
    QUEUE = 9
    BLOCK = 10
    UNBLOCK = 11
    JOIN = 12
    SEND = 13
    RECEIVE = 14
    FILL = 15
    EVICT = 16
    INVALIDATE = 17
    SERVE = 18
    MEMORY_READ = 19
    MEMORY_WRITE = 20
    ACTIVATE = 21
    READ = 22
    WRITE = 23
    PRECHARGE = 24
    REFRESH = 25
    DATA = 26
    REPLY = 27
    COMPLETE = 28
    MESSAGE = 29
    ARRIVE = 30
    WAIT = 31
    REFUSE = 32
    HOLD = 33


GPC_WHAT_COUNT = 34


class ProfileFormat(IntEnum):
    BINARY = 0
    JSON = 1


class WarpState(IntEnum):
    ABSENT = 0
    READY = 1
    READY_MEMORY = 2
    STALLED = 3
    WAITING = 4
    BARRIER = 5


GPC_STATE_COUNT = 6


class WarpClass(IntEnum):
    CACHE = 0
    BYPASS = 1
    THROTTLED = 2


GPC_CLASS_COUNT = 3


class CacheEventKind(IntEnum):
    HIT = 0
    MISS = 1
    EVICT = 2


class PolicyEventKind(IntEnum):
    HIT = 0
    SECTOR_MISS = 1
    MISS = 2
    FILL = 3
    EVICT = 4
    INVALIDATE = 5
    WARP_EVENT = 6
    SAMPLE = 7


GPC_POLICY_EVENT_COUNT = 8


class NoteReason(IntEnum):
    UNKNOWN_OPCODE = 0
    NO_ADDRESSES = 1
    UNUSED_ADDRESSES = 2
    PASSED_OVER = 3
    COPY = 4
    MEMORY_ALONE = 5
    NO_PC = 6


GPC_NOTE_REASON_COUNT = 7


class TraceFormat(IntEnum):
    BINARY = 0
    TEXT = 1


class SamplingScope(IntEnum):
    KERNEL = 0
    ALL = 1
