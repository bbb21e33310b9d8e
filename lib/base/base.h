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

/*
 * Bytes of a segment, the unit of traffic between levels: the smallest access of DRAM, and a sector of every NVIDIA
 * cache since Maxwell.
 */
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

/* Allocation functions of a context for which the host has set none (memory.c). */
void *gpci_default_allocate(void *user_data, size_t bytes);
void *gpci_default_resize(void *user_data, void *memory, size_t bytes);
void gpci_default_release(void *user_data, void *memory);

/* Allocate through the allocation functions of the context. NULL: no memory, or count x bytes overflows. */
void *gpci_alloc(gpc_context *context, size_t bytes);
void *gpci_zalloc(gpc_context *context, size_t count, size_t bytes);
void *gpci_resize(gpc_context *context, void *memory, size_t count, size_t bytes);
void gpci_free(gpc_context *context, void *memory);
char *gpci_strdup(gpc_context *context, const char *text);

/* Allocate zeroed memory that starts on a 64-byte cache line. Free with gpci_free_lines. */
void *gpci_zalloc_lines(gpc_context *context, size_t count, size_t bytes);
void gpci_free_lines(gpc_context *context, void *memory);

/* Visit a contiguous part of an object's state: a snapshot saves the part, or restores the part. */
typedef gpc_state_fn gpci_state_fn;

/*
 * Visit the state of a struct: all fields from `first` to the end of the struct. The fields before `first` are
 * addresses, and values that creation sets. All fields from `first` on change during a run, and snapshots have these
 * fields. A new field at the end is saved and loaded without further code.
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

/* gpc_status_string of the status of a cache's access; GPC_ERROR_CALLBACK: a policy chose an impossible victim. */
const char *gpci_access_status(gpc_status status);
/* Record a failure of `call` with gpci_access_status. */
gpc_status gpci_fail_by_status(gpc_error *error, gpc_status status, const char *call);

void gpci_log(gpc_context *context, gpc_log_level level, const char *format, ...) GPCI_PRINTF(3, 4);

/*
 * Copy a caller's option struct over the defaults in `ours`. If the caller's struct_size is smaller, later fields keep
 * their defaults. A larger struct is refused unless its unknown bytes are zero. `least` is the size of the oldest
 * accepted version. `theirs` NULL: all defaults.
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
 * Copy a result to a caller's struct of struct_size bytes, and keep struct_size. GPC_ERROR_ABI: struct_size leaves no
 * room for a field. A call that changes an object calls gpci_can_give first: a failure must leave the object unchanged.
 */
gpc_status gpci_can_give(const void *theirs, const char *type, gpc_error *error);
gpc_status gpci_give(void *theirs, const void *ours, size_t size, const char *type, gpc_error *error);

/* Random number by splitmix64: a small state, and equal numbers on every machine. */
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

/* Hash of a value, all bits usable: for seeds of the parts of an object, and for interleaving. */
GPCI_INLINE uint64_t gpci_mix(uint64_t value) {
    return gpci_random(&value);
}

/*
 * Random number below `bound` (1 or more). The numbers are uniform, up to a bias of bound / 2^32.
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
 * Number of set bits in a mask of sectors, from a table. Most lines have four sectors: only 16 bytes of the table, in a
 * single cache line of the CPU, are then used.
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
 * Links: the parts of every network. The star network of a tree without a hierarchy (coherence/engine/engine_network.c)
 * has three links from sender to receiver; the crossbar of a timed hierarchy (timed/network/network.h) has one link.
 *
 * A link takes messages, one at a time, from a buffer to the next buffer. From the grant in cycle g on, a message of s
 * bytes occupies the reading side of the first buffer and the writing side of the second for
 *
 *     c = ceil(s / bytes per cycle)
 *
 * cycles, and arrives in the second buffer in cycle g + c + latency. If the link has a turnaround, the first buffer can
 * be read again only `turnaround` cycles later. From the grant on, the message has room in the second buffer, and none
 * in the first buffer. If the second buffer is full, messages wait in the first buffer; no message is lost.
 *
 * Example, 32 bytes per cycle, latency 4: a message of 136 bytes is granted in cycle 10. c is 5. The message occupies
 * both buffers until cycle 15, and arrives in cycle 19.
 */

/* Unit of the room in a buffer: messages, bytes, or flits. A flit is the bytes that a link takes in a cycle. */
typedef enum gpci_room_unit { GPCI_ROOM_MESSAGES, GPCI_ROOM_BYTES, GPCI_ROOM_FLITS } gpci_room_unit;

typedef struct gpci_link {
    gpci_divisor width; /* bytes per cycle */
    uint32_t latency, turnaround;
    gpci_room_unit unit;
} gpci_link;

typedef struct gpci_link_buffer {
    uint64_t used, capacity;        /* in the unit of the link */
    uint64_t read_free, write_free; /* first cycle for the next grant: from the buffer, and into the buffer */
} gpci_link_buffer;

GPCI_INLINE uint32_t gpci_link_cycles(const gpci_link *link, uint32_t bytes) {
    return (uint32_t)gpci_quotient(&link->width, (uint64_t)bytes + link->width.divisor - 1);
}

/* Room that a message of `bytes` bytes takes in a buffer. */
GPCI_INLINE uint32_t gpci_link_room(const gpci_link *link, uint32_t bytes) {
    return link->unit == GPCI_ROOM_FLITS ? gpci_link_cycles(link, bytes) : link->unit == GPCI_ROOM_BYTES ? bytes : 1;
}

GPCI_INLINE bool gpci_link_has_room(const gpci_link_buffer *buffer, uint64_t room) {
    return buffer->used + room <= buffer->capacity;
}

/*
 * Grant a message at cycle `at`: the message occupies the buffers for `cycles` cycles, and takes `room`. Returns the
 * cycle in which the message arrives.
 */
GPCI_INLINE uint64_t gpci_link_grant(const gpci_link *link, gpci_link_buffer *from, gpci_link_buffer *to, uint64_t at,
                                     uint32_t cycles, uint32_t room) {
    from->used -= room;
    from->read_free = at + cycles + link->turnaround;
    to->used += room;
    to->write_free = at + cycles;
    return at + cycles + link->latency;
}

/*
 * Turns (round robin): several buffers have a message for an output. The output starts behind the buffer that was
 * served last, and takes the first buffer that has a message and is not busy.
 */
#define GPCI_NO_TURN UINT32_MAX

typedef struct gpci_link_turn {
    /* [words], a bit for each buffer. requests: the buffer has a message. busy: the buffer must not be taken now */
    const uint64_t *requests, *busy;
    uint64_t bits;              /* buffers of the present word that are not looked at yet */
    uint32_t words, word, left; /* words: their number. word: index of the present word. left: number of words left */
} gpci_link_turn;

/* Begin turns with buffer `start`. `busy` NULL: no buffer is busy. */
GPCI_INLINE gpci_link_turn gpci_link_turn_from(const uint64_t *requests, const uint64_t *busy, uint32_t words,
                                               uint32_t start) {
    const uint32_t word = start / 64;
    const uint64_t bits = requests[word] & ~(busy ? busy[word] : 0) & ~(uint64_t)0 << (start & 63);
    return (gpci_link_turn){requests, busy, bits, words, word, words};
}

/* Next buffer in turn; GPCI_NO_TURN: all buffers have had a turn. */
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
