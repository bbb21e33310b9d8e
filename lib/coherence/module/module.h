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
#define GPCI_TREE_SECTORS 8u /* most blocks per line */

/* Part of a set of sharers (gpci_sharers_have_codes). */
typedef uint16_t gpci_sharers;
#define GPCI_SHARERS 16u /* bits */

/* Choice of sets and of low modules, if shifts and masks are not enough: selector.c makes it. */
typedef struct gpci_tree_selector {
    struct gpci_tree_selector *next; /* list of the tree */
    gpci_interleave spread;          /* addresses over the modules (slices) of a level */
    gpci_index index;                /* block numbers over sets */
} gpci_tree_selector;

/* Place of a module, which selects the protocol's table. */
typedef enum gpci_module_place {
    GPCI_PLACE_FIRST = 0,   /* no module above: accessed by processors */
    GPCI_PLACE_BETWEEN = 1, /* a cache used by a part of the processors for some of the addresses */
    GPCI_PLACE_LAST = 2,    /* a cache used by all processors for the addresses: gpc_protocol.shared (places.c) */
    GPCI_PLACE_MEMORY = 3
} gpci_module_place;

/* Counters of lines and policies for a hierarchy, as in a cache (gpci_cache_stats). */
typedef struct gpci_line_counts {
    uint64_t zero_reuse_evictions, intra_warp_hits, inter_warp_hits;
    uint64_t token_bypasses, opportunistic_fills, priority_evictions;
    uint64_t predictions, bypasses, overturned_bypasses;
    uint64_t near_requests, near_hits; /* requests from near halves above */
} gpci_line_counts;

/*
 * `block` is always an index: row * all_ways + way. A tag is the address of a block, unshifted.
 *
 * A line is `given.sectors` neighbouring blocks. Its blocks arrive one by one, share a way, and leave together for
 * another line. A line occupies one way in as many rows as it has blocks: row = set * sectors + sector. With one
 * sector, a line is a block and a row is a set. Directory-only ways and fill ways have no lines.
 *
 * Example, 2 sets of 2 ways, blocks of 32 bytes, 2 sectors: line 0x80 is in set 0. Its blocks 0x80 and 0xa0 are in rows
 * 0 and 1, for example in way 1: blocks 1 and 3.
 */
typedef struct gpci_module gpci_module;
struct gpci_module {
    gpc_coherence_module given; /* given by the host, with defaults; pointers are copies */
    uint32_t index, level;      /* index in the tree; level 1: no module above */
    gpci_module_place place;
    uint32_t named;                                    /* number of the protocol's own events */
    const gpc_protocol_rule (*rules)[GPC_EVENT_COUNT]; /* [state][event] */
    const gpc_protocol_rule *named_rules;              /* [state][event_count] for the protocol's own events; or NULL */
    const gpc_protocol_raise *raises; /* [state][GPC_EVENT_COUNT + event_count]; NULL: all raise the usual events */
    uint32_t all_ways;                /* ways + directory_ways + fill_ways; full map: UINT32_MAX, all blocks in set 0 */
    uint32_t fill_ways; /* per set, after the other ways: for arriving and leaving blocks (engine_fill.c) */
    uint32_t rows;      /* sets * sectors */
    uint32_t blocks;    /* rows * all_ways; full map: room of the arrays */
    uint32_t sectors, sector_mask, sector_shift; /* blocks per line; minus 1; log2. Full map: 1 */
    uint32_t fetch_mask;                         /* blocks fetched together, minus 1 (engine_fetch.c) */
    uint32_t block_shift, line_shift, sub_shift; /* log2 of the bytes of a block, of a line, of a sub-block */
    uint32_t mask_bytes;                /* per block's mask of modified bytes: a bit per byte, at least one byte */
    uint32_t sub_blocks;                /* per block, a directory entry per sub-block; 0 without modules above */
    uint32_t above_count, sharer_words; /* sharer_words: words per set of sharers */
    uint32_t pointers;                  /* copies named by a directory entry (directory.c); 0: all */
    const uint32_t *above;              /* [above_count] modules above, ascending */
    const uint16_t *slots;              /* [modules] place of a module in `above` = its bit among sharers */
    uint64_t first, last;               /* first and last address served (cover.c) */
    /* [bank_homes][bank_modulus] low modules by home and (address >> bank_shift) mod bank_modulus; or NULL */
    uint32_t *banks;
    uint32_t bank_shift, bank_modulus, bank_homes; /* bank_homes 1: independent of the home */
    const gpci_tree_selector *bank_selector;       /* HASHED banks, set by layout.c; or NULL */
    const gpci_tree_selector *selector;            /* module's sets, set by layout.c; NULL: use the next fields */
    gpci_divisor apart, sets;                      /* set = line number / apart mod sets; apart: interleaving modulus */
    uint64_t row_mask;                             /* rows - 1 */
    uint32_t index_shift;                          /* row = tag >> index_shift & row_mask, unless `divides` */
    /* Sets or interleaving modulus are no powers of two; or a selector; or an interleaved module with larger lines. */
    bool divides;
    bool interleaved; /* GPC_SERVES_INTERLEAVED or _HASHED */
    bool full_map;    /* a memory with ways 0: an entry for every block ever cached */
    bool fifo;        /* replacement is FIFO, not LRU */
    bool in_word;     /* replacement is LRU, and `order` has a word per set */
    bool plain;       /* hit.c may serve its hits: first level, LRU or FIFO, no division, no write-through */
    /* A hierarchy's L1, or slice over memory: a store of a whole missing block requests no bytes. */
    bool lazy;
    bool notified;    /* `policy`, `predictor`, `warps` or `reuse` must see fills and evictions */
    uint32_t leaving; /* first block of the line whose eviction `policy` has seen, or GPCI_TREE_NO_BLOCK */
    /*
     * Tags by block, of block numbers. With `split`: tags by set and way, of the numbers of lines with a valid block,
     * and own_tags of ways without lines, by row, of block numbers. A full map has neither: `map` has the numbers.
     */
    gpci_tags tags, own_tags;
    bool split;               /* a line has several blocks, or a full map */
    uint32_t own_ways;        /* all_ways - ways */
    gpci_lru_state order;     /* ways of every set */
    gpci_lru_state own_order; /* ways without lines of every row, counting from 0 */
    /* indexed by block */
    uint8_t *states;  /* gpc_coherence_state */
    bool parted;      /* owners, alone and sharers are indexed by gpci_module_set_of */
    uint16_t *owners; /* [block][sub_block] place in `above`, or GPCI_TREE_NO_OWNER, stored inverted */
    uint8_t *alone;   /* bit per sub-block: its owner is the only sharer named by the code; NULL: no codes */
    gpci_sharers *sharers, *shared, *shared_rows; /* gpci_sharers_have_codes */
    uint8_t *lacks;                               /* [block][mask_bytes] with `byte_masks`: missing bytes; or NULL */
    uint8_t *data;          /* [block][block_bytes]; NULL in trees without data, and in memories */
    uint8_t *dirty;         /* [block][mask_bytes] modified bytes; NULL as `data` */
    gpci_policy *policy;    /* a replacement policy other than lru and fifo; or NULL */
    gpci_policy *predictor; /* predictor of a hierarchy (module_ask.c); or NULL */
    bool asks;              /* slice: policies may keep missed lines out */
    bool admits;            /* slice: the replacement policy declines lines */
    bool strict_tokens;     /* slice: lines requested without a token stay out */
    bool responds;          /* cache next to L1s: its predictor answers theirs (gpc_predictor_ops.respond) */
    bool by_sector;         /* responding cache: one answer per sector instead of per line */
    uint32_t *warps;        /* [block], first block of a line: warp that fetched it; a hierarchy's L1s; or NULL */
    uint32_t *reuse;        /* [block], first block of a line: number of hits; a hierarchy's L1s; or NULL */
    uint32_t *marks;        /* [block], first block of a line: users (module_tokens.c); L1s and slices; or NULL */
    struct gpci_token_state *tokens; /* NULL: not opportunistic */
    gpci_line_counts counts;
    uint64_t sampled_reads, sampled_hits; /* at the last sample of a hierarchy's L1 or slice */
    gpci_map map;                         /* full map: address / block_bytes -> block */
    gpci_coherence_stats stats;
#ifdef GPCI_CHECK
    gpci_coherence_stats again; /* second counts (base/check.h) */
    uint64_t refused_again;     /* requests that a lookup refused; their senders ask again */
    uint64_t remote_again;      /* near half: sectors sent to home halves of other caches, or received */
#endif
    const gpc_coherence *tree; /* its tree */
    struct gpci_module *twin;  /* other half of the cache, sharing the arrays indexed by block; or NULL */
    struct gpci_module *store; /* keeps the notes about policies: the module itself; for a near half the home half */
    bool near;                 /* holds copies of pages outside `given.home` (gpc_coherence_module.near_of) */
    /*
     * [states][states] for a protocol with more than six states; `stats` then counts a state as the standard state it
     * resembles. Otherwise NULL
     */
    uint64_t *transitions;
    uint32_t *origins;
};

/* module_tags.c */
/* Row of a tag; full map: 0. */
uint32_t gpci_module_row(const gpci_module *module, uint64_t tag);
/* Valid block of a tag, or GPCI_TREE_NO_BLOCK. */
uint32_t gpci_module_find(const gpci_module *module, uint64_t tag);
/* Variant for a tag's known row. A lookup finds the row once. */
uint32_t gpci_module_find_in(const gpci_module *module, uint64_t tag, uint32_t row);
/* A lookup found the block: tell the replacement policy of a hit. */
void gpci_module_touch(gpci_module *module, uint32_t block);
/*
 * A probe found the block. lru and fifo (Multi2Sim's) count it as a lookup. Registered policies do not see it: they
 * follow uses by processors or modules above.
 */
void gpci_module_probe(gpci_module *module, uint32_t block);
/* A warp or kernel begins or ends on the SM of this L1: inform its policy. */
void gpci_module_warp_event(gpci_module *module, const gpc_warp_event *event);
/*
 * Choose a block for a missing tag: a free way (unless any_victim), otherwise the policy's victim, which becomes the
 * most recent. The caller evicts all blocks of the old line, and informs the policy (gpci_module_leave).
 * `row`: of the tag. GPCI_TREE_NO_BLOCK: the policy's choice is no way, or a full map has no room
 * (gpci_module_reserve makes room).
 */
uint32_t gpci_module_victim(gpci_module *module, uint64_t tag, uint32_t row);
/* A block comes to a way with other blocks of the line: a hit for the policy, a use for lru. */
void gpci_module_join_line(gpci_module *module, uint32_t block, uint64_t tag);
/* A store misses the block and fetches no data, but blocks of the line are present: inform the policy. */
void gpci_module_pass_line(gpci_module *module, uint64_t tag);
/*
 * Choose a regular or directory-only way among `candidates` (bit per way of the kind, at least one set; NULL: all).
 * Not for full maps. The content does not leave yet.
 */
uint32_t gpci_module_choose(gpci_module *module, uint64_t tag, uint32_t row, bool directory,
                            const uint64_t *candidates);
/*
 * A victim leaves for a tag: tell the policy now; it is not told again when the state becomes I. `dirty`: modified when
 * chosen.
 */
void gpci_module_leave(gpci_module *module, uint32_t block, uint64_t tag, bool dirty);
/* Lowest free candidate (as gpci_module_choose), counted from 0 for each kind of ways; or GPCI_TREE_NO_BLOCK. */
uint32_t gpci_module_free_way(const gpci_module *module, uint32_t row, bool directory, const uint64_t *candidates);
/* Way with data of the line of `tag`, if any of the blocks is valid, or GPCI_TREE_NO_BLOCK. */
uint32_t gpci_module_way_of_line(const gpci_module *module, uint64_t tag);
/* Variant for a tag's known row; GPCI_TREE_NO_BLOCK if lines are blocks. */
uint32_t gpci_module_line_in(const gpci_module *module, uint64_t tag, uint32_t row);
/* True if another block of the line is valid. Not for directory-only ways. */
bool gpci_module_has_company(const gpci_module *module, uint32_t block);
/* Write a block's tag and state, without counting. State I also clears tag, owners and sharers. */
void gpci_module_write(gpci_module *module, uint32_t block, uint64_t tag, uint8_t state);
/*
 * Create a cache's predictor from its text `spec`. gpci_module_keep: remember the warp that fetched each line, or the
 * hits of each line. All blocks must be invalid.
 */
gpc_status gpci_module_predict(gpc_coherence *coherence, gpci_module *module, const char *spec, gpc_error *error);
gpc_status gpci_module_keep(gpc_coherence *coherence, gpci_module *module, bool warps, bool reuse, gpc_error *error);
/* True if every way a line of this tag may take is in use. */
bool gpci_module_is_full(const gpci_module *module, uint64_t tag);
/* Request shown to policy and predictor for the access `carried` to a tag. */
gpc_request gpci_module_policy_request(const gpci_module *module, uint64_t tag, const gpc_request *carried);
/* module_tokens.c: for modules with tokens, except the last two functions. */
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
 * Candidates without priority, written to `words`: the only ways a request without a token may take, and preferred by a
 * request with one; if there are none, the candidates. NULL: all ways.
 */
const uint64_t *gpci_module_unmarked(const gpci_module *module, uint64_t tag, const uint64_t *candidates,
                                     uint64_t *words);
/* True if the request has no token and no way without priority is left. */
bool gpci_module_lacks_room(const gpci_module *module, uint64_t tag, const gpc_request *request);

/* module_ask.c */
/* Predictor's decision about a shown request, and the word for the level below. */
bool gpci_module_predicts_bypass(const gpci_module *module, uint64_t tag, const gpc_request *policy_request,
                                 uint32_t *word);
/* True if a declining replacement policy declines a line; only asked if the set is full. */
bool gpci_module_declines(const gpci_module *module, uint64_t tag, const gpc_request *policy_request);
/* A request for a copy misses: true if the line is kept out. Asked once per line access, if the module asks. */
bool gpci_module_keeps_out(gpci_module *module, uint64_t tag);
/* Answer of a responding cache's predictor to the current request; one answer per line access. */
uint32_t gpci_module_respond(gpci_module *module, uint64_t tag);
/*
 * An answer reached an L1 whose predictor had decided `predicted`: the predictor hears it once per line access. True if
 * the line is let in after all. gpci_module_overturns also counts. A fill is never overturned.
 */
bool gpci_module_hear(gpci_module *l1, uint64_t tag, gpc_decision predicted, uint32_t word);
bool gpci_module_overturns(gpci_module *l1, uint64_t tag, uint32_t word);
/* True if policies were already asked about this line for the current line access. */
bool gpci_module_was_asked(const gpci_module *module, uint64_t tag);
/* An access misses and leaves no line here: inform the policy. */
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
 * addresses.c: (address / divisor) mod modulus of an interleaved module, hashed or not; gpci_module_has_residue: true
 * if an interleaved module serves the address's. gpci_tree_selected_set: set of a tag.
 */
uint64_t gpci_tree_residue(const gpci_module *module, uint64_t address);
bool gpci_module_has_residue(const gpci_module *module, uint64_t address);
uint32_t gpci_tree_selected_set(const gpci_module *module, uint64_t tag);

GPCI_INLINE uint64_t gpci_module_tag_of(const gpci_module *module, uint64_t address) {
    return address >> module->block_shift << module->block_shift;
}

/* Block with number `sector` of a block's line; not for directory-only ways. */
GPCI_INLINE uint32_t gpci_module_sector(const gpci_module *module, uint32_t block, uint32_t sector) {
    return block + (sector - (block / module->all_ways & module->sector_mask)) * module->all_ways;
}

/* Slot in module->tags of a row's first way. */
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

/* Way at a place of a row's order, 0 most recent; `own`: among the ways without lines, counting from 0. */
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
 * Index of a sub-block's sharers and owner: by block. If sets of sharers have codes, directory-only ways come after all
 * others, and use no memory until written.
 */
GPCI_INLINE size_t gpci_module_set_of(const gpci_module *module, uint32_t block, uint32_t sub) {
    if (GPCI_LIKELY(!module->parted))
        return (size_t)block * module->sub_blocks + sub;
    const uint32_t row = block / module->all_ways, way = block - row * module->all_ways, ways = module->given.ways;
    const uint32_t place =
        way < ways ? row * ways + way : module->rows * ways + row * (module->all_ways - ways) + way - ways;
    return (size_t)place * module->sub_blocks + sub;
}

/* If sets of sharers have codes: true if the owner of this sub-block is its only sharer. */
GPCI_INLINE bool gpci_module_owner_is_alone(const gpci_module *module, size_t set) {
    return module->alone[set / 8] >> set % 8 & 1;
}

GPCI_INLINE void gpci_module_set_owner_alone(const gpci_module *module, size_t set, bool alone) {
    if (gpci_module_owner_is_alone(module, set) != alone)
        module->alone[set / 8] ^= (uint8_t)(1u << set % 8);
}

/* Unwritten memory means: no owner, no missing bytes, initial order; it takes no memory. */
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

/* True if only the stored bytes of a block are present; the rest must be read from below first. */
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

/* True for fill ways. */
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
 * a word, and codes suffice, `sharers` has a 16-bit code per set: 0: empty; 1 + place in `above`: one member; larger
 * codes: a row of `shared`, which holds the set's words. Only sets of two or more take rows; free rows are chained.
 * `shared_rows` has two elements: code of the first free row (or 0), and number of rows ever taken.
 *
 * Example, 40 modules above, so 3 words: {} is 0, {7} is 8; {7, 20} is 49, and words 0x0080, 0x0010, 0 in row 0.
 *
 * Nearly always the owner is the only sharer, already named by the code: then a bit of `alone` is set, and `owners` is
 * unused. Before such a code changes, the owner is written to `owners`.
 */

#define GPCI_SHARED_MOST 65535u /* codes */

/* True if sets of this module have codes. */
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

/* Word of a set. */
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
/* Elements of `sharers` per set of a module. gpci_sharers_rows: rows for `sets` sets; 0: no codes. */
uint32_t gpci_sharers_elements(const gpci_module *module, size_t sets);
size_t gpci_sharers_rows(const gpci_module *module, size_t sets);
void gpci_sharers_add(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t slot);
void gpci_sharers_remove(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t slot);
/* Empty the sets of a block. */
void gpci_sharers_clear(const gpci_module *module, uint32_t block);
/* Move all sets and owners of a block to another block; the first has none afterwards. */
void gpci_sharers_move(const gpci_module *module, uint32_t from, uint32_t to);

#endif
