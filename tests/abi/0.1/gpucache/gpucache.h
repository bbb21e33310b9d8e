/* SPDX-License-Identifier: BSD-2-Clause */
/* Written by freeze.py. */
#ifndef GPUCACHE_0_1_H
#define GPUCACHE_0_1_H
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
    GPC_SPACE_COUNT
} gpc_space;
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
    uint8_t reserved[40];
} gpc_request;
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
    uint8_t reserved;
    uint64_t dirty_bytes[2];
} gpc_eviction;
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
} gpc_predictor_ops;
GPC_API gpc_status gpc_context_register_predictor(gpc_context *context, const gpc_predictor_ops *ops, void *user_data,
                                                  void (*destroy)(void *user_data), gpc_error *error);
GPC_END_DECLS
GPC_BEGIN_DECLS
#define GPC_CACHE_COUNTERS(X)                                                                                          \
    X(reads, "reads", "requests", SUM, "loads and prefetches that passed the tags")                                    \
    X(read_hits, "read_hits", "requests", SUM, "of these, all needed sectors valid or pending")                        \
    X(read_sectors, "read_sectors", "sectors", SUM, "sectors that reads needed")                                       \
    X(read_sector_hits, "read_sector_hits", "sectors", SUM, "of these, valid or pending")                              \
    X(pending_sector_hits, "pending_sector_hits", "sectors", SUM, "of these, still on their way")                      \
    X(writes, "writes", "requests", SUM, "stores that passed the tags")                                                \
    X(write_hits, "write_hits", "requests", SUM, "stores that found all their sectors, or wrote them whole")           \
    X(write_sectors, "write_sectors", "sectors", SUM, "sectors that stores touched")                                   \
    X(write_sector_hits, "write_sector_hits", "sectors", SUM, "of these, valid, pending, or written whole and kept")   \
    X(atomics, "atomics", "requests", SUM, "atomics and reductions performed or passed here")                          \
    X(atomic_sectors, "atomic_sectors", "sectors", SUM, "sectors that they touched")                                   \
    X(atomic_sector_hits, "atomic_sector_hits", "sectors", SUM, "of these, valid or pending before")                   \
    X(sector_misses, "sector_misses", "requests", SUM, "line resident, a needed sector not")                           \
    X(line_misses, "line_misses", "requests", SUM, "line not resident")                                                \
    X(bypasses, "bypasses", "requests", SUM, "requests that the predictor or the policy kept from allocating")         \
    X(bypassed_sectors, "bypassed_sectors", "sectors", SUM, "sectors that bypassing reads fetched")                    \
    X(token_bypasses, "token_bypasses", "requests", SUM, "of bypasses, those for lack of a cache token")               \
    X(opportunistic_fills, "opportunistic_fills", "lines", SUM, "of fills, those by requests without a cache token")   \
    X(priority_evictions, "priority_evictions", "lines", SUM,                                                          \
      "of evictions, lines with the priority of token holders")                                                        \
    X(no_victims, "no_victims", "requests", SUM, "allocations refused: every way pending")                             \
    X(fetched_sectors, "fetched_sectors", "sectors", SUM, "sectors read from below, bypasses included")                \
    X(fills, "fills", "lines", SUM, "lines that were given a way")                                                     \
    X(evictions, "evictions", "lines", SUM, "lines replaced")                                                          \
    X(zero_reuse_evictions, "zero_reuse_evictions", "lines", SUM, "of these, never hit (needs track_reuse)")           \
    X(write_backs, "write_backs", "lines", SUM, "lines whose dirty sectors left: replaced, dropped or flushed")        \
    X(write_back_sectors, "write_back_sectors", "sectors", SUM,                                                        \
      "dirty sectors that left: replaced, dropped or flushed")                                                         \
    X(write_below_sectors, "write_below_sectors", "sectors", SUM, "sectors written below by stores passing through")   \
    X(invalidations, "invalidations", "lines", SUM, "lines dropped by invalidation or write-evict")                    \
    X(intra_warp_hits, "intra_warp_hits", "requests", SUM, "read hits by the warp that filled the line (track_warps)") \
    X(inter_warp_hits, "inter_warp_hits", "requests", SUM, "read hits by another warp (track_warps)")                  \
    X(predictions, "predictions", "requests", SUM,                                                                     \
      "requests that a predictor was asked about; always-*, hint do not count")                                        \
    X(overturned_bypasses, "overturned_bypasses", "requests", SUM,                                                     \
      "of bypasses, made fills by the reply from below: mispredictions found out")                                     \
    X(overturned_fills, "overturned_fills", "requests", SUM, "fills that the reply from below made bypasses")          \
    X(oracle_decisions, "oracle_decisions", "requests", SUM,                                                           \
      "read misses of a predictor that an oracle decided on too (track_future)")                                       \
    X(oracle_bypasses, "oracle_bypasses", "requests", SUM, "of these, the oracle would bypass")                        \
    X(oracle_agreements, "oracle_agreements", "requests", SUM, "of these, the predictor decided as the oracle")        \
    X(oracle_agreed_bypasses, "oracle_agreed_bypasses", "requests", SUM, "of these, both bypass")
#define GPC_COUNTERS(X)                                                                                                \
    X(kernels, "kernels", "launches", SUM, "kernels that began")                                                       \
    X(blocks, "blocks", "blocks", SUM, "thread blocks that ran")                                                       \
    X(warp_instructions, "warp_instructions", "instructions", SUM, "warp instructions issued")                         \
    X(thread_instructions, "thread_instructions", "instructions", SUM, "active lanes over all warp instructions")      \
    X(l1_load_requests, "l1.load_requests", "instructions", SUM, "global and local warp loads")                        \
    X(l1_load_lines, "l1.load_lines", "transactions", SUM, "line transactions of loads")                               \
    X(l1_load_sectors, "l1.load_sectors", "sectors", SUM, "sectors that loads needed")                                 \
    X(l1_load_sector_hits, "l1.load_sector_hits", "sectors", SUM, "of these, found in L1")                             \
    X(l1_load_bytes_used, "l1.load_bytes_used", "bytes", SUM, "distinct bytes that loading lanes asked for")           \
    X(l1_load_bytes_moved, "l1.load_bytes_moved", "bytes", SUM,                                                        \
      "bytes of the sectors or lines that these loads touched")                                                        \
    X(l1_store_requests, "l1.store_requests", "instructions", SUM, "global and local warp stores")                     \
    X(l1_store_sectors, "l1.store_sectors", "sectors", SUM, "sectors that stores touched")                             \
    X(l1_store_sector_hits, "l1.store_sector_hits", "sectors", SUM, "of these, valid in L1")                           \
    X(l1_atomic_requests, "l1.atomic_requests", "instructions", SUM, "warp atomics and reductions")                    \
    X(l1_atomic_sectors, "l1.atomic_sectors", "sectors", SUM, "sectors that they touched")                             \
    X(l1_evictions, "l1.evictions", "lines", SUM, "lines replaced in L1")                                              \
    X(l1_zero_reuse_evictions, "l1.zero_reuse_evictions", "lines", SUM, "of these, never hit (l1.track_reuse)")        \
    X(l1_bypasses, "l1.bypasses", "transactions", SUM, "line transactions that did not allocate though they missed")   \
    X(l1_bypassed_sectors, "l1.bypassed_sectors", "sectors", SUM, "sectors that they fetched")                         \
    X(l1_token_bypasses, "l1.token_bypasses", "transactions", SUM, "of l1.bypasses, those for lack of a cache token")  \
    X(l1_opportunistic_fills, "l1.opportunistic_fills", "lines", SUM, "lines filled for warps without a cache token")  \
    X(l1_priority_evictions, "l1.priority_evictions", "lines", SUM,                                                    \
      "of l1.evictions, lines with the priority of token holders")                                                     \
    X(l1_cache_warp_lines, "l1.cache_warp_lines", "transactions", SUM,                                                 \
      "line transactions of loads through L1 by warps with a cache token, where tokens are in use")                    \
    X(l1_cache_warp_misses, "l1.cache_warp_misses", "transactions", SUM, "of these, with a sector missing")            \
    X(l1_bypass_warp_lines, "l1.bypass_warp_lines", "transactions", SUM, "the same, by warps without one")             \
    X(l1_bypass_warp_misses, "l1.bypass_warp_misses", "transactions", SUM, "of these, with a sector missing")          \
    X(l1_predictions, "l1.predictions", "transactions", SUM, "line transactions that L1's predictor was asked about")  \
    X(l1_overturned_bypasses, "l1.overturned_bypasses", "transactions", SUM,                                           \
      "bypasses that L2's reply made fills: mispredictions found out")                                                 \
    X(l1_overturned_fills, "l1.overturned_fills", "transactions", SUM, "fills that L2's reply made bypasses")          \
    X(l1_oracle_decisions, "l1.oracle_decisions", "transactions", SUM,                                                 \
      "read misses that an oracle decided on beside L1's predictor (l1.future)")                                       \
    X(l1_oracle_bypasses, "l1.oracle_bypasses", "transactions", SUM, "of these, the oracle would bypass")              \
    X(l1_oracle_agreements, "l1.oracle_agreements", "transactions", SUM, "decisions that predictor and oracle share")  \
    X(l1_oracle_agreed_bypasses, "l1.oracle_agreed_bypasses", "transactions", SUM, "of these, bypasses")               \
    X(l1_fetched_sectors, "l1.fetched_sectors", "sectors", SUM, "sectors that L1 read from L2")                        \
    X(l1_write_back_sectors, "l1.write_back_sectors", "sectors", SUM, "dirty sectors that L1 evicted or flushed")      \
    X(l1_invalidations, "l1.invalidations", "lines", SUM, "lines dropped from L1")                                     \
    X(l1_intra_warp_hits, "l1.intra_warp_hits", "transactions", SUM,                                                   \
      "load hits by the warp that filled the line (l1.track_warps)")                                                   \
    X(l1_inter_warp_hits, "l1.inter_warp_hits", "transactions", SUM, "load hits by another warp (l1.track_warps)")     \
    X(l2_read_sectors, "l2.read_sectors", "sectors", SUM, "sectors that L1 and bypassing loads read from L2")          \
    X(l2_read_sector_hits, "l2.read_sector_hits", "sectors", SUM, "of these, found in the SM's own partition")         \
    X(l2_write_sectors, "l2.write_sectors", "sectors", SUM, "sectors written to L2")                                   \
    X(l2_write_sector_hits, "l2.write_sector_hits", "sectors", SUM, "of these, valid before, or written whole")        \
    X(l2_atomic_sectors, "l2.atomic_sectors", "sectors", SUM, "sectors of atomics and reductions at L2")               \
    X(l2_atomic_sector_hits, "l2.atomic_sector_hits", "sectors", SUM, "of these, valid before")                        \
    X(l2_remote_sectors, "l2.remote_sectors", "sectors", SUM, "sectors that crossed between the two L2 partitions")    \
    X(l2_evictions, "l2.evictions", "lines", SUM, "lines replaced in L2")                                              \
    X(l2_token_bypasses, "l2.token_bypasses", "requests", SUM,                                                         \
      "requests that did not allocate in L2 for lack of a token")                                                      \
    X(l2_opportunistic_fills, "l2.opportunistic_fills", "lines", SUM, "lines filled for warps without a token for L2") \
    X(l2_priority_evictions, "l2.priority_evictions", "lines", SUM,                                                    \
      "of l2.evictions, lines with the priority of token holders")                                                     \
    X(l2_write_back_sectors, "l2.write_back_sectors", "sectors", SUM, "dirty sectors that L2 evicted or flushed")      \
    X(dram_read_sectors, "dram.read_sectors", "sectors", SUM, "sectors read from DRAM, launch overhead included")      \
    X(dram_write_sectors, "dram.write_sectors", "sectors", SUM, "sectors written to DRAM")                             \
    X(dram_launch_sectors, "dram.launch_sectors", "sectors", SUM,                                                      \
      "of the reads: code, constants and launch descriptor")                                                           \
    X(l1_capacity, "l1.capacity", "bytes", MAX, "L1 data capacity that the kernel had")                                \
    X(resident_blocks, "resident_blocks", "blocks", MAX, "thread blocks that fit on an SM at once")                    \
                                                                                                                       \
    X(cycles, "cycles", "core cycles", SUM, "from launch to the last completion")                                      \
    X(sm_cycles, "sm.cycles", "SM cycles", SUM, "core cycles, summed over SMs")                                        \
    X(sm_active_cycles, "sm.active_cycles", "SM cycles", SUM, "of these, with a thread block resident")                \
    X(sm_warp_cycles, "sm.warp_cycles", "warp cycles", SUM, "gauge: warps resident that have not ended")               \
    X(sm_cache_warp_cycles, "sm.cache_warp_cycles", "warp cycles", SUM,                                                \
      "of these, of warps of class cache (seeds/004 4.3)")                                                             \
    X(sm_bypass_warp_cycles, "sm.bypass_warp_cycles", "warp cycles", SUM, "of bypassing warps")                        \
    X(sm_throttled_warp_cycles, "sm.throttled_warp_cycles", "warp cycles", SUM, "of throttled warps")                  \
    X(sm_cache_instructions, "sm.cache_instructions", "instructions", SUM, "issued by warps of class cache")           \
    X(sm_bypass_instructions, "sm.bypass_instructions", "instructions", SUM, "issued by bypassing warps")              \
    X(scheduler_cycles, "scheduler.cycles", "scheduler cycles", SUM, "core cycles, summed over warp schedulers")       \
    X(scheduler_issued, "scheduler.issued", "scheduler cycles", SUM, "in which an instruction issued")                 \
    X(scheduler_empty, "scheduler.empty", "scheduler cycles", SUM, "without a warp")                                   \
    X(scheduler_memory_stalls, "scheduler.memory_stalls", "scheduler cycles", SUM,                                     \
      "a memory instruction was ready, nothing issued, and the memory pipeline was busy (seeds/004 4.1.4)")            \
    X(scheduler_line_stalls, "scheduler.line_stalls", "scheduler cycles", SUM, "of these, L1 waited for a line")       \
    X(scheduler_mshr_stalls, "scheduler.mshr_stalls", "scheduler cycles", SUM, "of these, for an MSHR entry or merge") \
    X(scheduler_unit_stalls, "scheduler.unit_stalls", "scheduler cycles", SUM, "a warp was ready, its unit was busy")  \
    X(scheduler_load_stalls, "scheduler.load_stalls", "scheduler cycles", SUM, "no warp ready, one waits for memory")  \
    X(scheduler_latency_stalls, "scheduler.latency_stalls", "scheduler cycles", SUM,                                   \
      "no warp ready, none waits for memory, one waits for a result")                                                  \
    X(scheduler_barrier_stalls, "scheduler.barrier_stalls", "scheduler cycles", SUM, "all its warps wait at barriers") \
    X(scheduler_throttled, "scheduler.throttled", "scheduler cycles", SUM,                                             \
      "only warps held back by a limit or throttle were ready")                                                        \
    X(l1_pending_sector_hits, "l1.pending_sector_hits", "sectors", SUM, "load sectors found on their way to L1")       \
    X(l1_load_line_misses, "l1.load_line_misses", "transactions", SUM,                                                 \
      "line transactions of loads with a sector missing")                                                              \
    X(l1_load_dram_lines, "l1.load_dram_lines", "transactions", SUM, "of these, with a sector that came from DRAM")    \
    X(l1_line_failures, "l1.line_failures", "transactions", SUM,                                                       \
      "held up at L1's tags: every way of the set reserved")                                                           \
    X(l1_mshr_failures, "l1.mshr_failures", "transactions", SUM, "held up: no MSHR entry free")                        \
    X(l1_merge_failures, "l1.merge_failures", "transactions", SUM, "held up: the line's MSHR entry takes no more")     \
    X(l1_queue_failures, "l1.queue_failures", "transactions", SUM, "held up: miss queue full")                         \
    X(l1_bank_failures, "l1.bank_failures", "transactions", SUM, "held up for a cycle: tag bank in use")               \
    X(l1_line_bypasses, "l1.line_bypasses", "transactions", SUM,                                                       \
      "loads that went past L1, every way of the set reserved (mrpb)")                                                 \
    X(l1_mshr_bypasses, "l1.mshr_bypasses", "transactions", SUM, "likewise, no MSHR entry free")                       \
    X(l1_queue_bypasses, "l1.queue_bypasses", "transactions", SUM, "likewise, miss queue full")                        \
    X(l1_line_stalls, "l1.line_stalls", "SM cycles", SUM, "L1's tags waited for a line")                               \
    X(l1_mshr_stalls, "l1.mshr_stalls", "SM cycles", SUM, "for an MSHR entry")                                         \
    X(l1_merge_stalls, "l1.merge_stalls", "SM cycles", SUM, "for an MSHR merge")                                       \
    X(l1_queue_stalls, "l1.queue_stalls", "SM cycles", SUM, "for the miss queue")                                      \
    X(l1_network_stalls, "l1.network_stalls", "SM cycles", SUM, "the miss queue's head waited for the network")        \
    X(l1_queue_cycles, "l1.queue_cycles", "entry cycles", SUM, "gauge: warp instructions before L1's tags")            \
    X(l1_reorder_cycles, "l1.reorder_cycles", "entry cycles", SUM,                                                     \
      "gauge: transactions in L1's reorder buffers (l1.reorder)")                                                      \
    X(l1_reorder_stalls, "l1.reorder_stalls", "SM cycles", SUM, "the coalescer waited for room in it, or for a flush") \
    X(l1_reordered, "l1.reordered", "transactions", SUM, "that left it before an older one")                           \
    X(l1_reorder_switches, "l1.reorder_switches", "times", SUM, "L1's tags turned to another queue of it")             \
    X(l1_reorder_flushes, "l1.reorder_flushes", "transactions", SUM, "writes that waited until it was empty")          \
    X(l1_mshr_cycles, "l1.mshr_cycles", "entry cycles", SUM, "gauge: MSHR entries in use")                             \
    X(l1_miss_queue_cycles, "l1.miss_queue_cycles", "entry cycles", SUM, "gauge: packets in L1's miss queues")         \
    X(l2_pending_sector_hits, "l2.pending_sector_hits", "sectors", SUM, "of these, on their way to L2")                \
    X(l2_merged_sectors, "l2.merged_sectors", "sectors", SUM, "read sectors that another SM's request brought along")  \
    X(l2_line_failures, "l2.line_failures", "packets", SUM, "held up at L2's tags: every way of the set reserved")     \
    X(l2_mshr_failures, "l2.mshr_failures", "packets", SUM, "held up: no MSHR entry free")                             \
    X(l2_merge_failures, "l2.merge_failures", "packets", SUM, "held up: the line's MSHR entry takes no more")          \
    X(l2_queue_failures, "l2.queue_failures", "packets", SUM, "held up: miss or reply queue full")                     \
    X(l2_bank_failures, "l2.bank_failures", "packets", SUM, "held up for a cycle: tag bank in use")                    \
    X(l2_line_stalls, "l2.line_stalls", "slice cycles", SUM, "L2's tags waited for a line, in core cycles")            \
    X(l2_mshr_stalls, "l2.mshr_stalls", "slice cycles", SUM, "for an MSHR entry")                                      \
    X(l2_merge_stalls, "l2.merge_stalls", "slice cycles", SUM, "for an MSHR merge")                                    \
    X(l2_queue_stalls, "l2.queue_stalls", "slice cycles", SUM, "for the miss or reply queue")                          \
    X(l2_cycles, "l2.cycles", "slice cycles", SUM, "core cycles, summed over slices")                                  \
    X(l2_congested_cycles, "l2.congested_cycles", "slice cycles", SUM,                                                 \
      "a packet at the network's output could not enter the slice (seeds/004 4.1.4)")                                  \
    X(l2_queue_cycles, "l2.queue_cycles", "entry cycles", SUM, "gauge: packets before L2's tags")                      \
    X(l2_mshr_cycles, "l2.mshr_cycles", "entry cycles", SUM, "gauge: MSHR entries in use")                             \
    X(l2_miss_queue_cycles, "l2.miss_queue_cycles", "entry cycles", SUM, "gauge: packets in L2's miss queues")         \
    X(l2_reply_queue_cycles, "l2.reply_queue_cycles", "entry cycles", SUM, "gauge: packets in L2's reply queues")      \
    X(network_requests, "network.requests", "packets", SUM, "from L1 to L2 that arrived")                              \
    X(network_request_cycles, "network.request_cycles", "core cycles", SUM, "that they took, waiting included")        \
    X(network_request_bytes, "network.request_bytes", "bytes", SUM, "that they had, headers included")                 \
    X(network_replies, "network.replies", "packets", SUM, "from L2 to L1 that arrived")                                \
    X(network_reply_cycles, "network.reply_cycles", "core cycles", SUM, "that they took, waiting included")            \
    X(network_reply_bytes, "network.reply_bytes", "bytes", SUM, "that they had, headers included")                     \
    X(network_input_cycles, "network.input_cycles", "packet cycles", SUM, "gauge: packets in input buffers")           \
    X(network_output_cycles, "network.output_cycles", "packet cycles", SUM,                                            \
      "gauge: packets in or on the way to output buffers")                                                             \
    X(link_packets, "link.packets", "packets", SUM, "between L2 partitions, or slice and channel, that arrived")       \
    X(link_cycles, "link.cycles", "core cycles", SUM, "that they took, waiting included")                              \
    X(dram_reads, "dram.reads", "bursts", SUM, "column reads")                                                         \
    X(dram_writes, "dram.writes", "bursts", SUM, "column writes")                                                      \
    X(dram_row_hits, "dram.row_hits", "bursts", SUM, "of both, to a row that was open when they were chosen")          \
    X(dram_activates, "dram.activates", "commands", SUM, "rows opened")                                                \
    X(dram_precharges, "dram.precharges", "commands", SUM, "rows closed")                                              \
    X(dram_refreshes, "dram.refreshes", "commands", SUM, "refreshes")                                                  \
    X(dram_cycles, "dram.cycles", "channel cycles", SUM, "DRAM clock cycles, summed over channels")                    \
    X(dram_busy_cycles, "dram.busy_cycles", "channel cycles", SUM, "of these, with data on the bus")                   \
    X(dram_queue_cycles, "dram.queue_cycles", "entry cycles", SUM, "gauge, in DRAM cycles: requests queued")           \
    X(dram_read_cycles, "dram.read_cycles", "DRAM cycles", SUM, "from the arrival of a read to its data")              \
    X(loads_completed, "load.completed", "instructions", SUM, "warp loads that completed")                             \
    X(load_cycles, "load.cycles", "core cycles", SUM, "from issue to completion of these")                             \
    X(round_trips, "round_trip.requests", "requests", SUM, "L1 misses that DRAM served")                               \
    X(round_trip_cycles, "round_trip.cycles", "core cycles", SUM,                                                      \
      "from the L1 miss to the return of its data (seeds/004 4.1.3)")                                                  \
    X(accepted, "accepted", "instructions", SUM, "warp accesses and requests that the timed hierarchy accepted")       \
    X(completed, "completed", "instructions", SUM, "of these, completed")
#define GPC_TRANSACTION_BUCKETS 33
#define GPC_LATENCY_BUCKETS 64
#define GPC_LATENCY_STEP 32
#define GPC_AGE_BUCKETS 65
#define GPC_SEGMENT_BUCKETS 5
#define GPC_HISTOGRAMS(X)                                                                                   \
    X(l1_transactions_per_load, "l1.transactions_per_load", GPC_TRANSACTION_BUCKETS, "instructions",        \
      "loads by line transactions they made: bucket n = n transactions, the last = that many or more")      \
    X(l1_hits_by_age, "l1.hits_by_age", GPC_AGE_BUCKETS, "transactions",                                    \
      "load hits by relative warp age: bucket 0 = oldest warp of the SM, the last = that young or younger") \
    X(l1_fetches, "l1.fetches", GPC_SEGMENT_BUCKETS, "requests",                                            \
      "reads of L2 by L1 by size: bucket n = 32n bytes (4: the 128-byte transactions of seeds/001 III.A)")  \
    X(l1_bypass_fetches, "l1.bypass_fetches", GPC_SEGMENT_BUCKETS, "requests",                              \
      "of these, those whose data L1 did not keep")                                                         \
    X(load_latency, "load.latency", GPC_LATENCY_BUCKETS, "instructions",                                    \
      "completed warp loads by latency: bucket n = from 32n core cycles, the last = that many or more")     \
    X(round_trip_latency, "round_trip.latency", GPC_LATENCY_BUCKETS, "requests",                            \
      "L1 misses that DRAM served by round-trip latency, likewise")
#define GPC_RATIOS(X)                                                                                                 \
    X("l1.load_hit_rate", l1_load_sector_hits, l1_load_sectors, "load sectors found in L1")                           \
    X("l2.read_hit_rate", l2_read_sector_hits, l2_read_sectors, "read sectors found in L2")                           \
    X("l1.load_utilisation", l1_load_bytes_used, l1_load_bytes_moved, "bytes used of bytes moved by loads")           \
    X("l1.sectors_per_load", l1_load_sectors, l1_load_requests, "sectors per warp load")                              \
    X("l1.lines_per_load", l1_load_lines, l1_load_requests, "line transactions per warp load")                        \
    X("l1.bypass_ratio", l1_bypasses, l1_load_lines, "bypasses per line transaction of loads")                        \
    X("l1.cache_warp_miss_ratio", l1_cache_warp_misses, l1_cache_warp_lines,                                          \
      "load transactions of cache warps that missed in L1")                                                           \
    X("l1.bypass_warp_miss_ratio", l1_bypass_warp_misses, l1_bypass_warp_lines, "the same, of bypassing warps")       \
    X("l1.misprediction_ratio", l1_overturned_bypasses, l1_predictions, "predictions that L2's reply overturned")     \
    X("l1.oracle_coverage", l1_oracle_agreed_bypasses, l1_oracle_bypasses,                                            \
      "the oracle's bypasses that were predicted")                                                                    \
    X("l1.oracle_accuracy", l1_oracle_agreements, l1_oracle_decisions, "predictions that are the oracle's")           \
    X("ipc", warp_instructions, cycles, "warp instructions per core cycle, all SMs together")                         \
    X("thread_ipc", thread_instructions, cycles, "thread instructions per core cycle, all SMs together")              \
    X("l1.load_miss_ratio", l1_load_line_misses, l1_load_lines, "load transactions that missed in L1")                \
    X("global_miss_ratio", l1_load_dram_lines, l1_load_lines, "load transactions that DRAM served (seeds/004 4.1.2)") \
    X("sm.active_warps", sm_warp_cycles, sm_active_cycles, "warps resident per active SM and cycle")                  \
    X("scheduler.memory_stall_ratio", scheduler_memory_stalls, scheduler_cycles, "memory pipeline stalls")            \
    X("scheduler.line_stall_ratio", scheduler_line_stalls, scheduler_cycles, "the part that L1 lines cause")          \
    X("scheduler.mshr_stall_ratio", scheduler_mshr_stalls, scheduler_cycles, "the part that L1 MSHRs cause")          \
    X("l1.mshr_occupancy", l1_mshr_cycles, sm_cycles, "MSHR entries in use per SM")                                   \
    X("l2.congestion_ratio", l2_congested_cycles, l2_cycles, "memory-partition congestion")                           \
    X("network.request_latency", network_request_cycles, network_requests, "core cycles per packet, sending")         \
    X("network.reply_latency", network_reply_cycles, network_replies, "core cycles per packet, receiving")            \
    X("dram.utilisation", dram_busy_cycles, dram_cycles, "off-chip bandwidth: cycles with data on the bus")           \
    X("load.mean_latency", load_cycles, loads_completed, "core cycles per warp load")                                 \
    X("round_trip.mean_latency", round_trip_cycles, round_trips, "core cycles per L1 miss that DRAM served")
typedef struct gpc_cache_stats {
    size_t struct_size;
#define X(field, name, unit, merge, meaning) uint64_t field;
    GPC_CACHE_COUNTERS(X)
#undef X
} gpc_cache_stats;
typedef struct gpc_stats {
    size_t struct_size;
#define X(field, name, unit, merge, meaning) uint64_t field;
    GPC_COUNTERS(X)
#undef X
#define X(field, name, buckets, unit, meaning) uint64_t field[buckets];
    GPC_HISTOGRAMS(X)
#undef X
} gpc_stats;
typedef enum gpc_merge { GPC_MERGE_SUM = 0, GPC_MERGE_MAX = 1 } gpc_merge;
GPC_API void gpc_stats_init(gpc_stats *stats);
GPC_API void gpc_cache_stats_init(gpc_cache_stats *stats);
GPC_API gpc_status gpc_stats_add(gpc_stats *into, const gpc_stats *more);
GPC_API gpc_status gpc_stats_subtract(const gpc_stats *later, const gpc_stats *earlier, gpc_stats *out);
typedef struct gpc_counter_info {
    size_t struct_size;
    const char *name, *unit, *meaning;
    size_t offset;
    size_t buckets;
    gpc_merge merge;
    bool ratio;
    size_t divisor;
} gpc_counter_info;
#define GPC_COUNTER_INFO_INIT \
    { sizeof(gpc_counter_info), NULL, NULL, NULL, 0, 0, GPC_MERGE_SUM, false, 0 }
GPC_API size_t gpc_counter_count(void);
GPC_API gpc_status gpc_counter_at(size_t index, gpc_counter_info *info);
GPC_API size_t gpc_cache_counter_count(void);
GPC_API gpc_status gpc_cache_counter_at(size_t index, gpc_counter_info *info);
GPC_API gpc_status gpc_stats_json(const gpc_stats *stats, char *text, size_t size, size_t *out_length);
GPC_API gpc_status gpc_stats_csv(const gpc_stats *stats, bool header, char *text, size_t size, size_t *out_length);
GPC_END_DECLS
GPC_BEGIN_DECLS
typedef enum gpc_index {
    GPC_INDEX_MODULO = 0,
    GPC_INDEX_XOR = 1,
    GPC_INDEX_FERMI = 2,
    GPC_INDEX_IPOLY = 3,
    GPC_INDEX_USER = 4,
    GPC_INDEX_COUNT
} gpc_index;
typedef enum gpc_write_policy { GPC_WRITE_BACK = 0, GPC_WRITE_THROUGH = 1, GPC_WRITE_EVICT = 2 } gpc_write_policy;
typedef enum gpc_write_allocate {
    GPC_WRITE_NO_ALLOCATE = 0,
    GPC_WRITE_FETCH = 1,
    GPC_WRITE_LAZY_FETCH = 2
} gpc_write_allocate;
typedef enum gpc_allocate {
    GPC_ALLOCATE_ON_MISS = 0,
    GPC_ALLOCATE_ON_FILL = 1,
    GPC_ALLOCATE_STREAMING = 2
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
} gpc_cache_options;
#define GPC_CACHE_OPTIONS_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(gpc_cache_options), 32, 4, 128, 0, 0, GPC_INDEX_MODULO, GPC_WRITE_BACK, GPC_WRITE_BACK,                 \
            GPC_WRITE_FETCH, GPC_WRITE_FETCH, GPC_ALLOCATE_ON_MISS, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL, 0, GPC_BYPASS_FETCH_NEEDED, 0, GPC_TOKENS_IGNORE, GPC_CLEAR_KERNEL, 0, 0, 0                          \
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
GPC_API gpc_status gpc_cache_set_replacement(gpc_cache *cache, const char *spec, gpc_error *error);
GPC_API gpc_status gpc_cache_set_predictor(gpc_cache *cache, const char *spec, gpc_error *error);
GPC_API uint64_t gpc_cache_token_bits(const gpc_cache *cache);
GPC_API gpc_status gpc_cache_get_stats(const gpc_cache *cache, gpc_cache_stats *stats);
GPC_API void gpc_cache_reset_stats(gpc_cache *cache);
GPC_END_DECLS
GPC_BEGIN_DECLS
#define GPC_NO_MODULE UINT32_MAX
#define GPC_NO_MESSAGE UINT32_MAX
#define GPC_MAX_MODULES 4096u
typedef enum gpc_coherence_state {
    GPC_LINE_N = 0,
    GPC_LINE_M = 1,
    GPC_LINE_O = 2,
    GPC_LINE_E = 3,
    GPC_LINE_S = 4,
    GPC_LINE_I = 5,
    GPC_LINE_COUNT = 6
} gpc_coherence_state;
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
    GPC_PROTOCOL_BARE_ACK = 1 << 7
};
enum { GPC_ACCESS_GLC = 1 << 0, GPC_ACCESS_SLC = 1 << 1 };
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
} gpc_protocol;
GPC_API gpc_status gpc_context_register_protocol(gpc_context *context, const gpc_protocol *protocol, gpc_error *error);
GPC_API const gpc_protocol *gpc_protocol_find(const gpc_context *context, const char *name);
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
    X(DIRECTORY_ONLY, 0x400000, "Data Left Non-inclusive Module")
typedef enum gpc_origin {
#define X(id, bit, text) GPC_ORIGIN_##id = bit,
    GPC_ORIGIN_LIST(X)
#undef X
} gpc_origin;
typedef enum gpc_served { GPC_SERVES_ALL = 0, GPC_SERVES_RANGE = 1, GPC_SERVES_INTERLEAVED = 2 } gpc_served;
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
    uint8_t reserved[3];
} gpc_coherence_module;
#define GPC_COHERENCE_MODULE_INIT                                                                              \
    {                                                                                                          \
        sizeof(gpc_coherence_module), NULL, NULL, NULL, 0, GPC_NO_MODULE, GPC_NO_MODULE, 1, 1, 64, 1, 0, 0, 0, \
            GPC_SERVES_ALL, 0, 0, UINT64_MAX, 1, 1, 0, false, false, false, false, false, {                    \
            0                                                                                                  \
        }                                                                                                      \
    }
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
} gpc_coherence_options;
#define GPC_COHERENCE_OPTIONS_INIT                                              \
    {                                                                           \
        sizeof(gpc_coherence_options), NULL, NULL, NULL, 0, 0, 8, true, true, { \
            0                                                                   \
        }                                                                       \
    }
GPC_API gpc_status gpc_coherence_create(gpc_context *context, const gpc_coherence_options *options, gpc_error *error,
                                        gpc_coherence **out);
GPC_API void gpc_coherence_destroy(gpc_coherence *coherence);
typedef enum gpc_coherence_kind {
    GPC_COHERENCE_LOAD = 0,
    GPC_COHERENCE_STORE = 1,
    GPC_COHERENCE_N_STORE = 2
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
} gpc_coherence_request;
#define GPC_COHERENCE_REQUEST_INIT \
    { sizeof(gpc_coherence_request), 0, 0, NULL, NULL, NULL, 0, 1, GPC_COHERENCE_LOAD, 0 }
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
    GPC_MESSAGE_KIND_COUNT = 13
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
#define GPC_COHERENCE_COUNTERS(X)                                                                     \
    X(accesses, "lookups", "all lookups: accesses, requests, probes, write-backs received, messages") \
    X(hits, "lookups", "of these, reads and writes towards memory that found the block valid")        \
    X(loads, "accesses", "of the processor")                                                          \
    X(load_hits, "accesses", "of these, found valid")                                                 \
    X(stores, "accesses", "of the processor, coherent")                                               \
    X(store_hits, "accesses", "of these, without a request to the low module")                        \
    X(n_stores, "accesses", "of the processor, non-coherent")                                         \
    X(n_store_hits, "accesses", "of these, without a request to the low module")                      \
    X(read_requests, "requests", "of modules above, for a copy")                                      \
    X(read_request_hits, "requests", "of these, found valid here")                                    \
    X(write_requests, "requests", "of modules above, for the only copy")                              \
    X(write_request_hits, "requests", "of these, without a request to the low module")                \
    X(read_probes, "probes", "from the low module: another will hold a copy")                         \
    X(write_probes, "probes", "from the low module: invalidate")                                      \
    X(probe_misses, "probes", "of both, that found no block")                                         \
    X(write_backs_received, "messages", "modified data from modules above")                           \
    X(notices_received, "messages", "clean evictions, and owners that step back, of modules above")   \
    X(write_throughs_received, "messages", "stores of modules above")                                 \
    X(evictions, "blocks", "valid blocks that made room")                                             \
    X(invalidations, "blocks", "blocks lost to write probes, flushes and acquires")                   \
    X(data_sent, "messages", "with data, to whomever")                                                \
    X(peer_transfers, "messages", "of these, to a module of the same level")                          \
    X(directory_accesses, "accesses", "lookups of tags and directory")                                \
    X(data_accesses, "accesses", "that took the data's latency")                                      \
    X(low_sent, "bytes", "on the network towards memory")                                             \
    X(low_received, "bytes", "likewise")                                                              \
    X(high_sent, "bytes", "on the network towards the processors")                                    \
    X(high_received, "bytes", "likewise")                                                             \
    X(retries, "accesses", "begun anew since a block was locked (timed hierarchies)")
typedef struct gpc_coherence_stats {
    size_t struct_size;
#define X(id, unit, meaning) uint64_t id;
    GPC_COHERENCE_COUNTERS(X)
#undef X
    uint64_t transitions[GPC_LINE_COUNT][GPC_LINE_COUNT];
    uint32_t origins[GPC_LINE_COUNT][GPC_LINE_COUNT];
} gpc_coherence_stats;
GPC_API void gpc_coherence_stats_init(gpc_coherence_stats *stats);
GPC_API gpc_status gpc_coherence_get_stats(const gpc_coherence *coherence, uint32_t module, gpc_coherence_stats *stats);
GPC_API void gpc_coherence_reset_stats(gpc_coherence *coherence);
GPC_API size_t gpc_coherence_matrix_text(const gpc_coherence_stats *stats, const char *title, char *buffer,
                                         size_t size);
GPC_API size_t gpc_coherence_stats_json(const gpc_coherence_stats *stats, char *buffer, size_t size);
typedef struct gpc_coherence_callbacks {
    size_t struct_size;
    void *user_data;
    void (*on_transition)(void *user_data, const gpc_coherence_transition *transition);
    void (*on_message)(void *user_data, const gpc_coherence_message *message);
} gpc_coherence_callbacks;
#define GPC_COHERENCE_CALLBACKS_INIT \
    { sizeof(gpc_coherence_callbacks), NULL, NULL, NULL }
GPC_API gpc_status gpc_coherence_set_callbacks(gpc_coherence *coherence, const gpc_coherence_callbacks *callbacks);
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
GPC_API gpc_status gpc_config_load_file(gpc_config *config, const char *path, gpc_error *error);
GPC_API gpc_status gpc_config_load_text(gpc_config *config, const char *text, const char *name, gpc_error *error);
GPC_API gpc_status gpc_config_import_gpgpusim(gpc_config *config, const char *path, size_t *out_applied,
                                              gpc_error *error);
GPC_API gpc_status gpc_config_set(gpc_config *config, const char *key, const char *value, gpc_error *error);
GPC_API gpc_status gpc_config_set_pair(gpc_config *config, const char *pair, gpc_error *error);
GPC_API gpc_status gpc_config_get(const gpc_config *config, const char *key, const char **out_value);
GPC_API gpc_status gpc_config_get_u64(const gpc_config *config, const char *key, uint64_t *out_value);
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
GPC_API gpc_status gpc_dram_get_stats(const gpc_dram *dram, gpc_stats *stats);
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
    uint8_t reserved[6];
} gpc_warp_access;
#define GPC_WARP_ACCESS_INIT                                                    \
    {                                                                           \
        sizeof(gpc_warp_access), 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, { \
            0                                                                   \
        }                                                                       \
    }
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
GPC_API gpc_status gpc_hierarchy_begin_kernel(gpc_hierarchy *hierarchy, const gpc_launch *launch, gpc_error *error);
GPC_API uint32_t gpc_hierarchy_occupancy(const gpc_hierarchy *hierarchy, const gpc_launch *launch);
GPC_API gpc_status gpc_hierarchy_access(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                        gpc_warp_result *result);
typedef enum gpc_busy {
    GPC_BUSY_NOT = 0,
    GPC_BUSY_PIPELINE = 1,
    GPC_BUSY_LINE = 2,
    GPC_BUSY_MSHR = 3,
    GPC_BUSY_MERGE = 4,
    GPC_BUSY_MISS_QUEUE = 5,
    GPC_BUSY_NETWORK = 6,
    GPC_BUSY_COUNT
} gpc_busy;
typedef struct gpc_completion {
    uint64_t token;
    uint64_t issued;
    uint64_t cycle;
    uint32_t sm, warp;
    uint8_t kind;
    uint8_t level;
    uint8_t reserved[6];
} gpc_completion;
typedef struct gpc_memory_request {
    uint64_t address;
    uint64_t id;
    uint32_t bytes;
    uint32_t channel;
    uint8_t write;
    uint8_t reserved[7];
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
GPC_API gpc_status gpc_hierarchy_try_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token,
                                          gpc_busy *out_busy);
GPC_API uint64_t gpc_hierarchy_now(const gpc_hierarchy *hierarchy);
GPC_API gpc_status gpc_hierarchy_advance(gpc_hierarchy *hierarchy, uint64_t cycles);
GPC_API uint64_t gpc_hierarchy_next_event(const gpc_hierarchy *hierarchy);
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
GPC_API gpc_status gpc_hierarchy_get_stats(const gpc_hierarchy *hierarchy, gpc_stats *stats);
GPC_API void gpc_hierarchy_reset_stats(gpc_hierarchy *hierarchy);
GPC_API gpc_cache *gpc_hierarchy_cache(gpc_hierarchy *hierarchy, unsigned level, uint32_t instance);
GPC_API gpc_coherence *gpc_hierarchy_coherence(gpc_hierarchy *hierarchy);
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
    X(GPC_COMPONENT_CLUSTER_REPLIES, 14, "cluster-replies", "send: slice; receive: cluster")
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
    X(GPC_WHAT_JOIN, 12, "join", "t: waits for another SM's read of its line")                                         \
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
    X(GPC_WHAT_REFRESH, 25, "refresh", "t: a pseudo channel is refreshed; until: it is done")                          \
    X(GPC_WHAT_DATA, 26, "data", "t: all data of a read have come from memory")                                        \
    X(GPC_WHAT_REPLY, 27, "reply", "t: a line transaction has what it asked for; outcome: deepest level")              \
    X(GPC_WHAT_COMPLETE, 28, "complete", "a warp access is done; outcome: deepest level, 3 = DRAM; value: its cycles") \
    X(GPC_WHAT_MESSAGE, 29, "message", "c: a new packet, from a module to another; outcome: gpc_message_kind")         \
    X(GPC_WHAT_ARRIVE, 30, "arrive", "t, c: it has come, and takes effect")                                            \
    X(GPC_WHAT_WAIT, 31, "wait", "t, c: it finds its block in use, and waits in turn")                                 \
    X(GPC_WHAT_REFUSE, 32, "refuse", "t, c: likewise, and goes back to its sender")
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
    uint32_t reserved;
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
    GPC_OP_CLASS_COUNT
} gpc_op_class;
#define GPC_MAX_OPERANDS 8u
#define GPC_REGISTER_R 0x0000u
#define GPC_REGISTER_UR 0x0100u
#define GPC_REGISTER_P 0x0200u
#define GPC_REGISTER_UP 0x0300u
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
} gpc_kernel;
#define GPC_KERNEL_INIT \
    { sizeof(gpc_kernel), NULL, NULL, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0 }
GPC_API gpc_status gpc_trace_open(gpc_context *context, const char *source, gpc_error *error, gpc_trace **out);
GPC_API void gpc_trace_close(gpc_trace *trace);
GPC_API gpc_status gpc_trace_next_kernel(gpc_trace *trace, gpc_kernel *kernel, gpc_error *error);
GPC_API gpc_status gpc_trace_next_block(gpc_trace *trace, const gpc_block **out, gpc_error *error);
GPC_API void gpc_trace_release_block(gpc_trace *trace, const gpc_block *block);
GPC_API uint64_t gpc_trace_kernel_count(const gpc_trace *trace);
GPC_API const char *gpc_trace_opcode(const gpc_trace *trace, uint32_t opcode);
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
GPC_API gpc_status gpc_replay_kernel(gpc_replay *replay, gpc_trace *trace, gpc_kernel *kernel, gpc_stats *stats,
                                     gpc_error *error);
typedef void (*gpc_sample_fn)(void *user_data, uint64_t cycle, const gpc_stats *stats);
GPC_API gpc_status gpc_replay_on_sample(gpc_replay *replay, uint64_t interval, gpc_sample_fn on_sample,
                                        void *user_data);
GPC_API gpc_hierarchy *gpc_replay_hierarchy(gpc_replay *replay);
GPC_API gpc_status gpc_replay_get_stats(const gpc_replay *replay, gpc_stats *stats);
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
GPC_API gpc_status gpc_profile_kernel(gpc_profile *profile, gpc_trace *trace, gpc_kernel *kernel, gpc_stats *stats,
                                      gpc_error *error);
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
    uint32_t reserved;
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
} gpc_throttle_ops;
GPC_API gpc_status gpc_context_register_throttle(gpc_context *context, const gpc_throttle_ops *ops, void *user_data,
                                                 void (*destroy)(void *user_data), gpc_error *error);
GPC_API gpc_status gpc_context_register_scheduler(gpc_context *context, const gpc_scheduler_ops *ops, void *user_data,
                                                  void (*destroy)(void *user_data), gpc_error *error);
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
GPC_API gpc_status gpc_scheduler_set_state(gpc_scheduler *scheduler, uint32_t slot, gpc_warp_state state);
GPC_API gpc_status gpc_scheduler_pick(gpc_scheduler *scheduler, uint64_t cycle, bool memory, uint32_t *out_slot);
GPC_API gpc_status gpc_scheduler_issued(gpc_scheduler *scheduler, uint32_t slot, uint64_t cycle);
GPC_API gpc_warp_class gpc_scheduler_class_of(const gpc_scheduler *scheduler, uint32_t slot);
GPC_API gpc_token gpc_scheduler_token_of(const gpc_scheduler *scheduler, uint32_t slot, unsigned level);
GPC_API uint32_t gpc_scheduler_class_count(const gpc_scheduler *scheduler, gpc_warp_class class_of);
GPC_API uint64_t gpc_scheduler_next_change(const gpc_scheduler *scheduler);
GPC_API uint32_t gpc_scheduler_age_of(const gpc_scheduler *scheduler, uint32_t slot);
GPC_API void gpc_scheduler_cache_event(gpc_scheduler *scheduler, const gpc_cache_event *event);
GPC_API void gpc_scheduler_sample(gpc_scheduler *scheduler, const gpc_stats *stats, uint64_t cycle);
GPC_END_DECLS
#define GPC_VERSION_MAJOR 0
#define GPC_VERSION_MINOR 1
#define GPC_VERSION_PATCH 0
#define GPC_VERSION_NUMBER ((GPC_VERSION_MAJOR << 16) | (GPC_VERSION_MINOR << 8) | GPC_VERSION_PATCH)
GPC_BEGIN_DECLS
GPC_API unsigned gpc_version(void);
GPC_API const char *gpc_version_string(void);
GPC_END_DECLS
#endif
