/* SPDX-License-Identifier: BSD-2-Clause */
/* Written by freeze.py. */
#ifndef GPUCACHE_0_2_H
#define GPUCACHE_0_2_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__GNUC__) || defined(__clang__)
#define GPC_API __attribute__((visibility("default")))
#else
#define GPC_API
#endif
#ifdef __cplusplus
#define GPC_BEGIN_DECLS extern "C" {
#define GPC_END_DECLS }
#else
#define GPC_BEGIN_DECLS
#define GPC_END_DECLS
#endif
GPC_BEGIN_DECLS
#define GPC_STATUS_LIST(X)                                                \
    X(GPC_OK, 0, "ok")                                                    \
    X(GPC_END, 1, "end of stream")                                        \
    X(GPC_BUSY, 2, "not accepted now: try again")                         \
    X(GPC_ERROR_ARGUMENT, -1, "invalid argument")                         \
    X(GPC_ERROR_MEMORY, -2, "out of memory")                              \
    X(GPC_ERROR_ABI, -3, "structure size or version not understood")      \
    X(GPC_ERROR_NOT_FOUND, -4, "not found")                               \
    X(GPC_ERROR_EXISTS, -5, "already exists")                             \
    X(GPC_ERROR_RANGE, -6, "value out of range")                          \
    X(GPC_ERROR_IO, -7, "input or output failed")                         \
    X(GPC_ERROR_FORMAT, -8, "malformed input")                            \
    X(GPC_ERROR_UNSUPPORTED, -9, "not supported")                         \
    X(GPC_ERROR_STATE, -10, "not possible in the object's present state") \
    X(GPC_ERROR_CANCELLED, -11, "cancelled by the caller")                \
    X(GPC_ERROR_CALLBACK, -12, "a caller's callback failed")
typedef enum gpc_status {
#define X(id, value, text) id = value,
    GPC_STATUS_LIST(X)
#undef X
} gpc_status;
GPC_API const char *gpc_status_string(gpc_status status);
typedef struct gpc_context gpc_context;
typedef struct gpc_config gpc_config;
typedef struct gpc_cache gpc_cache;
typedef struct gpc_hierarchy gpc_hierarchy;
typedef struct gpc_trace gpc_trace;
typedef struct gpc_trace_writer gpc_trace_writer;
typedef struct gpc_replay gpc_replay;
typedef struct gpc_scheduler gpc_scheduler;
typedef struct gpc_throttle gpc_throttle;
typedef struct gpc_replacement gpc_replacement;
typedef struct gpc_predictor gpc_predictor;
typedef struct gpc_dram gpc_dram;
typedef struct gpc_profile gpc_profile;
typedef struct gpc_coherence gpc_coherence;
typedef enum gpc_kind {
    GPC_LOAD = 0,
    GPC_STORE = 1,
    GPC_ATOMIC = 2,
    GPC_REDUCTION = 3,
    GPC_PREFETCH = 4,
    GPC_KIND_COUNT
} gpc_kind;
typedef enum gpc_space {
    GPC_SPACE_GLOBAL = 0,
    GPC_SPACE_LOCAL = 1,
    GPC_SPACE_SHARED = 2,
    GPC_SPACE_CONSTANT = 3,
    GPC_SPACE_TEXTURE = 4,
    GPC_SPACE_GENERIC = 5,
    GPC_SPACE_NONE = 6,
    GPC_SPACE_INSTRUCTION = 7,
    GPC_SPACE_CLUSTER = 8,
    GPC_SPACE_MIXED = 9,
    GPC_SPACE_COUNT
} gpc_space;
#define GPC_PROCESS_SHIFT 57
#define GPC_PROCESSES 128
#define GPC_PROCESS_OWN UINT8_MAX
static inline uint64_t gpc_process_address(uint8_t process, uint64_t address) {
    return (uint64_t)process << GPC_PROCESS_SHIFT | address;
}
typedef enum gpc_hint {
    GPC_HINT_NONE = 0,
    GPC_HINT_CA = 1,
    GPC_HINT_CG = 2,
    GPC_HINT_CS = 3,
    GPC_HINT_CV = 4,
    GPC_HINT_WB = 5,
    GPC_HINT_WT = 6,
    GPC_HINT_NO_ALLOCATE = 7,
    GPC_HINT_COUNT
} gpc_hint;
typedef enum gpc_priority {
    GPC_EVICT_NORMAL = 0,
    GPC_EVICT_FIRST = 1,
    GPC_EVICT_LAST = 2,
    GPC_PRIORITY_COUNT
} gpc_priority;
typedef enum gpc_scope {
    GPC_SCOPE_CTA = 0,
    GPC_SCOPE_CLUSTER = 1,
    GPC_SCOPE_GPU = 2,
    GPC_SCOPE_SYS = 3,
    GPC_SCOPE_COUNT
} gpc_scope;
typedef enum gpc_order {
    GPC_ORDER_WEAK = 0,
    GPC_ORDER_RELAXED = 1,
    GPC_ORDER_ACQUIRE = 2,
    GPC_ORDER_RELEASE = 3,
    GPC_ORDER_ACQ_REL = 4,
    GPC_ORDER_SC = 5,
    GPC_ORDER_COUNT
} gpc_order;
typedef enum gpc_atomic_op {
    GPC_OP_NONE = 0,
    GPC_OP_ADD = 1,
    GPC_OP_MIN = 2,
    GPC_OP_MAX = 3,
    GPC_OP_MIN_SIGNED = 4,
    GPC_OP_MAX_SIGNED = 5,
    GPC_OP_AND = 6,
    GPC_OP_OR = 7,
    GPC_OP_XOR = 8,
    GPC_OP_EXCHANGE = 9,
    GPC_OP_COMPARE_SWAP = 10,
    GPC_OP_INC = 11,
    GPC_OP_DEC = 12,
    GPC_OP_COUNT
} gpc_atomic_op;
typedef struct gpc_atomic {
    uint64_t operand;
    uint64_t compare;
    uint64_t old;
    uint32_t offset;
    uint8_t op;
    uint8_t width;
    uint8_t done;
    uint8_t reserved;
} gpc_atomic;
typedef enum gpc_copy {
    GPC_COPY_NONE = 0,
    GPC_COPY_ASYNC = 1,
    GPC_COPY_COMMIT = 2,
    GPC_COPY_WAIT = 3,
    GPC_COPY_BULK = 4,
    GPC_COPY_BARRIER = 5,
    GPC_COPY_BARRIER_INIT = 6,
    GPC_COPY_BARRIER_ARRIVE = 7,
    GPC_COPY_COUNT
} gpc_copy;
typedef enum gpc_control {
    GPC_CONTROL_NONE = 0,
    GPC_CONTROL_INVALIDATE_ALL = 1,
    GPC_CONTROL_WRITE_BACK_ALL = 2,
    GPC_CONTROL_INVALIDATE = 3,
    GPC_CONTROL_WRITE_BACK = 4,
    GPC_CONTROL_OTHER = 5,
    GPC_CONTROL_COUNT
} gpc_control;
typedef enum gpc_token { GPC_TOKEN_UNUSED = 0, GPC_TOKEN_HELD = 1, GPC_TOKEN_NONE = 2, GPC_TOKEN_COUNT } gpc_token;
typedef struct gpc_request {
    uint64_t address;
    uint64_t pc;
    uint64_t cycle;
    uint64_t next_use;
    uint64_t byte_mask[2];
    uint32_t size;
    uint32_t sm;
    uint32_t warp;
    uint32_t warp_age;
    uint32_t block;
    uint32_t kernel;
    uint32_t policy_word;
    uint16_t transactions;
    uint16_t bytes_used;
    uint8_t sector_mask;
    uint8_t kind;
    uint8_t space;
    uint8_t hint;
    uint8_t priority;
    uint8_t token;
    uint8_t token_l2;
    uint8_t admitted;
    uint8_t scope;
    uint8_t order;
    uint8_t continues;
    uint8_t stream;
    uint8_t copy;
    uint8_t process;
    uint8_t reserved[34];
} gpc_request;
typedef void (*gpc_state_fn)(void *user_data, void *memory, size_t bytes);
typedef gpc_status (*gpc_write_fn)(void *user_data, const void *data, size_t bytes);
typedef gpc_status (*gpc_read_fn)(void *user_data, void *data, size_t bytes, size_t *out_read);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef struct gpc_error {
    size_t struct_size;
    gpc_status status;
    char message[1012];
} gpc_error;
#define GPC_ERROR_INIT               \
    {                                \
        sizeof(gpc_error), GPC_OK, { \
            0                        \
        }                            \
    }
GPC_API void gpc_error_init(gpc_error *error);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef enum gpc_log_level { GPC_LOG_WARNING = 0, GPC_LOG_INFO = 1, GPC_LOG_DEBUG = 2 } gpc_log_level;
typedef void (*gpc_log_fn)(void *user_data, gpc_log_level level, const char *message);
typedef void *(*gpc_allocate_fn)(void *user_data, size_t bytes);
typedef void *(*gpc_resize_fn)(void *user_data, void *memory, size_t bytes);
typedef void (*gpc_release_fn)(void *user_data, void *memory);
typedef struct gpc_context_options {
    size_t struct_size;
    gpc_allocate_fn allocate;
    gpc_resize_fn resize;
    gpc_release_fn release;
    void *allocator_data;
    gpc_log_fn log;
    void *log_data;
    uint64_t seed;
    uint32_t simd;
    uint32_t reserved;
} gpc_context_options;
typedef enum gpc_simd {
    GPC_SIMD_AUTO = 0,
    GPC_SIMD_NONE = 1,
    GPC_SIMD_SSE2 = 2,
    GPC_SIMD_AVX2 = 3,
    GPC_SIMD_AVX512 = 4
} gpc_simd;
#define GPC_CONTEXT_OPTIONS_INIT \
    { sizeof(gpc_context_options), NULL, NULL, NULL, NULL, NULL, NULL, 1, GPC_SIMD_AUTO, 0 }
GPC_API void gpc_context_options_init(gpc_context_options *options);
GPC_API gpc_status gpc_struct_init(const char *name, size_t size, gpc_error *error, void *out);
GPC_API gpc_status gpc_context_create(const gpc_context_options *options, gpc_error *error, gpc_context **out);
GPC_API void gpc_context_destroy(gpc_context *context);
GPC_END_DECLS
GPC_BEGIN_DECLS
#define GPC_MAX_WAYS 1024u
#define GPC_MAX_PARAMETERS 16u
#define GPC_WAY_BYPASS UINT32_MAX
typedef struct gpc_parameter {
    const char *name;
    double initial;
    double minimum, maximum;
    bool whole;
    const char *meaning;
} gpc_parameter;
typedef struct gpc_text_parameter {
    const char *name;
    const char *initial;
    const char *choices;
    const char *meaning;
} gpc_text_parameter;
enum {
    GPC_READS_PLACE = 1 << 0,
    GPC_READS_ADDRESS = 1 << 1,
    GPC_READS_PC = 1 << 2,
    GPC_READS_CYCLE = 1 << 3,
    GPC_READS_NEXT_USE = 1 << 4,
    GPC_READS_BYTES = 1 << 5,
    GPC_READS_SM = 1 << 6,
    GPC_READS_WARP = 1 << 7,
    GPC_READS_WARP_AGE = 1 << 8,
    GPC_READS_BLOCK = 1 << 9,
    GPC_READS_KERNEL = 1 << 10,
    GPC_READS_POLICY_WORD = 1 << 11,
    GPC_READS_TRANSACTIONS = 1 << 12,
    GPC_READS_KIND = 1 << 13,
    GPC_READS_SPACE = 1 << 14,
    GPC_READS_HINT = 1 << 15,
    GPC_READS_PRIORITY = 1 << 16,
    GPC_READS_TOKEN = 1 << 17,
    GPC_READS_ADMISSION = 1 << 18,
    GPC_READS_WARP_EVENTS = 1 << 19,
    GPC_READS_SAMPLES = 1 << 20,
    GPC_READS_STALLS = 1 << 21
};
#define GPC_READS_EVERYTHING 0x3fffffu
#define GPC_READS_OF_REQUESTS 0x07f7efu
typedef struct gpc_policy_env {
    size_t struct_size;
    uint32_t sets, ways;
    uint32_t line_bytes;
    uint32_t sectors;
    uint32_t index;
    uint32_t count;
    uint64_t seed;
    void *set_state;
    void *line_state;
    const double *parameters;
    const char *arguments;
    void *user_data;
    const char *const *texts;
    const uint32_t *words;
    void *shared_state;
    gpc_context *context;
} gpc_policy_env;
typedef enum gpc_warp_event_kind {
    GPC_WARP_START = 0,
    GPC_WARP_BARRIER = 1,
    GPC_WARP_EXIT = 2,
    GPC_KERNEL_START = 3,
    GPC_KERNEL_END = 4
} gpc_warp_event_kind;
typedef struct gpc_warp_event {
    uint32_t kind;
    uint32_t sm, warp, block, kernel;
    uint32_t reserved;
    uint64_t cycle;
} gpc_warp_event;
typedef struct gpc_sample {
    size_t struct_size;
    uint64_t cycle;
    uint64_t cycles;
    uint64_t active_cycles;
    uint64_t instructions;
    uint64_t reads;
    uint64_t read_hits;
} gpc_sample;
#define GPC_SAMPLE_INIT \
    { sizeof(gpc_sample), 0, 0, 0, 0, 0, 0 }
typedef struct gpc_eviction {
    uint64_t line_address;
    uint32_t set, way;
    uint32_t reuse_count;
    uint8_t valid_sectors;
    uint8_t dirty_sectors;
    uint8_t forced;
    uint8_t process;
    uint64_t dirty_bytes[2];
} gpc_eviction;
typedef struct gpc_policy_counter {
    size_t struct_size;
    const char *name;
    const char *unit;
    const char *meaning;
    uint32_t is_level;
    uint32_t reserved;
    uint64_t value;
} gpc_policy_counter;
#define GPC_POLICY_COUNTER_INIT \
    { sizeof(gpc_policy_counter), NULL, NULL, NULL, 0, 0, 0 }
typedef struct gpc_replacement_ops {
    size_t struct_size;
    const char *name;
    const char *summary;
    const char *source;
    size_t instance_bytes;
    size_t set_bytes;
    size_t line_bytes;
    const gpc_parameter *parameters;
    size_t parameter_count;
    gpc_status (*init)(void *self, const gpc_policy_env *env, char *message);
    void (*finish)(void *self);
    void (*on_hit)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    void (*on_miss)(void *self, uint32_t set, const gpc_request *request);
    uint32_t (*choose_victim)(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request);
    void (*on_fill)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    void (*on_evict)(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request);
    void (*on_invalidate)(void *self, uint32_t set, uint32_t way);
    void (*on_warp_event)(void *self, const gpc_warp_event *event);
    uint64_t (*cost_bits)(const gpc_policy_env *env);
    const gpc_text_parameter *texts;
    size_t text_count;
    size_t shared_bytes, shared_cache_bytes;
    void (*on_sample)(void *self, const gpc_sample *sample);
    bool needs_future;
    bool (*declines)(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request);
    uint64_t reads;
    uint64_t (*reads_with)(const gpc_policy_env *env);
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    void (*on_sector_miss)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter);
} gpc_replacement_ops;
GPC_API gpc_status gpc_context_register_replacement(gpc_context *context, const gpc_replacement_ops *ops,
                                                    void *user_data, void (*destroy)(void *user_data),
                                                    gpc_error *error);
typedef enum gpc_policy_kind {
    GPC_POLICY_REPLACEMENT = 0,
    GPC_POLICY_PREDICTOR = 1,
    GPC_POLICY_SCHEDULER = 2,
    GPC_POLICY_THROTTLE = 3,
    GPC_POLICY_PROTOCOL = 4,
    GPC_POLICY_PREFETCHER = 5,
    GPC_POLICY_KIND_COUNT
} gpc_policy_kind;
typedef struct gpc_policy_info {
    size_t struct_size;
    const char *name, *summary, *source;
    const gpc_parameter *parameters;
    size_t parameter_count;
    bool builtin;
    const gpc_text_parameter *texts;
    size_t text_count;
} gpc_policy_info;
#define GPC_POLICY_INFO_INIT \
    { sizeof(gpc_policy_info), NULL, NULL, NULL, NULL, 0, false, NULL, 0 }
GPC_API size_t gpc_policy_count(const gpc_context *context, gpc_policy_kind kind);
GPC_API gpc_status gpc_policy_at(const gpc_context *context, gpc_policy_kind kind, size_t index, gpc_policy_info *info);
GPC_API gpc_status gpc_policy_cost(const gpc_context *context, gpc_policy_kind kind, const char *spec, uint32_t sets,
                                   uint32_t ways, uint32_t line_bytes, uint32_t sectors, gpc_error *error,
                                   uint64_t *out_bits);
GPC_API gpc_status gpc_policy_level_cost(const gpc_context *context, gpc_policy_kind kind, const char *spec,
                                         uint32_t caches, uint32_t sets, uint32_t ways, uint32_t line_bytes,
                                         uint32_t sectors, gpc_error *error, uint64_t *out_bits);
GPC_API gpc_status gpc_policy_reads(const gpc_context *context, gpc_policy_kind kind, const char *spec,
                                    gpc_error *error, uint64_t *out_reads);
#define GPC_POLICY_VALUE_NAME 160
typedef struct gpc_policy_value {
    size_t struct_size;
    char name[GPC_POLICY_VALUE_NAME];
    const char *unit, *meaning;
    uint32_t is_level;
    uint32_t instances;
    uint64_t value;
} gpc_policy_value;
#define GPC_POLICY_VALUE_INIT \
    { sizeof(gpc_policy_value), {0}, NULL, NULL, 0, 0, 0 }
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef enum gpc_decision { GPC_CACHE = 0, GPC_BYPASS = 1 } gpc_decision;
typedef struct gpc_prediction {
    uint32_t decision;
    uint32_t policy_word;
} gpc_prediction;
typedef struct gpc_predictor_ops {
    size_t struct_size;
    const char *name;
    const char *summary;
    const char *source;
    size_t instance_bytes, set_bytes, line_bytes;
    const gpc_parameter *parameters;
    size_t parameter_count;
    bool before_lookup;
    gpc_status (*init)(void *self, const gpc_policy_env *env, char *message);
    void (*finish)(void *self);
    void (*predict)(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction);
    gpc_decision (*on_reply)(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word);
    uint32_t (*respond)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    void (*on_hit)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    void (*on_fill)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    void (*on_evict)(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request);
    void (*on_invalidate)(void *self, uint32_t set, uint32_t way);
    void (*on_warp_event)(void *self, const gpc_warp_event *event);
    uint64_t (*cost_bits)(const gpc_policy_env *env);
    const gpc_text_parameter *texts;
    size_t text_count;
    size_t shared_bytes, shared_cache_bytes;
    void (*on_sample)(void *self, const gpc_sample *sample);
    gpc_decision (*on_stall)(void *self, const gpc_request *request, uint32_t reason);
    const char *below;
    uint64_t reads;
    uint64_t (*reads_with)(const gpc_policy_env *env);
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter);
    void (*on_sector_miss)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
} gpc_predictor_ops;
GPC_API gpc_status gpc_context_register_predictor(gpc_context *context, const gpc_predictor_ops *ops, void *user_data,
                                                  void (*destroy)(void *user_data), gpc_error *error);
GPC_END_DECLS
#define GPC_CLOCK_COUNTERS(X)                                                                                          \
    X(56, cycles, "cycles", "core cycles", SUM, WHOLE, CLOCK, "0.1", "from launch to the last completion",             \
      "if hosted: = again; <= sm.cycles; <= l2.cycles")                                                                \
    X(57, sm_cycles, "sm.cycles", "SM cycles", SUM, SM_PART, CLOCK, "0.1", "core cycles, summed over SMs",             \
      "if whole: = [sm.count] cycles; >= sm.active_cycles?")                                                           \
    X(58, sm_active_cycles, "sm.active_cycles", "SM cycles", SUM, SM_PART, REPLAY, "0.1",                              \
      "of these, with a thread block resident", "= again; <= sm.cycles")                                               \
    X(59, sm_warp_cycles, "sm.warp_cycles", "warp cycles", GAUGE, SM_PART, REPLAY, "0.1",                              \
      "gauge: warps resident that have not ended",                                                                     \
      "= again; = sm.cache_warp_cycles + sm.bypass_warp_cycles + sm.throttled_warp_cycles")                            \
    X(60, sm_cache_warp_cycles, "sm.cache_warp_cycles", "warp cycles", SUM, SM_PART, REPLAY, "0.1",                    \
      "of these, of warps of class cache (seeds/004 4.3)",                                                             \
      "= sm.warp_cycles - sm.bypass_warp_cycles - sm.throttled_warp_cycles")                                           \
    X(61, sm_bypass_warp_cycles, "sm.bypass_warp_cycles", "warp cycles", SUM, SM_PART, REPLAY, "0.1",                  \
      "of bypassing warps", "= again; <= sm.warp_cycles")                                                              \
    X(62, sm_throttled_warp_cycles, "sm.throttled_warp_cycles", "warp cycles", SUM, SM_PART, REPLAY, "0.1",            \
      "of throttled warps", "= again; <= sm.warp_cycles")                                                              \
    X(63, sm_cache_instructions, "sm.cache_instructions", "instructions", SUM, SM_PART, REPLAY, "0.1",                 \
      "issued by warps of class cache",                                                                                \
      "if sample=none: = warp_instructions - sm.bypass_instructions; <= warp_instructions")                            \
    X(64, sm_bypass_instructions, "sm.bypass_instructions", "instructions", SUM, SM_PART, REPLAY, "0.1",               \
      "issued by bypassing warps",                                                                                     \
      "if sample=none: = warp_instructions - sm.cache_instructions; <= warp_instructions")                             \
    X(65, scheduler_cycles, "scheduler.cycles", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",                       \
      "core cycles, summed over warp schedulers",                                                                      \
      "= scheduler.issued + scheduler.empty + scheduler.memory_stalls + scheduler.unit_stalls + "                      \
      "scheduler.load_stalls + scheduler.latency_stalls + scheduler.barrier_stalls + scheduler.throttled")             \
    X(66, scheduler_issued, "scheduler.issued", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",                       \
      "in which an instruction issued",                                                                                \
      "= scheduler.cycles - scheduler.empty - scheduler.memory_stalls - scheduler.unit_stalls - "                      \
      "scheduler.load_stalls - scheduler.latency_stalls - scheduler.barrier_stalls - scheduler.throttled")             \
    X(67, scheduler_empty, "scheduler.empty", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1", "without a warp",       \
      "= scheduler.cycles - scheduler.issued - scheduler.memory_stalls - scheduler.unit_stalls - "                     \
      "scheduler.load_stalls - scheduler.latency_stalls - scheduler.barrier_stalls - scheduler.throttled")             \
    X(68, scheduler_memory_stalls, "scheduler.memory_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",         \
      "a memory instruction was ready, nothing issued, and the memory pipeline was busy (seeds/004 4.1.4)",            \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.unit_stalls - scheduler.load_stalls - "     \
      "scheduler.latency_stalls - scheduler.barrier_stalls - scheduler.throttled")                                     \
    X(69, scheduler_line_stalls, "scheduler.line_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",             \
      "of these, L1 waited for a line", "= again; <= scheduler.memory_stalls")                                         \
    X(70, scheduler_mshr_stalls, "scheduler.mshr_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",             \
      "of these, for an MSHR entry or merge", "= again; <= scheduler.memory_stalls")                                   \
    X(71, scheduler_unit_stalls, "scheduler.unit_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",             \
      "a warp was ready, its unit was busy",                                                                           \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.memory_stalls - scheduler.load_stalls - "   \
      "scheduler.latency_stalls - scheduler.barrier_stalls - scheduler.throttled")                                     \
    X(72, scheduler_load_stalls, "scheduler.load_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",             \
      "no warp ready, one waits for memory",                                                                           \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.memory_stalls - scheduler.unit_stalls - "   \
      "scheduler.latency_stalls - scheduler.barrier_stalls - scheduler.throttled")                                     \
    X(73, scheduler_latency_stalls, "scheduler.latency_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",       \
      "no warp ready, none waits for memory, one waits for a result",                                                  \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.memory_stalls - scheduler.unit_stalls - "   \
      "scheduler.load_stalls - scheduler.barrier_stalls - scheduler.throttled")                                        \
    X(74, scheduler_barrier_stalls, "scheduler.barrier_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",       \
      "all its warps wait at barriers",                                                                                \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.memory_stalls - scheduler.unit_stalls - "   \
      "scheduler.load_stalls - scheduler.latency_stalls - scheduler.throttled")                                        \
    X(75, scheduler_throttled, "scheduler.throttled", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",                 \
      "only warps held back by a limit or throttle were ready",                                                        \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.memory_stalls - scheduler.unit_stalls - "   \
      "scheduler.load_stalls - scheduler.latency_stalls - scheduler.barrier_stalls")                                   \
    X(315, copy_groups, "copy.groups", "groups", SUM, SM_PART, REPLAY, "0.2",                                          \
      "groups that warps made of their asynchronous copies (LDGDEPBAR)", "= again; <= warp_instructions")              \
    X(316, copy_waits, "copy.waits", "waits", SUM, SM_PART, REPLAY, "0.2",                                             \
      "times that a warp had to wait for its groups (DEPBAR), or bulk copies (SYNCS.PHASECHK)",                        \
      "= again; <= warp_instructions")                                                                                 \
    X(317, copy_wait_cycles, "copy.wait_cycles", "warp cycles", SUM, SM_PART, REPLAY, "0.2", "that these took",        \
      "= again; >= copy.waits")                                                                                        \
    X(326, cluster_accesses, "shared.cluster_accesses", "instructions", SUM, SM_PART, REPLAY, "0.2",                   \
      "accesses of other blocks' shared memory in the cluster", "= again; <= warp_instructions")                       \
    X(327, cluster_bytes, "shared.cluster_bytes", "bytes", SUM, SM_PART, REPLAY, "0.2", "of all of their lanes",       \
      "= again; >= shared.cluster_accesses")                                                                           \
    X(330, cluster_barriers, "cluster.barriers", "blocks", SUM, SM_PART, REPLAY, "0.2",                                \
      "that came to a barrier of their cluster (UCGABAR_WAIT)", "= again; <= warp_instructions")                       \
    X(331, mbarrier_phases, "mbarrier.phases", "phases", SUM, SM_PART, REPLAY, "0.2",                                  \
      "of mbarriers that ended, as far as the trace tells of them", "= again; <= mbarrier.arrivals")                   \
    X(332, mbarrier_arrivals, "mbarrier.arrivals", "arrivals", SUM, SM_PART, REPLAY, "0.2",                            \
      "of threads at mbarriers, likewise (SYNCS.ARRIVE)", "= again; >= mbarrier.phases")                               \
    X(333, mbarrier_checks, "mbarrier.checks", "instructions", SUM, SM_PART, REPLAY, "0.2",                            \
      "that waited at an mbarrier, if need be (SYNCS.PHASECHK)", "= again; <= warp_instructions")                      \
    X(334, mbarrier_untold_checks, "mbarrier.untold_checks", "instructions", SUM, SM_PART, REPLAY, "0.2",              \
      "of these, for bulk copies that had been sent, since the trace does not tell their phase",                       \
      "= again; <= mbarrier.checks")                                                                                   \
    X(76, l1_pending_sector_hits, "l1.pending_sector_hits", "sectors", SUM, L1, CLOCK, "0.1",                          \
      "load sectors found on their way to L1", "= again; <= l1.load_sector_hits")                                      \
    X(77, l1_load_line_misses, "l1.load_line_misses", "transactions", SUM, L1, CLOCK, "0.1",                           \
      "line transactions of loads with a sector missing; in a tree of modules, blocks",                                \
      "if timed: = again - l1.hits_by_age; <= l1.load_sectors; if caches: <= l1.load_lines")                           \
    X(78, l1_load_dram_lines, "l1.load_dram_lines", "transactions", SUM, L1, CLOCK, "0.1",                             \
      "of these, with a sector that came from DRAM", "= again; if no-misses: <= l1.load_sectors")                      \
    X(79, l1_line_failures, "l1.line_failures", "transactions", SUM, L1_PART, CLOCK, "0.1",                            \
      "held up at L1's tags: every way of the set reserved", "if caches: = count(block l1 line)")                      \
    X(80, l1_mshr_failures, "l1.mshr_failures", "transactions", SUM, L1_PART, CLOCK, "0.1",                            \
      "held up: no MSHR entry free", "if caches: = count(block l1 mshr)")                                              \
    X(81, l1_merge_failures, "l1.merge_failures", "transactions", SUM, L1_PART, CLOCK, "0.1",                          \
      "held up: the line's MSHR entry takes no more", "if caches: = count(block l1 merge)")                            \
    X(82, l1_queue_failures, "l1.queue_failures", "transactions", SUM, L1_PART, CLOCK, "0.1",                          \
      "held up: miss queue full", "if caches: = count(block l1 miss-queue)")                                           \
    X(83, l1_bank_failures, "l1.bank_failures", "transactions", SUM, L1_PART, CLOCK, "0.1",                            \
      "held up for a cycle: tag bank in use", "= count(block l1 bank)")                                                \
    X(379, l1_data_turns, "l1.data_turns", "SM cycles", SUM, L1_PART, DATA_BANKS, "0.2",                               \
      "in which the banks of L1's data read for a load, or wrote for a store (l1.data_banks)",                         \
      "= again; >= l1.data_conflicts")                                                                                 \
    X(380, l1_data_conflicts, "l1.data_conflicts", "SM cycles", SUM, L1_PART, DATA_BANKS, "0.2",                       \
      "of these, beyond each access's first: words of it in one bank", "= again; <= l1.data_turns")                    \
    X(381, l1_data_waits, "l1.data_waits", "access cycles", SUM, L1_PART, DATA_BANKS, "0.2",                           \
      "that these waited for their first, others being read or written", "= again")                                    \
    X(84, l1_line_bypasses, "l1.line_bypasses", "transactions", SUM, L1_PART, CLOCK, "0.1",                            \
      "loads that went past L1, every way of the set reserved (mrpb)", "= again")                                      \
    X(85, l1_mshr_bypasses, "l1.mshr_bypasses", "transactions", SUM, L1_PART, CLOCK, "0.1",                            \
      "likewise, no MSHR entry free", "= again")                                                                       \
    X(86, l1_queue_bypasses, "l1.queue_bypasses", "transactions", SUM, L1_PART, CLOCK, "0.1",                          \
      "likewise, miss queue full", "= again")                                                                          \
    X(87, l1_line_stalls, "l1.line_stalls", "SM cycles", SUM, L1_PART, CLOCK, "0.1", "L1's tags waited for a line",    \
      "= again; if hosted: <= 2 sm.cycles; if caches: = cycles(unblock l1 line) - cycles(block l1 line)")              \
    X(88, l1_mshr_stalls, "l1.mshr_stalls", "SM cycles", SUM, L1_PART, CLOCK, "0.1", "for an MSHR entry",              \
      "= again; if hosted: <= 2 sm.cycles; if caches: = cycles(unblock l1 mshr) - cycles(block l1 mshr)")              \
    X(89, l1_merge_stalls, "l1.merge_stalls", "SM cycles", SUM, L1_PART, CLOCK, "0.1", "for an MSHR merge",            \
      "= again; if hosted: <= 2 sm.cycles; if caches: = cycles(unblock l1 merge) - cycles(block l1 merge)")            \
    X(90, l1_queue_stalls, "l1.queue_stalls", "SM cycles", SUM, L1_PART, CLOCK, "0.1", "for the miss queue",           \
      "= again; if hosted: <= 2 sm.cycles")                                                                            \
    X(91, l1_network_stalls, "l1.network_stalls", "SM cycles", SUM, L1_PART, CLOCK, "0.1",                             \
      "the miss queue's head waited for the network", "= again; if hosted: <= sm.cycles")                              \
    X(276, l1_reply_stalls, "l1.reply_stalls", "SM cycles", SUM, L1_PART, CREDITS, "0.2",                              \
      "replies waited for the host's credits (gpc_hierarchy_set_reply_credits)", "= again; if hosted: <= sm.cycles")   \
    X(92, l1_queue_cycles, "l1.queue_cycles", "entry cycles", GAUGE, L1_PART, CLOCK, "0.1",                            \
      "gauge: warp instructions before L1's tags", "= again")                                                          \
    X(93, l1_reorder_cycles, "l1.reorder_cycles", "entry cycles", GAUGE, L1_PART, REORDER, "0.1",                      \
      "gauge: transactions in L1's reorder buffers (l1.reorder)", "= again")                                           \
    X(94, l1_reorder_stalls, "l1.reorder_stalls", "SM cycles", SUM, L1_PART, REORDER, "0.1",                           \
      "the coalescer waited for room in it, or for a flush", "= again; if hosted: <= sm.cycles")                       \
    X(95, l1_reordered, "l1.reordered", "transactions", SUM, L1_PART, REORDER, "0.1",                                  \
      "that left it before an older one", "= again")                                                                   \
    X(96, l1_reorder_switches, "l1.reorder_switches", "times", SUM, L1_PART, REORDER, "0.1",                           \
      "L1's tags turned to another queue of it", "= again")                                                            \
    X(97, l1_reorder_flushes, "l1.reorder_flushes", "transactions", SUM, L1_PART, REORDER, "0.1",                      \
      "writes that waited until it was empty", "= again")                                                              \
    X(270, l1_prefetches, "l1.prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",                                   \
      "that L1 sent for because of its prefetcher (l1.prefetcher)",                                                    \
      "if fresh: = l1.useful_prefetches + l1.late_prefetches + l1.unused_prefetches + again")                          \
    X(271, l1_useful_prefetches, "l1.useful_prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",                     \
      "of these, found in L1 by a load",                                                                               \
      "if fresh: = l1.prefetches - l1.late_prefetches - l1.unused_prefetches - again")                                 \
    X(272, l1_late_prefetches, "l1.late_prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",                         \
      "of these, wanted by a load while on their way",                                                                 \
      "if fresh: = l1.prefetches - l1.useful_prefetches - l1.unused_prefetches - again")                               \
    X(273, l1_unused_prefetches, "l1.unused_prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",                     \
      "of these, replaced before any load, or not kept",                                                               \
      "if fresh: = l1.prefetches - l1.useful_prefetches - l1.late_prefetches - again")                                 \
    X(274, l1_redundant_prefetches, "l1.redundant_prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",               \
      "that were there, in flight or queued when asked for", "= again")                                                \
    X(275, l1_dropped_prefetches, "l1.dropped_prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",                   \
      "that found l1.prefetch_queue full, or L1 would not take", "= again")                                            \
    X(98, l1_mshr_cycles, "l1.mshr_cycles", "entry cycles", GAUGE, L1_PART, CLOCK, "0.1",                              \
      "gauge: MSHR entries in use", "if caches: = cycles(mshr-free l1) - cycles(mshr-allocate l1)")                    \
    X(99, l1_miss_queue_cycles, "l1.miss_queue_cycles", "entry cycles", GAUGE, L1_PART, CLOCK, "0.1",                  \
      "gauge: packets in L1's miss queues",                                                                            \
      "if caches, no-misses, l1.combine_lines=0: = cycles(send requests) - cycles(queue l1)")                          \
    X(100, l2_pending_sector_hits, "l2.pending_sector_hits", "sectors", SUM, SLICE, CLOCK, "0.1",                      \
      "of these, on their way to L2", "if caches: = again; <= l2.read_sector_hits")                                    \
    X(101, l2_merged_sectors, "l2.merged_sectors", "sectors", SUM, WHOLE, CLOCK, "0.1",                                \
      "read sectors that another SM's request brought along", "= again")                                               \
    X(102, l2_line_failures, "l2.line_failures", "packets", SUM, SLICE_PART, CLOCK, "0.1",                             \
      "held up at L2's tags: every way of the set reserved", "if caches: = count(block l2 line)")                      \
    X(103, l2_mshr_failures, "l2.mshr_failures", "packets", SUM, SLICE_PART, CLOCK, "0.1",                             \
      "held up: no MSHR entry free", "if caches: = count(block l2 mshr)")                                              \
    X(104, l2_merge_failures, "l2.merge_failures", "packets", SUM, SLICE_PART, CLOCK, "0.1",                           \
      "held up: the line's MSHR entry takes no more", "if caches: = count(block l2 merge)")                            \
    X(105, l2_queue_failures, "l2.queue_failures", "packets", SUM, SLICE_PART, CLOCK, "0.1",                           \
      "held up: miss or reply queue full", "if caches: = count(block l2 miss-queue) + count(block l2 network)")        \
    X(106, l2_bank_failures, "l2.bank_failures", "packets", SUM, SLICE_PART, CLOCK, "0.1",                             \
      "held up for a cycle: tag bank in use", "= count(block l2 bank)")                                                \
    X(107, l2_line_stalls, "l2.line_stalls", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1",                            \
      "L2's tags waited for a line, in core cycles",                                                                   \
      "= again; <= 2 l2.cycles; if caches: = cycles(unblock l2 line) - cycles(block l2 line)")                         \
    X(108, l2_mshr_stalls, "l2.mshr_stalls", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1", "for an MSHR entry",       \
      "= again; <= 2 l2.cycles; if caches: = cycles(unblock l2 mshr) - cycles(block l2 mshr)")                         \
    X(109, l2_merge_stalls, "l2.merge_stalls", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1", "for an MSHR merge",     \
      "= again; <= 2 l2.cycles; if caches: = cycles(unblock l2 merge) - cycles(block l2 merge)")                       \
    X(110, l2_queue_stalls, "l2.queue_stalls", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1",                          \
      "for the miss or reply queue", "= again; <= 4 l2.cycles")                                                        \
    X(111, l2_cycles, "l2.cycles", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1", "core cycles, summed over slices",   \
      "if whole, hosted: = [l2.slices] cycles; >= l2.congested_cycles; >= cycles")                                     \
    X(112, l2_congested_cycles, "l2.congested_cycles", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1",                  \
      "a packet at the network's output could not enter the slice (seeds/004 4.1.4)", "= again; <= l2.cycles")         \
    X(113, l2_queue_cycles, "l2.queue_cycles", "entry cycles", GAUGE, SLICE_PART, CLOCK, "0.1",                        \
      "gauge: packets before L2's tags", "= again")                                                                    \
    X(114, l2_mshr_cycles, "l2.mshr_cycles", "entry cycles", GAUGE, SLICE_PART, CLOCK, "0.1",                          \
      "gauge: MSHR entries in use", "if caches: = cycles(mshr-free l2) - cycles(mshr-allocate l2)")                    \
    X(115, l2_miss_queue_cycles, "l2.miss_queue_cycles", "entry cycles", GAUGE, SLICE_PART, CLOCK, "0.1",              \
      "gauge: packets in L2's miss queues", "= again")                                                                 \
    X(116, l2_reply_queue_cycles, "l2.reply_queue_cycles", "entry cycles", GAUGE, SLICE_PART, CLOCK, "0.1",            \
      "gauge: packets in L2's reply queues", "= again")                                                                \
    X(117, network_requests, "network.requests", "packets", SUM, WHOLE, CLOCK, "0.1", "from L1 to L2 that arrived",    \
      "= count(receive requests); = count(send requests)")                                                             \
    X(118, network_request_cycles, "network.request_cycles", "core cycles", SUM, WHOLE, CLOCK, "0.1",                  \
      "that they took, waiting included", "= cycles(receive requests) - cycles(send requests)")                        \
    X(119, network_request_bytes, "network.request_bytes", "bytes", SUM, WHOLE, CLOCK, "0.1",                          \
      "that they had, headers included",                                                                               \
      "= bytes(receive requests); = bytes(send requests); = again; if tree: <= l1-module:low_sent; if caches, l2, "    \
      "l2.partitions=1, ports=0, network.write_mask=0B: <= [network.header] network.requests + 32 l2.write_sectors "   \
      "+ 32 l2.atomic_sectors")                                                                                        \
    X(120, network_replies, "network.replies", "packets", SUM, WHOLE, CLOCK, "0.1", "from L2 to L1 that arrived",      \
      "= count(receive replies); = count(send replies)")                                                               \
    X(121, network_reply_cycles, "network.reply_cycles", "core cycles", SUM, WHOLE, CLOCK, "0.1",                      \
      "that they took, waiting included", "= cycles(receive replies) - cycles(send replies)")                          \
    X(122, network_reply_bytes, "network.reply_bytes", "bytes", SUM, WHOLE, CLOCK, "0.1",                              \
      "that they had, headers included",                                                                               \
      "= bytes(receive replies); = bytes(send replies); = again; if tree: <= l1-module:low_received")                  \
    X(123, network_input_cycles, "network.input_cycles", "packet cycles", GAUGE, WHOLE, CLOCK, "0.1",                  \
      "gauge: packets in input buffers",                                                                               \
      "= network.request_cycles + network.reply_cycles - network.output_cycles; <= net:input_cycles")                  \
    X(124, network_output_cycles, "network.output_cycles", "packet cycles", GAUGE, WHOLE, CLOCK, "0.1",                \
      "gauge: packets in or on the way to output buffers",                                                             \
      "= network.request_cycles + network.reply_cycles - network.input_cycles; <= net:output_cycles")                  \
    X(246, cluster_network_requests, "cluster_network.requests", "packets", SUM, WHOLE, CLUSTERS, "0.2",               \
      "from clusters' caches to L2 that arrived; network.* is then between L1 and these caches",                       \
      "= count(receive cluster-requests); = count(send cluster-requests)")                                             \
    X(247, cluster_network_request_cycles, "cluster_network.request_cycles", "core cycles", SUM, WHOLE, CLUSTERS,      \
      "0.2", "that they took, waiting included", "= cycles(receive cluster-requests) - cycles(send cluster-requests)") \
    X(248, cluster_network_request_bytes, "cluster_network.request_bytes", "bytes", SUM, WHOLE, CLUSTERS, "0.2",       \
      "that they had, headers included", "= bytes(receive cluster-requests); = bytes(send cluster-requests); = again") \
    X(249, cluster_network_replies, "cluster_network.replies", "packets", SUM, WHOLE, CLUSTERS, "0.2",                 \
      "from L2 to clusters' caches that arrived", "= count(receive cluster-replies); = count(send cluster-replies)")   \
    X(250, cluster_network_reply_cycles, "cluster_network.reply_cycles", "core cycles", SUM, WHOLE, CLUSTERS, "0.2",   \
      "that they took, waiting included", "= cycles(receive cluster-replies) - cycles(send cluster-replies)")          \
    X(251, cluster_network_reply_bytes, "cluster_network.reply_bytes", "bytes", SUM, WHOLE, CLUSTERS, "0.2",           \
      "that they had, headers included", "= bytes(receive cluster-replies); = bytes(send cluster-replies); = again")   \
    X(252, cluster_network_input_cycles, "cluster_network.input_cycles", "packet cycles", GAUGE, WHOLE, CLUSTERS,      \
      "0.2", "gauge: packets in input buffers",                                                                        \
      "= cluster_network.request_cycles + cluster_network.reply_cycles - cluster_network.output_cycles")               \
    X(253, cluster_network_output_cycles, "cluster_network.output_cycles", "packet cycles", GAUGE, WHOLE, CLUSTERS,    \
      "0.2", "gauge: packets in or on the way to output buffers",                                                      \
      "= cluster_network.request_cycles + cluster_network.reply_cycles - cluster_network.input_cycles")                \
    X(125, link_packets, "link.packets", "packets", SUM, WHOLE, LINKS, "0.1",                                          \
      "between L2 partitions, or slice and channel, that arrived",                                                     \
      "if gpu.count=1: = net:packets - network.requests - network.replies - cluster_network.requests? - "              \
      "cluster_network.replies?; if caches: = count(receive partition-requests) + count(receive partition-replies) "   \
      "+ count(receive memory-requests) + count(receive memory-replies)")                                              \
    X(126, link_cycles, "link.cycles", "core cycles", SUM, WHOLE, LINKS, "0.1", "that they took, waiting included",    \
      "if caches: = cycles(receive partition-requests) + cycles(receive partition-replies) + cycles(receive "          \
      "memory-requests) + cycles(receive memory-replies) - cycles(send partition-requests) - cycles(send "             \
      "partition-replies) - cycles(send memory-requests) - cycles(send memory-replies)")                               \
    X(254, link_bytes, "link.bytes", "bytes", SUM, WHOLE, LINKS, "0.2", "that they had, headers included",             \
      "if gpu.count=1: = net:bytes - network.request_bytes - network.reply_bytes - cluster_network.request_bytes? - "  \
      "cluster_network.reply_bytes?; if caches: = bytes(receive partition-requests) + bytes(receive "                  \
      "partition-replies) + bytes(receive memory-requests) + bytes(receive memory-replies)")                           \
    X(264, gpu_link_packets, "gpu_link.packets", "packets", SUM, WHOLE, GPUS, "0.2", "from a GPU to another",          \
      "= count(receive gpu-links)")                                                                                    \
    X(265, gpu_link_bytes, "gpu_link.bytes", "bytes", SUM, WHOLE, GPUS, "0.2", "that they had, headers included",      \
      "= bytes(receive gpu-links)")                                                                                    \
    X(266, local_requests, "gpu.local_requests", "requests", SUM, WHOLE, GPUS, "0.2",                                  \
      "for a copy or the right to write, of L2 slices to the memory of their own GPU",                                 \
      "if network.header!=0B: = again")                                                                                \
    X(267, remote_requests, "gpu.remote_requests", "requests", SUM, WHOLE, GPUS, "0.2", "the same, of another GPU",    \
      "if network.header!=0B: = again")                                                                                \
    X(127, dram_reads, "dram.reads", "bursts", SUM, CHANNEL, CLOCK, "0.1", "column reads", "= count(read memory)")     \
    X(128, dram_writes, "dram.writes", "bursts", SUM, CHANNEL, CLOCK, "0.1", "column writes", "= count(write memory)") \
    X(255, dram_read_bytes, "dram.read_bytes", "bytes", SUM, CHANNEL, CLOCK, "0.2", "that column reads moved",         \
      "= bytes(read memory)")                                                                                          \
    X(256, dram_write_bytes, "dram.write_bytes", "bytes", SUM, CHANNEL, CLOCK, "0.2", "that column writes moved",      \
      "= bytes(write memory)")                                                                                         \
    X(129, dram_row_hits, "dram.row_hits", "bursts", SUM, CHANNEL, CLOCK, "0.1",                                       \
      "of both, to a row that was open when they were chosen",                                                         \
      "if dram.model!=fixed: = again; <= dram.reads + dram.writes")                                                    \
    X(130, dram_activates, "dram.activates", "commands", SUM, CHANNEL, CLOCK, "0.1", "rows opened",                    \
      "= count(activate memory)")                                                                                      \
    X(131, dram_precharges, "dram.precharges", "commands", SUM, CHANNEL, CLOCK, "0.1", "rows closed",                  \
      "if fresh, dram.model!=fixed: = again; >= count(precharge memory)")                                              \
    X(132, dram_refreshes, "dram.refreshes", "commands", SUM, CHANNEL, CLOCK, "0.1", "refreshes",                      \
      "if fresh: = again; >= count(refresh memory)")                                                                   \
    X(133, dram_cycles, "dram.cycles", "channel cycles", SUM, CHANNEL, CLOCK, "0.1",                                   \
      "DRAM clock cycles, summed over channels", "= again; if dram.model!=fixed: >= dram.busy_cycles")                 \
    X(134, dram_busy_cycles, "dram.busy_cycles", "channel cycles", SUM, CHANNEL, CLOCK, "0.1",                         \
      "of these, with data on the bus", "if dram.model!=fixed: = again; if dram.model!=fixed: <= dram.cycles")         \
    X(135, dram_queue_cycles, "dram.queue_cycles", "entry cycles", GAUGE, CHANNEL, CLOCK, "0.1",                       \
      "gauge, in DRAM cycles: requests queued", "= again")                                                             \
    X(136, dram_read_cycles, "dram.read_cycles", "DRAM cycles", SUM, CHANNEL, CLOCK, "0.1",                            \
      "from the arrival of a read to its data", "= again; if dram.model!=fixed: >= dram.reads")                        \
    X(137, loads_completed, "load.completed", "instructions", SUM, SM, CLOCK, "0.1",                                   \
      "warp loads that completed, of constants, too, and reads of gpc_hierarchy_try_miss",                             \
      "= load.latency; = count(complete sm load)")                                                                     \
    X(138, load_cycles, "load.cycles", "core cycles", SUM, SM, CLOCK, "0.1", "from issue to completion of these",      \
      ">= 32 n load.latency; = values(complete sm load); = cycles(complete sm load) - cycles(issue sm load)")          \
    X(139, round_trips, "round_trip.requests", "requests", SUM, SM, CLOCK, "0.1", "L1 misses that DRAM served",        \
      "= round_trip.latency")                                                                                          \
    X(140, round_trip_cycles, "round_trip.cycles", "core cycles", SUM, SM, CLOCK, "0.1",                               \
      "from the L1 miss to the return of its data (seeds/004 4.1.3)", "= again; >= 32 n round_trip.latency")           \
    X(141, accepted, "accepted", "instructions", SUM, WHOLE, CLOCK, "0.1",                                             \
      "warp accesses and requests that the timed hierarchy accepted",                                                  \
      "= completed; >= count(issue sm) + fence.fences")                                                                \
    X(142, completed, "completed", "instructions", SUM, WHOLE, CLOCK, "0.1", "of these, completed",                    \
      "= accepted; >= count(complete sm) + fence.fences")                                                              \
    X(285, energy_l1_tag, "energy.l1_tag", "pJ", SUM, L1_PART, ENERGY, "0.2",                                          \
      "l1.lookups x key: the configuration key of this counter's name, here and below",                                \
      "= [energy.l1_tag] l1.lookups / 1000")                                                                           \
    X(286, energy_l1_read, "energy.l1_read", "pJ", SUM, L1_PART, ENERGY, "0.2", "l1.load_sector_hits x key",           \
      "= [energy.l1_read] l1.load_sector_hits / 1000")                                                                 \
    X(287, energy_l1_write, "energy.l1_write", "pJ", SUM, L1_PART, ENERGY, "0.2", "l1.store_sector_hits x key",        \
      "= [energy.l1_write] l1.store_sector_hits / 1000")                                                               \
    X(288, energy_l1_fill, "energy.l1_fill", "pJ", SUM, L1_PART, ENERGY, "0.2",                                        \
      "sectors of l1.fetched_sectors that filled L1 x key",                                                            \
      "if caches: = [energy.l1_fill] l1.fetched_sectors - [energy.l1_fill] l1.bypassed_sectors / 1000; "               \
      "<= [energy.l1_fill] l1.fetched_sectors / 1000")                                                                 \
    X(289, energy_l2_tag, "energy.l2_tag", "pJ", SUM, SLICE_PART, ENERGY, "0.2", "l2.lookups x key",                   \
      "= [energy.l2_tag] l2.lookups / 1000")                                                                           \
    X(290, energy_l2_read, "energy.l2_read", "pJ", SUM, SLICE_PART, ENERGY, "0.2", "l2.read_sectors x key",            \
      "= [energy.l2_read] l2.read_sectors / 1000")                                                                     \
    X(291, energy_l2_write, "energy.l2_write", "pJ", SUM, SLICE_PART, ENERGY, "0.2", "l2.write_sectors x key",         \
      "= [energy.l2_write] l2.write_sectors / 1000")                                                                   \
    X(292, energy_l2_atomic, "energy.l2_atomic", "pJ", SUM, SLICE_PART, ENERGY, "0.2", "l2.atomic_sectors x key",      \
      "= [energy.l2_atomic] l2.atomic_sectors / 1000")                                                                 \
    X(293, energy_l2_fill, "energy.l2_fill", "pJ", SUM, WHOLE, ENERGY, "0.2",                                          \
      "dram.read_sectors without dram.launch_sectors x key",                                                           \
      "= [energy.l2_fill] dram.read_sectors - [energy.l2_fill] dram.launch_sectors / 1000")                            \
    X(294, energy_l2_remote, "energy.l2_remote", "pJ", SUM, SLICE_PART, ENERGY, "0.2", "l2.remote_sectors x key",      \
      "= [energy.l2_remote] l2.remote_sectors / 1000")                                                                 \
    X(295, energy_network_request, "energy.network_request", "pJ", SUM, WHOLE, ENERGY, "0.2",                          \
      "network.request_bytes, and cluster_network.request_bytes where there are, x key",                               \
      "= [energy.network_request] network.request_bytes + [energy.network_request] cluster_network.request_bytes? / "  \
      "1000")                                                                                                          \
    X(296, energy_network_reply, "energy.network_reply", "pJ", SUM, WHOLE, ENERGY, "0.2",                              \
      "network.reply_bytes, and cluster_network.reply_bytes where there are, x key",                                   \
      "= [energy.network_reply] network.reply_bytes + [energy.network_reply] cluster_network.reply_bytes? / 1000")     \
    X(297, energy_link, "energy.link", "pJ", SUM, WHOLE, ENERGY, "0.2", "link.bytes x key",                            \
      "= [energy.link] link.bytes / 1000")                                                                             \
    X(298, energy_gpu_link, "energy.gpu_link", "pJ", SUM, WHOLE, ENERGY, "0.2", "gpu_link.bytes x key",                \
      "= [energy.gpu_link] gpu_link.bytes / 1000")                                                                     \
    X(299, energy_dram_read, "energy.dram_read", "pJ", SUM, WHOLE, ENERGY, "0.2", "dram.read_sectors x key",           \
      "= [energy.dram_read] dram.read_sectors / 1000")                                                                 \
    X(300, energy_dram_write, "energy.dram_write", "pJ", SUM, WHOLE, ENERGY, "0.2", "dram.write_sectors x key",        \
      "= [energy.dram_write] dram.write_sectors / 1000")                                                               \
    X(301, energy_dram_activate, "energy.dram_activate", "pJ", SUM, CHANNEL, ENERGY, "0.2", "dram.activates x key",    \
      "= [energy.dram_activate] dram.activates / 1000")                                                                \
    X(302, energy_dram_refresh, "energy.dram_refresh", "pJ", SUM, CHANNEL, ENERGY, "0.2", "dram.refreshes x key",      \
      "= [energy.dram_refresh] dram.refreshes / 1000")                                                                 \
    X(303, energy_warp_instruction, "energy.warp_instruction", "pJ", SUM, SM_PART, ENERGY, "0.2",                      \
      "warp_instructions x key", "= [energy.warp_instruction] warp_instructions / 1000")                               \
    X(304, energy_thread_instruction, "energy.thread_instruction", "pJ", SUM, SM_PART, ENERGY, "0.2",                  \
      "thread_instructions x key", "= [energy.thread_instruction] thread_instructions / 1000")                         \
    X(305, energy_static, "energy.static", "pJ", SUM, WHOLE, ENERGY, "0.2",                                            \
      "cycles / clock.core x the power energy.static", "= energy.total - energy.dynamic")                              \
    X(306, energy_dynamic, "energy.dynamic", "pJ", SUM, WHOLE, ENERGY, "0.2",                                          \
      "the sum of those above that are not absent, without energy.static",                                             \
      "= energy.l1_tag? + energy.l1_read? + energy.l1_write? + energy.l1_fill? + energy.l2_tag? + energy.l2_read? + "  \
      "energy.l2_write? + energy.l2_atomic? + energy.l2_fill? + energy.l2_remote? + energy.network_request? + "        \
      "energy.network_reply? + energy.link? + energy.gpu_link? + energy.dram_read? + energy.dram_write? + "            \
      "energy.dram_activate? + energy.dram_refresh? + energy.warp_instruction? + energy.thread_instruction?")          \
    X(307, energy_total, "energy.total", "pJ", SUM, WHOLE, ENERGY, "0.2", "energy.dynamic and energy.static",          \
      "= energy.dynamic + energy.static?")
#define GPC_CACHE_COUNTERS(X)                                                                                          \
    X(175, reads, "reads", "requests", SUM, CACHE, NOTHING, "0.1", "loads and prefetches that passed the tags",        \
      "= again; >= read_hits")                                                                                         \
    X(176, read_hits, "read_hits", "requests", SUM, CACHE, NOTHING, "0.1",                                             \
      "of these, all needed sectors valid or pending", "= again; <= reads")                                            \
    X(177, read_sectors, "read_sectors", "sectors", SUM, CACHE, NOTHING, "0.1", "sectors that reads needed",           \
      "= again; >= read_sector_hits; >= reads")                                                                        \
    X(178, read_sector_hits, "read_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1", "of these, valid or pending",  \
      "= again; <= read_sectors")                                                                                      \
    X(179, pending_sector_hits, "pending_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1",                          \
      "of these, still on their way", "= again; <= read_sector_hits")                                                  \
    X(180, writes, "writes", "requests", SUM, CACHE, NOTHING, "0.1", "stores that passed the tags",                    \
      "= again; >= write_hits")                                                                                        \
    X(181, write_hits, "write_hits", "requests", SUM, CACHE, NOTHING, "0.1",                                           \
      "stores that found all their sectors, or wrote them whole", "= again; <= writes")                                \
    X(182, write_sectors, "write_sectors", "sectors", SUM, CACHE, NOTHING, "0.1", "sectors that stores touched",       \
      "= again; >= write_sector_hits")                                                                                 \
    X(183, write_sector_hits, "write_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1",                              \
      "of these, valid, pending, or written whole and kept", "= again; <= write_sectors")                              \
    X(184, atomics, "atomics", "requests", SUM, CACHE, NOTHING, "0.1",                                                 \
      "atomics and reductions performed or passed here", "= again; <= atomic_sectors")                                 \
    X(185, atomic_sectors, "atomic_sectors", "sectors", SUM, CACHE, NOTHING, "0.1", "sectors that they touched",       \
      "= again; >= atomic_sector_hits")                                                                                \
    X(186, atomic_sector_hits, "atomic_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1",                            \
      "of these, valid or pending before", "= again; <= atomic_sectors")                                               \
    X(187, sector_misses, "sector_misses", "requests", SUM, CACHE, NOTHING, "0.1",                                     \
      "line resident, a needed sector not", "= again; <= reads + writes + atomics - read_hits - line_misses")          \
    X(188, line_misses, "line_misses", "requests", SUM, CACHE, NOTHING, "0.1", "line not resident",                    \
      "= again; <= reads + writes + atomics - read_hits - sector_misses")                                              \
    X(189, bypasses, "bypasses", "requests", SUM, CACHE, NOTHING, "0.1",                                               \
      "requests that the predictor or the policy kept from allocating", "= again; >= token_bypasses")                  \
    X(190, bypassed_sectors, "bypassed_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                                \
      "sectors that bypassing reads fetched; an overturned bypass keeps its own",                                      \
      "= again; <= fetched_sectors + 8 overturned_bypasses")                                                           \
    X(191, token_bypasses, "token_bypasses", "requests", SUM, CACHE, NOTHING, "0.1",                                   \
      "of bypasses, those for lack of a cache token", "= again; <= bypasses")                                          \
    X(192, opportunistic_fills, "opportunistic_fills", "lines", SUM, CACHE, NOTHING, "0.1",                            \
      "of fills, those by requests without a cache token", "= again; <= fills")                                        \
    X(193, priority_evictions, "priority_evictions", "lines", SUM, CACHE, NOTHING, "0.1",                              \
      "of evictions, lines with the priority of token holders", "= again; <= evictions")                               \
    X(194, no_victims, "no_victims", "requests", SUM, CACHE, NOTHING, "0.1", "allocations refused: every way pending", \
      "if functional: = 0; = again")                                                                                   \
    X(195, fetched_sectors, "fetched_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                                  \
      "sectors read from below, bypasses included", "= again; >= bypassed_sectors - 8 overturned_bypasses")            \
    X(196, fills, "fills", "lines", SUM, CACHE, NOTHING, "0.1", "lines that were given a way",                         \
      "if fresh: = evictions + invalidations + held")                                                                  \
    X(197, evictions, "evictions", "lines", SUM, CACHE, NOTHING, "0.1", "lines replaced",                              \
      "= again; if fresh: = fills - invalidations - held")                                                             \
    X(198, zero_reuse_evictions, "zero_reuse_evictions", "lines", SUM, CACHE, REUSE, "0.1",                            \
      "of these, never hit (needs track_reuse)", "= again; <= evictions")                                              \
    X(199, write_backs, "write_backs", "lines", SUM, CACHE, NOTHING, "0.1",                                            \
      "lines whose dirty sectors left: replaced, dropped or flushed", "= again; <= write_back_sectors")                \
    X(200, write_back_sectors, "write_back_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                            \
      "dirty sectors that left: replaced, dropped or flushed", "= again; >= write_backs")                              \
    X(201, write_below_sectors, "write_below_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                          \
      "sectors written below by stores passing through", "= again; <= write_sectors + atomic_sectors")                 \
    X(202, invalidations, "invalidations", "lines", SUM, CACHE, NOTHING, "0.1",                                        \
      "lines dropped by invalidation or write-evict", "= again; if fresh: = fills - evictions - held")                 \
    X(203, intra_warp_hits, "intra_warp_hits", "requests", SUM, CACHE, WARPS, "0.1",                                   \
      "read hits by the warp that filled the line (track_warps)", "= read_hits - inter_warp_hits")                     \
    X(204, inter_warp_hits, "inter_warp_hits", "requests", SUM, CACHE, WARPS, "0.1",                                   \
      "read hits by another warp (track_warps)", "= read_hits - intra_warp_hits")                                      \
    X(205, predictions, "predictions", "requests", SUM, CACHE, NOTHING, "0.1",                                         \
      "requests that a predictor was asked about; always-*, hint do not count",                                        \
      "= again; <= reads + writes + atomics")                                                                          \
    X(206, overturned_bypasses, "overturned_bypasses", "requests", SUM, CACHE, NOTHING, "0.1",                         \
      "of bypasses, made fills by the reply from below: mispredictions found out", "= again; <= predictions")          \
    X(207, overturned_fills, "overturned_fills", "requests", SUM, CACHE, NOTHING, "0.1",                               \
      "fills that the reply from below made bypasses", "= again; <= reads + writes + atomics")                         \
    X(208, oracle_decisions, "oracle_decisions", "requests", SUM, CACHE, FUTURE, "0.1",                                \
      "read misses of a predictor that an oracle decided on too (track_future)",                                       \
      "= again; >= oracle_bypasses; >= oracle_agreements")                                                             \
    X(209, oracle_bypasses, "oracle_bypasses", "requests", SUM, CACHE, FUTURE, "0.1",                                  \
      "of these, the oracle would bypass", "= again; <= oracle_decisions")                                             \
    X(210, oracle_agreements, "oracle_agreements", "requests", SUM, CACHE, FUTURE, "0.1",                              \
      "of these, the predictor decided as the oracle", "= again; <= oracle_decisions")                                 \
    X(211, oracle_agreed_bypasses, "oracle_agreed_bypasses", "requests", SUM, CACHE, FUTURE, "0.1",                    \
      "of these, both bypass", "= again; <= oracle_bypasses")
#define GPC_NETWORK_COUNTERS(X)                                                                               \
    X(212, packets, "packets", "packets", SUM, NETWORK, CLOCK, "0.2", "that arrived", "= again")              \
    X(213, cycles, "cycles", "core cycles", SUM, NETWORK, CLOCK, "0.2", "that they took, waiting included",   \
      "= input_cycles + output_cycles; >= packets")                                                           \
    X(214, bytes, "bytes", "bytes", SUM, NETWORK, CLOCK, "0.2", "that they had, headers included", "= again") \
    X(215, input_cycles, "input_cycles", "packet cycles", GAUGE, NETWORK, CLOCK, "0.2",                       \
      "gauge: packets in input buffers", "= cycles - output_cycles")                                          \
    X(216, output_cycles, "output_cycles", "packet cycles", GAUGE, NETWORK, CLOCK, "0.2",                     \
      "gauge: packets in or on the way to output buffers", "= cycles - input_cycles")
#define GPC_COHERENCE_COUNTERS(X)                                                                                   \
    X(217, accesses, "accesses", "lookups", SUM, MODULE, NOTHING, "0.1",                                            \
      "all lookups: accesses, requests, probes, write-backs received, messages",                                    \
      "= directory_accesses + again; >= hits")                                                                      \
    X(218, hits, "hits", "lookups", SUM, MODULE, NOTHING, "0.1",                                                    \
      "of these, reads and writes towards memory that found the block valid", "= again; <= accesses")               \
    X(219, loads, "loads", "accesses", SUM, MODULE, NOTHING, "0.1", "of the processor", "= again; >= load_hits")    \
    X(220, load_hits, "load_hits", "accesses", SUM, MODULE, NOTHING, "0.1", "of these, found valid",                \
      "= again; <= loads")                                                                                          \
    X(221, stores, "stores", "accesses", SUM, MODULE, NOTHING, "0.1", "of the processor, coherent",                 \
      "= again; >= store_hits")                                                                                     \
    X(222, store_hits, "store_hits", "accesses", SUM, MODULE, NOTHING, "0.1",                                       \
      "of these, without a request to the low module", "= again; <= stores")                                        \
    X(223, n_stores, "n_stores", "accesses", SUM, MODULE, NOTHING, "0.1", "of the processor, non-coherent",         \
      "= again; >= n_store_hits")                                                                                   \
    X(224, n_store_hits, "n_store_hits", "accesses", SUM, MODULE, NOTHING, "0.1",                                   \
      "of these, without a request to the low module", "= again; <= n_stores")                                      \
    X(225, read_requests, "read_requests", "requests", SUM, MODULE, NOTHING, "0.1", "of modules above, for a copy", \
      "= again; >= read_request_hits")                                                                              \
    X(226, read_request_hits, "read_request_hits", "requests", SUM, MODULE, NOTHING, "0.1",                         \
      "of these, found valid here", "= again; <= read_requests")                                                    \
    X(227, write_requests, "write_requests", "requests", SUM, MODULE, NOTHING, "0.1",                               \
      "of modules above, for the only copy", "= again; >= write_request_hits")                                      \
    X(228, write_request_hits, "write_request_hits", "requests", SUM, MODULE, NOTHING, "0.1",                       \
      "of these, without a request to the low module", "= again; <= write_requests")                                \
    X(229, read_probes, "read_probes", "probes", SUM, MODULE, NOTHING, "0.1",                                       \
      "from the low module: another will hold a copy", "= again; <= accesses")                                      \
    X(230, write_probes, "write_probes", "probes", SUM, MODULE, NOTHING, "0.1", "from the low module: invalidate",  \
      "= again; <= accesses")                                                                                       \
    X(231, probe_misses, "probe_misses", "probes", SUM, MODULE, NOTHING, "0.1", "of both, that found no block",     \
      "= again; <= read_probes + write_probes")                                                                     \
    X(232, write_backs_received, "write_backs_received", "messages", SUM, MODULE, NOTHING, "0.1",                   \
      "modified data from modules above", "= again; <= accesses")                                                   \
    X(233, notices_received, "notices_received", "messages", SUM, MODULE, NOTHING, "0.1",                           \
      "clean evictions, and owners that step back, of modules above", "= again; <= accesses")                       \
    X(234, write_throughs_received, "write_throughs_received", "messages", SUM, MODULE, NOTHING, "0.1",             \
      "stores of modules above", "= again; <= accesses")                                                            \
    X(235, evictions, "evictions", "blocks", SUM, MODULE, NOTHING, "0.1", "valid blocks that made room",            \
      "= again; <= accesses")                                                                                       \
    X(236, invalidations, "invalidations", "blocks", SUM, MODULE, NOTHING, "0.1",                                   \
      "blocks lost to write probes, flushes and acquires", "= again")                                               \
    X(237, data_sent, "data_sent", "messages", SUM, MODULE, NOTHING, "0.1", "with data, to whomever",               \
      "= again; >= peer_transfers")                                                                                 \
    X(238, peer_transfers, "peer_transfers", "messages", SUM, MODULE, NOTHING, "0.1",                               \
      "of these, to a module of the same level", "= again; <= data_sent")                                           \
    X(239, directory_accesses, "directory_accesses", "accesses", SUM, MODULE, NOTHING, "0.1",                       \
      "lookups of tags and directory", "= accesses - again; >= hits")                                               \
    X(240, data_accesses, "data_accesses", "accesses", SUM, MODULE, NOTHING, "0.1", "that took the data's latency", \
      "= again; <= 2 directory_accesses")                                                                           \
    X(241, low_sent, "low_sent", "bytes", SUM, MODULE, NOTHING, "0.1", "on the network towards memory", "= again")  \
    X(242, low_received, "low_received", "bytes", SUM, MODULE, NOTHING, "0.1", "likewise", "= again")               \
    X(243, high_sent, "high_sent", "bytes", SUM, MODULE, NOTHING, "0.1", "on the network towards the processors",   \
      "= again")                                                                                                    \
    X(244, high_received, "high_received", "bytes", SUM, MODULE, NOTHING, "0.1", "likewise", "= again")             \
    X(245, retries, "retries", "accesses", SUM, MODULE, CLOCK, "0.1",                                               \
      "begun anew since a block was locked (timed hierarchies, accesses in flight)", "= again; <= accesses")        \
    X(262, directory_overflows, "directory_overflows", "entries", SUM, MODULE, NOTHING, "0.2",                      \
      "of the directory that came to have more copies than it can name",                                            \
      "= again; if coherence.directory_pointers=0: = 0")                                                            \
    X(263, directory_evictions, "directory_evictions", "copies", SUM, MODULE, NOTHING, "0.2",                       \
      "invalidated above, so that an entry could name another", "= again; if coherence.directory_pointers=0: = 0")
#define GPC_RATIOS(X)                                                                                                  \
    X(149, "l1.load_hit_rate", l1_load_sector_hits, l1_load_sectors, "0.1", "load sectors found in L1")                \
    X(150, "l2.read_hit_rate", l2_read_sector_hits, l2_read_sectors, "0.1", "read sectors found in L2")                \
    X(151, "l1.load_utilisation", l1_load_bytes_used, l1_load_bytes_moved, "0.1",                                      \
      "bytes used of bytes moved by loads")                                                                            \
    X(152, "l1.sectors_per_load", l1_load_sectors, l1_load_requests, "0.1", "sectors per warp load")                   \
    X(153, "l1.lines_per_load", l1_load_lines, l1_load_requests, "0.1", "line transactions per warp load")             \
    X(154, "l1.bypass_ratio", l1_bypasses, l1_load_lines, "0.1", "bypasses per line transaction of loads")             \
    X(155, "l1.cache_warp_miss_ratio", l1_cache_warp_misses, l1_cache_warp_lines, "0.1",                               \
      "load transactions of cache warps that missed in L1")                                                            \
    X(156, "l1.bypass_warp_miss_ratio", l1_bypass_warp_misses, l1_bypass_warp_lines, "0.1",                            \
      "the same, of bypassing warps")                                                                                  \
    X(157, "l1.misprediction_ratio", l1_overturned_bypasses, l1_predictions, "0.1",                                    \
      "predictions that L2's reply overturned")                                                                        \
    X(158, "l1.oracle_coverage", l1_oracle_agreed_bypasses, l1_oracle_bypasses, "0.1",                                 \
      "the oracle's bypasses that were predicted")                                                                     \
    X(159, "l1.oracle_accuracy", l1_oracle_agreements, l1_oracle_decisions, "0.1",                                     \
      "predictions that are the oracle's")                                                                             \
    X(160, "ipc", warp_instructions, cycles, "0.1", "warp instructions per core cycle, all SMs together")              \
    X(161, "thread_ipc", thread_instructions, cycles, "0.1", "thread instructions per core cycle, all SMs together")   \
    X(162, "l1.load_miss_ratio", l1_load_line_misses, l1_load_lines, "0.1", "load transactions that missed in L1")     \
    X(163, "global_miss_ratio", l1_load_dram_lines, l1_load_lines, "0.1",                                              \
      "load transactions that DRAM served (seeds/004 4.1.2)")                                                          \
    X(164, "sm.active_warps", sm_warp_cycles, sm_active_cycles, "0.1", "warps resident per active SM and cycle")       \
    X(165, "scheduler.memory_stall_ratio", scheduler_memory_stalls, scheduler_cycles, "0.1", "memory pipeline stalls") \
    X(166, "scheduler.line_stall_ratio", scheduler_line_stalls, scheduler_cycles, "0.1",                               \
      "the part that L1 lines cause")                                                                                  \
    X(167, "scheduler.mshr_stall_ratio", scheduler_mshr_stalls, scheduler_cycles, "0.1",                               \
      "the part that L1 MSHRs cause")                                                                                  \
    X(168, "l1.mshr_occupancy", l1_mshr_cycles, sm_cycles, "0.1", "MSHR entries in use per SM")                        \
    X(169, "l2.congestion_ratio", l2_congested_cycles, l2_cycles, "0.1", "memory-partition congestion")                \
    X(170, "network.request_latency", network_request_cycles, network_requests, "0.1",                                 \
      "core cycles per packet, sending")                                                                               \
    X(171, "network.reply_latency", network_reply_cycles, network_replies, "0.1", "core cycles per packet, receiving") \
    X(172, "dram.utilisation", dram_busy_cycles, dram_cycles, "0.1",                                                   \
      "off-chip bandwidth: cycles with data on the bus")                                                               \
    X(173, "load.mean_latency", load_cycles, loads_completed, "0.1", "core cycles per warp load")                      \
    X(174, "round_trip.mean_latency", round_trip_cycles, round_trips, "0.1",                                           \
      "core cycles per L1 miss that DRAM served")                                                                      \
    X(308, "energy.per_instruction", energy_total, warp_instructions, "0.2", "pJ per warp instruction")                \
    X(309, "energy.dynamic_per_instruction", energy_dynamic, warp_instructions, "0.2",                                 \
      "pJ per warp instruction, without energy.static")                                                                \
    X(310, "energy.per_cycle", energy_total, cycles, "0.2",                                                            \
      "pJ per core cycle: 1,000,000 / clock.core times as many watts")
#define GPC_COUNTERS(X)                                                                                                \
    X(1, kernels, "kernels", "launches", SUM, WHOLE, NOTHING, "0.1", "kernels that began", "= count(kernel)")          \
    X(2, blocks, "blocks", "blocks", SUM, WHOLE, NOTHING, "0.1", "thread blocks that ran", "= count(block)")           \
    X(3, warp_instructions, "warp_instructions", "instructions", SUM, SM, ISSUE, "0.1", "warp instructions issued",    \
      "if sample=none: = sm.cache_instructions + sm.bypass_instructions; <= thread_instructions + count(idle)")        \
    X(4, thread_instructions, "thread_instructions", "instructions", SUM, SM, ISSUE, "0.1",                            \
      "active lanes over all warp instructions", "if hosted: = again; >= warp_instructions - count(idle)")             \
    X(5, l1_load_requests, "l1.load_requests", "instructions", SUM, L1_STREAM, NOTHING, "0.1",                         \
      "global and local warp loads", "= l1.transactions_per_load; if const.size=0B: = count(issue sm load)")           \
    X(6, l1_load_lines, "l1.load_lines", "transactions", SUM, L1_STREAM, NOTHING, "0.1", "line transactions of loads", \
      ">= n l1.transactions_per_load; <= l1.load_sectors; if caches, const.size=0B: = count(line sm load)")            \
    X(7, l1_load_sectors, "l1.load_sectors", "sectors", SUM, L1_STREAM, NOTHING, "0.1", "sectors that loads needed",   \
      "<= 4 l1.load_lines; >= l1.load_lines; if caches, const.size=0B: = sectors(line sm load)")                       \
    X(8, l1_load_sector_hits, "l1.load_sector_hits", "sectors", SUM, L1_STREAM, NOTHING, "0.1",                        \
      "of these, found in L1", "= again; <= l1.load_sectors")                                                          \
    X(9, l1_load_bytes_used, "l1.load_bytes_used", "bytes", SUM, L1, NOTHING, "0.1",                                   \
      "distinct bytes that loading lanes asked for", "= again; <= 32 l1.load_sectors; >= l1.load_sectors")             \
    X(10, l1_load_bytes_moved, "l1.load_bytes_moved", "bytes", SUM, L1, NOTHING, "0.1",                                \
      "bytes of the sectors or lines that these loads touched", "= again; >= 32 l1.load_sectors")                      \
    X(11, l1_store_requests, "l1.store_requests", "instructions", SUM, L1_STREAM, NOTHING, "0.1",                      \
      "global and local warp stores", "= count(issue sm store)")                                                       \
    X(12, l1_store_sectors, "l1.store_sectors", "sectors", SUM, L1_STREAM, NOTHING, "0.1",                             \
      "sectors that stores touched", "if caches: >= l1.store_requests; if caches: = sectors(line sm store)")           \
    X(13, l1_store_sector_hits, "l1.store_sector_hits", "sectors", SUM, L1, NOTHING, "0.1", "of these, valid in L1",   \
      "if caches: = again; <= l1.store_sectors")                                                                       \
    X(14, l1_atomic_requests, "l1.atomic_requests", "instructions", SUM, L1_STREAM, NOTHING, "0.1",                    \
      "warp atomics and reductions", "= count(issue sm atomic reduction)")                                             \
    X(15, l1_atomic_sectors, "l1.atomic_sectors", "sectors", SUM, L1_STREAM, NOTHING, "0.1",                           \
      "sectors that they touched", "if caches: >= l1.atomic_requests; if caches: = sectors(line sm atomic reduction)") \
    X(283, l1_lookups, "l1.lookups", "transactions", SUM, L1_PART, CACHES, "0.2",                                      \
      "that passed L1's tags: loads, prefetches, stores and atomics",                                                  \
      "= l1:reads + l1:writes + l1:atomics; if caches: = count(lookup l1)")                                            \
    X(312, l1_copy_requests, "l1.copy_requests", "instructions", SUM, L1, NOTHING, "0.2",                              \
      "of l1.load_requests, asynchronous copies into shared memory (LDGSTS)", "= again; <= l1.load_requests")          \
    X(313, l1_copy_sectors, "l1.copy_sectors", "sectors", SUM, L1, NOTHING, "0.2", "of l1.load_sectors, theirs",       \
      "= again; <= l1.load_sectors")                                                                                   \
    X(314, l1_copy_passed_sectors, "l1.copy_passed_sectors", "sectors", SUM, L1, CACHES, "0.2",                        \
      "of these, past L1 (LDGSTS.BYPASS)", "= again; <= l1.copy_sectors")                                              \
    X(318, bulk_copies, "bulk.copies", "copies", SUM, SM, CACHES, "0.2",                                               \
      "bulk copies (UBLKCP, UTMALDG and the like), of up to a warp's lanes of rows",                                   \
      "= again; >= bulk.multicast_copies; if whole: = bulk.completed")                                                 \
    X(319, bulk_requests, "bulk.requests", "requests", SUM, SM, CACHES, "0.2", "that their engines made of L2",        \
      "= again; >= bulk.copies")                                                                                       \
    X(320, bulk_bytes, "bulk.bytes", "bytes", SUM, SM, CACHES, "0.2", "that these were for",                           \
      "= again; >= bulk.requests")                                                                                     \
    X(321, bulk_read_sectors, "bulk.read_sectors", "sectors", SUM, SM, CACHES, "0.2", "of l2.read_sectors, theirs",    \
      "= again; if l2: <= l2.read_sectors")                                                                            \
    X(322, bulk_write_sectors, "bulk.write_sectors", "sectors", SUM, SM, CACHES, "0.2",                                \
      "of l2.write_sectors and l2.atomic_sectors, theirs",                                                             \
      "= again; if l2: <= l2.write_sectors + l2.atomic_sectors + 4 l1.combined_requests?")                             \
    X(328, bulk_multicast_copies, "bulk.multicast_copies", "copies", SUM, SM, CACHES, "0.2",                           \
      "of bulk.copies, those for named SMs (.MULTICAST)", "= again; <= bulk.copies")                                   \
    X(329, bulk_multicast_sectors, "bulk.multicast_sectors", "sectors", SUM, SM, CACHES, "0.2",                        \
      "that replies brought to further SMs than one: L2 did not read them again", "= again; <= 15 bulk.read_sectors")  \
    X(323, bulk_stalls, "bulk.stalls", "SM cycles", SUM, SM_PART, CLOCK, "0.2",                                        \
      "an engine had a copy, and no room for a request of it: in the miss queue, or under way (sm.bulk_requests)",     \
      "= again; if hosted: <= sm.cycles")                                                                              \
    X(324, bulk_completed, "bulk.completed", "copies", SUM, SM, CLOCK, "0.2",                                          \
      "that completed; a multicast copy without its own SM counts at the last SM named", "if whole: = bulk.copies")    \
    X(325, bulk_cycles, "bulk.cycles", "core cycles", SUM, SM, CLOCK, "0.2", "from their acceptance to then",          \
      "= again; >= bulk.completed")                                                                                    \
    X(352, tlb_l1_accesses, "tlb.l1_accesses", "lookups", SUM, SM, TLB, "0.2",                                         \
      "of L1 TLBs: line transactions, pages of bulk copies (tlb.page)",                                                \
      "= tlb.l1_hits + tlb.l1_merges? + tlb.l2_accesses; >= tlb.l1_hits + tlb.l1_merges?")                             \
    X(353, tlb_l1_hits, "tlb.l1_hits", "lookups", SUM, SM, TLB, "0.2", "of these, found",                              \
      "= tlb.l1_accesses - tlb.l1_merges? - tlb.l2_accesses; <= tlb.l1_accesses")                                      \
    X(354, tlb_l1_merges, "tlb.l1_merges", "lookups", SUM, SM_PART, TLB_TIME, "0.2",                                   \
      "of tlb.l1_accesses, for a page that the L1 TLB waits for already; all others miss, and go to the L2 TLB",       \
      "= tlb.l1_accesses - tlb.l1_hits - tlb.l2_accesses; <= tlb.l1_accesses - tlb.l1_hits")                           \
    X(355, tlb_l1_stalls, "tlb.l1_stalls", "SM cycles", SUM, SM_PART, TLB_TIME, "0.2",                                 \
      "in which an L1 TLB's lookups are held up: no MSHR entry, or no merge, is left",                                 \
      "= again; if hosted: <= sm.cycles")                                                                              \
    X(356, tlb_wait_cycles, "tlb.wait_cycles", "transaction cycles", SUM, SM_PART, TLB_TIME, "0.2",                    \
      "of line transactions from their lookup to their page's translation, if that is not found",                      \
      "= again; >= tlb.l1_merges")                                                                                     \
    X(357, tlb_l2_accesses, "tlb.l2_accesses", "lookups", SUM, WHOLE, TLB, "0.2", "of the L2 TLB: L1 TLBs' misses",    \
      "= tlb.l1_accesses - tlb.l1_hits - tlb.l1_merges?")                                                              \
    X(358, tlb_l2_hits, "tlb.l2_hits", "lookups", SUM, WHOLE, TLB, "0.2", "of these, found",                           \
      "= tlb.l2_accesses - tlb.l2_merges? - tlb.walks; <= tlb.l2_accesses")                                            \
    X(359, tlb_l2_merges, "tlb.l2_merges", "lookups", SUM, WHOLE, TLB_TIME, "0.2",                                     \
      "of tlb.l2_accesses, for a page that is walked for already",                                                     \
      "= tlb.l2_accesses - tlb.l2_hits - tlb.walks; <= tlb.l2_accesses - tlb.l2_hits")                                 \
    X(360, tlb_l2_stalls, "tlb.l2_stalls", "core cycles", SUM, WHOLE, TLB_TIME, "0.2",                                 \
      "in which the L2 TLB's lookups are held up: no MSHR entry, or no merge, is left",                                \
      "= again; if hosted: <= cycles")                                                                                 \
    X(361, tlb_walks, "tlb.walks", "walks", SUM, WHOLE, TLB, "0.2", "of the page table: L2 TLB misses",                \
      "= tlb.l2_accesses - tlb.l2_hits - tlb.l2_merges?")                                                              \
    X(362, tlb_walk_cycles, "tlb.walk_cycles", "walker cycles", SUM, WHOLE, TLB_TIME, "0.2", "that these took",        \
      "= again; >= tlb.walks")                                                                                         \
    X(363, tlb_walk_waits, "tlb.walk_waits", "walk cycles", SUM, WHOLE, TLB_TIME, "0.2",                               \
      "that they waited for a walker, with the L2 TLB's latency before", "= again; >= tlb.walks")                      \
    X(350, l2_persisting_sectors, "l2.persisting_sectors", "sectors", SUM, SLICE, CACHES, "0.2",                       \
      "of l2.read_sectors, of lines that are to persist: of priority LAST, by instruction or l2.window",               \
      "if timed: = again; <= l2.read_sectors")                                                                         \
    X(351, l2_persisting_sector_hits, "l2.persisting_sector_hits", "sectors", SUM, SLICE, CACHES, "0.2",               \
      "of these, found in L2, or on their way there", "if timed: = again; <= l2.persisting_sectors")                   \
    X(336, stages_queue, "stages.queue", "core cycles", SUM, WHOLE, STAGES, "0.2",                                     \
      "of accesses that completed, before L1's tags: load/store unit, issue latency, ports",                           \
      "= values(complete sm) + fence.cycles - stages.l1_stall - stages.l1 - stages.merged - stages.request - "         \
      "stages.l2_queue - stages.l2 - stages.l2_merged - stages.partition - stages.dram_queue - stages.dram - "         \
      "stages.reply - stages.fill - stages.coherence")                                                                 \
    X(337, stages_l1_stall, "stages.l1_stall", "core cycles", SUM, WHOLE, STAGES, "0.2",                               \
      "likewise, held up at L1's tags by reservation failures", "= again")                                             \
    X(338, stages_l1, "stages.l1", "core cycles", SUM, WHOLE, STAGES, "0.2",                                           \
      "likewise, in L1's tags, and its data where they are found there", "= again")                                    \
    X(339, stages_merged, "stages.merged", "core cycles", SUM, WHOLE, STAGES, "0.2",                                   \
      "likewise, above L2, for what another access has asked for", "= again")                                          \
    X(340, stages_request, "stages.request", "core cycles", SUM, WHOLE, STAGES, "0.2",                                 \
      "likewise, in L1's miss queue and the networks towards L2", "= again")                                           \
    X(341, stages_l2_queue, "stages.l2_queue", "core cycles", SUM, WHOLE, STAGES, "0.2",                               \
      "likewise, before L2's tags, and held up at them", "= again")                                                    \
    X(342, stages_l2, "stages.l2", "core cycles", SUM, WHOLE, STAGES, "0.2",                                           \
      "likewise, in L2's tags, fill, data port and atomic unit", "= again")                                            \
    X(343, stages_l2_merged, "stages.l2_merged", "core cycles", SUM, WHOLE, STAGES, "0.2",                             \
      "likewise, at an MSHR entry of L2, for what another has asked for", "= again")                                   \
    X(344, stages_partition, "stages.partition", "core cycles", SUM, WHOLE, STAGES, "0.2",                             \
      "likewise, to the other partition of L2, or another GPU, and back", "= again")                                   \
    X(345, stages_dram_queue, "stages.dram_queue", "core cycles", SUM, WHOLE, STAGES, "0.2",                           \
      "likewise, in L2's miss queue, the link to memory and DRAM's queue", "= again")                                  \
    X(346, stages_dram, "stages.dram", "core cycles", SUM, WHOLE, STAGES, "0.2",                                       \
      "likewise, from its first DRAM command to its data", "= again")                                                  \
    X(347, stages_reply, "stages.reply", "core cycles", SUM, WHOLE, STAGES, "0.2",                                     \
      "likewise, in the networks back, and the queues before them", "= again")                                         \
    X(348, stages_fill, "stages.fill", "core cycles", SUM, WHOLE, STAGES, "0.2",                                       \
      "likewise, in its SM again, until it completes", "= again")                                                      \
    X(349, stages_coherence, "stages.coherence", "core cycles", SUM, WHOLE, STAGES, "0.2",                             \
      "likewise, for others: a tree's probes and locks; fences", "= again")                                            \
    X(364, l1i_accesses, "l1i.accesses", "fetches", SUM, SM_PART, L1I, "0.2",                                          \
      "of an SM's instruction cache: a warp's next sm.fetch instructions, as far as they are in one line (l1i.size)",  \
      "= l1i.hits + l1i.merges + l1i.prefetch_hits? + again")                                                          \
    X(365, l1i_hits, "l1i.hits", "fetches", SUM, SM_PART, L1I, "0.2", "of these, found",                               \
      "= l1i.accesses - l1i.merges - l1i.prefetch_hits? - again")                                                      \
    X(366, l1i_merges, "l1i.merges", "fetches", SUM, SM_PART, L1I, "0.2",                                              \
      "of l1i.accesses, of a line on its way; all others are reads of l15.*, or L2",                                   \
      "= l1i.accesses - l1i.hits - l1i.prefetch_hits? - again")                                                        \
    X(367, l1i_wait_cycles, "l1i.wait_cycles", "warp cycles", SUM, SM_PART, L1I, "0.2",                                \
      "in which warps wait for their instructions", "= again; >= l1i.merges")                                          \
    X(374, const_requests, "const.requests", "instructions", SUM, SM, CONST, "0.2",                                    \
      "loads that go through constant caches (const.size)", "= again; <= const.lines")                                 \
    X(375, const_lines, "const.lines", "lines", SUM, SM, CONST, "0.2", "that these looked up",                         \
      "if fresh: = again; >= const.requests")                                                                          \
    X(376, const_line_hits, "const.line_hits", "lines", SUM, SM, CONST, "0.2", "of these, found",                      \
      "if fresh: = again; <= const.lines")                                                                             \
    X(377, const_line_merges, "const.line_merges", "lines", SUM, SM, CONST_TIME, "0.2",                                \
      "of const.lines, on their way already", "= again; <= const.lines - const.line_hits")                             \
    X(378, const_stalls, "const.stalls", "SM cycles", SUM, SM_PART, CONST_TIME, "0.2",                                 \
      "a line was held up at a constant cache's tags: MSHR entries, merges or miss queue",                             \
      "= again; if hosted: <= sm.cycles")                                                                              \
    X(382, l15_lines, "l15.lines", "lines", SUM, SM, L15, "0.2",                                                       \
      "of code and constants that were looked up in an SM's L1.5 (l15.size)",                                          \
      "if fresh: = again; >= l15.line_hits + l15.line_merges?")                                                        \
    X(383, l15_line_hits, "l15.line_hits", "lines", SUM, SM, L15, "0.2", "of these, found",                            \
      "if fresh: = again; <= l15.lines")                                                                               \
    X(384, l15_line_merges, "l15.line_merges", "lines", SUM, SM, L15_TIME, "0.2",                                      \
      "of l15.lines, on their way already", "= again; <= l15.lines - l15.line_hits")                                   \
    X(385, l15_code_lines, "l15.code_lines", "lines", SUM, SM, L15_TIME, "0.2", "of l15.lines, of code",               \
      "= again; <= l15.lines")                                                                                         \
    X(386, l15_code_line_hits, "l15.code_line_hits", "lines", SUM, SM, L15_TIME, "0.2", "of these, found",             \
      "= again; <= l15.code_lines; <= l15.line_hits")                                                                  \
    X(387, l15_stalls, "l15.stalls", "core cycles", SUM, WHOLE, L15_TIME, "0.2",                                       \
      "a line was held up at an L1.5's tags: MSHR entries, merges or miss queue; of all L1.5s",                        \
      "= again; if hosted: <= sm.cycles")                                                                              \
    X(388, l1i_prefetches, "l1i.prefetches", "lines", SUM, SM_PART, L1I_PREFETCH, "0.2",                               \
      "asked for into the stream buffers of instruction caches (l1i.prefetch)",                                        \
      "= l1i.prefetch_hits + l1i.late_prefetches + l1i.unused_prefetches + again")                                     \
    X(389, l1i_prefetch_hits, "l1i.prefetch_hits", "fetches", SUM, SM_PART, L1I_PREFETCH, "0.2",                       \
      "of l1i.accesses, of a line that was there; it goes into the cache",                                             \
      "= l1i.prefetches - l1i.late_prefetches - l1i.unused_prefetches - again; <= l1i.accesses - l1i.hits; <= "        \
      "l1i.prefetches")                                                                                                \
    X(390, l1i_late_prefetches, "l1i.late_prefetches", "lines", SUM, SM_PART, L1I_PREFETCH, "0.2",                     \
      "of l1i.prefetches, wanted while on their way",                                                                  \
      "= l1i.prefetches - l1i.prefetch_hits - l1i.unused_prefetches - again; <= l1i.prefetches")                       \
    X(391, l1i_unused_prefetches, "l1i.unused_prefetches", "lines", SUM, SM_PART, L1I_PREFETCH, "0.2",                 \
      "of l1i.prefetches, given up before anybody wanted them",                                                        \
      "= l1i.prefetches - l1i.prefetch_hits - l1i.late_prefetches - again; <= l1i.prefetches")                         \
    X(16, l1_evictions, "l1.evictions", "lines", SUM, L1_PART, NOTHING, "0.1", "lines replaced in L1",                 \
      "= l1:evictions; = l1-module:evictions; if caches: = count(evict l1)")                                           \
    X(17, l1_zero_reuse_evictions, "l1.zero_reuse_evictions", "lines", SUM, L1_PART, REUSE, "0.1",                     \
      "of these, never hit (l1.track_reuse)", "= l1:zero_reuse_evictions; <= l1.evictions")                            \
    X(18, l1_bypasses, "l1.bypasses", "transactions", SUM, L1_PART, NOTHING, "0.1",                                    \
      "line transactions that did not allocate though they missed",                                                    \
      "if drained, fresh: = l1:bypasses + l1:overturned_fills - l1:overturned_bypasses")                               \
    X(19, l1_bypassed_sectors, "l1.bypassed_sectors", "sectors", SUM, L1, NOTHING, "0.1",                              \
      "sectors that they fetched; in a tree of modules, that they needed",                                             \
      "= n l1.bypass_fetches; if caches: <= l1.fetched_sectors")                                                       \
    X(20, l1_token_bypasses, "l1.token_bypasses", "transactions", SUM, L1_PART, NOTHING, "0.1",                        \
      "of l1.bypasses, those for lack of a cache token", "= l1:token_bypasses")                                        \
    X(21, l1_opportunistic_fills, "l1.opportunistic_fills", "lines", SUM, L1_PART, NOTHING, "0.1",                     \
      "lines filled for warps without a cache token", "= l1:opportunistic_fills")                                      \
    X(22, l1_priority_evictions, "l1.priority_evictions", "lines", SUM, L1_PART, NOTHING, "0.1",                       \
      "of l1.evictions, lines with the priority of token holders", "= l1:priority_evictions; <= l1.evictions")         \
    X(23, l1_cache_warp_lines, "l1.cache_warp_lines", "transactions", SUM, L1, NOTHING, "0.1",                         \
      "line transactions of loads through L1 by warps with a cache token, where tokens are in use",                    \
      "= again; <= l1.load_lines")                                                                                     \
    X(24, l1_cache_warp_misses, "l1.cache_warp_misses", "transactions", SUM, L1, NOTHING, "0.1",                       \
      "of these, with a sector missing", "= again; <= l1.cache_warp_lines")                                            \
    X(25, l1_bypass_warp_lines, "l1.bypass_warp_lines", "transactions", SUM, L1, NOTHING, "0.1",                       \
      "the same, by warps without one", "= again; <= l1.load_lines")                                                   \
    X(26, l1_bypass_warp_misses, "l1.bypass_warp_misses", "transactions", SUM, L1, NOTHING, "0.1",                     \
      "of these, with a sector missing", "= again; <= l1.bypass_warp_lines")                                           \
    X(27, l1_predictions, "l1.predictions", "transactions", SUM, L1_PART, NOTHING, "0.1",                              \
      "line transactions that L1's predictor was asked about", "= l1:predictions")                                     \
    X(28, l1_overturned_bypasses, "l1.overturned_bypasses", "transactions", SUM, L1_PART, NOTHING, "0.1",              \
      "bypasses that L2's reply made fills: mispredictions found out", "= l1:overturned_bypasses")                     \
    X(29, l1_overturned_fills, "l1.overturned_fills", "transactions", SUM, L1_PART, NOTHING, "0.1",                    \
      "fills that L2's reply made bypasses", "= l1:overturned_fills")                                                  \
    X(30, l1_oracle_decisions, "l1.oracle_decisions", "transactions", SUM, L1_PART, FUTURE, "0.1",                     \
      "read misses that an oracle decided on beside L1's predictor (l1.future)", "= l1:oracle_decisions")              \
    X(31, l1_oracle_bypasses, "l1.oracle_bypasses", "transactions", SUM, L1_PART, FUTURE, "0.1",                       \
      "of these, the oracle would bypass", "= l1:oracle_bypasses; <= l1.oracle_decisions")                             \
    X(32, l1_oracle_agreements, "l1.oracle_agreements", "transactions", SUM, L1_PART, FUTURE, "0.1",                   \
      "decisions that predictor and oracle share", "= l1:oracle_agreements; <= l1.oracle_decisions")                   \
    X(33, l1_oracle_agreed_bypasses, "l1.oracle_agreed_bypasses", "transactions", SUM, L1_PART, FUTURE, "0.1",         \
      "of these, bypasses", "= l1:oracle_agreed_bypasses; <= l1.oracle_agreements")                                    \
    X(34, l1_fetched_sectors, "l1.fetched_sectors", "sectors", SUM, L1_STREAM, NOTHING, "0.1",                         \
      "sectors that L1 read from L2",                                                                                  \
      "= n l1.fetches; if caches: >= sectors(fetch l1); if caches, l1.combine_lines=0: <= sectors(fetch l1) + "        \
      "sectors(bypass l1)")                                                                                            \
    X(35, l1_write_back_sectors, "l1.write_back_sectors", "sectors", SUM, L1, NOTHING, "0.1",                          \
      "dirty sectors that L1 evicted or flushed",                                                                      \
      "if caches: = sectors(write-back l1); if caches, l1.sectors=4, l1.line=128B: = l1:write_back_sectors + again")   \
    X(36, l1_invalidations, "l1.invalidations", "lines", SUM, L1_PART, NOTHING, "0.1", "lines dropped from L1",        \
      "= l1:invalidations; = l1-module:invalidations")                                                                 \
    X(37, l1_intra_warp_hits, "l1.intra_warp_hits", "transactions", SUM, L1_PART, WARPS, "0.1",                        \
      "load hits by the warp that filled the line (l1.track_warps)", "= l1:intra_warp_hits")                           \
    X(38, l1_inter_warp_hits, "l1.inter_warp_hits", "transactions", SUM, L1_PART, WARPS, "0.1",                        \
      "load hits by another warp (l1.track_warps)", "= l1:inter_warp_hits")                                            \
    X(257, fences, "fence.fences", "fences", SUM, SM, NOTHING, "0.2",                                                  \
      "fences, and cache control of a whole L1, that the hierarchy carried out", "= again; <= fence.cycles")           \
    X(258, fence_invalidations, "fence.invalidations", "fences", SUM, SM, NOTHING, "0.2",                              \
      "times that these had an L1 drop its lines", "= again")                                                          \
    X(259, fence_lines, "fence.lines", "lines", SUM, SM, NOTHING, "0.2", "lines that L1s dropped then",                \
      "if caches: = again; <= l1.invalidations")                                                                       \
    X(260, fence_write_back_sectors, "fence.write_back_sectors", "sectors", SUM, SM, CACHES, "0.2",                    \
      "dirty sectors that they had L1s write to L2", "if timed: = again; <= l1.write_back_sectors")                    \
    X(261, fence_cycles, "fence.cycles", "core cycles", SUM, SM, CLOCK, "0.2",                                         \
      "that fences took from their acceptance to their completion", "= again; >= fence.fences")                        \
    X(311, l1_combined_requests, "l1.combined_requests", "requests", SUM, L1_PART, CLOCK, "0.2",                       \
      "reads of L2 and stores that went with one before them of the same line (l1.combine_lines)", "= again")          \
    X(39, l2_read_sectors, "l2.read_sectors", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1",                            \
      "sectors that L1 and bypassing loads read from L2",                                                              \
      ">= l2.read_sector_hits; if timed, caches, l2.partitions=1, l2.prefetcher=none: = sectors(lookup l2 load "       \
      "prefetch)")                                                                                                     \
    X(40, l2_read_sector_hits, "l2.read_sector_hits", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1",                    \
      "of these, found in the SM's own partition",                                                                     \
      "if timed, caches, l2: = again; <= l2.read_sectors; >= l2.pending_sector_hits?")                                 \
    X(277, l2_constant_read_sectors, "l2.constant_read_sectors", "sectors", SUM, SLICE, MISSES, "0.2",                 \
      "of l2.read_sectors, of constants (space CONSTANT: const.size, gpc_hierarchy_try_miss)",                         \
      "= again; <= l2.read_sectors")                                                                                   \
    X(278, l2_constant_read_sector_hits, "l2.constant_read_sector_hits", "sectors", SUM, SLICE, MISSES, "0.2",         \
      "of these, found", "= again; <= l2.constant_read_sectors")                                                       \
    X(279, l2_texture_read_sectors, "l2.texture_read_sectors", "sectors", SUM, SLICE, MISSES, "0.2",                   \
      "likewise, of textures (TEXTURE)", "= again; <= l2.read_sectors")                                                \
    X(280, l2_texture_read_sector_hits, "l2.texture_read_sector_hits", "sectors", SUM, SLICE, MISSES, "0.2",           \
      "of these, found", "= again; <= l2.texture_read_sectors")                                                        \
    X(281, l2_instruction_read_sectors, "l2.instruction_read_sectors", "sectors", SUM, SLICE, MISSES, "0.2",           \
      "likewise, of code (INSTRUCTION)", "= again; <= l2.read_sectors")                                                \
    X(282, l2_instruction_read_sector_hits, "l2.instruction_read_sector_hits", "sectors", SUM, SLICE, MISSES, "0.2",   \
      "of these, found", "= again; <= l2.instruction_read_sectors")                                                    \
    X(41, l2_write_sectors, "l2.write_sectors", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1", "sectors written to L2", \
      ">= l2.write_sector_hits; if timed, caches, l2.partitions=1: = sectors(lookup l2 store)")                        \
    X(42, l2_write_sector_hits, "l2.write_sector_hits", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1",                  \
      "of these, valid before, or written whole", "if caches: = again; <= l2.write_sectors")                           \
    X(43, l2_atomic_sectors, "l2.atomic_sectors", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1",                        \
      "sectors of atomics and reductions at L2",                                                                       \
      ">= l2.atomic_sector_hits; if timed, caches, l2.partitions=1: = sectors(lookup l2 atomic reduction)")            \
    X(44, l2_atomic_sector_hits, "l2.atomic_sector_hits", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1",                \
      "of these, valid before",                                                                                        \
      "if caches, l2, l2.sectors=4, l2.line=128B, l2.partitions=1: = l2:atomic_sector_hits; <= l2.atomic_sectors")     \
    X(268, l2_atomic_busy_cycles, "l2.atomic_busy_cycles", "L2 cycles", SUM, SLICE_PART, CLOCK, "0.2",                 \
      "that the atomic units of slices worked (l2.atomic_cycles)", "= again")                                          \
    X(269, l2_atomic_wait_cycles, "l2.atomic_wait_cycles", "L2 cycles", SUM, SLICE_PART, CLOCK, "0.2",                 \
      "that packets of atomics waited for them", "= again")                                                            \
    X(392, l2_written_wait_cycles, "l2.written_wait_cycles", "L2 cycles", SUM, SLICE_PART, CLOCK, "0.2",               \
      "that tags of slices waited for a sector just written (l2.write_to_read)", "= again")                            \
    X(368, l2_prefetches, "l2.prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",                             \
      "that a slice sent for because of its prefetcher (l2.prefetcher)",                                               \
      "if fresh: = l2.useful_prefetches + l2.late_prefetches + l2.unused_prefetches + again")                          \
    X(369, l2_useful_prefetches, "l2.useful_prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",               \
      "of these, found in L2 by a read",                                                                               \
      "if fresh: = l2.prefetches - l2.late_prefetches - l2.unused_prefetches - again")                                 \
    X(370, l2_late_prefetches, "l2.late_prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",                   \
      "of these, wanted by a read while on their way",                                                                 \
      "if fresh: = l2.prefetches - l2.useful_prefetches - l2.unused_prefetches - again")                               \
    X(371, l2_unused_prefetches, "l2.unused_prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",               \
      "of these, replaced before any read, or not kept",                                                               \
      "if fresh: = l2.prefetches - l2.useful_prefetches - l2.late_prefetches - again")                                 \
    X(372, l2_redundant_prefetches, "l2.redundant_prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",         \
      "that were there, in flight or queued when asked for", "= again")                                                \
    X(373, l2_dropped_prefetches, "l2.dropped_prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",             \
      "that found l2.prefetch_queue full, or the slice would not take", "= again")                                     \
    X(284, l2_lookups, "l2.lookups", "packets", SUM, SLICE_PART, CACHES, "0.2",                                        \
      "that passed L2's tags: reads, prefetches, writes and atomics",                                                  \
      "= l2:reads + l2:writes + l2:atomics; if caches: = count(lookup l2)")                                            \
    X(45, l2_remote_sectors, "l2.remote_sectors", "sectors", SUM, SLICE, NOTHING, "0.1",                               \
      "sectors that crossed between the two L2 partitions", "if drained, fresh: = again")                              \
    X(46, l2_evictions, "l2.evictions", "lines", SUM, SLICE_PART, NOTHING, "0.1", "lines replaced in L2",              \
      "= l2:evictions; = l2-module:evictions; if caches: = count(evict l2)")                                           \
    X(47, l2_token_bypasses, "l2.token_bypasses", "requests", SUM, SLICE_PART, NOTHING, "0.1",                         \
      "requests that did not allocate in L2 for lack of a token", "= l2:token_bypasses")                               \
    X(48, l2_opportunistic_fills, "l2.opportunistic_fills", "lines", SUM, SLICE_PART, NOTHING, "0.1",                  \
      "lines filled for warps without a token for L2", "= l2:opportunistic_fills")                                     \
    X(49, l2_priority_evictions, "l2.priority_evictions", "lines", SUM, SLICE_PART, NOTHING, "0.1",                    \
      "of l2.evictions, lines with the priority of token holders", "= l2:priority_evictions; <= l2.evictions")         \
    X(50, l2_write_back_sectors, "l2.write_back_sectors", "sectors", SUM, SLICE, NOTHING, "0.1",                       \
      "dirty sectors that L2 evicted or flushed",                                                                      \
      "if caches, l2.partitions=1: = sectors(write-back l2); if caches, l2, l2.sectors=4, l2.line=128B: = "            \
      "l2:write_back_sectors + again")                                                                                 \
    X(51, dram_read_sectors, "dram.read_sectors", "sectors", SUM, WHOLE_STREAM, NOTHING, "0.1",                        \
      "sectors read from DRAM, launch overhead included",                                                              \
      ">= dram.launch_sectors; if caches: = sectors(memory-read memory) + dram.launch_sectors")                        \
    X(52, dram_write_sectors, "dram.write_sectors", "sectors", SUM, WHOLE, NOTHING, "0.1", "sectors written to DRAM",  \
      "if caches: = sectors(memory-write memory)")                                                                     \
    X(53, dram_launch_sectors, "dram.launch_sectors", "sectors", SUM, WHOLE, NOTHING, "0.1",                           \
      "of the reads: code, constants and launch descriptor", "= again; <= dram.read_sectors")                          \
    X(54, l1_capacity, "l1.capacity", "bytes", MAX, WHOLE, NOTHING, "0.1", "L1 data capacity that the kernel had",     \
      "= again")                                                                                                       \
    X(55, resident_blocks, "resident_blocks", "blocks", MAX, WHOLE, NOTHING, "0.1",                                    \
      "thread blocks that fit on an SM at once", "= again")                                                            \
    GPC_CLOCK_COUNTERS(X)
#define GPC_TRANSACTION_BUCKETS 33
#define GPC_LATENCY_BUCKETS 64
#define GPC_LATENCY_STEP 32
#define GPC_AGE_BUCKETS 65
#define GPC_SEGMENT_BUCKETS 5
#define GPC_HISTOGRAMS(X)                                                                                              \
    X(143, l1_transactions_per_load, "l1.transactions_per_load", GPC_TRANSACTION_BUCKETS, "instructions", L1, NOTHING, \
      "0.1", "loads by line transactions they made: bucket n = n transactions, the last = that many or more",          \
      "= l1.load_requests")                                                                                            \
    X(144, l1_hits_by_age, "l1.hits_by_age", GPC_AGE_BUCKETS, "transactions", L1, CLOCK, "0.1",                        \
      "load hits by relative warp age: bucket 0 = oldest warp of the SM, the last = that young or younger",            \
      "if timed: = again - l1.load_line_misses; if timed, caches: = l1.load_lines - l1.load_line_misses")              \
    X(145, l1_fetches, "l1.fetches", GPC_SEGMENT_BUCKETS, "requests", L1, NOTHING, "0.1",                              \
      "reads of L2 by L1 by size: bucket n = 32n bytes (4: the 128-byte transactions of seeds/001 III.A)",             \
      "n = l1.fetched_sectors; if caches: >= count(fetch l1); if caches: <= count(fetch l1) + count(bypass l1)")       \
    X(146, l1_bypass_fetches, "l1.bypass_fetches", GPC_SEGMENT_BUCKETS, "requests", L1, NOTHING, "0.1",                \
      "of these, those whose data L1 did not keep", "n = l1.bypassed_sectors; if caches: <= l1.fetches")               \
    X(147, load_latency, "load.latency", GPC_LATENCY_BUCKETS, "instructions", SM, CLOCK, "0.1",                        \
      "completed warp loads by latency: bucket n = from 32n core cycles, the last = that many or more",                \
      "= load.completed")                                                                                              \
    X(148, round_trip_latency, "round_trip.latency", GPC_LATENCY_BUCKETS, "requests", SM, CLOCK, "0.1",                \
      "L1 misses that DRAM served by round-trip latency, likewise", "= round_trip.requests")
#include <string.h>
GPC_BEGIN_DECLS
typedef enum gpc_object {
    GPC_OBJECT_WHOLE = 0,
    GPC_OBJECT_SM = 1,
    GPC_OBJECT_L1 = 2,
    GPC_OBJECT_CLUSTER = 3,
    GPC_OBJECT_NETWORK = 4,
    GPC_OBJECT_SLICE = 5,
    GPC_OBJECT_CHANNEL = 6,
    GPC_OBJECT_STREAM = 7,
    GPC_OBJECT_COUNT
} gpc_object;
#define GPC_ABSENT UINT64_MAX
#define GPC_OBJECTS_WHOLE (1 << GPC_OBJECT_WHOLE)
#define GPC_OBJECTS_SM (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_SM)
#define GPC_OBJECTS_SM_PART GPC_OBJECTS_SM
#define GPC_OBJECTS_L1 (GPC_OBJECTS_SM | 1 << GPC_OBJECT_L1)
#define GPC_OBJECTS_L1_PART GPC_OBJECTS_L1
#define GPC_OBJECTS_SLICE (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_SLICE)
#define GPC_OBJECTS_SLICE_PART GPC_OBJECTS_SLICE
#define GPC_OBJECTS_WHOLE_STREAM (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_STREAM)
#define GPC_OBJECTS_L1_STREAM (GPC_OBJECTS_L1 | 1 << GPC_OBJECT_STREAM)
#define GPC_OBJECTS_SLICE_STREAM (GPC_OBJECTS_SLICE | 1 << GPC_OBJECT_STREAM)
#define GPC_OBJECTS_CHANNEL (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_CHANNEL)
#define GPC_OBJECTS_CACHE (1 << GPC_OBJECT_L1 | 1 << GPC_OBJECT_SLICE)
#define GPC_OBJECTS_NETWORK (1 << GPC_OBJECT_NETWORK)
#define GPC_OBJECTS_MODULE (1 << GPC_OBJECT_L1 | 1 << GPC_OBJECT_CLUSTER | 1 << GPC_OBJECT_SLICE)
typedef enum gpc_counter_needs {
    GPC_NEEDS_NOTHING = 0,
    GPC_NEEDS_CLOCK = 1,
    GPC_NEEDS_REPLAY = 2,
    GPC_NEEDS_ISSUE = 3,
    GPC_NEEDS_REUSE = 4,
    GPC_NEEDS_WARPS = 5,
    GPC_NEEDS_FUTURE = 6,
    GPC_NEEDS_REORDER = 7,
    GPC_NEEDS_LINKS = 8,
    GPC_NEEDS_CLUSTERS = 9,
    GPC_NEEDS_CACHES = 10,
    GPC_NEEDS_FENCE_TIME = 11,
    GPC_NEEDS_GPUS = 12,
    GPC_NEEDS_PREFETCHER = 13,
    GPC_NEEDS_CREDITS = 14,
    GPC_NEEDS_MISSES = 15,
    GPC_NEEDS_ENERGY = 16,
    GPC_NEEDS_TLB = 17,
    GPC_NEEDS_TLB_TIME = 18,
    GPC_NEEDS_STAGES = 19,
    GPC_NEEDS_L1I = 20,
    GPC_NEEDS_L2_PREFETCHER = 21,
    GPC_NEEDS_CONST = 22,
    GPC_NEEDS_CONST_TIME = 23,
    GPC_NEEDS_DATA_BANKS = 24,
    GPC_NEEDS_L15 = 25,
    GPC_NEEDS_L15_TIME = 26,
    GPC_NEEDS_L1I_PREFETCH = 27
} gpc_counter_needs;
typedef enum gpc_counter_kind {
    GPC_COUNTER_SUM = 0,
    GPC_COUNTER_MAX = 1,
    GPC_COUNTER_GAUGE = 2,
    GPC_COUNTER_HISTOGRAM = 3,
    GPC_COUNTER_RATIO = 4
} gpc_counter_kind;
typedef enum gpc_merge { GPC_MERGE_SUM = 0, GPC_MERGE_MAX = 1 } gpc_merge;
typedef enum gpc_counter_table {
    GPC_TABLE_HIERARCHY = 0,
    GPC_TABLE_CACHE = 1,
    GPC_TABLE_NETWORK = 2,
    GPC_TABLE_COHERENCE = 3,
    GPC_TABLE_COUNT
} gpc_counter_table;
typedef struct gpc_counter_info {
    size_t struct_size;
    const char *name, *unit, *meaning, *since;
    uint32_t id;
    uint32_t table;
    uint32_t kind;
    uint32_t objects;
    uint32_t needs;
    uint32_t numerator, denominator;
    gpc_merge merge;
    size_t buckets;
    bool ratio;
    size_t offset, divisor;
    const char *equals;
} gpc_counter_info;
#define GPC_COUNTER_INFO_INIT \
    { sizeof(gpc_counter_info), NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, GPC_MERGE_SUM, 0, false, 0, 0, NULL }
GPC_API size_t gpc_counter_table_count(gpc_counter_table table);
GPC_API gpc_status gpc_counter_table_at(gpc_counter_table table, size_t index, gpc_counter_info *info);
GPC_API gpc_status gpc_counter_by_name(gpc_counter_table table, const char *name, gpc_counter_info *info);
GPC_API gpc_status gpc_counter_by_id(uint32_t id, gpc_counter_info *info);
typedef struct gpc_cache_stats {
    size_t struct_size;
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) uint64_t field;
    GPC_CACHE_COUNTERS(X)
#undef X
} gpc_cache_stats;
typedef struct gpc_stats {
    size_t struct_size;
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) uint64_t field;
    GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, unit, objects, needs, since, meaning, equals) uint64_t field[buckets];
    GPC_HISTOGRAMS(X)
#undef X
} gpc_stats;
typedef struct gpc_field {
    uint32_t id;
    uint32_t length;
} gpc_field;
typedef struct gpc_layout {
    size_t bytes;
    const gpc_field *fields;
    size_t count;
    uint32_t states;
    uint32_t reserved;
} gpc_layout;
static inline const gpc_layout *gpc_stats_layout(void) {
    static const gpc_field fields[] = {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) {id, 1},
        GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, unit, objects, needs, since, meaning, equals) {id, buckets},
            GPC_HISTOGRAMS(X)
#undef X
    };
    static const gpc_layout layout = {sizeof(gpc_stats), fields, sizeof fields / sizeof *fields, 0, 0};
    return &layout;
}
static inline const gpc_layout *gpc_cache_stats_layout(void) {
    static const gpc_field fields[] = {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) {id, 1},
        GPC_CACHE_COUNTERS(X)
#undef X
    };
    static const gpc_layout layout = {sizeof(gpc_cache_stats), fields, sizeof fields / sizeof *fields, 0, 0};
    return &layout;
}
static inline size_t gpc_layout_offset(const gpc_layout *layout, uint32_t id) {
    size_t words = 0, at = 0, i;
    for (i = 0; i < layout->count; i++)
        words += layout->fields[i].length;
    at = layout->bytes - words * sizeof(uint64_t);
    for (i = 0; i < layout->count && layout->fields[i].id != id; i++)
        at += layout->fields[i].length * sizeof(uint64_t);
    return i < layout->count ? at : 0;
}
static inline size_t gpc_counter_count(void) {
    return gpc_counter_table_count(GPC_TABLE_HIERARCHY);
}
static inline gpc_status gpc_counter_at(size_t index, gpc_counter_info *info) {
    gpc_status status = gpc_counter_table_at(GPC_TABLE_HIERARCHY, index, info);
    if (status != GPC_OK)
        return status;
    info->offset = gpc_layout_offset(gpc_stats_layout(), info->ratio ? info->numerator : info->id);
    info->divisor = info->ratio ? gpc_layout_offset(gpc_stats_layout(), info->denominator) : 0;
    return GPC_OK;
}
static inline size_t gpc_cache_counter_count(void) {
    return gpc_counter_table_count(GPC_TABLE_CACHE);
}
static inline gpc_status gpc_cache_counter_at(size_t index, gpc_counter_info *info) {
    gpc_status status = gpc_counter_table_at(GPC_TABLE_CACHE, index, info);
    if (status == GPC_OK)
        info->offset = gpc_layout_offset(gpc_cache_stats_layout(), info->id);
    return status;
}
static inline void gpc_stats_init(gpc_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->struct_size = sizeof *stats;
}
static inline void gpc_cache_stats_init(gpc_cache_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->struct_size = sizeof *stats;
}
GPC_API gpc_status gpc_stats_add_as(const gpc_layout *layout, void *into, const void *more);
GPC_API gpc_status gpc_stats_subtract_as(const gpc_layout *layout, const void *later, const void *earlier, void *out);
static inline gpc_status gpc_stats_add(gpc_stats *into, const gpc_stats *more) {
    return gpc_stats_add_as(gpc_stats_layout(), into, more);
}
static inline gpc_status gpc_stats_subtract(const gpc_stats *later, const gpc_stats *earlier, gpc_stats *out) {
    return gpc_stats_subtract_as(gpc_stats_layout(), later, earlier, out);
}
GPC_API gpc_status gpc_stats_json_as(const gpc_layout *layout, const void *stats, char *text, size_t size,
                                     size_t *out_length);
GPC_API gpc_status gpc_stats_csv_as(const gpc_layout *layout, const void *stats, bool header, char *text, size_t size,
                                    size_t *out_length);
static inline gpc_status gpc_stats_json(const gpc_stats *stats, char *text, size_t size, size_t *out_length) {
    return gpc_stats_json_as(gpc_stats_layout(), stats, text, size, out_length);
}
static inline gpc_status gpc_stats_csv(const gpc_stats *stats, bool header, char *text, size_t size,
                                       size_t *out_length) {
    return gpc_stats_csv_as(gpc_stats_layout(), stats, header, text, size, out_length);
}
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef enum gpc_index {
    GPC_INDEX_MODULO = 0,
    GPC_INDEX_XOR = 1,
    GPC_INDEX_FERMI = 2,
    GPC_INDEX_IPOLY = 3,
    GPC_INDEX_USER = 4,
    GPC_INDEX_HOPPER = 5,
    GPC_INDEX_COUNT
} gpc_index;
typedef enum gpc_write_policy { GPC_WRITE_BACK = 0, GPC_WRITE_THROUGH = 1, GPC_WRITE_EVICT = 2 } gpc_write_policy;
typedef enum gpc_write_allocate {
    GPC_WRITE_NO_ALLOCATE = 0,
    GPC_WRITE_FETCH = 1,
    GPC_WRITE_LAZY_FETCH = 2,
    GPC_WRITE_NAIVE_FETCH = 3
} gpc_write_allocate;
typedef enum gpc_allocate {
    GPC_ALLOCATE_ON_MISS = 0,
    GPC_ALLOCATE_ON_FILL = 1,
    GPC_ALLOCATE_STREAMING = 2,
    GPC_ALLOCATE_REPLACEABLE = 3
} gpc_allocate;
typedef enum gpc_bypass_fetch { GPC_BYPASS_FETCH_NEEDED = 0, GPC_BYPASS_FETCH_ALL = 1 } gpc_bypass_fetch;
typedef enum gpc_admission { GPC_NOT_ASKED = 0, GPC_ADMITTED = 1, GPC_DECLINED = 2 } gpc_admission;
typedef enum gpc_tokens { GPC_TOKENS_IGNORE = 0, GPC_TOKENS_STRICT = 1, GPC_TOKENS_OPPORTUNISTIC = 2 } gpc_tokens;
typedef enum gpc_token_clear {
    GPC_CLEAR_KERNEL = 0,
    GPC_CLEAR_OWNERS = 1,
    GPC_CLEAR_LAST_OWNER = 2,
    GPC_CLEAR_PERIODIC = 3
} gpc_token_clear;
typedef enum gpc_outcome {
    GPC_HIT = 0,
    GPC_PENDING_HIT = 1,
    GPC_SECTOR_MISS = 2,
    GPC_MISS = 3,
    GPC_BYPASSED = 4,
    GPC_NO_VICTIM = 5
} gpc_outcome;
typedef struct gpc_access_result {
    uint8_t outcome;
    uint8_t needed_sectors;
    uint8_t hit_sectors;
    uint8_t fetch_sectors;
    uint8_t write_sectors;
    uint8_t evicted;
    uint8_t admission;
    uint8_t reserved;
    uint32_t set;
    uint32_t way;
    uint32_t policy_word;
    uint64_t write_bytes[2];
    gpc_eviction eviction;
} gpc_access_result;
typedef void (*gpc_fill_fn)(void *user_data, uint64_t line_address, uint32_t set, uint32_t way, uint8_t sectors,
                            const gpc_request *request);
typedef void (*gpc_evict_fn)(void *user_data, const gpc_eviction *eviction, const gpc_request *request);
typedef uint32_t (*gpc_index_fn)(void *user_data, uint64_t line_number, uint32_t sets);
typedef struct gpc_cache_options {
    size_t struct_size;
    uint64_t sets;
    uint32_t ways;
    uint32_t line_bytes;
    uint32_t sectors;
    uint32_t fetch_sectors;
    uint32_t index;
    uint32_t write_policy;
    uint32_t write_policy_local;
    uint32_t write_allocate;
    uint32_t write_allocate_local;
    uint32_t allocate;
    uint32_t atomics_here;
    uint32_t track_reuse;
    uint32_t track_warps;
    uint32_t instance;
    uint32_t instances;
    const char *replacement;
    const char *predictor;
    gpc_index_fn index_fn;
    void *index_data;
    gpc_fill_fn on_fill;
    gpc_evict_fn on_evict;
    void *callback_data;
    uint64_t seed;
    uint32_t bypass_fetch;
    uint32_t track_future;
    uint32_t tokens;
    uint32_t token_clear;
    uint64_t token_period;
    uint32_t token_warps;
    uint32_t reserved;
    uint64_t tells;
    gpc_cache *share_with;
    uint32_t last_ways;
    uint32_t lines;
} gpc_cache_options;
#define GPC_NO_LAST_WAYS UINT32_MAX
#define GPC_CACHE_OPTIONS_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(gpc_cache_options), 32, 4, 128, 0, 0, GPC_INDEX_MODULO, GPC_WRITE_BACK, GPC_WRITE_BACK,                 \
            GPC_WRITE_FETCH, GPC_WRITE_FETCH, GPC_ALLOCATE_ON_MISS, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL, 0, GPC_BYPASS_FETCH_NEEDED, 0, GPC_TOKENS_IGNORE, GPC_CLEAR_KERNEL, 0, 0, 0, 0, NULL, 0, 0           \
    }
GPC_API void gpc_cache_options_init(gpc_cache_options *options);
GPC_API gpc_status gpc_cache_create(gpc_context *context, const gpc_cache_options *options, gpc_error *error,
                                    gpc_cache **out);
GPC_API void gpc_cache_destroy(gpc_cache *cache);
GPC_API gpc_status gpc_cache_access(gpc_cache *cache, const gpc_request *request, gpc_access_result *result);
#define GPC_BATCH_HIT 0x01u
#define GPC_BATCH_EVICTED 0x02u
#define GPC_BATCH_WRITE_BACK 0x04u
#define GPC_BATCH_BYPASSED 0x08u
#define GPC_BATCH_SECTOR_MISS 0x10u
#define GPC_BATCH_WRITE_BELOW 0x20u
typedef struct gpc_batch {
    size_t struct_size;
    size_t count;
    const uint64_t *addresses;
    const uint8_t *kinds;
    const uint64_t *pcs;
    const uint32_t *warps;
    const uint64_t *next_uses;
    uint32_t size;
    uint32_t sm;
    uint8_t *results;
    uint64_t *evicted;
} gpc_batch;
#define GPC_BATCH_INIT \
    { sizeof(gpc_batch), 0, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL }
GPC_API gpc_status gpc_cache_access_many(gpc_cache *cache, const gpc_batch *batch, size_t *out_done);
GPC_API gpc_status gpc_next_uses(gpc_context *context, const uint64_t *addresses, size_t count, uint32_t line_bytes,
                                 uint64_t *next_uses);
GPC_API gpc_status gpc_cache_probe(const gpc_cache *cache, const gpc_request *request, gpc_access_result *result);
GPC_API gpc_status gpc_cache_probe_victim(gpc_cache *cache, const gpc_request *request, gpc_access_result *result);
GPC_API gpc_status gpc_cache_lookup(gpc_cache *cache, const gpc_request *request, gpc_access_result *result);
GPC_API gpc_status gpc_cache_reserve(gpc_cache *cache, const gpc_request *request, uint8_t sectors,
                                     gpc_access_result *result);
GPC_API gpc_status gpc_cache_fill(gpc_cache *cache, const gpc_request *request, uint8_t sectors,
                                  gpc_access_result *result);
GPC_API gpc_decision gpc_cache_reply(gpc_cache *cache, const gpc_request *request, gpc_decision predicted,
                                     uint32_t word);
GPC_API uint32_t gpc_cache_respond(gpc_cache *cache, const gpc_request *request);
GPC_API gpc_status gpc_cache_invalidate_line(gpc_cache *cache, uint64_t address);
GPC_API gpc_status gpc_cache_invalidate_range(gpc_cache *cache, uint64_t address, uint64_t bytes);
GPC_API gpc_status gpc_cache_invalidate_all(gpc_cache *cache);
GPC_API gpc_status gpc_cache_flush(gpc_cache *cache, uint64_t *out_sectors);
GPC_API gpc_status gpc_cache_resize(gpc_cache *cache, uint64_t sets, uint32_t ways, gpc_error *error);
typedef struct gpc_line {
    uint64_t line_address;
    uint32_t set, way;
    uint32_t reuse_count;
    uint32_t warp;
    uint8_t valid_sectors, dirty_sectors, pending_sectors;
    uint8_t priority;
    uint8_t prioritised;
    uint8_t reserved[3];
    uint64_t written_bytes[2];
} gpc_line;
GPC_API gpc_status gpc_cache_next_line(const gpc_cache *cache, uint64_t *cursor, gpc_line *line);
GPC_API gpc_status gpc_cache_warp_event(gpc_cache *cache, const gpc_warp_event *event);
GPC_API gpc_status gpc_cache_sample(gpc_cache *cache, const gpc_sample *sample);
GPC_API gpc_decision gpc_cache_stall(gpc_cache *cache, const gpc_request *request, uint32_t reason);
GPC_API gpc_status gpc_cache_set_replacement(gpc_cache *cache, const char *spec, gpc_error *error);
GPC_API gpc_status gpc_cache_set_predictor(gpc_cache *cache, const char *spec, gpc_error *error);
GPC_API gpc_status gpc_cache_policy_value(const gpc_cache *cache, size_t index, gpc_policy_value *value);
GPC_API uint64_t gpc_cache_lacks(const gpc_cache *cache);
GPC_API uint64_t gpc_cache_token_bits(const gpc_cache *cache);
GPC_API gpc_status gpc_cache_get_stats_as(const gpc_cache *cache, const gpc_layout *layout, void *stats);
GPC_API void gpc_cache_reset_stats(gpc_cache *cache);
static inline gpc_status gpc_cache_get_stats(const gpc_cache *cache, gpc_cache_stats *stats) {
    return gpc_cache_get_stats_as(cache, gpc_cache_stats_layout(), stats);
}
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef enum gpc_coherence_state {
    GPC_LINE_N = 0,
    GPC_LINE_M = 1,
    GPC_LINE_O = 2,
    GPC_LINE_E = 3,
    GPC_LINE_S = 4,
    GPC_LINE_I = 5,
    GPC_LINE_COUNT = 6
} gpc_coherence_state;
#define GPC_MAX_STATES 64u
enum {
    GPC_MEANS_MODIFIED = 1 << 0,
    GPC_MEANS_ONLY = 1 << 1,
    GPC_MEANS_OWNER = 1 << 2,
    GPC_MEANS_NON_COHERENT = 1 << 3,
    GPC_MEANS_DETACHED = 1 << 4
};
#define GPC_MEANS_N (GPC_MEANS_MODIFIED | GPC_MEANS_NON_COHERENT)
#define GPC_MEANS_M (GPC_MEANS_MODIFIED | GPC_MEANS_ONLY | GPC_MEANS_OWNER)
#define GPC_MEANS_O (GPC_MEANS_MODIFIED | GPC_MEANS_OWNER)
#define GPC_MEANS_E (GPC_MEANS_ONLY | GPC_MEANS_OWNER)
#define GPC_MEANS_S 0
#define GPC_MEANS_F GPC_MEANS_OWNER
typedef struct gpc_protocol_state {
    const char *name;
    uint32_t means;
    uint32_t reserved;
} gpc_protocol_state;
typedef enum gpc_coherence_event {
    GPC_EVENT_LOAD = 0,
    GPC_EVENT_STORE = 1,
    GPC_EVENT_N_STORE = 2,
    GPC_EVENT_EVICTION = 3,
    GPC_EVENT_READ_PROBE = 4,
    GPC_EVENT_WRITE_PROBE = 5,
    GPC_EVENT_READ_ABOVE = 6,
    GPC_EVENT_WRITE_ABOVE = 7,
    GPC_EVENT_DATA_ABOVE = 8,
    GPC_EVENT_N_DATA_ABOVE = 9,
    GPC_EVENT_PROBE_DATA = 10,
    GPC_EVENT_INVALIDATE_DATA = 11,
    GPC_EVENT_PASSING_LOAD = 12,
    GPC_EVENT_PASSING_STORE = 13,
    GPC_EVENT_THROUGH_STORE = 14,
    GPC_EVENT_ACQUIRE = 15,
    GPC_EVENT_COUNT = 16
} gpc_coherence_event;
#define GPC_MAX_EVENTS 64u
typedef struct gpc_protocol_event {
    const char *name;
    uint32_t like;
    uint32_t reserved;
} gpc_protocol_event;
typedef struct gpc_protocol_raise {
    uint8_t below, above;
} gpc_protocol_raise;
enum {
    GPC_DO_HIT = 1 << 0,
    GPC_DO_IGNORE = 1 << 1,
    GPC_DO_FORBID = 1 << 2,
    GPC_DO_READ_REQUEST = 1 << 3,
    GPC_DO_WRITE_REQUEST = 1 << 4,
    GPC_DO_WRITE_BACK = 1 << 5,
    GPC_DO_SEND_DATA = 1 << 6,
    GPC_DO_NOTIFY = 1 << 7,
    GPC_DO_CLEAR_OWNER = 1 << 8,
    GPC_DO_EVICT_FIRST = 1 << 9,
    GPC_DO_WRITE_THROUGH = 1 << 10,
    GPC_DO_PASS = 1 << 11
};
typedef struct gpc_protocol_rule {
    uint16_t actions;
    uint8_t next;
    uint8_t next_shared;
} gpc_protocol_rule;
enum {
    GPC_PROTOCOL_DIRECTORY = 1 << 0,
    GPC_PROTOCOL_PEER = 1 << 1,
    GPC_PROTOCOL_PROBE_WHOLE = 1 << 2,
    GPC_PROTOCOL_COUNT_REPLIES = 1 << 3,
    GPC_PROTOCOL_WHOLE_BLOCKS = 1 << 4,
    GPC_PROTOCOL_DROP_PROBE_DATA = 1 << 5,
    GPC_PROTOCOL_STALE_REPLY = 1 << 6,
    GPC_PROTOCOL_BARE_ACK = 1 << 7,
    GPC_PROTOCOL_RETRY = 1 << 8,
    GPC_PROTOCOL_INVALIDATES = 1 << 9
};
enum {
    GPC_ACCESS_GLC = 1 << 0,
    GPC_ACCESS_SLC = 1 << 1,
    GPC_ACCESS_THROUGH = 1 << 2,
    GPC_ACCESS_NO_ALLOCATE = 1 << 3,
    GPC_ACCESS_EVICT = 1 << 4,
    GPC_ACCESS_RETURNS = 1 << 5
};
#define GPC_ACCESS_EVENT_SHIFT 24
#define GPC_ACCESS_EVENT(event) ((uint32_t)(event) << GPC_ACCESS_EVENT_SHIFT)
typedef gpc_protocol_rule gpc_protocol_rules[GPC_LINE_COUNT][GPC_EVENT_COUNT];
typedef struct gpc_protocol {
    size_t struct_size;
    const char *name;
    const char *summary;
    const char *source;
    uint32_t flags;
    uint32_t pass_loads[2];
    uint32_t pass_stores[2];
    uint32_t through_stores;
    const gpc_protocol_rules *first, *between, *shared, *memory;
    const char *letters;
    const gpc_protocol_state *states;
    uint32_t state_count;
    uint32_t event_count;
    const gpc_protocol_event *events;
    const gpc_protocol_rule *event_rules[4];
    const gpc_protocol_raise *raises[4];
} gpc_protocol;
GPC_API gpc_status gpc_context_register_protocol(gpc_context *context, const gpc_protocol *protocol, gpc_error *error);
GPC_API const gpc_protocol *gpc_protocol_find(const gpc_context *context, const char *name);
GPC_API size_t gpc_protocol_state_name(const gpc_protocol *protocol, uint32_t state, char *buffer, size_t size);
GPC_API size_t gpc_protocol_event_name(const gpc_protocol *protocol, uint32_t event, char *buffer, size_t size);
GPC_API size_t gpc_protocol_matrices_text(const gpc_protocol *protocol, const uint64_t *transitions,
                                          const uint32_t *origins, const char *title, char *buffer, size_t size);
GPC_API const char *gpc_coherence_event_name(gpc_coherence_event event);
#define GPC_ORIGIN_LIST(X)                                                    \
    X(LOAD_MISS, 0x00001, "Load Miss")                                        \
    X(STORE, 0x00002, "Store")                                                \
    X(N_STORE, 0x00004, "Non-coherent Store")                                 \
    X(EVICTION, 0x00008, "Eviction")                                          \
    X(FIND_IN_MEMORY, 0x00010, "Find and Lock in Main Memory")                \
    X(EVICT_IN_MEMORY, 0x00020, "Evict in Main Memory")                       \
    X(EVICT_DATA, 0x00040, "Data Received in Evict Process")                  \
    X(N_EVICT_DATA_1, 0x00080, "Data Received in Non-coherent Evict Process") \
    X(N_EVICT_DATA_2, 0x00100, "Data Received in Non-coherent Evict Process") \
    X(EVICTED, 0x00200, "Successful Eviction")                                \
    X(WRITE_UP_DOWN, 0x00400, "Write Request UpDown Finish")                  \
    X(WRITE_DOWN_UP, 0x00800, "Write Request DownUp Finish")                  \
    X(READ_UP_DOWN, 0x01000, "Read Request UpDown Miss")                      \
    X(READ_DOWN_UP_1, 0x02000, "Read Request DownUp Finish")                  \
    X(READ_DOWN_UP_2, 0x04000, "Read Request DownUp Finish")                  \
    X(READ_DOWN_UP_3, 0x08000, "Read Request DownUp Finish")                  \
    X(INVALIDATE_DATA_1, 0x10000, "Invalidate Finish Reply with Data")        \
    X(INVALIDATE_DATA_2, 0x20000, "Invalidate Finish Reply with Data")        \
    X(PROBE_DATA, 0x40000, "Data Received from Probed Owner")                 \
    X(WRITE_THROUGH, 0x80000, "Written Through")                              \
    X(ACQUIRE, 0x100000, "Acquire")                                           \
    X(PASS, 0x200000, "Passed by")                                            \
    X(DIRECTORY_ONLY, 0x400000, "Data Left Non-inclusive Module")             \
    X(DETACHED, 0x800000, "Detached")
typedef enum gpc_origin {
#define X(id, bit, text) GPC_ORIGIN_##id = bit,
    GPC_ORIGIN_LIST(X)
#undef X
} gpc_origin;
GPC_END_DECLS
GPC_BEGIN_DECLS
#define GPC_NO_MODULE UINT32_MAX
#define GPC_MAX_MODULES 4096u
typedef enum gpc_served {
    GPC_SERVES_ALL = 0,
    GPC_SERVES_RANGE = 1,
    GPC_SERVES_INTERLEAVED = 2,
    GPC_SERVES_HASHED = 3
} gpc_served;
typedef enum gpc_directory_overflow {
    GPC_OVERFLOW_BROADCAST = 0,
    GPC_OVERFLOW_EVICT = 1,
    GPC_OVERFLOW_COARSE = 2
} gpc_directory_overflow;
typedef struct gpc_coherence_network {
    size_t struct_size;
    const char *name;
    uint32_t bandwidth;
    uint32_t input_buffer;
    uint32_t output_buffer;
    uint32_t reserved;
} gpc_coherence_network;
#define GPC_COHERENCE_NETWORK_INIT \
    { sizeof(gpc_coherence_network), NULL, 64, 0, 0, 0 }
typedef struct gpc_coherence_module {
    size_t struct_size;
    const char *name;
    const char *replacement;
    const uint32_t *low;
    uint32_t low_count;
    uint32_t low_network, high_network;
    uint32_t sets, ways;
    uint32_t block_bytes;
    uint32_t latency;
    uint32_t directory_latency;
    uint32_t ports;
    uint32_t mshrs;
    uint32_t served;
    uint32_t directory_ways;
    uint64_t first, last;
    uint64_t divisor, modulus, residue;
    bool memory;
    bool non_inclusive;
    bool any_victim;
    bool write_through;
    bool no_write_allocate;
    uint8_t index;
    bool dense;
    uint8_t reserved[1];
    uint8_t directory_pointers;
    uint8_t directory_overflow;
    uint8_t directory_region;
    uint8_t sectors;
    uint8_t home;
    bool byte_masks;
    uint8_t fetch_blocks;
    uint8_t reserved_too[2];
    uint32_t near_of;
} gpc_coherence_module;
#define GPC_COHERENCE_MODULE_INIT                                                                              \
    {                                                                                                          \
        sizeof(gpc_coherence_module), NULL, NULL, NULL, 0, GPC_NO_MODULE, GPC_NO_MODULE, 1, 1, 64, 1, 0, 0, 0, \
            GPC_SERVES_ALL, 0, 0, UINT64_MAX, 1, 1, 0, false, false, false, false, false, 0, false, {0}, 0,    \
            GPC_OVERFLOW_BROADCAST, 0, 1, 0, false, 1, {0}, GPC_NO_MODULE                                      \
    }
typedef enum gpc_placement { GPC_PLACE_ROUND_ROBIN = 0, GPC_PLACE_FIRST_TOUCH = 1, GPC_PLACE_HASHED = 2 } gpc_placement;
typedef struct gpc_coherence_options {
    size_t struct_size;
    const char *protocol;
    const gpc_coherence_module *modules;
    const gpc_coherence_network *networks;
    uint32_t module_count, network_count;
    uint32_t control_bytes;
    bool data;
    bool timing;
    uint8_t reserved[2];
    uint64_t page_bytes;
    uint32_t homes;
    uint32_t placement;
} gpc_coherence_options;
#define GPC_COHERENCE_OPTIONS_INIT \
    { sizeof(gpc_coherence_options), NULL, NULL, NULL, 0, 0, 8, true, true, {0}, 0, 0, GPC_PLACE_ROUND_ROBIN }
GPC_END_DECLS
GPC_BEGIN_DECLS
#define GPC_NO_MESSAGE UINT32_MAX
GPC_API gpc_status gpc_coherence_create(gpc_context *context, const gpc_coherence_options *options, gpc_error *error,
                                        gpc_coherence **out);
GPC_API void gpc_coherence_destroy(gpc_coherence *coherence);
typedef enum gpc_coherence_kind {
    GPC_COHERENCE_LOAD = 0,
    GPC_COHERENCE_STORE = 1,
    GPC_COHERENCE_N_STORE = 2,
    GPC_COHERENCE_ACQUIRE = 3,
    GPC_COHERENCE_RELEASE = 4
} gpc_coherence_kind;
typedef struct gpc_coherence_request {
    size_t struct_size;
    uint64_t address;
    uint64_t cycle;
    const uint8_t *bytes;
    const uint8_t *mask;
    uint8_t *out;
    uint32_t module;
    uint32_t size;
    uint32_t kind;
    uint32_t flags;
    gpc_atomic *atomics;
    uint32_t atomic_count;
    uint32_t reserved;
} gpc_coherence_request;
#define GPC_COHERENCE_REQUEST_INIT \
    { sizeof(gpc_coherence_request), 0, 0, NULL, NULL, NULL, 0, 1, GPC_COHERENCE_LOAD, 0, NULL, 0, 0 }
typedef enum gpc_message_kind {
    GPC_MESSAGE_READ_REQUEST = 0,
    GPC_MESSAGE_WRITE_REQUEST = 1,
    GPC_MESSAGE_READ_PROBE = 2,
    GPC_MESSAGE_WRITE_PROBE = 3,
    GPC_MESSAGE_DATA = 4,
    GPC_MESSAGE_ACK = 5,
    GPC_MESSAGE_WRITE_BACK = 6,
    GPC_MESSAGE_NOTICE = 7,
    GPC_MESSAGE_CLEAR_OWNER = 8,
    GPC_MESSAGE_WRITE_THROUGH = 9,
    GPC_MESSAGE_JOIN = 10,
    GPC_MESSAGE_FINISH = 11,
    GPC_MESSAGE_EVICTION = 12,
    GPC_MESSAGE_ACQUIRE = 13,
    GPC_MESSAGE_INVALIDATION = 14,
    GPC_MESSAGE_MARKER = 15,
    GPC_MESSAGE_KIND_COUNT = 16
} gpc_message_kind;
typedef struct gpc_coherence_message {
    uint64_t address;
    uint64_t sent, received;
    uint32_t kind;
    uint32_t from, to;
    uint32_t network;
    uint32_t bytes;
    uint32_t after;
    uint32_t join;
    uint32_t needs;
    uint32_t delay;
    uint32_t directory;
    uint32_t request;
    uint32_t block;
    uint8_t looks;
    uint8_t memory;
    uint8_t masked;
    uint8_t found;
} gpc_coherence_message;
typedef struct gpc_coherence_transition {
    uint64_t cycle;
    uint64_t tag_before, tag;
    uint32_t module, set, way;
    uint32_t origin;
    uint8_t from, to;
    uint8_t reserved[6];
} gpc_coherence_transition;
typedef struct gpc_coherence_result {
    size_t struct_size;
    uint64_t completed;
    const gpc_coherence_message *messages;
    const gpc_coherence_transition *transitions;
    uint32_t message_count, transition_count;
    uint8_t hit;
    uint8_t found;
    uint8_t state;
    uint8_t level;
    uint8_t reserved[4];
} gpc_coherence_result;
#define GPC_COHERENCE_RESULT_INIT                                        \
    {                                                                    \
        sizeof(gpc_coherence_result), 0, NULL, NULL, 0, 0, 0, 0, 0, 0, { \
            0                                                            \
        }                                                                \
    }
GPC_API gpc_status gpc_coherence_access(gpc_coherence *coherence, const gpc_coherence_request *request,
                                        gpc_error *error, gpc_coherence_result *result);
GPC_API gpc_status gpc_coherence_flush(gpc_coherence *coherence, uint32_t module, uint64_t cycle, gpc_error *error,
                                       gpc_coherence_result *result);
GPC_API gpc_status gpc_coherence_acquire(gpc_coherence *coherence, uint32_t module, uint64_t cycle, gpc_error *error,
                                         gpc_coherence_result *result);
GPC_API gpc_status gpc_coherence_read_memory(const gpc_coherence *coherence, uint64_t address, uint8_t *bytes,
                                             size_t size);
GPC_API gpc_status gpc_coherence_write_memory(gpc_coherence *coherence, uint64_t address, const uint8_t *bytes,
                                              size_t size);
typedef struct gpc_coherence_block {
    size_t struct_size;
    uint64_t tag;
    const uint8_t *bytes;
    const uint8_t *dirty;
    uint32_t state;
    uint32_t recency;
    uint32_t sub_blocks;
    uint32_t sub_block_bytes;
} gpc_coherence_block;
#define GPC_COHERENCE_BLOCK_INIT \
    { sizeof(gpc_coherence_block), 0, NULL, NULL, GPC_LINE_I, 0, 0, 0 }
GPC_API gpc_status gpc_coherence_get_block(const gpc_coherence *coherence, uint32_t module, uint32_t set, uint32_t way,
                                           gpc_coherence_block *block);
GPC_API gpc_status gpc_coherence_get_directory(const gpc_coherence *coherence, uint32_t module, uint32_t set,
                                               uint32_t way, uint32_t sub_block, uint32_t *out_owner, uint32_t *sharers,
                                               size_t room, size_t *out_count);
GPC_API gpc_status gpc_coherence_find(const gpc_coherence *coherence, uint32_t module, uint64_t address,
                                      uint32_t *out_set, uint32_t *out_way);
GPC_API uint32_t gpc_coherence_module_index(const gpc_coherence *coherence, const char *name);
GPC_API gpc_status gpc_coherence_get_module(const gpc_coherence *coherence, uint32_t module, gpc_coherence_module *out);
GPC_API const gpc_protocol *gpc_coherence_protocol(const gpc_coherence *coherence);
typedef struct gpc_coherence_stats {
    size_t struct_size;
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) uint64_t field;
    GPC_COHERENCE_COUNTERS(X)
#undef X
    uint64_t transitions[GPC_LINE_COUNT][GPC_LINE_COUNT];
    uint32_t origins[GPC_LINE_COUNT][GPC_LINE_COUNT];
} gpc_coherence_stats;
static inline const gpc_layout *gpc_coherence_stats_layout(void) {
    static const gpc_field fields[] = {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) {id, 1},
        GPC_COHERENCE_COUNTERS(X)
#undef X
    };
    static const gpc_layout layout = {sizeof(gpc_coherence_stats), fields, sizeof fields / sizeof *fields,
                                      GPC_LINE_COUNT, 0};
    return &layout;
}
static inline void gpc_coherence_stats_init(gpc_coherence_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->struct_size = sizeof *stats;
}
GPC_API gpc_status gpc_coherence_get_stats_as(const gpc_coherence *coherence, uint32_t module, const gpc_layout *layout,
                                              void *stats);
GPC_API gpc_status gpc_coherence_get_matrices(const gpc_coherence *coherence, uint32_t module, uint32_t states,
                                              uint64_t *transitions, uint32_t *origins);
GPC_API void gpc_coherence_reset_stats(gpc_coherence *coherence);
static inline gpc_status gpc_coherence_get_stats(const gpc_coherence *coherence, uint32_t module,
                                                 gpc_coherence_stats *stats) {
    return gpc_coherence_get_stats_as(coherence, module, gpc_coherence_stats_layout(), stats);
}
GPC_API size_t gpc_coherence_matrix_text_as(const gpc_layout *layout, const void *stats, const char *title,
                                            char *buffer, size_t size);
GPC_API size_t gpc_coherence_stats_json_as(const gpc_layout *layout, const void *stats, char *buffer, size_t size);
static inline size_t gpc_coherence_matrix_text(const gpc_coherence_stats *stats, const char *title, char *buffer,
                                               size_t size) {
    return gpc_coherence_matrix_text_as(gpc_coherence_stats_layout(), stats, title, buffer, size);
}
static inline size_t gpc_coherence_stats_json(const gpc_coherence_stats *stats, char *buffer, size_t size) {
    return gpc_coherence_stats_json_as(gpc_coherence_stats_layout(), stats, buffer, size);
}
typedef struct gpc_coherence_completion {
    size_t struct_size;
    uint64_t token;
    uint64_t issued, cycle;
    uint64_t address;
    const uint8_t *bytes;
    uint32_t module, size, kind;
    uint32_t retries;
    uint8_t hit;
    uint8_t joined;
    uint8_t reserved[6];
} gpc_coherence_completion;
typedef struct gpc_coherence_callbacks {
    size_t struct_size;
    void *user_data;
    void (*on_transition)(void *user_data, const gpc_coherence_transition *transition);
    void (*on_message)(void *user_data, const gpc_coherence_message *message);
    void (*on_complete)(void *user_data, const gpc_coherence_completion *completion);
} gpc_coherence_callbacks;
#define GPC_COHERENCE_CALLBACKS_INIT \
    { sizeof(gpc_coherence_callbacks), NULL, NULL, NULL, NULL }
GPC_API gpc_status gpc_coherence_set_callbacks(gpc_coherence *coherence, const gpc_coherence_callbacks *callbacks);
GPC_API gpc_status gpc_coherence_issue(gpc_coherence *coherence, const gpc_coherence_request *request, gpc_error *error,
                                       uint64_t *out_token);
GPC_API gpc_status gpc_coherence_advance(gpc_coherence *coherence, uint64_t cycle, gpc_error *error);
GPC_API uint64_t gpc_coherence_next_event(const gpc_coherence *coherence);
GPC_API gpc_status gpc_coherence_check(const gpc_coherence *coherence, uint64_t first, uint64_t bytes,
                                       gpc_error *error);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef enum gpc_value_type {
    GPC_VALUE_COUNT = 0,
    GPC_VALUE_SIZE = 1,
    GPC_VALUE_BOOL = 2,
    GPC_VALUE_CHOICE = 3,
    GPC_VALUE_POLICY = 4,
    GPC_VALUE_TEXT = 5,
    GPC_VALUE_NUMBER = 6,
    GPC_VALUE_SIZES = 7
} gpc_value_type;
typedef struct gpc_key_info {
    size_t struct_size;
    const char *name;
    gpc_value_type type;
    const char *unit;
    const char *initial;
    double minimum, maximum;
    const char *choices;
    const char *meaning;
} gpc_key_info;
#define GPC_KEY_INFO_INIT \
    { sizeof(gpc_key_info), NULL, GPC_VALUE_COUNT, NULL, NULL, 0, 0, NULL, NULL }
GPC_API size_t gpc_key_count(void);
GPC_API gpc_status gpc_key_at(size_t index, gpc_key_info *info);
GPC_API size_t gpc_preset_count(void);
GPC_API gpc_status gpc_preset_at(size_t index, const char **name, const char **summary);
GPC_API const char *gpc_preset_text(const char *name);
GPC_API gpc_status gpc_config_create(gpc_context *context, gpc_error *error, gpc_config **out);
GPC_API gpc_status gpc_config_copy(const gpc_config *config, gpc_error *error, gpc_config **out);
GPC_API void gpc_config_destroy(gpc_config *config);
GPC_API gpc_status gpc_config_load_preset(gpc_config *config, const char *name, gpc_error *error);
GPC_API const char *gpc_config_preset(const gpc_config *config);
GPC_API gpc_status gpc_config_load_file(gpc_config *config, const char *path, gpc_error *error);
GPC_API gpc_status gpc_config_load_text(gpc_config *config, const char *text, const char *name, gpc_error *error);
GPC_API gpc_status gpc_config_import_gpgpusim(gpc_config *config, const char *path, size_t *out_applied,
                                              gpc_error *error);
typedef enum gpc_import_outcome {
    GPC_IMPORT_APPLIED = 0,
    GPC_IMPORT_IGNORED = 1,
    GPC_IMPORT_UNKNOWN = 2,
} gpc_import_outcome;
typedef struct gpc_import_option {
    const char *name;
    const char *value;
    size_t line;
    gpc_import_outcome outcome;
    const char *reason;
} gpc_import_option;
typedef void (*gpc_import_fn)(void *user_data, const gpc_import_option *option);
GPC_API gpc_status gpc_config_import_gpgpusim_with(gpc_config *config, const char *path, gpc_import_fn on_option,
                                                   void *user_data, gpc_error *error);
GPC_API gpc_status gpc_config_import_gpgpusim_text(gpc_config *config, const char *text, const char *name,
                                                   gpc_import_fn on_option, void *user_data, gpc_error *error);
GPC_API gpc_status gpc_config_set(gpc_config *config, const char *key, const char *value, gpc_error *error);
GPC_API gpc_status gpc_config_set_pair(gpc_config *config, const char *pair, gpc_error *error);
GPC_API gpc_status gpc_config_get(const gpc_config *config, const char *key, const char **out_value);
GPC_API gpc_status gpc_config_get_u64(const gpc_config *config, const char *key, uint64_t *out_value);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef struct gpc_warp_access {
    size_t struct_size;
    uint32_t sm;
    uint32_t warp;
    uint32_t warp_age;
    uint32_t block;
    uint64_t pc;
    uint64_t mask;
    const uint64_t *addresses;
    uint32_t width;
    uint8_t kind;
    uint8_t space;
    uint8_t hint;
    uint8_t priority;
    uint8_t token;
    uint8_t token_l2;
    uint8_t scope;
    uint8_t order;
    uint8_t atomic;
    uint8_t stream;
    uint8_t copy;
    uint8_t process;
    const uint8_t *bytes;
    uint8_t *out;
    const uint8_t *compare;
    const uint32_t *multicast;
    uint32_t multicast_count;
    uint8_t local_offsets;
    uint8_t reserved_2[3];
} gpc_warp_access;
#define GPC_WARP_ACCESS_INIT                                                                                      \
    {                                                                                                             \
        sizeof(gpc_warp_access), 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, \
            NULL, 0, 0, {                                                                                         \
            0                                                                                                     \
        }                                                                                                         \
    }
GPC_API uint64_t gpc_hierarchy_local_address(const gpc_hierarchy *hierarchy, uint32_t sm, uint32_t warp, uint32_t lane,
                                             uint64_t offset);
GPC_API gpc_status gpc_hierarchy_check_access(const gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                              gpc_error *error);
typedef struct gpc_warp_result {
    size_t struct_size;
    uint32_t lines;
    uint32_t sectors;
    uint32_t l1_sector_hits;
    uint32_t l2_sectors;
    uint32_t l2_sector_hits;
    uint32_t dram_sectors;
} gpc_warp_result;
#define GPC_WARP_RESULT_INIT \
    { sizeof(gpc_warp_result), 0, 0, 0, 0, 0, 0 }
typedef struct gpc_launch {
    size_t struct_size;
    uint32_t threads;
    uint32_t registers;
    uint32_t shared_bytes;
    uint32_t reserved;
    uint64_t code_bytes;
} gpc_launch;
#define GPC_LAUNCH_INIT \
    { sizeof(gpc_launch), 0, 0, 0, 0, 0 }
GPC_API gpc_status gpc_hierarchy_create(gpc_context *context, const gpc_config *config, gpc_error *error,
                                        gpc_hierarchy **out);
GPC_API void gpc_hierarchy_destroy(gpc_hierarchy *hierarchy);
GPC_API gpc_status gpc_hierarchy_get_config(const gpc_hierarchy *hierarchy, gpc_error *error, gpc_config **out);
GPC_API gpc_status gpc_hierarchy_begin_kernel(gpc_hierarchy *hierarchy, const gpc_launch *launch, gpc_error *error);
GPC_API uint32_t gpc_hierarchy_occupancy(const gpc_hierarchy *hierarchy, const gpc_launch *launch);
GPC_API gpc_status gpc_hierarchy_access(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                        gpc_warp_result *result);
typedef struct gpc_access_batch {
    size_t struct_size;
    size_t count;
    uint32_t lanes;
    uint32_t width;
    const uint64_t *addresses;
    const uint64_t *masks;
    const uint64_t *pcs;
    const uint32_t *sms, *warps, *warp_ages, *blocks, *widths;
    const uint8_t *kinds, *spaces, *hints, *scopes, *orders;
    gpc_warp_result *results;
    const uint8_t *processes;
} gpc_access_batch;
#define GPC_ACCESS_BATCH_INIT                                                                                       \
    {                                                                                                               \
        sizeof(gpc_access_batch), 0, 32, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL, NULL, NULL                                                                                        \
    }
GPC_API gpc_status gpc_hierarchy_access_many(gpc_hierarchy *hierarchy, const gpc_access_batch *batch, size_t *out_done);
typedef struct gpc_fence {
    size_t struct_size;
    uint32_t sm;
    uint32_t warp;
    uint8_t scope;
    uint8_t order;
    uint8_t control;
    uint8_t reserved[5];
} gpc_fence;
#define GPC_FENCE_INIT                      \
    {                                       \
        sizeof(gpc_fence), 0, 0, 0, 0, 0, { \
            0                               \
        }                                   \
    }
GPC_API gpc_status gpc_hierarchy_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, gpc_error *error);
typedef enum gpc_busy {
    GPC_BUSY_NOT = 0,
    GPC_BUSY_PIPELINE = 1,
    GPC_BUSY_LINE = 2,
    GPC_BUSY_MSHR = 3,
    GPC_BUSY_MERGE = 4,
    GPC_BUSY_MISS_QUEUE = 5,
    GPC_BUSY_NETWORK = 6,
    GPC_BUSY_REPLY = 7,
    GPC_BUSY_COUNT
} gpc_busy;
typedef struct gpc_completion {
    uint64_t token;
    uint64_t issued;
    uint64_t cycle;
    uint32_t sm, warp;
    uint8_t kind;
    uint8_t level;
    uint8_t fence;
    uint8_t port;
    uint8_t reserved[4];
    const uint8_t *values;
    uint32_t value_bytes;
    uint32_t stage_count;
    const uint64_t *stages;
} gpc_completion;
typedef struct gpc_memory_request {
    uint64_t address;
    uint64_t id;
    uint32_t bytes;
    uint32_t channel;
    uint8_t write;
    uint8_t process;
    uint8_t reserved[6];
} gpc_memory_request;
typedef struct gpc_hierarchy_callbacks {
    size_t struct_size;
    void *user_data;
    void (*on_complete)(void *user_data, const gpc_completion *completion);
    void (*on_ready)(void *user_data, uint32_t sm);
    void (*on_fill)(void *user_data, unsigned level, uint32_t instance, uint64_t line_address, uint8_t sectors,
                    const gpc_request *request);
    void (*on_evict)(void *user_data, unsigned level, uint32_t instance, const gpc_eviction *eviction);
    bool (*on_memory)(void *user_data, const gpc_memory_request *request);
} gpc_hierarchy_callbacks;
#define GPC_HIERARCHY_CALLBACKS_INIT \
    { sizeof(gpc_hierarchy_callbacks), NULL, NULL, NULL, NULL, NULL, NULL }
GPC_API gpc_status gpc_hierarchy_set_callbacks(gpc_hierarchy *hierarchy, const gpc_hierarchy_callbacks *callbacks);
GPC_API gpc_status gpc_hierarchy_try_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token,
                                           gpc_busy *out_busy);
GPC_API gpc_status gpc_hierarchy_try_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, uint64_t token,
                                           gpc_busy *out_busy);
GPC_API gpc_status gpc_hierarchy_try_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token,
                                          gpc_busy *out_busy);
GPC_API uint64_t gpc_hierarchy_now(const gpc_hierarchy *hierarchy);
GPC_API gpc_status gpc_hierarchy_advance(gpc_hierarchy *hierarchy, uint64_t cycles);
GPC_API uint64_t gpc_hierarchy_next_event(const gpc_hierarchy *hierarchy);
GPC_API uint32_t gpc_hierarchy_threads(const gpc_hierarchy *hierarchy);
GPC_API uint64_t gpc_hierarchy_in_flight(const gpc_hierarchy *hierarchy);
GPC_API gpc_status gpc_hierarchy_drain(gpc_hierarchy *hierarchy, gpc_error *error);
GPC_API gpc_status gpc_hierarchy_memory_reply(gpc_hierarchy *hierarchy, uint64_t id);
GPC_API gpc_status gpc_hierarchy_memory_ready(gpc_hierarchy *hierarchy, uint32_t channel);
GPC_API void gpc_hierarchy_count_instructions(gpc_hierarchy *hierarchy, uint64_t warp_instructions,
                                              uint64_t thread_instructions, uint64_t blocks);
GPC_API gpc_status gpc_hierarchy_warp_event(gpc_hierarchy *hierarchy, const gpc_warp_event *event);
GPC_API gpc_status gpc_hierarchy_sample(gpc_hierarchy *hierarchy, const gpc_sample *samples);
GPC_API bool gpc_hierarchy_wants_samples(const gpc_hierarchy *hierarchy);
GPC_API gpc_status gpc_hierarchy_flush(gpc_hierarchy *hierarchy);
GPC_API gpc_status gpc_hierarchy_get_stats_as(const gpc_hierarchy *hierarchy, const gpc_layout *layout, void *stats);
GPC_API void gpc_hierarchy_reset_stats(gpc_hierarchy *hierarchy);
static inline gpc_status gpc_hierarchy_get_stats(const gpc_hierarchy *hierarchy, gpc_stats *stats) {
    return gpc_hierarchy_get_stats_as(hierarchy, gpc_stats_layout(), stats);
}
#define GPC_OBJECT_NAME 40
GPC_API uint32_t gpc_hierarchy_object_count(const gpc_hierarchy *hierarchy, gpc_object kind);
GPC_API gpc_status gpc_hierarchy_object_name(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                             char *name, size_t size);
GPC_API gpc_status gpc_hierarchy_read(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                      const uint32_t *ids, size_t count, uint64_t *values);
GPC_API gpc_status gpc_hierarchy_read_histogram(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                                uint32_t id, uint64_t *values, size_t length, size_t *out_length);
GPC_API gpc_status gpc_hierarchy_policy_value(const gpc_hierarchy *hierarchy, size_t index, gpc_policy_value *value);
GPC_API gpc_cache *gpc_hierarchy_cache(gpc_hierarchy *hierarchy, unsigned level, uint32_t instance);
GPC_API gpc_coherence *gpc_hierarchy_coherence(gpc_hierarchy *hierarchy);
GPC_END_DECLS
GPC_BEGIN_DECLS
GPC_API gpc_status gpc_hierarchy_save(const gpc_hierarchy *hierarchy, const char *path, gpc_error *error);
GPC_API gpc_status gpc_hierarchy_save_to(const gpc_hierarchy *hierarchy, gpc_write_fn write, void *user_data,
                                         gpc_error *error);
GPC_API gpc_status gpc_hierarchy_load(gpc_context *context, const char *path, gpc_error *error, gpc_hierarchy **out);
GPC_API gpc_status gpc_hierarchy_load_with(gpc_context *context, const char *path, const char *threads,
                                           gpc_error *error, gpc_hierarchy **out);
GPC_API gpc_status gpc_hierarchy_load_from(gpc_context *context, gpc_read_fn read, void *user_data, gpc_error *error,
                                           gpc_hierarchy **out);
GPC_API gpc_status gpc_hierarchy_load_from_with(gpc_context *context, gpc_read_fn read, void *user_data,
                                                const char *threads, gpc_error *error, gpc_hierarchy **out);
GPC_API gpc_status gpc_hierarchy_copy(const gpc_hierarchy *hierarchy, gpc_error *error, gpc_hierarchy **out);
GPC_END_DECLS
GPC_BEGIN_DECLS
GPC_API bool gpc_hierarchy_can_accept(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *out_busy);
GPC_API bool gpc_hierarchy_can_accept_miss(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_busy *out_busy);
GPC_API gpc_status gpc_hierarchy_check_miss(const gpc_hierarchy *hierarchy, const gpc_request *request,
                                            gpc_error *error);
GPC_API gpc_status gpc_hierarchy_check_advance(const gpc_hierarchy *hierarchy, uint64_t cycles, gpc_error *error);
GPC_API bool gpc_hierarchy_is_idle(const gpc_hierarchy *hierarchy);
#define GPC_NOWHERE UINT32_MAX
typedef struct gpc_location {
    size_t struct_size;
    uint64_t line;
    uint64_t slice_address;
    uint64_t row;
    uint32_t partition;
    uint32_t slice;
    uint32_t near_slice;
    uint32_t set;
    uint32_t channel;
    uint32_t bank;
    uint32_t column;
    uint32_t reserved;
} gpc_location;
#define GPC_LOCATION_INIT \
    { sizeof(gpc_location), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
GPC_API gpc_status gpc_hierarchy_locate(const gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address,
                                        gpc_location *location);
typedef struct gpc_shape {
    size_t struct_size;
    uint64_t l1_bytes;
    uint64_t shared_bytes;
    uint64_t l2_bytes;
    uint32_t sms, partitions;
    uint32_t slices;
    uint32_t channels;
    uint32_t l1_sets, l1_ways, l1_line, l1_sectors;
    uint32_t l2_sets, l2_ways, l2_line, l2_sectors;
    uint32_t lanes;
    uint32_t reserved;
} gpc_shape;
#define GPC_SHAPE_INIT \
    { sizeof(gpc_shape), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
GPC_API gpc_status gpc_hierarchy_get_shape(const gpc_hierarchy *hierarchy, gpc_shape *shape);
GPC_API gpc_status gpc_hierarchy_preload(gpc_hierarchy *hierarchy, unsigned level, uint32_t sm, uint64_t address,
                                         uint64_t bytes, gpc_error *error);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef enum gpc_tag_event_kind {
    GPC_TAG_HIT = 0,
    GPC_TAG_SECTOR_MISS = 1,
    GPC_TAG_MISS = 2,
    GPC_TAG_FILL = 3,
    GPC_TAG_EVICT = 4,
    GPC_TAG_INVALIDATE = 5,
    GPC_TAG_EVENT_COUNT
} gpc_tag_event_kind;
typedef struct gpc_tag_event {
    const gpc_request *request;
    const gpc_eviction *eviction;
    uint32_t kind;
    uint32_t set, way;
    uint32_t reserved;
} gpc_tag_event;
typedef struct gpc_replacement_options {
    size_t struct_size;
    const char *policy;
    uint64_t sets;
    uint32_t ways;
    uint32_t line_bytes;
    uint32_t sectors;
    uint32_t instance;
    uint32_t instances;
    uint32_t reserved;
    uint64_t seed;
    uint64_t tells;
    gpc_replacement *share_with;
} gpc_replacement_options;
#define GPC_REPLACEMENT_OPTIONS_INIT \
    { sizeof(gpc_replacement_options), NULL, 32, 4, 128, 0, 0, 0, 0, 0, 0, NULL }
GPC_API gpc_status gpc_replacement_create(gpc_context *context, const gpc_replacement_options *options,
                                          gpc_error *error, gpc_replacement **out);
GPC_API void gpc_replacement_destroy(gpc_replacement *replacement);
GPC_API gpc_status gpc_replacement_choose(gpc_replacement *replacement, uint32_t set, const uint64_t *candidates,
                                          const gpc_request *request, uint32_t *out_way);
GPC_API bool gpc_replacement_declines(gpc_replacement *replacement, uint32_t set, const uint64_t *candidates,
                                      const gpc_request *request);
GPC_API gpc_status gpc_replacement_hit(gpc_replacement *replacement, uint32_t set, uint32_t way,
                                       const gpc_request *request);
GPC_API gpc_status gpc_replacement_sector_miss(gpc_replacement *replacement, uint32_t set, uint32_t way,
                                               const gpc_request *request);
GPC_API gpc_status gpc_replacement_miss(gpc_replacement *replacement, uint32_t set, const gpc_request *request);
GPC_API gpc_status gpc_replacement_fill(gpc_replacement *replacement, uint32_t set, uint32_t way,
                                        const gpc_request *request);
GPC_API gpc_status gpc_replacement_evict(gpc_replacement *replacement, const gpc_eviction *eviction,
                                         const gpc_request *request);
GPC_API gpc_status gpc_replacement_invalidate(gpc_replacement *replacement, uint32_t set, uint32_t way);
GPC_API gpc_status gpc_replacement_tell(gpc_replacement *replacement, const gpc_tag_event *events, size_t count,
                                        gpc_error *error, size_t *out_done);
GPC_API gpc_status gpc_replacement_warp_event(gpc_replacement *replacement, const gpc_warp_event *event);
GPC_API gpc_status gpc_replacement_sample(gpc_replacement *replacement, const gpc_sample *sample);
GPC_API gpc_status gpc_replacement_policy_value(const gpc_replacement *replacement, size_t index,
                                                gpc_policy_value *value);
typedef struct gpc_predictor_options {
    size_t struct_size;
    const char *policy;
    uint64_t sets;
    uint32_t ways, line_bytes, sectors, instance, instances;
    uint32_t reserved;
    uint64_t seed, tells;
    gpc_predictor *share_with;
} gpc_predictor_options;
#define GPC_PREDICTOR_OPTIONS_INIT \
    { sizeof(gpc_predictor_options), NULL, 32, 4, 128, 0, 0, 0, 0, 0, 0, NULL }
GPC_API gpc_status gpc_predictor_create(gpc_context *context, const gpc_predictor_options *options, gpc_error *error,
                                        gpc_predictor **out);
GPC_API void gpc_predictor_destroy(gpc_predictor *predictor);
GPC_API bool gpc_predictor_before_lookup(const gpc_predictor *predictor);
GPC_API gpc_status gpc_predictor_predict(gpc_predictor *predictor, uint32_t set, const gpc_request *request,
                                         gpc_prediction *prediction);
GPC_API gpc_status gpc_predictor_predict_many(gpc_predictor *predictor, const uint32_t *sets,
                                              const gpc_request *requests, size_t count, gpc_prediction *predictions,
                                              gpc_error *error, size_t *out_done);
GPC_API gpc_status gpc_predictor_train(gpc_predictor *predictor, const gpc_tag_event *event);
GPC_API gpc_status gpc_predictor_train_many(gpc_predictor *predictor, const gpc_tag_event *events, size_t count,
                                            gpc_error *error, size_t *out_done);
GPC_API gpc_decision gpc_predictor_reply(gpc_predictor *predictor, const gpc_request *request, gpc_decision predicted,
                                         uint32_t word);
GPC_API uint32_t gpc_predictor_respond(gpc_predictor *predictor, uint32_t set, uint32_t way,
                                       const gpc_request *request);
GPC_API gpc_decision gpc_predictor_stall(gpc_predictor *predictor, const gpc_request *request, uint32_t reason);
GPC_API gpc_status gpc_predictor_warp_event(gpc_predictor *predictor, const gpc_warp_event *event);
GPC_API gpc_status gpc_predictor_sample(gpc_predictor *predictor, const gpc_sample *sample);
GPC_API gpc_status gpc_predictor_policy_value(const gpc_predictor *predictor, size_t index, gpc_policy_value *value);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef void (*gpc_dram_done_fn)(void *user_data, uint64_t token, bool write, uint64_t cycle);
GPC_API gpc_status gpc_dram_create(gpc_context *context, const gpc_config *config, gpc_error *error, gpc_dram **out);
GPC_API void gpc_dram_destroy(gpc_dram *dram);
GPC_API void gpc_dram_on_done(gpc_dram *dram, gpc_dram_done_fn on_done, void *user_data);
GPC_API uint32_t gpc_dram_burst_bytes(const gpc_dram *dram);
GPC_API gpc_status gpc_dram_try_request(gpc_dram *dram, uint32_t channel, uint64_t address, bool write, uint64_t token);
GPC_API gpc_status gpc_dram_advance(gpc_dram *dram, uint64_t cycles);
GPC_API uint64_t gpc_dram_now(const gpc_dram *dram);
GPC_API uint64_t gpc_dram_next_event(const gpc_dram *dram);
GPC_API gpc_status gpc_dram_get_stats_as(const gpc_dram *dram, const gpc_layout *layout, void *stats);
static inline gpc_status gpc_dram_get_stats(const gpc_dram *dram, gpc_stats *stats) {
    return gpc_dram_get_stats_as(dram, gpc_stats_layout(), stats);
}
GPC_END_DECLS
GPC_BEGIN_DECLS
#define GPC_COMPONENT_LIST(X)                                                                             \
    X(GPC_COMPONENT_SM, 0, "sm", "SM")                                                                    \
    X(GPC_COMPONENT_L1, 1, "l1", "SM whose L1 it is")                                                     \
    X(GPC_COMPONENT_COALESCER, 2, "coalescer", "SM whose read meets another SM's (lrc.sms)")              \
    X(GPC_COMPONENT_CLUSTER, 3, "cluster", "cluster of SMs with a cache (cluster.sms)")                   \
    X(GPC_COMPONENT_L2, 4, "l2", "slice, over both partitions")                                           \
    X(GPC_COMPONENT_MEMORY, 5, "memory", "channel; functional or a coherent module: the slice before it") \
    X(GPC_COMPONENT_HOST, 6, "host", "channel that the host's own memory stands for")                     \
    X(GPC_COMPONENT_REQUESTS, 7, "requests", "send: SM; receive: slice or cluster")                       \
    X(GPC_COMPONENT_REPLIES, 8, "replies", "send: slice or cluster; receive: SM")                         \
    X(GPC_COMPONENT_PARTITION_REQUESTS, 9, "partition-requests", "slice")                                 \
    X(GPC_COMPONENT_PARTITION_REPLIES, 10, "partition-replies", "slice")                                  \
    X(GPC_COMPONENT_MEMORY_REQUESTS, 11, "memory-requests", "send: slice; receive: channel")              \
    X(GPC_COMPONENT_MEMORY_REPLIES, 12, "memory-replies", "send: channel; receive: slice")                \
    X(GPC_COMPONENT_CLUSTER_REQUESTS, 13, "cluster-requests", "send: cluster; receive: slice")            \
    X(GPC_COMPONENT_CLUSTER_REPLIES, 14, "cluster-replies", "send: slice; receive: cluster")              \
    X(GPC_COMPONENT_GPU_LINKS, 15, "gpu-links", "GPU")                                                    \
    X(GPC_COMPONENT_CONST, 16, "const", "SM whose constant cache it is (const.size)")                     \
    X(GPC_COMPONENT_L15, 17, "l15", "cache of code and constants before L2, of all of them (l15.size)")   \
    X(GPC_COMPONENT_PORT, 18, "port", "port of requests past L1 (port.h)")
typedef enum gpc_component {
#define X(id, value, name, meaning) id = value,
    GPC_COMPONENT_LIST(X)
#undef X
        GPC_COMPONENT_COUNT
} gpc_component;
#define GPC_WHAT_LIST(X)                                                                                               \
    X(GPC_WHAT_ISSUE, 0, "issue", "a warp access is accepted; bytes: that its lanes touch, in 32-byte sectors")        \
    X(GPC_WHAT_LINE, 1, "line", "a line transaction of it, coalesced; a new packet")                                   \
    X(GPC_WHAT_LOOKUP, 2, "lookup", "the tags are looked up; outcome: gpc_outcome")                                    \
    X(GPC_WHAT_MSHR_ALLOCATE, 3, "mshr-allocate", "t: takes an MSHR entry for its line")                               \
    X(GPC_WHAT_MSHR_MERGE, 4, "mshr-merge", "t: waits at its line's MSHR entry; value: packet that has it")            \
    X(GPC_WHAT_MSHR_FREE, 5, "mshr-free", "t: the MSHR entry of a line comes free")                                    \
    X(GPC_WHAT_FETCH, 6, "fetch", "a cache asks below for what the parent lacks; a new packet")                        \
    X(GPC_WHAT_WRITE_BACK, 7, "write-back", "modified bytes go below; a new packet")                                   \
    X(GPC_WHAT_BYPASS, 8, "bypass", "goes below past the cache, or its data are not kept")                             \
    X(GPC_WHAT_QUEUE, 9, "queue", "t: enters the miss queue of a cache")                                               \
    X(GPC_WHAT_BLOCK, 10, "block", "t: is held up at the tags from now on; outcome: gpc_busy, why")                    \
    X(GPC_WHAT_UNBLOCK, 11, "unblock", "t: is not held up any more; outcome: likewise")                                \
    X(GPC_WHAT_JOIN, 12, "join", "t: waits for another SM's read of its line; or, a store, goes with one of its line") \
    X(GPC_WHAT_SEND, 13, "send", "t: enters a network; bytes: header included")                                        \
    X(GPC_WHAT_RECEIVE, 14, "receive", "t: leaves it")                                                                 \
    X(GPC_WHAT_FILL, 15, "fill", "sectors become valid in a cache")                                                    \
    X(GPC_WHAT_EVICT, 16, "evict", "a line makes room for another; value: its modified sectors")                       \
    X(GPC_WHAT_INVALIDATE, 17, "invalidate", "a line is dropped: by a write, for inclusion, ...; value: likewise")     \
    X(GPC_WHAT_SERVE, 18, "serve", "t: found, or here: its data are out of the data port at `until`")                  \
    X(GPC_WHAT_MEMORY_READ, 19, "memory-read", "memory takes a read")                                                  \
    X(GPC_WHAT_MEMORY_WRITE, 20, "memory-write", "memory takes a write, which nobody waits for")                       \
    X(GPC_WHAT_ACTIVATE, 21, "activate", "t: a DRAM bank opens row `value`; until: it may be read")                    \
    X(GPC_WHAT_READ, 22, "read", "t: a DRAM burst is read; until: its data are there; outcome 1: its row closes")      \
    X(GPC_WHAT_WRITE, 23, "write", "t: a DRAM burst is written; likewise")                                             \
    X(GPC_WHAT_PRECHARGE, 24, "precharge", "t: a DRAM bank closes its row; value: how many do, where all of them do")  \
    X(GPC_WHAT_REFRESH, 25, "refresh", "t: a pseudo channel is refreshed, or `value` banks of it; until: it is done")  \
    X(GPC_WHAT_DATA, 26, "data", "t: all data of a read have come from memory")                                        \
    X(GPC_WHAT_REPLY, 27, "reply", "t: a line transaction has what it asked for; outcome: deepest level")              \
    X(GPC_WHAT_COMPLETE, 28, "complete", "a warp access is done; outcome: deepest level, 3 = DRAM; value: its cycles") \
    X(GPC_WHAT_MESSAGE, 29, "message", "c: a new packet, from a module to another; outcome: gpc_message_kind")         \
    X(GPC_WHAT_ARRIVE, 30, "arrive", "t, c: it has come, and takes effect")                                            \
    X(GPC_WHAT_WAIT, 31, "wait", "t, c: it finds its block in use, and waits in turn")                                 \
    X(GPC_WHAT_REFUSE, 32, "refuse", "t, c: likewise, and goes back to its sender")                                    \
    X(GPC_WHAT_HOLD, 33, "hold", "t: a warp access is done, and waits for its host's credit; value: how many do")
typedef enum gpc_what {
#define X(id, value, name, meaning) id = value,
    GPC_WHAT_LIST(X)
#undef X
        GPC_WHAT_COUNT
} gpc_what;
#define GPC_NONE UINT32_MAX
typedef struct gpc_event {
    uint64_t cycle;
    uint64_t until;
    uint64_t packet;
    uint64_t parent;
    uint64_t access;
    uint64_t address;
    uint64_t pc;
    uint64_t value;
    uint32_t sm;
    uint32_t warp;
    uint32_t block;
    uint32_t index;
    uint32_t bank;
    uint32_t bytes;
    uint32_t from, to;
    uint8_t what;
    uint8_t component;
    uint8_t kind;
    uint8_t outcome;
    uint8_t process;
    uint8_t reserved[3];
} gpc_event;
typedef bool (*gpc_event_fn)(void *user_data, const gpc_event *event);
typedef struct gpc_event_options {
    size_t struct_size;
    gpc_event_fn on_event;
    void *user_data;
    void (*destroy)(void *user_data);
    uint64_t whats;
    uint32_t components;
    uint32_t kinds;
    uint32_t first_sm, last_sm;
    uint64_t first_address, last_address;
    uint64_t first_pc, last_pc;
    uint64_t first_cycle, last_cycle;
} gpc_event_options;
#define GPC_EVENT_OPTIONS_INIT \
    { sizeof(gpc_event_options), NULL, NULL, NULL, 0, 0, 0, 0, UINT32_MAX, 0, UINT64_MAX, 0, UINT64_MAX, 0, UINT64_MAX }
GPC_API gpc_status gpc_hierarchy_set_trace(gpc_hierarchy *hierarchy, const gpc_event_options *options,
                                           gpc_error *error);
GPC_API const char *gpc_what_name(unsigned what);
GPC_API const char *gpc_what_meaning(unsigned what);
GPC_API const char *gpc_component_name(unsigned component);
GPC_API const char *gpc_component_meaning(unsigned component);
GPC_API const char *gpc_event_outcome(const gpc_event *event);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef enum gpc_choice_kind { GPC_CHOICE_MESSAGE = 0, GPC_CHOICE_STEP = 1, GPC_CHOICE_RETRY = 2 } gpc_choice_kind;
typedef struct gpc_coherence_choice {
    size_t struct_size;
    uint64_t address;
    uint32_t kind;
    uint32_t message;
    uint32_t from, to;
    uint8_t ready;
    uint8_t reserved[7];
} gpc_coherence_choice;
#define GPC_COHERENCE_CHOICE_INIT                         \
    {                                                     \
        sizeof(gpc_coherence_choice), 0, 0, 0, 0, 0, 0, { \
            0                                             \
        }                                                 \
    }
GPC_API gpc_status gpc_coherence_hold(gpc_coherence *coherence, uint32_t entries, uint32_t channels, gpc_error *error);
GPC_API gpc_status gpc_coherence_get_choice(const gpc_coherence *coherence, uint32_t index,
                                            gpc_coherence_choice *choice);
GPC_API gpc_status gpc_coherence_choose(gpc_coherence *coherence, uint32_t index, gpc_error *error);
GPC_END_DECLS
GPC_BEGIN_DECLS
#define GPC_UNLIMITED_CREDITS UINT64_MAX
GPC_API gpc_status gpc_hierarchy_set_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits);
GPC_API gpc_status gpc_hierarchy_add_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits);
GPC_API uint64_t gpc_hierarchy_reply_credits(const gpc_hierarchy *hierarchy, uint32_t sm);
GPC_API gpc_status gpc_hierarchy_rank_warps(gpc_hierarchy *hierarchy, bool on, gpc_error *error);
#define GPC_MAX_TRANSACTIONS 192u
GPC_API gpc_status gpc_hierarchy_try_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                                  uint64_t token, gpc_busy *out_busy);
GPC_API gpc_status gpc_hierarchy_check_transactions(const gpc_hierarchy *hierarchy, const gpc_request *requests,
                                                    uint32_t count, gpc_error *error);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef enum gpc_op_class {
    GPC_OP_ALU = 0,
    GPC_OP_DOUBLE = 1,
    GPC_OP_SFU = 2,
    GPC_OP_TENSOR = 3,
    GPC_OP_UNIFORM = 4,
    GPC_OP_CONTROL = 5,
    GPC_OP_BARRIER = 6,
    GPC_OP_FENCE = 7,
    GPC_OP_EXIT = 8,
    GPC_OP_MEMORY = 9,
    GPC_OP_FP = 10,
    GPC_OP_CLASS_COUNT
} gpc_op_class;
#define GPC_MAX_OPERANDS 8u
#define GPC_REGISTER_R 0x0000u
#define GPC_REGISTER_UR 0x0100u
#define GPC_REGISTER_P 0x0200u
#define GPC_REGISTER_UP 0x0300u
#define GPC_REGISTER_BARRIER 0x8000u
#define GPC_REGISTER_NUMBER 0x4000u
typedef struct gpc_instruction {
    uint64_t pc;
    uint64_t mask;
    const uint64_t *addresses;
    uint32_t opcode;
    uint32_t line;
    uint16_t registers[GPC_MAX_OPERANDS];
    uint8_t destinations, sources;
    uint8_t op_class;
    uint8_t kind;
    uint8_t space;
    uint8_t hint;
    uint8_t priority;
    uint8_t width;
} gpc_instruction;
typedef struct gpc_warp {
    uint32_t warp;
    uint32_t reserved;
    uint64_t count;
    const gpc_instruction *instructions;
} gpc_warp;
typedef struct gpc_block {
    uint32_t x, y, z;
    uint32_t index;
    uint32_t warp_count;
    uint32_t reserved;
    const gpc_warp *warps;
    uint64_t instruction_count;
} gpc_block;
typedef enum gpc_turn_what {
    GPC_TURN_INSTRUCTION = 0,
    GPC_TURN_EVENT = 1,
    GPC_TURN_FLUSH = 2,
    GPC_TURN_COUNT
} gpc_turn_what;
typedef struct gpc_turn {
    uint32_t block;
    uint32_t warp;
    uint32_t sm, slot;
    uint32_t warp_age;
    uint8_t what;
    uint8_t token, token_l2, scope, order;
    uint8_t control;
    uint8_t event;
    uint8_t reserved;
} gpc_turn;
typedef struct gpc_recording {
    size_t struct_size;
    const gpc_turn *turns;
    uint64_t turn_count;
    uint32_t threads, registers, shared_bytes;
    uint8_t begun;
    uint8_t launched;
    uint8_t reserved[2];
    uint64_t code_bytes;
    uint64_t warp_instructions, thread_instructions, blocks;
} gpc_recording;
#define GPC_RECORDING_INIT \
    { sizeof(gpc_recording), NULL, 0, 0, 0, 0, 0, 0, {0, 0}, 0, 0, 0, 0 }
typedef struct gpc_kernel {
    size_t struct_size;
    const char *name;
    const char *file;
    uint32_t id;
    uint32_t index;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    uint32_t registers;
    uint32_t binary_version;
    uint32_t tracer_version;
    uint32_t warp_lanes;
    uint64_t stream;
    uint64_t shared_base, local_base;
    uint64_t block_count;
    const uint32_t *placement;
    uint64_t placement_count;
    const gpc_recording *recording;
    uint32_t cluster[3];
    uint32_t reserved;
} gpc_kernel;
#define GPC_KERNEL_INIT                                                                                       \
    {                                                                                                         \
        sizeof(gpc_kernel), NULL, NULL, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, NULL, \
            {0, 0, 0}, 0                                                                                      \
    }
GPC_API gpc_status gpc_trace_open(gpc_context *context, const char *source, gpc_error *error, gpc_trace **out);
GPC_API void gpc_trace_close(gpc_trace *trace);
GPC_API gpc_status gpc_trace_choose(gpc_trace *trace, const char *kernels, gpc_error *error);
GPC_API gpc_status gpc_trace_next_kernel(gpc_trace *trace, gpc_kernel *kernel, gpc_error *error);
GPC_API gpc_status gpc_trace_next_block(gpc_trace *trace, const gpc_block **out, gpc_error *error);
GPC_API void gpc_trace_release_block(gpc_trace *trace, const gpc_block *block);
GPC_API uint64_t gpc_trace_kernel_count(const gpc_trace *trace);
GPC_API const char *gpc_trace_opcode(const gpc_trace *trace, uint32_t opcode);
typedef struct gpc_ordering {
    size_t struct_size;
    uint8_t scope;
    uint8_t order;
    uint8_t control;
    uint8_t copy;
    uint8_t mapped;
    uint8_t reserved[3];
} gpc_ordering;
#define GPC_ORDERING_INIT                      \
    {                                          \
        sizeof(gpc_ordering), 0, 0, 0, 0, 0, { \
            0                                  \
        }                                      \
    }
GPC_API gpc_status gpc_trace_ordering(const gpc_trace *trace, uint32_t opcode, gpc_ordering *out);
typedef enum gpc_note_reason {
    GPC_NOTE_UNKNOWN_OPCODE = 0,
    GPC_NOTE_NO_ADDRESSES = 1,
    GPC_NOTE_UNUSED_ADDRESSES = 2,
    GPC_NOTE_PASSED_OVER = 3,
    GPC_NOTE_COPY = 4,
    GPC_NOTE_MEMORY_ALONE = 5,
    GPC_NOTE_NO_PC = 6,
    GPC_NOTE_REASON_COUNT
} gpc_note_reason;
typedef struct gpc_note {
    size_t struct_size;
    uint32_t reason;
    uint32_t reserved;
    const char *text;
    const char *file;
    uint64_t line;
    uint64_t count;
    uint64_t bytes;
    const char *why;
} gpc_note;
#define GPC_NOTE_INIT \
    { sizeof(gpc_note), 0, 0, NULL, NULL, 0, 0, 0, NULL }
GPC_API size_t gpc_trace_note_count(const gpc_trace *trace);
GPC_API gpc_status gpc_trace_note(const gpc_trace *trace, size_t index, gpc_note *out);
GPC_API double gpc_trace_progress(const gpc_trace *trace);
typedef void (*gpc_memcpy_fn)(void *user_data, uint64_t device_address, uint64_t bytes);
GPC_API void gpc_trace_on_memcpy(gpc_trace *trace, gpc_memcpy_fn on_memcpy, void *user_data);
GPC_API size_t gpc_synthetic_count(void);
GPC_API gpc_status gpc_synthetic_at(size_t index, const char **name, const char **summary, uint64_t *size);
typedef enum gpc_trace_format { GPC_TRACE_BINARY = 0, GPC_TRACE_TEXT = 1 } gpc_trace_format;
GPC_API gpc_status gpc_trace_writer_create(gpc_context *context, const char *path, gpc_trace_format format,
                                           gpc_error *error, gpc_trace_writer **out);
GPC_API gpc_status gpc_trace_writer_kernel(gpc_trace_writer *writer, const gpc_kernel *kernel, gpc_error *error);
GPC_API gpc_status gpc_trace_writer_block(gpc_trace_writer *writer, const gpc_trace *from, const gpc_block *block,
                                          gpc_error *error);
typedef struct gpc_trace_accesses {
    size_t struct_size;
    size_t count;
    uint32_t lanes;
    uint32_t width;
    const uint64_t *addresses;
    const uint64_t *masks;
    const uint64_t *pcs;
    const uint32_t *blocks;
    const uint32_t *warps;
    const uint32_t *widths;
    const uint8_t *kinds;
} gpc_trace_accesses;
#define GPC_TRACE_ACCESSES_INIT \
    { sizeof(gpc_trace_accesses), 0, 32, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL }
GPC_API gpc_status gpc_trace_writer_accesses(gpc_trace_writer *writer, const gpc_trace_accesses *accesses,
                                             gpc_error *error);
GPC_API gpc_status gpc_trace_writer_finish(gpc_trace_writer *writer, gpc_error *error);
GPC_API void gpc_trace_writer_destroy(gpc_trace_writer *writer);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef struct gpc_progress {
    size_t struct_size;
    uint64_t warp_instructions;
    uint64_t blocks;
    uint64_t block_count;
    double trace_fraction;
} gpc_progress;
typedef bool (*gpc_progress_fn)(void *user_data, const gpc_progress *progress);
GPC_API gpc_status gpc_replay_create(gpc_context *context, const gpc_config *config, gpc_error *error,
                                     gpc_replay **out);
GPC_API void gpc_replay_destroy(gpc_replay *replay);
GPC_API void gpc_replay_on_progress(gpc_replay *replay, gpc_progress_fn on_progress, void *user_data);
GPC_API gpc_status gpc_replay_kernel_as(gpc_replay *replay, gpc_trace *trace, gpc_kernel *kernel,
                                        const gpc_layout *layout, void *stats, gpc_error *error);
static inline gpc_status gpc_replay_kernel(gpc_replay *replay, gpc_trace *trace, gpc_kernel *kernel, gpc_stats *stats,
                                           gpc_error *error) {
    return gpc_replay_kernel_as(replay, trace, kernel, gpc_stats_layout(), stats, error);
}
GPC_API gpc_status gpc_replay_pause_at(gpc_replay *replay, uint64_t time);
GPC_API uint64_t gpc_replay_now(const gpc_replay *replay);
typedef void (*gpc_sample_fn)(void *user_data, uint64_t cycle, const gpc_stats *stats);
GPC_API gpc_status gpc_replay_on_sample_as(gpc_replay *replay, uint64_t interval, const gpc_layout *layout,
                                           gpc_sample_fn on_sample, void *user_data);
static inline gpc_status gpc_replay_on_sample(gpc_replay *replay, uint64_t interval, gpc_sample_fn on_sample,
                                              void *user_data) {
    return gpc_replay_on_sample_as(replay, interval, gpc_stats_layout(), on_sample, user_data);
}
GPC_API gpc_status gpc_replay_get_config(const gpc_replay *replay, gpc_error *error, gpc_config **out);
GPC_API gpc_hierarchy *gpc_replay_hierarchy(gpc_replay *replay);
GPC_API gpc_status gpc_replay_get_stats_as(const gpc_replay *replay, const gpc_layout *layout, void *stats);
static inline gpc_status gpc_replay_get_stats(const gpc_replay *replay, gpc_stats *stats) {
    return gpc_replay_get_stats_as(replay, gpc_stats_layout(), stats);
}
GPC_API gpc_status gpc_replay_policy_value(const gpc_replay *replay, size_t index, gpc_policy_value *value);
GPC_API gpc_status gpc_replay_keep_objects(gpc_replay *replay, bool keep);
GPC_API gpc_status gpc_replay_read(const gpc_replay *replay, gpc_object kind, uint32_t index, const uint32_t *ids,
                                   size_t count, uint64_t *values);
GPC_API gpc_status gpc_replay_read_histogram(const gpc_replay *replay, gpc_object kind, uint32_t index, uint32_t id,
                                             uint64_t *values, size_t length, size_t *out_length);
typedef struct gpc_sampling {
    size_t struct_size;
    uint32_t mode;
    uint32_t group;
    uint64_t launches;
    uint64_t timed_launches;
    uint64_t windows;
    uint64_t timed_instructions;
    uint64_t warmed_instructions;
    uint64_t skipped_blocks;
} gpc_sampling;
#define GPC_SAMPLING_INIT \
    { sizeof(gpc_sampling), 0, 0, 0, 0, 0, 0, 0, 0 }
typedef struct gpc_estimate {
    size_t struct_size;
    double value;
    double low, high;
    uint8_t estimated;
    uint8_t reserved[7];
} gpc_estimate;
#define GPC_ESTIMATE_INIT                   \
    {                                       \
        sizeof(gpc_estimate), 0, 0, 0, 0, { \
            0                               \
        }                                   \
    }
typedef enum gpc_sampling_scope { GPC_SAMPLING_KERNEL = 0, GPC_SAMPLING_ALL = 1 } gpc_sampling_scope;
GPC_API gpc_status gpc_replay_get_sampling(const gpc_replay *replay, gpc_sampling_scope scope, gpc_sampling *out);
GPC_API gpc_status gpc_replay_estimate(const gpc_replay *replay, gpc_sampling_scope scope, uint32_t id,
                                       gpc_estimate *out);
GPC_API gpc_status gpc_replay_save(const gpc_replay *replay, const char *path, gpc_error *error);
GPC_API gpc_status gpc_replay_save_to(const gpc_replay *replay, gpc_write_fn write, void *user_data, gpc_error *error);
GPC_API gpc_status gpc_replay_load(gpc_context *context, const char *path, gpc_error *error, gpc_replay **out);
GPC_API gpc_status gpc_replay_load_with(gpc_context *context, const char *path, const char *threads, gpc_error *error,
                                        gpc_replay **out);
GPC_API gpc_status gpc_replay_load_from(gpc_context *context, gpc_read_fn read, void *user_data, gpc_error *error,
                                        gpc_replay **out);
GPC_API gpc_status gpc_replay_load_from_with(gpc_context *context, gpc_read_fn read, void *user_data,
                                             const char *threads, gpc_error *error, gpc_replay **out);
GPC_API gpc_status gpc_replay_copy(const gpc_replay *replay, gpc_error *error, gpc_replay **out);
GPC_API gpc_status gpc_replay_resume(gpc_replay *replay, gpc_trace *trace, gpc_error *error);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef struct gpc_kernel_options {
    size_t struct_size;
    const gpc_launch *launch;
    const uint32_t *sms;
    uint32_t sm_count;
    uint32_t stream;
} gpc_kernel_options;
#define GPC_KERNEL_OPTIONS_INIT \
    { sizeof(gpc_kernel_options), NULL, NULL, 0, 0 }
GPC_API gpc_status gpc_hierarchy_start_kernel(gpc_hierarchy *hierarchy, const gpc_kernel_options *options,
                                              gpc_error *error, uint32_t *out_kernel);
GPC_API gpc_status gpc_hierarchy_end_kernel(gpc_hierarchy *hierarchy, uint32_t kernel, gpc_error *error);
GPC_API uint32_t gpc_hierarchy_running_kernels(const gpc_hierarchy *hierarchy);
typedef struct gpc_replay_stream {
    size_t struct_size;
    gpc_trace *trace;
    const uint32_t *sms;
    uint32_t sm_count;
    int32_t priority;
    uint8_t select;
    uint8_t null_stream;
    uint8_t process;
    uint8_t reserved[5];
    uint64_t id;
} gpc_replay_stream;
#define GPC_REPLAY_STREAM_INIT \
    { sizeof(gpc_replay_stream), NULL, NULL, 0, 0, 0, 0, GPC_PROCESS_OWN, {0}, 0 }
typedef struct gpc_kernel_result {
    size_t struct_size;
    const gpc_kernel *kernel;
    const void *stats;
    uint64_t launched, ended;
    uint64_t started;
    uint64_t dispatched;
    uint32_t stream;
    uint8_t process;
    uint8_t reserved[3];
} gpc_kernel_result;
typedef void (*gpc_kernel_result_fn)(void *user_data, const gpc_kernel_result *result);
GPC_API gpc_status gpc_replay_streams_as(gpc_replay *replay, const gpc_replay_stream *streams, size_t count,
                                         const gpc_layout *layout, gpc_kernel_result_fn on_kernel, void *user_data,
                                         void *stats, gpc_error *error);
static inline gpc_status gpc_replay_streams(gpc_replay *replay, const gpc_replay_stream *streams, size_t count,
                                            gpc_kernel_result_fn on_kernel, void *user_data, gpc_stats *stats,
                                            gpc_error *error) {
    return gpc_replay_streams_as(replay, streams, count, gpc_stats_layout(), on_kernel, user_data, stats, error);
}
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef struct gpc_port_request {
    size_t struct_size;
    uint64_t address;
    uint64_t bytes;
    uint32_t port;
    uint8_t kind;
    uint8_t process;
    uint8_t reserved[2];
} gpc_port_request;
#define GPC_PORT_REQUEST_INIT                      \
    {                                              \
        sizeof(gpc_port_request), 0, 0, 0, 0, 0, { \
            0                                      \
        }                                          \
    }
GPC_API gpc_status gpc_hierarchy_try_port(gpc_hierarchy *hierarchy, const gpc_port_request *request, uint64_t token,
                                          gpc_error *error);
typedef struct gpc_port_stats {
    size_t struct_size;
    uint64_t requests, completed;
    uint64_t request_cycles;
    uint64_t read_lines, write_lines;
    uint64_t read_sectors, write_sectors;
    uint64_t l2_read_hits;
    uint64_t busy_cycles;
    uint64_t limit_cycles;
} gpc_port_stats;
#define GPC_PORT_STATS_INIT \
    { sizeof(gpc_port_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
GPC_API uint32_t gpc_hierarchy_ports(const gpc_hierarchy *hierarchy);
GPC_API gpc_status gpc_hierarchy_port_stats(const gpc_hierarchy *hierarchy, uint32_t port, gpc_port_stats *out);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef enum gpc_prefetch_found {
    GPC_PREFETCH_FOUND_HIT = 0,
    GPC_PREFETCH_FOUND_FLIGHT = 1,
    GPC_PREFETCH_FOUND_MISS = 2
} gpc_prefetch_found;
typedef struct gpc_prefetch_access {
    const gpc_request *request;
    uint64_t lane_address;
    uint32_t lane;
    uint32_t line;
    uint8_t sectors;
    uint8_t found;
    uint8_t prefetched;
    uint8_t level;
    uint8_t reserved[4];
} gpc_prefetch_access;
typedef struct gpc_prefetch {
    uint64_t address;
    uint8_t sectors;
    uint8_t reserved[7];
} gpc_prefetch;
typedef enum gpc_prefetch_outcome {
    GPC_PREFETCH_USEFUL = 0,
    GPC_PREFETCH_LATE = 1,
    GPC_PREFETCH_UNUSED = 2,
    GPC_PREFETCH_REDUNDANT = 3,
    GPC_PREFETCH_DROPPED = 4
} gpc_prefetch_outcome;
#define GPC_MAX_PREFETCHES 32u
typedef struct gpc_prefetcher_ops {
    size_t struct_size;
    const char *name;
    const char *summary;
    const char *source;
    size_t instance_bytes;
    size_t reserved, reserved_too;
    const gpc_parameter *parameters;
    size_t parameter_count;
    const gpc_text_parameter *texts;
    size_t text_count;
    size_t shared_bytes, shared_cache_bytes;
    gpc_status (*init)(void *self, const gpc_policy_env *env, char *message);
    void (*finish)(void *self);
    uint32_t (*on_access)(void *self, const gpc_prefetch_access *access, gpc_prefetch *out);
    void (*on_outcome)(void *self, uint64_t line_address, uint32_t outcome);
    uint64_t (*cost_bits)(const gpc_policy_env *env);
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter);
} gpc_prefetcher_ops;
GPC_API gpc_status gpc_context_register_prefetcher(gpc_context *context, const gpc_prefetcher_ops *ops, void *user_data,
                                                   void (*destroy)(void *user_data), gpc_error *error);
GPC_END_DECLS
GPC_BEGIN_DECLS
#define GPC_PROFILE_DISTANCE_BUCKETS 33
#define GPC_PROFILE_REUSE_BUCKETS 16
#define GPC_PROFILE_RECENCY_BUCKETS 65
#define GPC_PROFILE_CLASSES 32
#define GPC_PROFILE_ALL_SMS UINT32_MAX
typedef struct gpc_profile_counts {
    uint64_t loads;
    uint64_t accesses;
    uint64_t hits;
    uint64_t sector_misses;
    uint64_t bypasses;
    uint64_t fills;
    uint64_t reuses;
    uint64_t evictions;
    uint64_t zero_reuse_evictions;
    uint64_t intra_warp_hits;
    uint64_t inter_warp_hits;
    uint64_t mru_hits;
    uint64_t lru_hits;
    uint64_t bytes_used;
    uint64_t bytes_moved;
    uint64_t segments;
    uint64_t first_accesses;
    uint64_t reuse_distances[GPC_PROFILE_DISTANCE_BUCKETS];
    uint64_t stack_distances[GPC_PROFILE_DISTANCE_BUCKETS];
    double reuse;
    double utilisation;
    double score;
} gpc_profile_counts;
typedef struct gpc_profile_sm {
    uint32_t sm;
    uint32_t reserved;
    gpc_profile_counts counts;
    uint64_t lines;
    uint64_t bypass_lines;
    uint64_t lines_by_reuse[GPC_PROFILE_REUSE_BUCKETS];
    uint64_t residences_by_reuse[GPC_PROFILE_REUSE_BUCKETS];
    uint64_t loads_by_transactions[GPC_PROFILE_CLASSES + 1];
    uint64_t hits_by_age[GPC_AGE_BUCKETS];
    uint64_t hits_by_recency[GPC_PROFILE_RECENCY_BUCKETS];
} gpc_profile_sm;
typedef struct gpc_profile_instruction {
    const char *kernel;
    uint64_t pc;
    uint32_t kernel_index;
    uint32_t reserved;
    gpc_profile_counts counts;
    uint64_t lines;
    uint64_t bypass_lines;
    uint64_t bypass_accesses;
} gpc_profile_instruction;
typedef struct gpc_profile_class {
    uint32_t transactions;
    uint32_t reserved;
    gpc_profile_counts counts;
} gpc_profile_class;
typedef struct gpc_profile_line {
    uint64_t address;
    uint32_t sm;
    uint32_t reserved;
    uint64_t accesses, hits, fills;
    uint64_t evictions, zero_reuse_evictions;
    uint64_t bytes_used, bytes_moved, segments;
    uint64_t distances;
    uint64_t reuse_distance_sum, stack_distance_sum;
    double reuse, utilisation, score;
} gpc_profile_line;
typedef struct gpc_profile_summary {
    size_t struct_size;
    uint32_t line_bytes;
    uint32_t sms;
    uint64_t launches;
    uint64_t kernels;
    uint64_t instructions, lines;
    uint64_t bypass_lines;
    gpc_profile_counts counts;
} gpc_profile_summary;
typedef struct gpc_profile_point {
    uint64_t bytes;
    uint64_t accesses;
    uint64_t hits;
} gpc_profile_point;
GPC_API gpc_status gpc_profile_create(gpc_context *context, const gpc_config *config, gpc_error *error,
                                      gpc_profile **out);
GPC_API void gpc_profile_destroy(gpc_profile *profile);
GPC_API void gpc_profile_on_progress(gpc_profile *profile, gpc_progress_fn on_progress, void *user_data);
GPC_API gpc_status gpc_profile_kernel_as(gpc_profile *profile, gpc_trace *trace, gpc_kernel *kernel,
                                         const gpc_layout *layout, void *stats, gpc_error *error);
static inline gpc_status gpc_profile_kernel(gpc_profile *profile, gpc_trace *trace, gpc_kernel *kernel,
                                            gpc_stats *stats, gpc_error *error) {
    return gpc_profile_kernel_as(profile, trace, kernel, gpc_stats_layout(), stats, error);
}
GPC_API gpc_status gpc_profile_run(gpc_profile *profile, gpc_trace *trace, gpc_error *error);
GPC_API gpc_status gpc_profile_begin_kernel(gpc_profile *profile, const char *name, const gpc_launch *launch,
                                            gpc_error *error);
GPC_API gpc_status gpc_profile_access(gpc_profile *profile, const gpc_warp_access *access, gpc_warp_result *result);
GPC_API gpc_status gpc_profile_reset(gpc_profile *profile);
GPC_API void gpc_profile_summary_init(gpc_profile_summary *summary);
GPC_API gpc_status gpc_profile_get_summary(gpc_profile *profile, gpc_profile_summary *summary);
GPC_API gpc_status gpc_profile_sms(gpc_profile *profile, const gpc_profile_sm **out_rows, size_t *out_count);
GPC_API gpc_status gpc_profile_instructions(gpc_profile *profile, const gpc_profile_instruction **out_rows,
                                            size_t *out_count);
GPC_API gpc_status gpc_profile_classes(gpc_profile *profile, const gpc_profile_class **out_rows, size_t *out_count);
GPC_API gpc_status gpc_profile_lines(gpc_profile *profile, const gpc_profile_line **out_rows, size_t *out_count);
GPC_API gpc_status gpc_profile_curve(const gpc_profile *profile, uint32_t sm, gpc_profile_point *points, size_t count);
GPC_API double gpc_profile_score(double utilisation, double reuse);
GPC_API gpc_status gpc_profile_thresholds(gpc_profile *profile, double *values, size_t capacity, size_t *out_count);
GPC_API gpc_status gpc_profile_classes_above(gpc_profile *profile, double threshold, uint32_t *out_classes);
GPC_API gpc_status gpc_profile_write(gpc_profile *profile, const char *path, gpc_error *error);
GPC_API gpc_status gpc_profile_read(gpc_context *context, const char *path, gpc_error *error, gpc_profile **out);
#define GPC_PROFILE_JSON_LINES 0x01u
GPC_API gpc_status gpc_profile_json(gpc_profile *profile, uint32_t flags, char *text, size_t size, size_t *out_length);
GPC_API gpc_status gpc_profile_write_json(gpc_profile *profile, uint32_t flags, const char *path, gpc_error *error);
GPC_END_DECLS
GPC_BEGIN_DECLS
GPC_API gpc_status gpc_hierarchy_record(gpc_hierarchy *hierarchy, const char *path, gpc_error *error);
GPC_API bool gpc_hierarchy_is_recording(const gpc_hierarchy *hierarchy);
GPC_API gpc_status gpc_hierarchy_record_end(gpc_hierarchy *hierarchy, gpc_error *error);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef enum gpc_warp_state {
    GPC_STATE_ABSENT = 0,
    GPC_STATE_READY = 1,
    GPC_STATE_READY_MEMORY = 2,
    GPC_STATE_STALLED = 3,
    GPC_STATE_WAITING = 4,
    GPC_STATE_BARRIER = 5,
    GPC_STATE_COUNT
} gpc_warp_state;
typedef enum gpc_warp_class {
    GPC_CLASS_CACHE = 0,
    GPC_CLASS_BYPASS = 1,
    GPC_CLASS_THROTTLED = 2,
    GPC_CLASS_COUNT
} gpc_warp_class;
#define GPC_NO_WARP UINT32_MAX
typedef enum gpc_cache_event_kind {
    GPC_CACHE_EVENT_HIT = 0,
    GPC_CACHE_EVENT_MISS = 1,
    GPC_CACHE_EVENT_EVICT = 2
} gpc_cache_event_kind;
typedef struct gpc_cache_event {
    uint32_t kind;
    uint32_t warp;
    uint32_t owner;
    uint32_t pc;
    uint64_t line_address, cycle;
} gpc_cache_event;
typedef struct gpc_scheduler_env {
    size_t struct_size;
    uint32_t warps;
    uint32_t sm, index;
    uint32_t count;
    uint32_t sms;
    uint64_t seed;
    void *warp_state;
    const double *parameters;
    const char *arguments;
    void *user_data;
    const char *const *texts;
    const uint32_t *words;
    void *shared_state;
    gpc_context *context;
} gpc_scheduler_env;
typedef struct gpc_scheduler_ops {
    size_t struct_size;
    const char *name;
    const char *summary;
    const char *source;
    size_t instance_bytes;
    size_t warp_bytes;
    size_t reserved;
    const gpc_parameter *parameters;
    size_t parameter_count;
    gpc_status (*init)(void *self, const gpc_scheduler_env *env, char *message);
    void (*finish)(void *self);
    void (*on_start)(void *self, uint32_t slot, uint64_t order);
    void (*on_state)(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after);
    uint32_t (*pick)(void *self, const uint64_t *ready, uint64_t cycle);
    void (*on_issue)(void *self, uint32_t slot, uint64_t cycle);
    gpc_warp_class (*class_of)(void *self, uint32_t slot);
    void (*on_cache_event)(void *self, const gpc_cache_event *event);
    void (*sample)(void *self, const gpc_stats *stats, uint64_t cycle);
    uint64_t (*cost_bits)(const gpc_scheduler_env *env);
    const gpc_text_parameter *texts;
    size_t text_count;
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    void (*on_block)(void *self, uint32_t slot, uint32_t block);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter);
} gpc_scheduler_ops;
typedef struct gpc_throttle_view {
    size_t struct_size;
    uint64_t cycle;
    const uint16_t *by_age;
    const uint8_t *states;
    const uint32_t *blocks;
    uint32_t running;
    uint32_t reserved;
} gpc_throttle_view;
typedef struct gpc_throttle_classes {
    size_t struct_size;
    uint64_t *throttled;
    uint64_t *held;
    uint64_t *bypassing;
    uint64_t *bypassing_l2;
    uint64_t again;
    uint32_t others;
    uint32_t reserved;
} gpc_throttle_classes;
#define GPC_THROTTLE_CLASSES_INIT \
    { sizeof(gpc_throttle_classes), NULL, NULL, NULL, NULL, 0, 0, 0 }
typedef struct gpc_throttle_ops {
    size_t struct_size;
    const char *name, *summary, *source;
    size_t instance_bytes, warp_bytes;
    size_t reserved;
    const gpc_parameter *parameters;
    size_t parameter_count;
    gpc_status (*init)(void *self, const gpc_scheduler_env *env, char *message);
    void (*finish)(void *self);
    void (*on_start)(void *self, uint32_t slot, uint64_t order);
    void (*on_state)(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after);
    void (*classify)(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes);
    bool (*on_cache_event)(void *self, const gpc_cache_event *event);
    bool (*sample)(void *self, const gpc_stats *stats, uint64_t cycle);
    uint64_t (*cost_bits)(const gpc_scheduler_env *env);
    const gpc_text_parameter *texts;
    size_t text_count;
    size_t shared_bytes, shared_scheduler_bytes;
    void (*on_issue)(void *self, uint32_t slot, uint64_t cycle);
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    bool (*on_kernel)(void *self, const char *name);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter);
} gpc_throttle_ops;
GPC_API gpc_status gpc_context_register_throttle_as(gpc_context *context, const gpc_throttle_ops *ops,
                                                    const gpc_layout *layout, void *user_data,
                                                    void (*destroy)(void *user_data), gpc_error *error);
GPC_API gpc_status gpc_context_register_scheduler_as(gpc_context *context, const gpc_scheduler_ops *ops,
                                                     const gpc_layout *layout, void *user_data,
                                                     void (*destroy)(void *user_data), gpc_error *error);
static inline gpc_status gpc_context_register_throttle(gpc_context *context, const gpc_throttle_ops *ops,
                                                       void *user_data, void (*destroy)(void *user_data),
                                                       gpc_error *error) {
    return gpc_context_register_throttle_as(context, ops, gpc_stats_layout(), user_data, destroy, error);
}
static inline gpc_status gpc_context_register_scheduler(gpc_context *context, const gpc_scheduler_ops *ops,
                                                        void *user_data, void (*destroy)(void *user_data),
                                                        gpc_error *error) {
    return gpc_context_register_scheduler_as(context, ops, gpc_stats_layout(), user_data, destroy, error);
}
GPC_API gpc_status gpc_scheduler_cost(const gpc_context *context, const char *spec, uint32_t warps, gpc_error *error,
                                      uint64_t *out_bits);
typedef struct gpc_scheduler_options {
    size_t struct_size;
    uint32_t warps;
    uint32_t warp_limit;
    uint32_t sm, index;
    uint32_t count;
    uint32_t sms;
    const char *policy;
    uint64_t seed;
    gpc_scheduler *share_with;
} gpc_scheduler_options;
#define GPC_SCHEDULER_OPTIONS_INIT \
    { sizeof(gpc_scheduler_options), 48, 0, 0, 0, 0, 0, NULL, 0, NULL }
GPC_API gpc_status gpc_scheduler_create(gpc_context *context, const gpc_scheduler_options *options, gpc_error *error,
                                        gpc_scheduler **out);
GPC_API void gpc_scheduler_destroy(gpc_scheduler *scheduler);
GPC_API gpc_status gpc_scheduler_start(gpc_scheduler *scheduler, uint32_t slot);
GPC_API gpc_status gpc_scheduler_start_block(gpc_scheduler *scheduler, uint32_t slot, uint32_t block);
GPC_API gpc_status gpc_scheduler_begin_kernel(gpc_scheduler *scheduler, const char *name);
GPC_API gpc_status gpc_scheduler_set_state(gpc_scheduler *scheduler, uint32_t slot, gpc_warp_state state);
GPC_API gpc_status gpc_scheduler_pick(gpc_scheduler *scheduler, uint64_t cycle, bool memory, uint32_t *out_slot);
GPC_API gpc_status gpc_scheduler_issued(gpc_scheduler *scheduler, uint32_t slot, uint64_t cycle);
GPC_API gpc_warp_class gpc_scheduler_class_of(const gpc_scheduler *scheduler, uint32_t slot);
GPC_API gpc_token gpc_scheduler_token_of(const gpc_scheduler *scheduler, uint32_t slot, unsigned level);
GPC_API uint32_t gpc_scheduler_class_count(const gpc_scheduler *scheduler, gpc_warp_class class_of);
GPC_API uint64_t gpc_scheduler_next_change(const gpc_scheduler *scheduler);
GPC_API uint32_t gpc_scheduler_age_of(const gpc_scheduler *scheduler, uint32_t slot);
GPC_API gpc_status gpc_scheduler_policy_value(const gpc_scheduler *scheduler, size_t index, gpc_policy_value *value);
GPC_API void gpc_scheduler_cache_event(gpc_scheduler *scheduler, const gpc_cache_event *event);
GPC_API gpc_status gpc_scheduler_sample_as(gpc_scheduler *scheduler, const gpc_layout *layout, const void *stats,
                                           uint64_t cycle);
static inline void gpc_scheduler_sample(gpc_scheduler *scheduler, const gpc_stats *stats, uint64_t cycle) {
    (void)gpc_scheduler_sample_as(scheduler, gpc_stats_layout(), stats, cycle);
}
typedef struct gpc_throttle_options {
    size_t struct_size;
    uint32_t warps;
    uint32_t sm, index, count, sms;
    uint32_t reserved;
    const char *throttles;
    uint64_t seed;
    gpc_throttle *share_with;
} gpc_throttle_options;
#define GPC_THROTTLE_OPTIONS_INIT \
    { sizeof(gpc_throttle_options), 48, 0, 0, 0, 0, 0, NULL, 0, NULL }
GPC_API gpc_status gpc_throttle_create(gpc_context *context, const gpc_throttle_options *options, gpc_error *error,
                                       gpc_throttle **out);
GPC_API void gpc_throttle_destroy(gpc_throttle *throttle);
GPC_API gpc_status gpc_throttle_start(gpc_throttle *throttle, uint32_t slot, uint32_t block);
GPC_API gpc_status gpc_throttle_set_state(gpc_throttle *throttle, uint32_t slot, gpc_warp_state state);
GPC_API gpc_status gpc_throttle_issued(gpc_throttle *throttle, uint32_t slot, uint64_t cycle);
GPC_API gpc_status gpc_throttle_begin_kernel(gpc_throttle *throttle, const char *name);
GPC_API bool gpc_throttle_cache_event(gpc_throttle *throttle, const gpc_cache_event *event);
GPC_API gpc_status gpc_throttle_sample_as(gpc_throttle *throttle, const gpc_layout *layout, const void *stats,
                                          uint64_t cycle);
static inline gpc_status gpc_throttle_sample(gpc_throttle *throttle, const gpc_stats *stats, uint64_t cycle) {
    return gpc_throttle_sample_as(throttle, gpc_stats_layout(), stats, cycle);
}
GPC_API bool gpc_throttle_wants_events(const gpc_throttle *throttle);
GPC_API bool gpc_throttle_wants_samples(const gpc_throttle *throttle);
GPC_API gpc_status gpc_throttle_classify(gpc_throttle *throttle, uint64_t cycle, gpc_throttle_classes *classes);
GPC_API gpc_warp_class gpc_throttle_class_of(const gpc_throttle *throttle, uint32_t slot);
GPC_API gpc_token gpc_throttle_token_of(const gpc_throttle *throttle, uint32_t slot, unsigned level);
GPC_API bool gpc_throttle_held(const gpc_throttle *throttle, uint32_t slot);
GPC_API uint64_t gpc_throttle_next_change(const gpc_throttle *throttle);
GPC_API gpc_status gpc_throttle_policy_value(const gpc_throttle *throttle, size_t index, gpc_policy_value *value);
GPC_END_DECLS
GPC_BEGIN_DECLS
#define GPC_STAGE_LIST(X)                                                                                           \
    X(GPC_STAGE_QUEUE, 0, "queue", "before L1's tags: the load/store unit, issue latency, ports, fences before it") \
    X(GPC_STAGE_L1_STALL, 1, "l1_stall", "held up at L1's tags: reservation failures")                              \
    X(GPC_STAGE_L1, 2, "l1", "L1's tags, and its data where they are found there")                                  \
    X(GPC_STAGE_MERGED, 3, "merged", "waits above L2 for what another asked for: MSHR entry, LRC, combined store")  \
    X(GPC_STAGE_REQUEST, 4, "request", "L1's miss queue and the networks towards L2")                               \
    X(GPC_STAGE_L2_QUEUE, 5, "l2_queue", "before L2's tags, and held up at them; a cluster's cache likewise")       \
    X(GPC_STAGE_L2, 6, "l2", "L2's tags, fill, data port and atomic unit; a cluster's cache likewise")              \
    X(GPC_STAGE_L2_MERGED, 7, "l2_merged", "waits at an MSHR entry of L2 for what another asked for")               \
    X(GPC_STAGE_PARTITION, 8, "partition", "to the other partition of L2, or another GPU, and back")                \
    X(GPC_STAGE_DRAM_QUEUE, 9, "dram_queue", "L2's miss queue, the link to memory, and the channel's queue")        \
    X(GPC_STAGE_DRAM, 10, "dram", "from its first DRAM command until its data are there")                           \
    X(GPC_STAGE_REPLY, 11, "reply", "the networks back, the queues before them, and L1's fill port")                \
    X(GPC_STAGE_FILL, 12, "fill", "in its SM again: until the host has it")                                         \
    X(GPC_STAGE_COHERENCE, 13, "coherence", "waits for others: a tree's probes, locks and refusals; fences, acquires")
typedef enum gpc_stage {
#define X(id, value, name, meaning) id = value,
    GPC_STAGE_LIST(X)
#undef X
        GPC_STAGE_COUNT
} gpc_stage;
typedef struct gpc_stage_row {
    uint64_t pc;
    uint32_t kernel;
    uint8_t kind;
    uint8_t level;
    uint8_t reserved[2];
    uint64_t accesses;
    uint64_t latency;
    uint64_t longest;
    const uint64_t *stages;
    uint32_t stage_count;
    uint32_t reserved_2;
} gpc_stage_row;
typedef void (*gpc_stage_fn)(void *user_data, const gpc_stage_row *row);
GPC_API gpc_status gpc_hierarchy_stages(const gpc_hierarchy *hierarchy, gpc_stage_fn on_row, void *user_data);
GPC_API const char *gpc_stage_name(unsigned stage);
GPC_API const char *gpc_stage_meaning(unsigned stage);
GPC_END_DECLS
GPC_BEGIN_DECLS
#define GPC_VERIFY_TEXT 512u
#define GPC_VERIFY_STEPS 2048u
typedef enum gpc_verify_verdict {
    GPC_VERIFY_PASSED = 0,
    GPC_VERIFY_STRUCTURE = 1,
    GPC_VERIFY_VALUE = 2,
    GPC_VERIFY_LOST = 3,
    GPC_VERIFY_REFUSED = 4,
    GPC_VERIFY_DEADLOCK = 5,
    GPC_VERIFY_LIVELOCK = 6
} gpc_verify_verdict;
typedef enum gpc_verify_limit {
    GPC_VERIFY_ALL = 0,
    GPC_VERIFY_LIMIT_STATES = 1,
    GPC_VERIFY_LIMIT_MEMORY = 2,
    GPC_VERIFY_LIMIT_CANCELLED = 3,
    GPC_VERIFY_LIMIT_VIOLATION = 4
} gpc_verify_limit;
enum {
    GPC_VERIFY_LOADS = 1 << 0,
    GPC_VERIFY_STORES = 1 << 1,
    GPC_VERIFY_N_STORES = 1 << 2,
    GPC_VERIFY_FLUSHES = 1 << 3,
    GPC_VERIFY_ACQUIRES = 1 << 4
};
typedef struct gpc_verify_progress {
    uint64_t states, edges;
    uint64_t waiting;
    uint64_t bytes;
    uint32_t depth;
    uint32_t reserved;
} gpc_verify_progress;
typedef struct gpc_verify_options {
    size_t struct_size;
    const char *protocol;
    const char *tree;
    uint32_t blocks;
    uint32_t bytes;
    uint32_t in_flight;
    uint32_t kinds;
    uint32_t entries;
    uint32_t channels;
    uint64_t states;
    uint64_t memory;
    uint64_t walks;
    uint64_t interval;
    bool latencies;
    bool symmetry;
    bool coherent;
    uint8_t reserved[5];
    void *user_data;
    bool (*on_progress)(void *user_data, const gpc_verify_progress *progress);
} gpc_verify_options;
#define GPC_VERIFY_OPTIONS_INIT \
    { sizeof(gpc_verify_options), NULL, NULL, 1, 1, 1, 0, 0, 3, 0, 0, 0, 0, false, true, false, {0}, NULL, NULL }
typedef struct gpc_verify_report {
    size_t struct_size;
    uint64_t states, edges;
    uint64_t bytes;
    const char *text;
    uint32_t depth;
    uint32_t verdict;
    uint32_t limit;
    uint32_t step_count;
    uint64_t address;
    uint32_t module;
    uint8_t wrong;
    uint8_t value;
    uint8_t cut;
    uint8_t symmetric;
} gpc_verify_report;
#define GPC_VERIFY_REPORT_INIT \
    { sizeof(gpc_verify_report), 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
typedef enum gpc_verify_step_kind {
    GPC_VERIFY_ACCESS = 0,
    GPC_VERIFY_ISSUE = 1,
    GPC_VERIFY_CHOICE = 2,
    GPC_VERIFY_FLUSH = 3,
    GPC_VERIFY_ACQUIRE = 4
} gpc_verify_step_kind;
typedef struct gpc_verify_step {
    size_t struct_size;
    uint64_t address;
    const char *text;
    uint32_t kind;
    uint32_t module;
    uint32_t access;
    uint32_t flags;
    uint32_t size;
    uint32_t value;
    uint32_t index;
    uint32_t choice;
    uint32_t message;
    uint32_t from, to;
    uint32_t reserved;
} gpc_verify_step;
#define GPC_VERIFY_STEP_INIT \
    { sizeof(gpc_verify_step), 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
typedef struct gpc_verify gpc_verify;
GPC_API gpc_status gpc_verify_run(gpc_context *context, const gpc_verify_options *options, gpc_error *error,
                                  gpc_verify **out);
GPC_API void gpc_verify_destroy(gpc_verify *verify);
GPC_API gpc_status gpc_verify_get_report(const gpc_verify *verify, gpc_verify_report *report);
GPC_API gpc_status gpc_verify_get_step(const gpc_verify *verify, uint32_t index, gpc_verify_step *step);
GPC_API gpc_status gpc_verify_system(uint32_t index, gpc_verify_options *options);
GPC_API const char *gpc_verify_tree_name(uint32_t index);
GPC_API gpc_status gpc_verify_make_tree(gpc_context *context, const gpc_verify_options *options, gpc_error *error,
                                        gpc_coherence **out);
GPC_END_DECLS
#define GPC_VERSION_MAJOR 0
#define GPC_VERSION_MINOR 2
#define GPC_VERSION_PATCH 0
#define GPC_VERSION_NUMBER ((GPC_VERSION_MAJOR << 16) | (GPC_VERSION_MINOR << 8) | GPC_VERSION_PATCH)
#define GPC_STRUCT_GROWTH 1024u
GPC_BEGIN_DECLS
GPC_API unsigned gpc_version(void);
GPC_API const char *gpc_version_string(void);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef struct gpc_access_window {
    size_t struct_size;
    uint64_t begin;
    uint64_t bytes;
    uint32_t hit_ratio;
    uint8_t hit;
    uint8_t miss;
    uint8_t process;
    uint8_t reserved[1];
} gpc_access_window;
#define GPC_ACCESS_WINDOW_INIT                                                       \
    {                                                                                \
        sizeof(gpc_access_window), 0, 0, 100, GPC_EVICT_LAST, GPC_EVICT_NORMAL, 0, { \
            0                                                                        \
        }                                                                            \
    }
GPC_API gpc_status gpc_hierarchy_set_window(gpc_hierarchy *hierarchy, const gpc_access_window *window,
                                            gpc_error *error);
GPC_API gpc_status gpc_hierarchy_reset_persisting(gpc_hierarchy *hierarchy);
GPC_END_DECLS
#endif
