/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_MODULE_H
#define GPC_COHERENCE_MODULE_H

#include "base/map.h"
#include "cache/index/index.h"
#include "cache/tag_store.h"
#include "policies/protocol/protocols.h"
#include "policies/replacement/lru.h"
#include "registry/registry.h"
#include "stats/stats.h"

#include <string.h>

/* A module of a tree: blocks, lines, and functions on blocks and lines. */

#define GPCI_TREE_NO_BLOCK UINT32_MAX
#define GPCI_TREE_NO_OWNER UINT16_MAX
#define GPCI_TREE_SECTORS 8u /* upper bound of the blocks per line */

/* Word of a set of sharers, or code of a set (gpci_sharers_have_codes). */
typedef uint16_t gpci_sharers;
#define GPCI_SHARERS 16u /* bits per word */

/* Choice of sets and of low modules by hashes, where shifts and masks cannot choose; made by selector.c. */
typedef struct gpci_tree_selector {
    struct gpci_tree_selector *next; /* next in gpc_coherence.selectors */
    gpci_interleave spread;          /* distributes addresses over the modules (slices) of a level */
    gpci_index index;                /* distributes line numbers over sets */
} gpci_tree_selector;

/* Place of a module, which selects the protocol's table. */
typedef enum gpci_module_place {
    GPCI_PLACE_FIRST = 0,   /* no module above: accessed by processors */
    GPCI_PLACE_BETWEEN = 1, /* a cache used by a part of the processors for some of the addresses */
    /* a cache that all processors use for its addresses; gpc_protocol.shared gives the rules (places.c) */
    GPCI_PLACE_LAST = 2,
    GPCI_PLACE_MEMORY = 3
} gpci_module_place;

/* Counters of lines and policies for a hierarchy, as in a cache (gpci_cache_stats). */
typedef struct gpci_line_counts {
    uint64_t zero_reuse_evictions, intra_warp_hits, inter_warp_hits;
    uint64_t token_bypasses, opportunistic_fills, priority_evictions;
    uint64_t predictions, bypasses, overturned_bypasses;
    uint64_t near_requests, near_hits; /* requests from near halves above */
} gpci_line_counts;

/* In this folder, a `block` is an index: row * all_ways + way. A tag is the address of a block, unshifted. */
typedef struct gpci_module gpci_module;
struct gpci_module {
    gpc_coherence_module given; /* options given by the calling program, with defaults; pointers lead to copies */
    uint32_t index, level;      /* index in the tree; level 1: no module above */
    gpci_module_place place;
    uint32_t named; /* number of events defined by the protocol itself */
    /* [state][event] rules of the protocol's table for the module's place */
    const gpc_protocol_rule (*rules)[GPC_EVENT_COUNT];
    const gpc_protocol_rule *named_rules; /* [state][named] for the events defined by the protocol itself; or NULL */
    /* [state][GPC_EVENT_COUNT + named] events raised by the messages of a rule; NULL: the usual events */
    const gpc_protocol_raise *raises;
    uint32_t all_ways;  /* ways + directory_ways + fill_ways. Full map: UINT32_MAX, and all blocks are in set 0 */
    uint32_t fill_ways; /* ways per set after the other ways, for arriving and leaving blocks (engine_fill.c) */
    uint32_t rows;      /* sets * sectors */
    uint32_t blocks;    /* rows * all_ways; full map: length of the arrays */
    uint32_t sectors, sector_mask, sector_shift; /* blocks per line; the same minus 1; log2 of it. Full map: 1 block */
    uint32_t fetch_mask;                         /* blocks of a fetch group, minus 1 (engine_fetch.c) */
    uint32_t block_shift, line_shift, sub_shift; /* log2 of the bytes of a block, of a line, of a sub-block */
    uint32_t mask_bytes; /* size of a block's mask of modified bytes: a bit per byte, at least one byte */
    uint32_t sub_blocks; /* sub-blocks per block, each with a directory entry; 0 without modules above */
    uint32_t above_count, sharer_words; /* number of modules above; words per set of sharers */
    uint32_t pointers;                  /* copies that a directory entry can name (directory.c); 0: every copy */
    const uint32_t *above;              /* [above_count] modules above, ascending */
    /* [module_count] place of a module in `above`, and number of the module's bit among the sharers */
    const uint16_t *slots;
    uint64_t first, last; /* first and last address served (cover.c) */
    /* [bank_homes][bank_modulus] low modules by home and (address >> bank_shift) mod bank_modulus; or NULL */
    uint32_t *banks;
    uint32_t bank_shift, bank_modulus, bank_homes; /* bank_homes 1: the low module does not depend on the home */
    const gpci_tree_selector *bank_selector;       /* HASHED banks, set by layout.c; or NULL */
    const gpci_tree_selector *selector;            /* module's sets, set by layout.c; NULL: use the next fields */
    gpci_divisor apart, sets; /* set = line number / apart mod sets; apart: modulus of the interleaving */
    uint64_t row_mask;        /* rows - 1 */
    uint32_t index_shift;     /* row = tag >> index_shift & row_mask, if `divides` is false */
    /*
     * Row needs a division or a selector: sets or the interleaving modulus are no powers of two; or the module has a
     * selector; or the module is interleaved and its lines have several blocks.
     */
    bool divides;
    bool interleaved; /* GPC_SERVES_INTERLEAVED or _HASHED */
    bool full_map;    /* a memory with ways = 0: keeps an entry for every block that a cache ever had */
    bool fifo;        /* replacement is FIFO, not LRU */
    bool in_word;     /* replacement is LRU, and `order` has a word per set */
    bool plain;       /* hit.c may serve its hits: first level, LRU or FIFO, no division, no write-through */
    /* L1 of a hierarchy, or slice over memory: a store of a whole missing block requests no bytes from below. */
    bool lazy;
    bool notified;    /* `policy`, `predictor`, `warps` or `reuse` must see fills and evictions */
    uint32_t leaving; /* first block of the line of whose eviction `policy` was notified last; or GPCI_TREE_NO_BLOCK */
    /*
     * Tags. Without `split`: `tags` has the number of every block. With `split`: `tags` has, by set and way, the
     * numbers of lines with a valid block; `own_tags` has, by row, the numbers of blocks in ways without lines
     * (directory-only ways and fill ways). A full map uses neither: `map` has the numbers.
     */
    gpci_tags tags, own_tags;
    bool split;               /* a line has several blocks, or the module has a full map */
    uint32_t own_ways;        /* all_ways - ways */
    gpci_lru_state order;     /* recency of the ways of every set */
    gpci_lru_state own_order; /* recency of the ways without lines of every row; the first such way is 0 */
    /* arrays indexed by block */
    uint8_t *states;  /* gpc_coherence_state */
    bool parted;      /* owners, alone and sharers are indexed by gpci_module_set_of */
    uint16_t *owners; /* [block][sub_block] owner's place in `above`, or GPCI_TREE_NO_OWNER; all bits inverted */
    uint8_t *alone; /* bit per sub-block: the owner is the only sharer, and the code names the owner; NULL: no codes */
    gpci_sharers *sharers, *shared, *shared_rows; /* sets of sharers, explained above gpci_sharers_have_codes */
    uint8_t *lacks;                               /* [block][mask_bytes] with `byte_masks`: missing bytes; or NULL */
    uint8_t *data;          /* [block][block_bytes]; NULL in trees without data, and in memories */
    uint8_t *dirty;         /* [block][mask_bytes] modified bytes; NULL if `data` is NULL */
    gpci_policy *policy;    /* a replacement policy other than lru and fifo; or NULL */
    gpci_policy *predictor; /* predictor of a hierarchy (module_ask.c); or NULL */
    bool asks;              /* slice: policies are asked whether a missed line is kept out */
    bool admits;            /* slice: the replacement policy declines lines */
    bool strict_tokens;     /* slice: a missed line is kept out if the request has no token */
    bool responds;          /* slice: its predictor sends answers to the L1s' predictors (gpc_predictor_ops.respond) */
    bool by_sector;         /* if `responds`: one answer per sector instead of per line */
    uint32_t *warps; /* [block] at a line's first block: warp that fetched the line; L1s of a hierarchy; or NULL */
    uint32_t *reuse; /* [block] at a line's first block: number of hits; L1s of a hierarchy; or NULL */
    /* [block] at a line's first block: marks of opportunistic tokens (module_tokens.c); L1s and slices; or NULL */
    uint32_t *marks;
    struct gpci_token_state *tokens; /* NULL: no opportunistic tokens */
    gpci_line_counts counts;
    uint64_t sampled_reads, sampled_hits; /* reads and hits at the last sample of a hierarchy's L1 or slice */
    gpci_map map;                         /* full map: address / block_bytes -> block */
    gpci_coherence_stats stats;
#ifdef GPCI_CHECK
    gpci_coherence_stats again; /* second counts, for the checking build (base/check.h) */
    uint64_t refused_again;     /* number of requests that a lookup refused; the senders send them again */
    uint64_t remote_again;      /* near half: sectors sent to home halves of other caches, or received */
#endif
    const gpc_coherence *tree; /* tree of the module */
    struct gpci_module *twin;  /* other half of the cache, sharing the arrays indexed by block; or NULL */
    /* module whose `index` and `leaving` serve both halves: the module itself; for a near half the home half */
    struct gpci_module *store;
    bool near; /* holds copies of pages outside `given.home` (gpc_coherence_module.near_of) */
    /*
     * Counts [states][states] of a protocol with more than six states; `stats` then counts a state as the standard
     * state with the most similar meaning. NULL: at most six states.
     */
    uint64_t *transitions;
    uint32_t *origins;
};

/* module_tags.c */
/* Row of a tag; full map: 0. */
uint32_t gpci_module_row(const gpci_module *module, uint64_t tag);
/* Valid block of a tag, or GPCI_TREE_NO_BLOCK. */
uint32_t gpci_module_find(const gpci_module *module, uint64_t tag);
/* Variant for a known row of the tag: a lookup computes the row once. */
uint32_t gpci_module_find_in(const gpci_module *module, uint64_t tag, uint32_t row);
/* A lookup found the block: tell the replacement policy of a hit. */
void gpci_module_touch(gpci_module *module, uint32_t block);
/*
 * A probe found the block. lru and fifo (Multi2Sim's policies) count the probe as a lookup. Registered policies are not
 * notified: registered policies follow only uses by processors or modules above.
 */
void gpci_module_probe(gpci_module *module, uint32_t block);
/* Notify the policies of an L1: a warp or kernel begins or ends on the L1's SM. */
void gpci_module_warp_event(gpci_module *module, const gpc_warp_event *event);
/*
 * Choose a block for a missing tag: a free way (unless any_victim), or else the policy's victim. The chosen way becomes
 * the most recent. The caller evicts all blocks of the old line, and notifies the policy (gpci_module_leave). `row`:
 * row of the tag. GPCI_TREE_NO_BLOCK: the policy's choice is no way, or a full map has no room (gpci_module_reserve
 * makes room).
 */
uint32_t gpci_module_victim(gpci_module *module, uint64_t tag, uint32_t row);
/* Notify the policy that a missing block comes to a line that is present: lru counts a use. */
void gpci_module_join_line(gpci_module *module, uint32_t block, uint64_t tag);
/*
 * Notify the policy of a store to a missing block, if other blocks of the line are present. The store fetches no data.
 */
void gpci_module_pass_line(gpci_module *module, uint64_t tag);
/*
 * Choose a regular way, or (`directory`) a way without lines. `candidates`: a bit per way of the kind, at least one bit
 * set; NULL: all ways. Not for full maps. The old content does not leave yet.
 */
uint32_t gpci_module_choose(gpci_module *module, uint64_t tag, uint32_t row, bool directory,
                            const uint64_t *candidates);
/*
 * Notify the policy that a victim leaves to make room for `tag`. The policy is not notified again when the block's
 * state becomes I. `dirty`: the block was modified when it was chosen.
 */
void gpci_module_leave(gpci_module *module, uint32_t block, uint64_t tag, bool dirty);
/*
 * Lowest free way among `candidates` (of gpci_module_choose), counted from 0 for each kind of ways; or
 * GPCI_TREE_NO_BLOCK.
 */
uint32_t gpci_module_free_way(const gpci_module *module, uint32_t row, bool directory, const uint64_t *candidates);
/* Regular way with the line of `tag`, if any block of the line is valid; or GPCI_TREE_NO_BLOCK. */
uint32_t gpci_module_way_of_line(const gpci_module *module, uint64_t tag);
/* Variant for a known row of the tag; GPCI_TREE_NO_BLOCK also if a line has only one block. */
uint32_t gpci_module_line_in(const gpci_module *module, uint64_t tag, uint32_t row);
/* True if another block of the block's line is valid. Not for ways without lines. */
bool gpci_module_has_company(const gpci_module *module, uint32_t block);
/* Write a block's tag and state, without counting. State I also clears tag, owners and sharers. */
void gpci_module_write(gpci_module *module, uint32_t block, uint64_t tag, uint8_t state);
/*
 * Create a module's predictor from the text `spec`. gpci_module_keep: begin to remember, per line, the warp that
 * fetched the line (`warps`), or the number of hits (`reuse`). All blocks must be invalid.
 */
gpc_status gpci_module_predict(gpc_coherence *coherence, gpci_module *module, const char *spec, gpc_error *error);
gpc_status gpci_module_keep(gpc_coherence *coherence, gpci_module *module, bool warps, bool reuse, gpc_error *error);
/* True if every way a line of this tag may take is in use. */
bool gpci_module_is_full(const gpci_module *module, uint64_t tag);
/* Request shown to policy and predictor for the access `carried` to a tag. */
gpc_request gpci_module_policy_request(const gpci_module *module, uint64_t tag, const gpc_request *carried);
/* module_tokens.c: opportunistic tokens. _tick, _event, _hit, _fill and _evict are only for modules with `tokens`. */
struct gpci_token_rules;
gpc_status gpci_module_keep_tokens(gpc_coherence *coherence, gpci_module *module, const struct gpci_token_rules *rules,
                                   gpc_error *error);
void gpci_module_release_tokens(gpc_context *context, gpci_module *module);
void gpci_module_token_tick(gpci_module *module, const gpc_request *request);
void gpci_module_token_event(gpci_module *module, const gpc_warp_event *event);
void gpci_module_token_hit(gpci_module *module, uint32_t block, const gpc_request *request);
void gpci_module_token_fill(gpci_module *module, uint32_t block, const gpc_request *request);
/* `line`: first block of the line. */
void gpci_module_token_evict(gpci_module *module, uint32_t line);
/*
 * Candidates whose lines have no priority mark, written to `words`. A request without a token may take only these ways;
 * a request with a token prefers these ways. If no candidate is without a mark, returns `candidates`. NULL: all ways.
 */
const uint64_t *gpci_module_unmarked(const gpci_module *module, uint64_t tag, const uint64_t *candidates,
                                     uint64_t *words);
/* True if the request has no token, and all ways of the set have lines with a priority mark. */
bool gpci_module_lacks_room(const gpci_module *module, uint64_t tag, const gpc_request *request);

/* module_ask.c */
/*
 * True if the predictor decides that the request bypasses. `word`: receives the predictor's word for the level below.
 */
bool gpci_module_predicts_bypass(const gpci_module *module, uint64_t tag, const gpc_request *policy_request,
                                 uint32_t *word);
/* True if the replacement policy declines the line of `tag`. The policy is asked only if the set is full. */
bool gpci_module_declines(const gpci_module *module, uint64_t tag, const gpc_request *policy_request);
/*
 * True if the line is kept out, when a request for a copy misses. The policies are asked once per line access, if the
 * module `asks`.
 */
bool gpci_module_keeps_out(gpci_module *module, uint64_t tag);
/*
 * Answer of the module's predictor (if `responds`) to the current request; one answer per line access, or per sector.
 */
uint32_t gpci_module_respond(gpci_module *module, uint64_t tag);
/*
 * Pass an answer from below to the L1's predictor, which had decided `predicted`; once per line access. True if the
 * predictor decided GPC_BYPASS and now lets the line in; a GPC_CACHE decision never changes. gpci_module_overturns: the
 * same after GPC_BYPASS, and counts.
 */
bool gpci_module_hear(gpci_module *l1, uint64_t tag, gpc_decision predicted, uint32_t word);
bool gpci_module_overturns(gpci_module *l1, uint64_t tag, uint32_t word);
/* True if, for the current line access, policies were already asked about the line of `tag`. */
bool gpci_module_was_asked(const gpci_module *module, uint64_t tag);
/* Notify the policy of a miss. */
void gpci_module_miss(gpci_module *module, uint64_t tag, const gpc_request *carried);
/* Make memory for `blocks` more entries of a full map, so that the transaction cannot fail. GPC_ERROR_MEMORY. */
gpc_status gpci_module_reserve(gpc_context *context, gpci_module *module, uint32_t blocks);
/*
 * addresses.c: low module that serves an address, or GPC_NO_MODULE. cover.c has checked that exactly one low module
 * serves every address of a module, down to a memory.
 */
uint32_t gpci_module_low(const gpc_coherence *coherence, const gpci_module *module, uint64_t address);
bool gpci_module_serves(const gpci_module *module, uint64_t address);

/* module_view.c: add a module's statistics to a sum. */
void gpci_coherence_add_stats(gpci_coherence_stats *sum, const gpci_coherence_stats *s);

/*
 * addresses.c: (address / divisor) mod modulus of an interleaved module; or the module's hash of the address.
 * gpci_module_has_residue: true if the module serves the residue of the address, or is not interleaved.
 * gpci_tree_selected_set: set of a tag, by the selector.
 */
uint64_t gpci_tree_residue(const gpci_module *module, uint64_t address);
bool gpci_module_has_residue(const gpci_module *module, uint64_t address);
uint32_t gpci_tree_selected_set(const gpci_module *module, uint64_t tag);

GPCI_INLINE uint64_t gpci_module_tag_of(const gpci_module *module, uint64_t address) {
    return address >> module->block_shift << module->block_shift;
}

/* Block number `sector` of the line of `block`; not for ways without lines. */
GPCI_INLINE uint32_t gpci_module_sector(const gpci_module *module, uint32_t block, uint32_t sector) {
    return block + (sector - (block / module->all_ways & module->sector_mask)) * module->all_ways;
}

/* Index in module->tags of the first way of a row. */
GPCI_INLINE size_t gpci_module_slot(const gpci_module *module, uint32_t row) {
    return gpci_tags_slot(&module->tags, row >> module->sector_shift, 0);
}

/* Tag of a block, if `split`. */
uint64_t gpci_module_split_tag(const gpci_module *module, uint32_t block);

/* Tag of a block; 0 if invalid. */
GPCI_INLINE uint64_t gpci_module_tag(const gpci_module *module, uint32_t block) {
    return GPCI_LIKELY(!module->split) ? gpci_wide_line_at(&module->tags, block) << module->block_shift
                                       : gpci_module_split_tag(module, block);
}

/* Way at `place` in the recency order of a row, 0 most recent. `own`: among the ways without lines, counted from 0. */
GPCI_INLINE uint32_t gpci_module_way_at(const gpci_module *module, uint32_t row, bool own, uint32_t place) {
    return own ? gpci_lru_at(&module->own_order, row, place)
               : gpci_lru_at(&module->order, row >> module->sector_shift, place);
}

GPCI_INLINE bool gpci_module_same_line(const gpci_module *module, uint64_t tag, uint64_t other) {
    return !((tag ^ other) >> module->line_shift);
}

GPCI_INLINE uint32_t gpci_module_sub_of(const gpci_module *module, uint64_t address) {
    return (uint32_t)(address >> module->sub_shift) & (module->sub_blocks - 1);
}

/*
 * Index of a sub-block in `sharers` and `owners`, in the order of blocks. If sets of sharers have codes (`parted`),
 * directory-only ways come after all other ways: then memory of directory-only ways is untouched until written.
 */
GPCI_INLINE size_t gpci_module_set_of(const gpci_module *module, uint32_t block, uint32_t sub) {
    if (GPCI_LIKELY(!module->parted))
        return (size_t)block * module->sub_blocks + sub;
    const uint32_t row = block / module->all_ways, way = block - row * module->all_ways, ways = module->given.ways;
    const uint32_t place =
        way < ways ? row * ways + way : module->rows * ways + row * (module->all_ways - ways) + way - ways;
    return (size_t)place * module->sub_blocks + sub;
}

/* True if the owner of this sub-block is its only sharer. Only if sets of sharers have codes. */
GPCI_INLINE bool gpci_module_owner_is_alone(const gpci_module *module, size_t set) {
    return module->alone[set / 8] >> set % 8 & 1;
}

GPCI_INLINE void gpci_module_set_owner_alone(const gpci_module *module, size_t set, bool alone) {
    if (gpci_module_owner_is_alone(module, set) != alone)
        module->alone[set / 8] ^= (uint8_t)(1u << set % 8);
}

/*
 * Owner of a sub-block. Memory that was never written is 0 and means: no owner. So no page of memory is used before the
 * first write.
 */
GPCI_INLINE uint16_t gpci_module_owner_of(const gpci_module *module, uint32_t block, uint32_t sub) {
    const size_t set = gpci_module_set_of(module, block, sub);
    if (GPCI_UNLIKELY(module->alone != NULL) && gpci_module_owner_is_alone(module, set))
        return (uint16_t)(module->sharers[set] - 1u);
    return (uint16_t)~module->owners[set];
}

GPCI_INLINE void gpci_module_set_owner(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t owner) {
    const size_t set = gpci_module_set_of(module, block, sub);
    if (GPCI_UNLIKELY(module->alone != NULL)) {
        const bool alone = owner != GPCI_TREE_NO_OWNER && module->sharers[set] == owner + 1;
        gpci_module_set_owner_alone(module, set, alone);
        owner = alone ? GPCI_TREE_NO_OWNER : owner;
    }
    if (module->owners[set] != (uint16_t)~owner)
        module->owners[set] = (uint16_t)~owner;
}

GPCI_INLINE uint8_t *gpci_module_data_of(const gpci_module *module, uint32_t block) {
    return module->data + ((size_t)block << module->block_shift);
}

GPCI_INLINE uint8_t *gpci_module_dirty_of(const gpci_module *module, uint32_t block) {
    return module->dirty + (size_t)block * module->mask_bytes;
}

GPCI_INLINE uint8_t *gpci_module_lacks_of(const gpci_module *module, uint32_t block) {
    return module->lacks + (size_t)block * module->mask_bytes;
}

/* True if a block lacks bytes: only stored bytes are present, and the rest must first be read from below. */
GPCI_INLINE bool gpci_module_is_partial(const gpci_module *module, uint32_t block) {
    if (GPCI_LIKELY(!module->lacks))
        return false;
    const uint8_t *lacks = gpci_module_lacks_of(module, block);
    for (uint32_t i = 0; i < module->mask_bytes; i++)
        if (lacks[i])
            return true;
    return false;
}

/* Mark all bytes of a block as present; for modules with byte_masks. */
GPCI_INLINE void gpci_module_complete(const gpci_module *module, uint32_t block) {
    if (GPCI_UNLIKELY(gpci_module_is_partial(module, block)))
        memset(gpci_module_lacks_of(module, block), 0, module->mask_bytes);
}

/* True if this byte of a block is present. */
GPCI_INLINE bool gpci_module_has_byte(const gpci_module *module, uint32_t block, uint64_t byte) {
    return GPCI_LIKELY(!module->lacks) || !(gpci_module_lacks_of(module, block)[byte / 8] >> byte % 8 & 1);
}

/* True if the block is in a fill way. */
GPCI_INLINE bool gpci_module_is_fill(const gpci_module *module, uint32_t block) {
    return GPCI_UNLIKELY(module->fill_ways != 0) && block != GPCI_TREE_NO_BLOCK &&
           block % module->all_ways >= module->given.ways;
}

/* True for a directory-only block: an entry without data, in a non-inclusive module. */
GPCI_INLINE bool gpci_module_directory_only(const gpci_module *module, uint32_t block) {
    return module->given.directory_ways && block % module->all_ways >= module->given.ways;
}

/* True if a block leaves together with the line: not for directory-only ways or fill ways. */
GPCI_INLINE bool gpci_module_leaves_with_line(const gpci_module *module, uint32_t block) {
    return module->sector_mask && !gpci_module_directory_only(module, block) && !gpci_module_is_fill(module, block);
}

/*
 * Sets of sharers: for every sub-block of a block a bit per module above, in words of GPCI_SHARERS bits.
 *
 * A directory has a set for every possible block, and most sets are empty or have one member. If a set needs more than
 * a word, and 16 bits suffice for all codes, `sharers` has a code per set. Code 0: the set is empty. Codes from 1 to
 * gpci_sharers_last_single: the set has one member, with place code - 1 in `above`. Larger codes: a row of `shared`
 * holds the set's words. Only sets of two or more members take rows; free rows are chained. `shared_rows` has two
 * elements: code of the first free row (or 0), and number of rows ever taken.
 *
 * Example, 40 modules above, so 3 words: {} is 0, {7} is 8; {7, 20} is 49, and words 0x0080, 0x0010, 0 in row 0.
 *
 * Nearly always the owner is the only sharer, already named by the code: then a bit of `alone` is set, and `owners` is
 * unused. Before such a code changes, the owner is written to `owners`.
 */

#define GPCI_SHARED_MOST 65535u /* largest code */

/* True if sets of this module have codes in place of words. */
GPCI_INLINE bool gpci_sharers_have_codes(const gpci_module *module) {
    return module->shared != NULL;
}

/* Largest code of a set with one member. Both halves of a cache have equally many words. */
GPCI_INLINE uint32_t gpci_sharers_last_single(const gpci_module *module) {
    return module->sharer_words * GPCI_SHARERS;
}

GPCI_INLINE gpci_sharers *gpci_sharers_code(const gpci_module *module, uint32_t block, uint32_t sub) {
    return &module->sharers[gpci_module_set_of(module, block, sub)];
}

GPCI_INLINE gpci_sharers *gpci_sharers_row(const gpci_module *module, uint32_t code) {
    return module->shared + (size_t)(code - gpci_sharers_last_single(module) - 1) * module->sharer_words;
}

/* Bit of a place in `above` within a word; 0 if it lies in another word. */
GPCI_INLINE gpci_sharers gpci_sharer_in(uint32_t slot, uint32_t word) {
    return (gpci_sharers)(slot / GPCI_SHARERS == word ? 1u << slot % GPCI_SHARERS : 0);
}

/* Word number `word` of a sub-block's set of sharers. */
GPCI_INLINE gpci_sharers gpci_sharers_word(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t word) {
    if (GPCI_LIKELY(!gpci_sharers_have_codes(module)))
        return module->sharers[((size_t)block * module->sub_blocks + sub) * module->sharer_words + word];
    const uint32_t code = *gpci_sharers_code(module, block, sub);
    if (code > gpci_sharers_last_single(module))
        return gpci_sharers_row(module, code)[word];
    return code ? gpci_sharer_in(code - 1, word) : 0;
}

/* True if a set is not empty. */
GPCI_INLINE bool gpci_sharers_any(const gpci_module *module, uint32_t block, uint32_t sub) {
    for (uint32_t word = 0; word < module->sharer_words; word++)
        if (gpci_sharers_word(module, block, sub, word))
            return true;
    return false;
}

/* directory.c */
/*
 * Elements of `sharers` per set, in a module with `sets` sets. gpci_sharers_rows: rows of `shared` for `sets` sets; 0:
 * no codes.
 */
uint32_t gpci_sharers_elements(const gpci_module *module, size_t sets);
size_t gpci_sharers_rows(const gpci_module *module, size_t sets);
void gpci_sharers_add(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t slot);
void gpci_sharers_remove(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t slot);
/* Empty the sets of a block. */
void gpci_sharers_clear(const gpci_module *module, uint32_t block);
/* Move all sets and owners of block `from` to block `to`; `from` has no sharers and no owner afterwards. */
void gpci_sharers_move(const gpci_module *module, uint32_t from, uint32_t to);

#endif
