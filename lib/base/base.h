/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_BASE_H
#define GPC_BASE_BASE_H

/* Base of all parts of the library: memory, errors, option structs, random numbers, links. Nothing is exported. */

#include <gpucache/ext/coherence.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/observe.h>
#include <gpucache/ext/parts.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <stddef.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define GPCI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define GPCI_INLINE static inline __attribute__((always_inline))
#define GPCI_NOINLINE __attribute__((noinline))
#define GPCI_PREFETCH(address) __builtin_prefetch(address)
#define GPCI_COLD __attribute__((cold, noinline)) /* rarely called: callers keep no registers for the call */
#define GPCI_LIKELY(x) __builtin_expect(!!(x), 1)
#define GPCI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define GPCI_PRINTF(text, first)
#define GPCI_INLINE static inline
#define GPCI_NOINLINE
#define GPCI_PREFETCH(address) ((void)(address))
#define GPCI_COLD
#define GPCI_LIKELY(x) (x)
#define GPCI_UNLIKELY(x) (x)
#endif

/* Unit of traffic between levels: 32-byte segments, DRAM's atom, and a sector of every NVIDIA cache since Maxwell. */
#define GPCI_SEGMENT 32u

/* Named tables of a context: policies, built in or registered by the host (registry/registry.c). */
typedef struct gpci_registry gpci_registry;

struct gpc_context {
    gpc_allocate_fn allocate;
    gpc_resize_fn resize;
    gpc_release_fn release;
    void *allocator_data;
    gpc_log_fn log;
    void *log_data;
    uint64_t seed;
    gpc_simd simd;     /* vector instructions that batches may use: never AUTO */
    size_t references; /* a reference of the caller, and a reference per object */
    gpci_registry *registry;
#ifdef GPCI_CHECK
    _Atomic size_t blocks; /* allocated and not yet freed; shards of a hierarchy allocate in their own threads */
#endif
};

/* Hold a context for an object's lifetime. The last gpci_release frees the context. */
gpc_context *gpci_retain(gpc_context *context);
void gpci_release(gpc_context *context);

/* Hooks of a context without hooks of the caller (memory.c). */
void *gpci_default_allocate(void *user_data, size_t bytes);
void *gpci_default_resize(void *user_data, void *memory, size_t bytes);
void gpci_default_release(void *user_data, void *memory);

/* Allocate through the context's hooks. NULL if memory is exhausted or the product overflows. */
void *gpci_alloc(gpc_context *context, size_t bytes);
void *gpci_zalloc(gpc_context *context, size_t count, size_t bytes);
void *gpci_resize(gpc_context *context, void *memory, size_t count, size_t bytes);
void gpci_free(gpc_context *context, void *memory);
char *gpci_strdup(gpc_context *context, const char *text);

/* Allocate zeroed memory that starts on a 64-byte cache line. Free with gpci_free_lines. */
void *gpci_zalloc_lines(gpc_context *context, size_t count, size_t bytes);
void gpci_free_lines(gpc_context *context, void *memory);

/* Visit a stretch of memory of an object's state: a snapshot saves the stretch, or restores the stretch. */
typedef gpc_state_fn gpci_state_fn;

/*
 * The order of a struct's fields is the list of the struct's state: addresses and what creation sets stand first, and
 * all fields from one field on change during a run. Snapshots have these fields, up to the end of the struct. A field
 * added behind them is saved and loaded without a further line.
 */
#define GPCI_STATE_FROM(visit, user_data, type, object, first) \
    (visit)((user_data), (char *)(object) + offsetof(type, first), sizeof(type) - offsetof(type, first))

/* `state` of a policy whose memory never changes after init. */
GPCI_INLINE void gpci_state_none(void *self, gpci_state_fn visit, void *user_data) {
    (void)self;
    (void)visit;
    (void)user_data;
}

/* Record a failure in the caller's gpc_error, which may be NULL, and return `status`. */
gpc_status gpci_fail(gpc_error *error, gpc_status status, const char *format, ...) GPCI_PRINTF(3, 4);
/* Size of the message that a policy's `init` is given. */
#define GPCI_POLICY_MESSAGE 256u
/* Give the reason why a policy refuses (`message` of its `init`); returns `status`. */
gpc_status gpci_policy_refuse(char *message, gpc_status status, const char *format, ...) GPCI_PRINTF(3, 4);
gpc_status gpci_out_of_memory(gpc_error *error);

/* Record a failure of `call` whose status tells all: no memory, or an impossible choice of a policy. */
gpc_status gpci_fail_by_status(gpc_error *error, gpc_status status, const char *call);

void gpci_log(gpc_context *context, gpc_log_level level, const char *format, ...) GPCI_PRINTF(3, 4);

/*
 * Copy a caller's option struct over the defaults in `ours`. With a smaller struct_size the later defaults stay. A
 * larger struct is refused unless its unknown bytes are zero. `least` is the size of the oldest accepted version.
 */
gpc_status gpci_take_version(void *ours, size_t size, size_t least, const void *theirs, const char *type,
                             gpc_error *error);
GPCI_INLINE gpc_status gpci_take(void *ours, size_t size, size_t least, const void *theirs, const char *type,
                                 gpc_error *error) {
    if (GPCI_UNLIKELY(!theirs || memcmp(theirs, &size, sizeof size) != 0))
        return gpci_take_version(ours, size, least, theirs, type, error);
    memcpy(ours, theirs, size);
    return GPC_OK;
}

/*
 * Copy a result to a caller's struct of struct_size bytes, and keep struct_size. GPC_ERROR_ABI if the struct has no
 * field. A call that changes an object asks gpci_can_give first, because a failure must leave the object unchanged.
 */
gpc_status gpci_can_give(const void *theirs, const char *type, gpc_error *error);
gpc_status gpci_give(void *theirs, const void *ours, size_t size, const char *type, gpc_error *error);

/* Random number, splitmix64: small state, good enough for replacement and synthetic streams, equal on every machine. */
GPCI_INLINE uint64_t gpci_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Multiplicative hash for tables: use the upper bits. */
GPCI_INLINE uint64_t gpci_hash(uint64_t key) {
    return (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
}

/* Stateless mix of a value: seeds of sub-objects, hash interleaving. */
GPCI_INLINE uint64_t gpci_mix(uint64_t value) {
    return gpci_random(&value);
}

/*
 * Random number below `bound` (1 or more), uniform, by multiplication; bias below 2^-32 for the small bounds used here.
 */
GPCI_INLINE uint32_t gpci_random_below(uint64_t *state, uint32_t bound) {
    return (uint32_t)(((gpci_random(state) >> 32) * bound) >> 32);
}

/* Parity of the set bits. 1: odd. */
GPCI_INLINE uint32_t gpci_parity(uint64_t x) {
    x ^= x >> 32;
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    return 0x6996u >> (x & 15) & 1;
}

GPCI_INLINE unsigned gpci_popcount(uint64_t x) {
#if defined(__POPCNT__)
    return (unsigned)__builtin_popcountll(x);
#else
    /* Compilers call a function if the processor has no popcount instruction. */
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(x * 0x0101010101010101u >> 56);
#endif
}

/*
 * Number of set bits in a mask of sectors. Most masks have four sectors: the used part of the table is a single cache
 * line.
 */
extern const uint8_t gpci_sector_counts[256];
GPCI_INLINE unsigned gpci_count_sectors(uint8_t mask) {
    return gpci_sector_counts[mask];
}

/* Bits of a bitmap. */
GPCI_INLINE void gpci_bit_set(uint64_t *words, size_t bit) {
    words[bit / 64] |= (uint64_t)1 << (bit & 63);
}

GPCI_INLINE void gpci_bit_clear(uint64_t *words, size_t bit) {
    words[bit / 64] &= ~((uint64_t)1 << (bit & 63));
}

GPCI_INLINE bool gpci_bit_is_set(const uint64_t *words, size_t bit) {
    return words[bit / 64] >> (bit & 63) & 1;
}

/* Index of the lowest set bit; x must not be 0. */
GPCI_INLINE unsigned gpci_lowest(uint64_t x) {
#if defined(__GNUC__) || defined(__clang__)
    return (unsigned)__builtin_ctzll(x);
#else
    unsigned n = 0;
    for (; !(x & 1); x >>= 1)
        n++;
    return n;
#endif
}

/* value * over / under, rounded down, without overflow if the result fits. */
GPCI_INLINE uint64_t gpci_scale(uint64_t value, uint32_t over, uint32_t under) {
    return value / under * over + value % under * over / under;
}

GPCI_INLINE bool gpci_power_of_two(uint64_t x) {
    return x && !(x & (x - 1));
}

/* Floor of the base-2 logarithm; x must not be 0. */
GPCI_INLINE unsigned gpci_log2(uint64_t x) {
#if defined(__GNUC__) || defined(__clang__)
    return 63u - (unsigned)__builtin_clzll(x | 1);
#else
    unsigned n = 0;
    while (x >>= 1)
        n++;
    return n;
#endif
}

/* Number of bits to number x elements: ceiling of the base-2 logarithm; x must not be 0. */
GPCI_INLINE unsigned gpci_ceil_log2(uint64_t x) {
    return x > 1 ? gpci_log2(x - 1) + 1 : 0;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 gpci_u128;
#endif

/*
 * Division by a constant divisor d, for n < 2^63. A power of two is a shift. Otherwise let l = ceil(log2 d) and m =
 * ceil(2^(63+l) / d); then
 *   floor(n / d) = floor(n m / 2^(63+l)) = mulhi(n, m) >> (l - 1).
 * Proof. m d = 2^(63+l) + e with 0 <= e < d < 2^l. Hence n m / 2^(63+l) = n/d + r with r = n e / (d 2^(63+l)) < (n /
 * 2^63) / d < 1/d. The fraction of n/d is at most (d-1)/d, and so r never carries into the whole part. m fits in 64
 * bits: d > 2^(l-1) gives 2^(63+l) / d < 2^64. Example: d = 3: l = 2, m = ceil(2^65 / 3); n = 7: 7 m / 2^65 = 2.33..,
 * quotient 2.
 */
typedef struct gpci_divisor {
    uint64_t multiplier; /* m; 0 = d is a power of two */
    uint32_t divisor;
    uint32_t shift; /* l - 1; for a power of two its logarithm */
} gpci_divisor;

/* `divisor` must not be 0. */
gpci_divisor gpci_divisor_of(uint32_t divisor);

GPCI_INLINE uint64_t gpci_quotient(const gpci_divisor *divisor, uint64_t n) {
    if (!divisor->multiplier)
        return n >> divisor->shift;
#ifdef __SIZEOF_INT128__
    return (uint64_t)((gpci_u128)n * divisor->multiplier >> 64) >> divisor->shift;
#else
    return n / divisor->divisor;
#endif
}

GPCI_INLINE uint32_t gpci_modulo(const gpci_divisor *divisor, uint64_t n) {
    if (!divisor->multiplier)
        return (uint32_t)n & (divisor->divisor - 1);
    return (uint32_t)(n - gpci_quotient(divisor, n) * divisor->divisor);
}

/*
 * Links: the parts of every network. The star of a tree alone (coherence/engine/engine_network.c) has three links from
 * sender to receiver, the crossbar of a hierarchy with a clock (timed/network/network.h) has one.
 *
 * A link takes messages, one at a time, from a buffer to the next buffer. From the grant in cycle g on, a message of s
 * bytes occupies the reading side of the first buffer and the writing side of the second for
 *
 *     c = ceil(s / bytes per cycle)
 *
 * cycles, and is there in cycle g + c + latency. A buffer with a turnaround can be read so many cycles later. The
 * message gives up its room in the first buffer at the grant, and has room in the second from the grant on: a full
 * buffer holds messages back, and no message is lost.
 *
 * Example, 32 bytes per cycle, latency 4: 136 bytes granted in cycle 10 occupy both buffers until 15, and are there in
 * 19.
 */

/* Room in a buffer is counted in messages; in bytes; in flits, the bytes that a link takes in a cycle. */
typedef enum gpci_room_unit { GPCI_ROOM_MESSAGES, GPCI_ROOM_BYTES, GPCI_ROOM_FLITS } gpci_room_unit;

typedef struct gpci_link {
    gpci_divisor width; /* bytes per cycle */
    uint32_t latency, turnaround;
    gpci_room_unit unit;
} gpci_link;

typedef struct gpci_link_buffer {
    uint64_t used, capacity;        /* room in the link's unit */
    uint64_t read_free, write_free; /* first cycle of the next grant from the buffer, into the buffer */
} gpci_link_buffer;

GPCI_INLINE uint32_t gpci_link_cycles(const gpci_link *link, uint32_t bytes) {
    return (uint32_t)gpci_quotient(&link->width, (uint64_t)bytes + link->width.divisor - 1);
}

/* Room taken by a message of so many bytes. */
GPCI_INLINE uint32_t gpci_link_room(const gpci_link *link, uint32_t bytes) {
    return link->unit == GPCI_ROOM_FLITS ? gpci_link_cycles(link, bytes) : link->unit == GPCI_ROOM_BYTES ? bytes : 1;
}

GPCI_INLINE bool gpci_link_has_room(const gpci_link_buffer *buffer, uint64_t room) {
    return buffer->used + room <= buffer->capacity;
}

/* Grant at cycle `at` a message of so many cycles and so much room. Returns the cycle in which the message is there. */
GPCI_INLINE uint64_t gpci_link_grant(const gpci_link *link, gpci_link_buffer *from, gpci_link_buffer *to, uint64_t at,
                                     uint32_t cycles, uint32_t room) {
    from->used -= room;
    from->read_free = at + cycles + link->turnaround;
    to->used += room;
    to->write_free = at + cycles;
    return at + cycles + link->latency;
}

/*
 * Turns: several buffers have a message for an output. The output takes the first one behind the one served last whose
 * link is free.
 */
#define GPCI_NO_TURN UINT32_MAX

typedef struct gpci_link_turn {
    const uint64_t *requests, *busy; /* [words] bit per buffer */
    uint64_t bits;
    uint32_t words, word, left;
} gpci_link_turn;

/* Turns from `start` on. `busy` may be NULL. */
GPCI_INLINE gpci_link_turn gpci_link_turn_from(const uint64_t *requests, const uint64_t *busy, uint32_t words,
                                               uint32_t start) {
    const uint32_t word = start / 64;
    const uint64_t bits = requests[word] & ~(busy ? busy[word] : 0) & ~(uint64_t)0 << (start & 63);
    return (gpci_link_turn){requests, busy, bits, words, word, words};
}

/* Next buffer in turn, or GPCI_NO_TURN. */
GPCI_INLINE uint32_t gpci_link_turn_next(gpci_link_turn *turn) {
    for (; !turn->bits; turn->left--) {
        if (!turn->left)
            return GPCI_NO_TURN;
        turn->word = turn->word + 1 < turn->words ? turn->word + 1 : 0;
        turn->bits = turn->requests[turn->word] & ~(turn->busy ? turn->busy[turn->word] : 0);
    }
    const uint32_t buffer = turn->word * 64 + gpci_lowest(turn->bits);
    turn->bits &= turn->bits - 1;
    return buffer;
}

#endif
