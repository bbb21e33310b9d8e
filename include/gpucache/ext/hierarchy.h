/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXT_HIERARCHY_H
#define GPUCACHE_EXT_HIERARCHY_H

/* Extension: keys, presets, imports of a configuration; batches, places, caches, samples, ports of a hierarchy. */

#include <gpucache/ext/policies.h>
#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

typedef enum gpc_value_type {
    GPC_VALUE_COUNT = 0,  /* whole number, decimal or 0x */
    GPC_VALUE_SIZE = 1,   /* bytes, with B, KiB, MiB or GiB (K, M, G are synonyms of KiB, MiB, GiB); also 1.5MiB */
    GPC_VALUE_BOOL = 2,   /* true, false, yes, no, on, off, 1, 0 */
    GPC_VALUE_CHOICE = 3, /* a word of `choices` */
    GPC_VALUE_POLICY = 4, /* `name` or `name(parameter=value, ...)` of a registry */
    GPC_VALUE_TEXT = 5,
    GPC_VALUE_NUMBER = 6, /* decimal fraction of at least 0, with at most three decimals */
    GPC_VALUE_SIZES = 7   /* sizes separated by blanks, in ascending order; may be empty */
} gpc_value_type;

typedef struct gpc_key_info {
    size_t struct_size;
    const char *name;
    gpc_value_type type;
    const char *unit;        /* "" if the key has no unit */
    const char *initial;     /* default, as text */
    double minimum, maximum; /* range of numeric types */
    /* `a|b|c`; for SIZE, COUNT and NUMBER words allowed instead of a number (`auto`); "" if the key has no choices */
    const char *choices;
    const char *meaning;
} gpc_key_info;

#define GPC_KEY_INFO_INIT \
    { sizeof(gpc_key_info), NULL, GPC_VALUE_COUNT, NULL, NULL, 0, 0, NULL, NULL }

/*
 * Enumerate the keys in reference order. gpc_key_at returns GPC_OK; GPC_ERROR_RANGE past the end; GPC_ERROR_ARGUMENT
 * (NULL); GPC_ERROR_ABI. Any thread. Since: 0.1.
 */
GPC_API size_t gpc_key_count(void);
GPC_API gpc_status gpc_key_at(size_t index, gpc_key_info *info, gpc_error *error);

/*
 * Enumerate the presets: name and summary (a single line). Static storage. gpc_preset_at returns GPC_OK;
 * GPC_ERROR_RANGE past the end. Any thread. Since: 0.1.
 */
GPC_API size_t gpc_preset_count(void);
GPC_API gpc_status gpc_preset_at(size_t index, const char **name, const char **summary, gpc_error *error);

/*
 * Text of a preset, in the syntax of gpc_config_load_text, with the source of every figure as a comment. A line `preset
 * = NAME` includes another preset, perhaps an unlisted part, for the keys that the text leaves out. `defaults` has no
 * text. NULL for an unknown name. Static storage. Since: 0.1.
 */
GPC_API const char *gpc_preset_text(const char *name);

/* Create a configuration with the values of another configuration. Returns as gpc_config_create. Since: 0.1. */
GPC_API gpc_status gpc_config_copy(const gpc_config *config, gpc_config **out, gpc_error *error);

/*
 * Name of the last preset applied by gpc_config_load_preset or by a line of a file. Values set later may differ from
 * the preset. NULL: no preset, or `defaults`. Static storage. Since: 0.2.
 */
GPC_API const char *gpc_config_preset(const gpc_config *config);

typedef enum gpc_import_outcome {
    GPC_IMPORT_APPLIED = 0, /* the option concerns a key, and was applied */
    GPC_IMPORT_IGNORED = 1, /* the option is known to GPGPU-Sim, but no key follows from the option */
    GPC_IMPORT_UNKNOWN = 2, /* unknown option: misspelt, or of another release */
} gpc_import_outcome;

/*
 * Option of a file, in the file's order. The texts live for the call. A plain record. If part of an applied option's
 * value is unknown (a fifth clock), the part is reported after all options, as GPC_IMPORT_UNKNOWN under the option's
 * name.
 */
typedef struct gpc_import_option {
    const char *name;
    const char *value; /* "" if the option has no value */
    size_t line;       /* line number, from 1 */
    gpc_import_outcome outcome;
    const char *reason; /* why the option was not applied; "" if applied */
} gpc_import_option;

typedef void (*gpc_import_fn)(void *user_data, const gpc_import_option *option);

/*
 * Import a GPGPU-Sim or Accel-Sim option file (`-gpgpu_cache:dl1 S:4:128:64,...`) of release 3.x or 4.x. Options with a
 * key in gpucache are applied; the rest is passed over. Keys that the file does not mention keep their values. An
 * adaptive L1 becomes a unified L1 whose ways follow its capacity. Latencies in core cycles become cycles of the key's
 * own clock. Clocks are rounded to MHz. DRAM is as in GPGPU-Sim, without refresh. The separate network file of intersim
 * is not read. A trace.config may be imported after.
 *   on_option  called for every option after all are applied; may be NULL; must not use the configuration
 * On failure the configuration is as before, and `on_option` is not called. The context's log has a warning for every
 * unknown option, and names the ignored options. Returns as gpc_config_load_file; also GPC_ERROR_UNSUPPORTED (the file
 * has an option that no key can express). Since: 0.3.
 */
GPC_API gpc_status gpc_config_import_gpgpusim(gpc_config *config, const char *path, gpc_import_fn on_option,
                                              void *user_data, gpc_error *error);

/*
 * Import from text. `name` stands for the file in messages, NULL for "text". Returns as
 * gpc_config_import_gpgpusim. Since: 0.2.
 */
GPC_API gpc_status gpc_config_import_gpgpusim_text(gpc_config *config, const char *text, const char *name,
                                                   gpc_import_fn on_option, void *user_data, gpc_error *error);

/*
 * Local memory is private to a thread. If `local_offsets` is 1, an address is the thread's own offset, as in LDL and
 * STL, and the hierarchy maps the offset to memory. 32-bit words are interleaved over all threads that the GPU can hold
 * at once. Equal words of a warp's 32 lanes therefore lie side by side in 128 bytes ("local memory is organized such
 * that consecutive 32-bit words are accessed by consecutive thread IDs", CUDA C++ Programming Guide, "Device Memory
 * Accesses"). As in GPGPU-Sim (shader_core_ctx::translate_local_memaddr, -gpgpu_local_mem_map 0), word w of thread t is
 * at
 *   2^56 + 2^55 + 4 (w T + t)    t = (sm S + warp) L + lane; L = sm.lanes, S = sm.warps, T = L S sm.count gpu.count
 *
 * No virtual address of a GPU has bit 56. A thread is a hardware slot, not a thread of a grid: a later warp in the slot
 * finds the lines of an earlier warp. NVIDIA's drivers reserve such an area too: bytes of a warp x warps of an SM x SMs
 * (Mesa, nvc0_screen_resize_tls_area). The lowest 27 bits of an offset count.
 *
 * An access of more than 4 bytes a lane touches several words in several lines. The access is a single request, and the
 * lowest two bits of the offset are ignored. An access of fewer bytes stays within the word. If `local_offsets` is 0,
 * addresses are as mapped by the host. A recording (ext/observe.h) has the host's addresses; a replay maps no address
 * twice.
 *
 * gpc_hierarchy_local_address: address of a byte of a thread, for a host that coalesces by itself
 * (gpc_hierarchy_try_transactions, hierarchy.h).
 *   sm, warp, lane  below sm.count times gpu.count, sm.warps and sm.lanes; `warp` is the slot within the SM
 *   offset          bytes
 * Returns the address; 0 if an argument is out of range, or if `hierarchy` is NULL. Any thread. Since: 0.2.
 */
GPC_API uint64_t gpc_hierarchy_local_address(const gpc_hierarchy *hierarchy, uint32_t sm, uint32_t warp, uint32_t lane,
                                             uint64_t offset);

/*
 * Create a copy of the hierarchy's configuration. For a loaded hierarchy: the configuration in its file. Returns
 * GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_get_config(const gpc_hierarchy *hierarchy, gpc_config **out, gpc_error *error);

/*
 * Number of thread blocks of the launch that fit an SM at once (warps, registers, shared memory, block limit); 0 if the
 * SM is too small for a block. Since: 0.1.
 */
GPC_API uint32_t gpc_hierarchy_occupancy(const gpc_hierarchy *hierarchy, const gpc_launch *launch);

/*
 * Batch of warp instructions: an array of `count` elements per field. NULL: the values of GPC_WARP_ACCESS_INIT. Since:
 * 0.2.
 */
typedef struct gpc_access_batch {
    size_t struct_size;
    size_t count;
    uint32_t lanes;            /* columns of `addresses`, 1 to 64 */
    uint32_t width;            /* bytes a lane, if `widths` is NULL; 0 = 4 */
    const uint64_t *addresses; /* [count][lanes]: lane l of instruction n is addresses[n * lanes + l] */
    const uint64_t *masks;     /* active lanes, a bit per lane, below `lanes`; NULL: all lanes */
    const uint64_t *pcs;
    const uint32_t *sms, *warps, *warp_ages, *blocks, *widths;
    const uint8_t *kinds, *spaces, *hints, *scopes, *orders;
    gpc_warp_result *results; /* [count], receives the effect of every instruction; struct_size is set; may be NULL */
    const uint8_t *processes;
} gpc_access_batch;

#define GPC_ACCESS_BATCH_INIT                                                                                       \
    {                                                                                                               \
        sizeof(gpc_access_batch), 0, 32, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL, NULL, NULL                                                                                        \
    }

/*
 * Run warp instructions in order, as gpc_hierarchy_access does.
 *   out_done  receives the number of completed instructions, also after a failure; may be NULL
 * Returns as gpc_hierarchy_access for the first instruction that failed; GPC_ERROR_ARGUMENT also for `lanes`, a mask
 * beyond `lanes`, and NULL addresses. Instructions before the failed instruction are done. The failed instruction and
 * the later ones are not done. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_access_many(gpc_hierarchy *hierarchy, const gpc_access_batch *batch, size_t *out_done,
                                             gpc_error *error);

/*
 * Number of threads that share the work of a cycle at present, including the caller. 1 if the caller does all work; 1
 * for NULL. The key `threads` asks for threads. Results do not depend on the number. Callbacks run on the calling
 * thread. The number is never above the number of processors that the process may use.
 *
 * SMs with their L1s are distributed over threads, and L2 slices with their memory channels too. Work that is not
 * separable runs on the calling thread alone:
 *   SMs, L1s          if a callback is set; if a policy, predictor, scheduler or throttle is the host's, or is shared
 *                     by all SMs (rpr, predictors that read a profile); shortly before limit.instructions
 *   slices, channels  if on_fill or on_evict is set; if a policy or predictor is the host's, or is shared by all
 *                     slices; if L2 is inclusive
 *   both              if a trace of events is set
 * Without a clock the threads share the rounds of a replay: SMs with their L1s, then L2 slices. A number of threads is
 * refused if policies are as above, if L1's predictor receives L2's replies (agcb), if l1.future is set, or if L2 is
 * inclusive. A number is also refused without a replay, because accesses then come one by one.
 * Trees of coherent modules, and `coherence.data`, run on 1 thread: a number of threads is refused, and `auto` is 1.
 * on_memory is refused with several threads. If a configuration restricts a side to 1 thread, the log gives the reason
 * (INFO) when the hierarchy is made. After a fork only the parent process can use a hierarchy with several threads.
 * Since: 0.2.
 */
GPC_API uint32_t gpc_hierarchy_threads(const gpc_hierarchy *hierarchy);

/*
 * Pass a warp event to the policies of its SM's L1. Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL, sm, kind; see also
 * gpc_hierarchy_rank_warps); GPC_ERROR_MEMORY (with gpc_hierarchy_rank_warps). Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_warp_event(gpc_hierarchy *hierarchy, const gpc_warp_event *event, gpc_error *error);

/*
 * End a sample period: pass the sample of every SM to the policies of its L1, and the sample of every L2 slice to the
 * slice's policies. A replay calls the function by itself (`sample.period`). For a host with its own cores, the host's
 * calls set the length of the period.
 *   samples  [sm.count gpu.count], struct_size set; the host fills in active_cycles and instructions, the library the
 *            rest
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_sample(gpc_hierarchy *hierarchy, const gpc_sample *samples, gpc_error *error);

/* True if a policy needs samples. Since: 0.1. */
GPC_API bool gpc_hierarchy_wants_samples(const gpc_hierarchy *hierarchy);

/*
 * Write dirty lines down and drop all lines: a context switch, or cold caches. Takes no time in either mode.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_STATE (accesses are in flight, or from within a callback).
 * Since: 0.1.
 */
GPC_API gpc_status gpc_hierarchy_flush(gpc_hierarchy *hierarchy, gpc_error *error);

/*
 * Name of an object of a kind: "sm-3", "l2-0", "channel-1", "stream-0"; the name of a network tells what the network
 * connects.
 *   name, size  buffer of `size` bytes, at least GPC_OBJECT_NAME
 * Returns GPC_OK; GPC_ERROR_RANGE (unknown object, or the name was cut); GPC_ERROR_ARGUMENT.
 * Since: 0.2.
 */
#define GPC_OBJECT_NAME 40
GPC_API gpc_status gpc_hierarchy_object_name(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index,
                                             char *name, size_t size, gpc_error *error);

/*
 * Counters published by policies, over all caches of a level: "l1.replacement.dip.selector", "l2.bypass.agcb-below...",
 * "l2.prefetcher...". Arguments and statuses as gpc_cache_policy_value. If a launch gives L1 another share of a unified
 * memory, its policies start again. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_policy_value(const gpc_hierarchy *hierarchy, size_t index, gpc_policy_value *value,
                                              gpc_error *error);

/*
 * Cache of the hierarchy, borrowed as long as the hierarchy lives: level 1, instance = SM; level 2, instance = slice.
 * NULL if the cache does not exist. If gpc_hierarchy_begin_kernel gives L1 another share of a unified memory, the L1
 * stays the same object: L1 is then empty, has other sets and ways, and its statistics and policies start again. Since:
 * 0.1.
 */
GPC_API gpc_cache *gpc_hierarchy_cache(gpc_hierarchy *hierarchy, unsigned level, uint32_t instance);

/*
 * Tree of coherent modules that replaces the caches, with `coherence = PROTOCOL`. NULL without `coherence`. Borrowed
 * until the next gpc_hierarchy_begin_kernel, which may make another tree (with L1s of another size and continued
 * statistics).
 *
 * Modules of the tree, in order: "l1-0" and so on, an L1 per SM; "cluster-0" and so on, a cache per `cluster.sms` SMs;
 * "l2-0" and so on, a module per slice; "memory-0" and so on, a module per slice. Use the tree for states, matrices,
 * callbacks and, with `coherence.data`, the bytes of memory. While no access of the hierarchy is in flight, the host
 * may make its own accesses to the tree. They are counted in the tree's statistics and take no time.
 *
 * Loads are LOAD, stores N_STORE, atomics and reductions STORE, all performed in L1. The hint CG sets the bit GLC, CV
 * sets both bits, WT sets both bits. The start of a kernel is an acquire. If L1 changes its size, the whole tree is
 * emptied (l1.carveout).
 *
 * If a tree cannot support a key's value, creating the hierarchy fails and names the key. A key without effect is
 * refused too, if the host has set a value other than the default; values of presets are reported in the context's log
 * (gpc_config_set). Keys without effect in all trees: l1.banks (except with l1.bank_index = hopper), l2.banks,
 * l2.mshr_merges (a request for a block in use waits, or is refused: `coherence.conflict`, GPC_PROTOCOL_RETRY),
 * l2.write_to_read, l1.bypass_fetch, l1.bypass_latency, l1.bypass_queue, l1.combine_*, network.write_mask, sm.bulk_*,
 * and l1.future unless a policy asks for the next use. With directories: l1.atomics, l1.invalidate_rate. Without
 * directories: l2.inclusion, cluster.inclusion, coherence.directory_*, coherence.memory_*, and l1.write_allocate* if
 * L1s keep no line of a store miss.
 *
 * Back-pressure comes from l1.mshr_entries, l1.miss_queue, the networks, l2.queue, l2.miss_queue, l2.reply_queue and
 * l2.mshr_entries. If a read or write request makes its slice ask memory, the request has an MSHR entry from its lookup
 * until its answer is sent. Without a free entry the request is refused or waits, and the requests behind wait too,
 * hits included. Clusters have the ports of a slice, and no MSHR limit. Since: 0.1.
 */
GPC_API gpc_coherence *gpc_hierarchy_coherence(gpc_hierarchy *hierarchy);

/* Index of a place that does not exist. */
#define GPC_NOWHERE UINT32_MAX

/* Place of an address in L2 and in memory. */
typedef struct gpc_location {
    size_t struct_size;
    uint64_t line;          /* address of the line in L2 */
    uint64_t slice_address; /* address of the line within its slice, as used by the slice's cache and on_evict */
    uint64_t row;           /* row of DRAM's bank; 0 if `bank` is GPC_NOWHERE */
    uint32_t partition;     /* partition that owns the line */
    uint32_t slice;         /* slice that owns the line, counted over all partitions */
    /* slice that the SM asks: the owner, or with two partitions the slice in the SM's own partition */
    uint32_t near_slice;
    uint32_t set;     /* set in `slice` and in `near_slice`; GPC_NOWHERE without L2 */
    uint32_t channel; /* channel of memory; GPC_NOWHERE without a clock */
    /* bank of DRAM, including bank group and pseudo channel; GPC_NOWHERE if the memory has no banks or is the host's */
    uint32_t bank;
    uint32_t column;   /* byte within the row; 0 if `bank` is GPC_NOWHERE */
    uint32_t reserved; /* 0 */
} gpc_location;

#define GPC_LOCATION_INIT \
    { sizeof(gpc_location), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/*
 * Find the place of an address, as seen from an SM.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a NULL, unknown SM); GPC_ERROR_UNSUPPORTED (a tree of coherent
 * modules: see gpc_hierarchy_coherence). Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_locate(const gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address,
                                        gpc_location *location, gpc_error *error);

/*
 * Load the lines of an address range into a cache, as after a copy by the host or after an earlier kernel. The load
 * takes no time, makes clean lines, and is not counted. Lines take ways as fills do: if the range is larger than the
 * cache, the last lines stay. Policies are notified, and may decline. Dirty lines that make room count as written back.
 *   level  1: L1 of SM `sm`; 2: the slices of L2 that own the lines, `sm` is ignored
 *   bytes  0: no line
 * Returns GPC_OK; GPC_ERROR_ARGUMENT and GPC_ERROR_RANGE (`error` gives the reason); GPC_ERROR_STATE (something is in
 * flight); GPC_ERROR_UNSUPPORTED (a tree of coherent modules; L2 is inclusive; accesses carry values);
 * GPC_ERROR_CALLBACK. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_preload(gpc_hierarchy *hierarchy, unsigned level, uint32_t sm, uint64_t address,
                                         uint64_t bytes, gpc_error *error);

/*
 * Ages of warps. Either the host sets gpc_warp_access.warp_age, or the library ranks the warps of every SM by the
 * reported starts (gpc_hierarchy_warp_event): the oldest warp that has not exited is 0, the next is 1, as in a replay
 * with a clock.
 *   on  true: from now on `warp_age` of accesses is ignored. Accesses of a warp that has not started, or that has
 *       exited, are refused (GPC_ERROR_ARGUMENT). A start of a running warp, and an exit of a warp that does not run,
 *       are refused too. If the warp of a gpc_hierarchy_try_miss request does not run, the request keeps its age,
 *       because L1's requests may outlive the warp. false: the host sets ages, and known warps are forgotten.
 * Warps are slots of an SM, below 65536. Works in either mode; part of a snapshot. Off by default, without cost.
 * Returns GPC_OK (also without a change); GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_STATE (the hierarchy belongs to a
 * replay, which ranks its own warps); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_rank_warps(gpc_hierarchy *hierarchy, bool on, gpc_error *error);

/*
 * Ports: reads and writes that reach L2 from a source other than an SM: a copy engine, a link to another GPU, a CPU.
 * The key `ports` sets their number. Ports need a clock and plain caches.
 *
 * A port takes requests of every length, up to `port.queue` requests at once, and cuts the oldest request into lines.
 * The address hash gives the home slice of a line. The line arrives at the slice at the earliest `port.latency` core
 * cycles later. Lines of ports and packets of the request network enter the pipeline before the slice's tags in turn:
 * if both wait, neither enters twice in a row. From the pipeline on, a line is handled as a request of an SM: hit or
 * miss, fill of L2, wait for MSHRs, dirty lines, drop of copies in the other partition. The reply is back
 * `port.latency` cycles after the reply has left the slice.
 *
 * The link of a direction moves `port.width` bytes a core cycle, and at least 1 cycle per line: written data to L2,
 * read data from L2. At most `port.lines` lines are in flight. L1s are not notified: an L1 keeps its copy of a written
 * line, as with stores of other SMs.
 *
 * Transfers of ports are counted in the counters of L2 and DRAM, without a stream. gpc_hierarchy_port_stats has the
 * statistics of a single port.
 */
typedef struct gpc_port_request {
    size_t struct_size;
    uint64_t address; /* bytes, not aligned */
    uint64_t bytes;   /* at least 1 */
    uint32_t port;    /* below `ports` */
    uint8_t kind;     /* gpc_kind: LOAD or STORE */
    uint8_t process;  /* process of `address` (types.h) */
    uint8_t reserved[2];
} gpc_port_request;

#define GPC_PORT_REQUEST_INIT                      \
    {                                              \
        sizeof(gpc_port_request), 0, 0, 0, 0, 0, { \
            0                                      \
        }                                          \
    }

/*
 * Offer a request at the present cycle. The request completes with its last line: gpc_hierarchy_callbacks.on_complete
 * is called with gpc_completion.port = 1 + port, and with sm and warp UINT32_MAX. gpc_hierarchy_in_flight counts the
 * request.
 *   token  comes back with the completion
 * Returns GPC_OK (accepted: completes exactly once, later); GPC_BUSY (the port has `port.queue` requests; `error` is
 * not written); GPC_ERROR_ABI; GPC_ERROR_ARGUMENT, `error` naming the field, also for an unknown port; GPC_ERROR_STATE
 * (from within a callback). Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_try_port(gpc_hierarchy *hierarchy, const gpc_port_request *request, uint64_t token,
                                          gpc_error *error);

/* Statistics of a port, since creation or gpc_hierarchy_reset_stats. */
typedef struct gpc_port_stats {
    size_t struct_size;
    uint64_t requests, completed;         /* number of accepted requests, and of completed requests */
    uint64_t request_cycles;              /* core cycles of completed requests, from acceptance to completion */
    uint64_t read_lines, write_lines;     /* lines sent */
    uint64_t read_sectors, write_sectors; /* sectors of 32 bytes, touched by the lines sent */
    uint64_t l2_read_hits;                /* lines read that needed no memory */
    uint64_t busy_cycles;                 /* core cycles in which the link to L2 moved something */
    /* core cycles in which the link to L2 had to wait, because `port.lines` lines were in flight */
    uint64_t limit_cycles;
} gpc_port_stats;

#define GPC_PORT_STATS_INIT \
    { sizeof(gpc_port_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Number of ports; 0 for NULL. Since: 0.2. */
GPC_API uint32_t gpc_hierarchy_ports(const gpc_hierarchy *hierarchy);

/*
 * Get the statistics of a port.
 *   out  struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE (unknown port); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_port_stats(const gpc_hierarchy *hierarchy, uint32_t port, gpc_port_stats *out,
                                            gpc_error *error);

GPC_END_DECLS

#endif
