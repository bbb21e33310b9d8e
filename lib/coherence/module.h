/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_MODULE_H
#define GPC_COHERENCE_MODULE_H

#include "base/map.h"
#include "cache/index/index.h"
#include "policies/protocol/protocols.h"
#include "registry/registry.h"

#include <string.h>

/* One module of a tree: what it has of each block and line, and what is asked of that. */

#define GPCI_TREE_NO_BLOCK UINT32_MAX
#define GPCI_TREE_NO_OWNER UINT16_MAX
#define GPCI_TREE_SECTORS 8u /* most blocks of a line */

/* A part of a set of sharers: sharers.h. */
typedef uint16_t gpci_sharers;
#define GPCI_SHARERS 16u /* bits */

/* How modules choose sets, and who is asked for an address, where shifts and masks do not do: selector.c. */
typedef struct gpci_tree_selector {
    struct gpci_tree_selector *next; /* of the tree */
    gpci_interleave spread;          /* addresses over the modules of a level, each of which is a slice */
    gpci_index index;                /* block numbers over sets */
} gpci_tree_selector;

/* Where a module stands, and so which of a protocol's tables it obeys. */
typedef enum gpci_module_place {
    GPCI_PLACE_FIRST = 0,   /* no module above it: processors access it */
    GPCI_PLACE_BETWEEN = 1, /* a cache that only a part of the processors reach some of its addresses through */
    GPCI_PLACE_LAST = 2,    /* a cache that all of them reach its addresses through: gpc_protocol.shared (places.c) */
    GPCI_PLACE_MEMORY = 3
} gpci_module_place;

/* What a hierarchy counts of lines, and of what is asked about them, as a cache does (gpc_cache_stats). */
typedef struct gpci_line_counts {
    uint64_t zero_reuse_evictions, intra_warp_hits, inter_warp_hits;
    uint64_t token_bypasses, opportunistic_fills, priority_evictions;
    uint64_t predictions, bypasses, overturned_bypasses;
    uint64_t near_requests, near_hits; /* of a module's, those of near halves above it */
} gpci_line_counts;

/*
 * `block` is an index everywhere: row * all_ways + way. A tag is the address of a block, not shifted.
 *
 * A line is `given.sectors` neighbouring blocks, which come and go one by one, but have one way, and leave together for
 * another line. It is in one way of as many rows, a row for each of its blocks: row = set * sectors + sector. With one
 * sector a line is a block, and a row a set. Ways of the directory alone, and fill ways, know no lines.
 *
 * Example, 2 sets of 2 ways, blocks of 32 bytes, 2 sectors: line 0x80 is of set 0. Its blocks 0x80 and 0xa0 are in rows
 * 0 and 1, both in way 1, say: blocks 1 and 3.
 */
typedef struct gpci_module gpci_module;
struct gpci_module {
    gpc_coherence_module given; /* as the host gave it, defaults filled in; its pointers are copies */
    uint32_t index, level;      /* in the tree; level 1: no module above */
    gpci_module_place place;
    uint32_t named;                                    /* events of the protocol's own */
    const gpc_protocol_rule (*rules)[GPC_EVENT_COUNT]; /* [state][event] */
    const gpc_protocol_rule *named_rules;              /* [state][event_count] of the protocol's own events; or NULL */
    const gpc_protocol_raise *raises; /* [state][GPC_EVENT_COUNT + event_count]; NULL: all raise the usual */
    uint32_t all_ways;  /* ways + directory_ways + fill_ways; of a full map UINT32_MAX: every block is in set 0 */
    uint32_t fill_ways; /* of a set, after the others: where blocks come in, and leave (controller_fill.c) */
    uint32_t rows;      /* sets * sectors */
    uint32_t blocks;    /* rows * all_ways; of a full map as many entries as its arrays have room for */
    uint32_t sectors, sector_mask, sector_shift; /* of a line; less 1; log2. Of a full map 1 */
    uint32_t fetch_mask;                         /* blocks that are read together, less 1 (fetch.c) */
    uint32_t block_shift, line_shift, sub_shift; /* log2 of the bytes of a block, of a line, of a sub-block */
    uint32_t mask_bytes;                /* of a block's mask of modified bytes: a bit each, one byte at least */
    uint32_t sub_blocks;                /* of a block, each with a directory entry; 0 without modules above */
    uint32_t above_count, sharer_words; /* words that a set of sharers needs */
    uint32_t pointers;                  /* copies that an entry of the directory names (directory.c); 0: all */
    const uint32_t *above;              /* [above_count] the modules above, ascending */
    const uint16_t *slots;              /* [modules] a module's place in `above`, which is its bit among sharers */
    uint64_t first, last;               /* the first and last address that it serves (cover.c) */
    /* [bank_homes][bank_modulus] low modules by (address >> bank_shift) mod bank_modulus, and home; or NULL */
    uint32_t *banks;
    uint32_t bank_shift, bank_modulus, bank_homes; /* bank_homes 1: whatever the home */
    const gpci_tree_selector *bank_selector;       /* of banks that are HASHED, from layout.c on; NULL */
    const gpci_tree_selector *selector;            /* its own, likewise; NULL: by the fields that follow */
    uint64_t row_mask;                             /* rows - 1 */
    uint32_t index_shift; /* the row is tag >> index_shift & row_mask, unless the module `divides` */
    bool divides;     /* sets, or the modulus of an interleaved module, are no power of two; or it has a selector, or */
                      /* is interleaved and has lines of several blocks */
    bool interleaved; /* GPC_SERVES_INTERLEAVED or _HASHED */
    bool full_map;    /* a memory of ways 0: it has an entry for each block that was ever cached */
    bool fifo;        /* the order of replacement is FIFO, not LRU */
    bool through;     /* stores have been written through it: as `given` says of all, or an access of itself */
    bool plain;       /* hit.c may serve its hits: first level, LRU or FIFO, no division, no write-through */
    bool lazy; /* of a hierarchy's L1, or slice over memory: a store that writes all of a block it has not asks */
               /* for no bytes */
    bool told; /* `policy`, `predictor`, `warps` or `reuse` are kept up: they are told what lines come and go */
    uint32_t leaving; /* first block of the line of whose eviction `policy` has been told; GPCI_TREE_NO_BLOCK */
    uint64_t told_line, told_access; /* line, and access (gpc_coherence.line_access), that `policy` was told of last, */
    bool told_again;                 /* not as of blocks that have come for the first time */
    /*
     * Tags, and of each row its ways from most to least recent, then its directory ways likewise. Where a line has
     * several blocks it has one tag, 0 where none of them is valid, and one place in an order, [set][ways] both; the
     * ways that know no lines have theirs in arrays of their own, [row][own_ways]. Elsewhere these are NULL.
     */
    uint64_t *tags, *own_tags;
    uint16_t *order, *own_order;
    uint32_t own_ways; /* all_ways - ways; 0 where a line is a block */
    /* by block */
    uint8_t *states;  /* gpc_coherence_state */
    bool parted;      /* of `owners`, `alone` and `sharers`: gpci_module_set_of */
    uint16_t *owners; /* [block][sub_block] place in `above`, or GPCI_TREE_NO_OWNER, all bits inverted */
    uint8_t *alone;   /* a bit for each of them: its owner is the one sharer that the code names; NULL (sharers.h) */
    gpci_sharers *sharers, *shared, *shared_rows; /* sharers.h */
    uint8_t *lacks;         /* [block][mask_bytes] with `byte_masks`: which bytes have not come; NULL */
    uint8_t *data;          /* [block][block_bytes]; NULL in trees without data, and in memories */
    uint8_t *dirty;         /* [block][mask_bytes] which bytes are modified; likewise */
    gpci_policy *policy;    /* a replacement policy other than lru and fifo; NULL */
    gpci_policy *predictor; /* of a hierarchy (module_ask.c); NULL */
    bool asks;              /* of a slice: what misses may be kept out */
    bool admits;            /* likewise: by its replacement policy */
    bool strict_tokens;     /* likewise: for want of a token */
    bool kept_out;          /* likewise: what has been decided of a line for an access (gpc_coherence.line_access) */
    uint64_t asked_line, asked_access;
    bool responds;         /* of a cache next to L1s: its predictor answers theirs (gpc_predictor_ops.respond) */
    uint32_t word, answer; /* of an L1: its predictor's word of its last line; of a cache that responds: its answer */
    bool by_sector;        /* likewise: each sector of a line has an answer of its own */
    uint64_t answered_line, answered_access; /* to whom; of an L1, by which a bypass has been overturned */
    uint32_t *warps;                 /* [block] of a line the first: who has fetched it; of a hierarchy's L1s; NULL */
    uint32_t *reuse;                 /* likewise: how often it has been hit */
    uint32_t *marks;                 /* likewise, and of slices: who has used it (module_tokens.c); NULL */
    struct gpci_token_state *tokens; /* NULL: not opportunistic */
    uint8_t decided, let_in;         /* of a hierarchy's L1: what was decided of its last line's first block */
    uint8_t seen;                    /* of its last line so far: level/coherent_count.c */
    gpci_line_counts counts;
    uint64_t sampled_reads, sampled_hits; /* at the last sample of a hierarchy's L1 or slice */
    gpci_map map;                         /* of a full map: address / block_bytes -> block */
    gpc_coherence_stats stats;
    const gpc_coherence *tree; /* that it belongs to */
    struct gpci_module *twin;  /* the other half of its cache, with the same arrays by block; NULL */
    struct gpci_module *store; /* what policies have been told is noted there: itself, or of a near half the other */
    bool near;                 /* it has copies of pages that are not at `given.home` (gpc_coherence_module.near_of) */
    /* [states][states] of a protocol with more than the six; `stats` then counts each as that which is like it. NULL */
    uint64_t *transitions;
    uint32_t *origins;
};

/* module_tags.c */
/* The row of a tag; of a full map 0. */
uint32_t gpci_module_row(const gpci_module *m, uint64_t tag);
/* The valid block of a tag; GPCI_TREE_NO_BLOCK. */
uint32_t gpci_module_find(const gpci_module *m, uint64_t tag);
/* A lookup found this block: tell the replacement policy of a hit. */
void gpci_module_touch(gpci_module *m, uint32_t block);
/*
 * A probe has found it: lru and fifo, which are Multi2Sim's, take that for a lookup as any other; registered policies
 * are not told, for they go by what a processor, or a module above, uses.
 */
void gpci_module_probe(gpci_module *m, uint32_t block);
/* A warp or kernel begins or ends on the SM whose L1 this is: for its policy. */
void gpci_module_warp_event(gpci_module *m, const gpc_warp_event *event);
/*
 * Choose a block for a tag that misses: a free way, unless any_victim is set, or else the policy's victim, which
 * becomes the most recent at once. The caller evicts what is in it, all blocks of another line (module_lookup.c).
 * GPCI_TREE_NO_BLOCK: the policy's choice is no way, or there is no room in a full map, for which gpci_module_reserve
 * was to care.
 */
uint32_t gpci_module_victim(gpci_module *m, uint64_t tag);
/* A block is to come to a way where others of its line are: to the policy a hit, to lru a use. */
void gpci_module_join_line(gpci_module *m, uint32_t block, uint64_t tag);
/* The same for a store to a block that is not there, and does not come, if others of its line are. */
void gpci_module_pass_line(gpci_module *m, uint64_t tag);
/* The same among the directory ways of the tag's row; directory_ways is not 0. */
uint32_t gpci_module_directory_victim(gpci_module *m, uint64_t tag);
/*
 * Either of them, among the ways of the set whose bits are set; at least one is. NULL: all. Of no full map. What is
 * there does not leave yet.
 */
uint32_t gpci_module_choose(gpci_module *m, uint64_t tag, bool directory, const uint64_t *candidates);
/*
 * A victim leaves to make room for a tag: tell the policy, which is then not told once more when the block's state
 * becomes I. `dirty`: it was modified when it was chosen.
 */
void gpci_module_leave(gpci_module *m, uint32_t block, uint64_t tag, bool dirty);
/* The way, with data, of a line of which some block is valid; GPCI_TREE_NO_BLOCK. `tag`: of any of its blocks. */
uint32_t gpci_module_way_of_line(const gpci_module *m, uint64_t tag);
/* Is another block of its line valid? Of no directory way. */
bool gpci_module_has_company(const gpci_module *m, uint32_t block);
/* Write a block's tag and state, without counting. State I also clears tag, owners and sharers. */
void gpci_module_write(gpci_module *m, uint32_t block, uint64_t tag, uint8_t state);
/*
 * Give a cache a predictor by its text, or have it keep who has fetched its lines, and how often they are hit. All
 * blocks are invalid.
 */
gpc_status gpci_module_predict(gpc_coherence *c, gpci_module *m, const char *spec, gpc_error *error);
gpc_status gpci_module_keep(gpc_coherence *c, gpci_module *m, bool warps, bool reuse, gpc_error *error);
/* Is there a line, or a block, in each way that one of this tag might take? */
bool gpci_module_is_full(const gpci_module *m, uint64_t tag);
/* What its policy and predictor are shown of the access `carried` to a tag. */
gpc_request gpci_module_shows(const gpci_module *m, uint64_t tag, const gpc_request *carried);
/* module_tokens.c: of a module that has tokens, but for the last two. */
struct gpci_token_rules;
gpc_status gpci_module_keep_tokens(gpc_coherence *c, gpci_module *m, const struct gpci_token_rules *rules,
                                   gpc_error *error);
void gpci_module_release_tokens(gpc_context *context, gpci_module *m);
void gpci_module_token_tick(gpci_module *m, const gpc_request *request);
void gpci_module_token_event(gpci_module *m, const gpc_warp_event *event);
void gpci_module_token_hit(gpci_module *m, uint32_t block, const gpc_request *request);
void gpci_module_token_fill(gpci_module *m, uint32_t block, const gpc_request *request);
/* `line`: the first of its blocks. */
void gpci_module_token_evict(gpci_module *m, uint32_t line);
/*
 * Of the candidates those without priority, in `words`, which is all that a request without a token may take, and what
 * one with a token takes first; if there is none, the candidates. NULL: all ways.
 */
const uint64_t *gpci_module_unmarked(const gpci_module *m, uint64_t tag, const uint64_t *candidates, uint64_t *words);
/* It lacks a token, and there is none. */
bool gpci_module_lacks_room(const gpci_module *m, uint64_t tag, const gpc_request *request);

/* module_ask.c */
/* What a predictor says of a request that is shown to it, and its word for the level below. */
bool gpci_module_predicts_bypass(const gpci_module *m, uint64_t tag, const gpc_request *shown, uint32_t *word);
/* Does a replacement policy that admits lines decline one? Only where its set is full. */
bool gpci_module_declines(const gpci_module *m, uint64_t tag, const gpc_request *shown);
/* A request for a copy misses: is the line to be kept out? Asked once for an access of a line, if the module asks. */
bool gpci_module_keeps_out(gpci_module *m, uint64_t tag);
/* The way, with data, of the line that a block is of, whether or not the block is there; UINT32_MAX. */
uint32_t gpci_module_line_way(const gpci_module *m, uint64_t tag);
/* What the predictor of a cache that `responds` says of the request under way. Once for an access of a line. */
uint32_t gpci_module_respond(gpci_module *m, uint64_t tag);
/*
 * That word has come to an L1 whose predictor has said `predicted` of a request. Does that let it in after all? The
 * second also counts it. A fill is never overturned.
 */
bool gpci_module_hear(gpci_module *l1, uint64_t tag, gpc_decision predicted, uint32_t word);
bool gpci_module_overturns(gpci_module *l1, uint64_t tag, uint32_t word);
/* Has it been asked of this line for the access under way? */
bool gpci_module_was_asked(const gpci_module *m, uint64_t tag);
/* An access that misses, and leaves nothing here: for its policy. */
void gpci_module_miss(gpci_module *m, uint64_t tag, const gpc_request *carried);
/* Memory for `blocks` more entries of a full map, so that the transaction cannot fail. GPC_ERROR_MEMORY. */
gpc_status gpci_module_reserve(gpc_context *context, gpci_module *m, uint32_t blocks);
/*
 * The low module that serves an address; GPC_NO_MODULE: none does. cover.c has made sure that each address that a
 * module serves is served by exactly one of its low modules, down to a memory.
 */
uint32_t gpci_module_low(const gpc_coherence *c, const gpci_module *m, uint64_t address);
bool gpci_module_serves(const gpci_module *m, uint64_t address);

/* module_view.c: a module's statistics, added to others'. */
void gpci_coherence_add_stats(gpc_coherence_stats *sum, const gpc_coherence_stats *s);

/* selector.c: (address / divisor) mod modulus of an interleaved module, hashed or not; the set of a tag. */
uint64_t gpci_tree_residue(const gpci_module *m, uint64_t address);
uint32_t gpci_tree_selected_set(const gpci_module *m, uint64_t tag);

GPCI_INLINE uint64_t gpci_module_tag_of(const gpci_module *m, uint64_t address) {
    return address >> m->block_shift << m->block_shift;
}

/* A block of the line in a way, that a block is of; `block` is of no directory way. */
GPCI_INLINE uint32_t gpci_module_sector(const gpci_module *m, uint32_t block, uint32_t sector) {
    return block + (sector - (block / m->all_ways & m->sector_mask)) * m->all_ways;
}

/* The tags of a row's ways that know no lines; where a line has several blocks. */
GPCI_INLINE uint64_t *gpci_module_own_tags(const gpci_module *m, uint32_t row) {
    return m->own_tags + (size_t)row * m->own_ways;
}

/* The tags of a row's lines; likewise. */
GPCI_INLINE uint64_t *gpci_module_line_tags(const gpci_module *m, uint32_t row) {
    return m->tags + (size_t)(row >> m->sector_shift) * m->given.ways;
}

/* The same of a block that may be one of a line's several. */
GPCI_INLINE uint64_t gpci_module_sector_tag(const gpci_module *m, uint32_t block) {
    const uint32_t row = block / m->all_ways, way = block - row * m->all_ways;
    if (way >= m->given.ways)
        return gpci_module_own_tags(m, row)[way - m->given.ways];
    if (m->states[block] == GPC_LINE_I)
        return 0;
    return gpci_module_line_tags(m, row)[way] | (uint64_t)(row & m->sector_mask) << m->block_shift;
}

/* A block's tag; 0 where it is invalid. */
GPCI_INLINE uint64_t gpci_module_tag(const gpci_module *m, uint32_t block) {
    return GPCI_LIKELY(!m->sector_mask) ? m->tags[block] : gpci_module_sector_tag(m, block);
}

/* The order of a row's ways, or (`own`) of its ways that know no lines: recency.h. */
GPCI_INLINE uint16_t *gpci_module_order(const gpci_module *m, uint32_t row, bool own) {
    if (GPCI_LIKELY(!m->sector_mask))
        return m->order + (size_t)row * m->all_ways + (own ? m->given.ways : 0);
    return own ? m->own_order + (size_t)row * m->own_ways : m->order + (size_t)(row >> m->sector_shift) * m->given.ways;
}

GPCI_INLINE bool gpci_module_same_line(const gpci_module *m, uint64_t tag, uint64_t other) {
    return !((tag ^ other) >> m->line_shift);
}

GPCI_INLINE uint32_t gpci_module_sub_of(const gpci_module *m, uint64_t address) {
    return (uint32_t)(address >> m->sub_shift) & (m->sub_blocks - 1);
}

/*
 * The place of a sub-block's sharers and owner: by block, but that where sets of sharers have codes those of ways of
 * the directory alone stand behind all others, and take no memory where no block uses them.
 */
GPCI_INLINE size_t gpci_module_set_of(const gpci_module *m, uint32_t block, uint32_t sub) {
    if (GPCI_LIKELY(!m->parted))
        return (size_t)block * m->sub_blocks + sub;
    const uint32_t row = block / m->all_ways, way = block - row * m->all_ways, ways = m->given.ways;
    const uint32_t place = way < ways ? row * ways + way : m->rows * ways + row * (m->all_ways - ways) + way - ways;
    return (size_t)place * m->sub_blocks + sub;
}

/* Of a module whose sets of sharers have codes: is the owner of this sub-block its one sharer? */
GPCI_INLINE bool gpci_module_owner_is_alone(const gpci_module *m, size_t set) {
    return m->alone[set / 8] >> set % 8 & 1;
}

GPCI_INLINE void gpci_module_set_owner_alone(const gpci_module *m, size_t set, bool alone) {
    if (gpci_module_owner_is_alone(m, set) != alone)
        m->alone[set / 8] ^= (uint8_t)(1u << set % 8);
}

/* What was never written has no owner, lacks nothing, is in its first order, and takes no memory. */
GPCI_INLINE uint16_t gpci_module_owner_of(const gpci_module *m, uint32_t block, uint32_t sub) {
    const size_t set = gpci_module_set_of(m, block, sub);
    if (GPCI_UNLIKELY(m->alone != NULL) && gpci_module_owner_is_alone(m, set))
        return (uint16_t)(m->sharers[set] - 1u);
    return (uint16_t)~m->owners[set];
}

GPCI_INLINE void gpci_module_set_owner(const gpci_module *m, uint32_t block, uint32_t sub, uint32_t owner) {
    const size_t set = gpci_module_set_of(m, block, sub);
    if (GPCI_UNLIKELY(m->alone != NULL)) {
        const bool alone = owner != GPCI_TREE_NO_OWNER && m->sharers[set] == owner + 1;
        gpci_module_set_owner_alone(m, set, alone);
        owner = alone ? GPCI_TREE_NO_OWNER : owner;
    }
    if (m->owners[set] != (uint16_t)~owner)
        m->owners[set] = (uint16_t)~owner;
}

GPCI_INLINE uint8_t *gpci_module_data_of(const gpci_module *m, uint32_t block) {
    return m->data + ((size_t)block << m->block_shift);
}

GPCI_INLINE uint8_t *gpci_module_dirty_of(const gpci_module *m, uint32_t block) {
    return m->dirty + (size_t)block * m->mask_bytes;
}

GPCI_INLINE uint8_t *gpci_module_lacks_of(const gpci_module *m, uint32_t block) {
    return m->lacks + (size_t)block * m->mask_bytes;
}

/* Has it but those bytes of a block that have been stored? What else there is has to be read from below first. */
GPCI_INLINE bool gpci_module_is_partial(const gpci_module *m, uint32_t block) {
    if (GPCI_LIKELY(!m->lacks))
        return false;
    const uint8_t *lacks = gpci_module_lacks_of(m, block);
    for (uint32_t i = 0; i < m->mask_bytes; i++)
        if (lacks[i])
            return true;
    return false;
}

/* All bytes of a block are there. Of a module with byte_masks. */
GPCI_INLINE void gpci_module_complete(const gpci_module *m, uint32_t block) {
    if (GPCI_UNLIKELY(gpci_module_is_partial(m, block)))
        memset(gpci_module_lacks_of(m, block), 0, m->mask_bytes);
}

/* Has this byte of a block come? */
GPCI_INLINE bool gpci_module_has_byte(const gpci_module *m, uint32_t block, uint64_t byte) {
    return GPCI_LIKELY(!m->lacks) || !(gpci_module_lacks_of(m, block)[byte / 8] >> byte % 8 & 1);
}

/* Is the block an entry of the directory alone, without data (of a non-inclusive module)? */
/* Is it one of the ways where blocks come in? */
GPCI_INLINE bool gpci_module_is_fill(const gpci_module *m, uint32_t block) {
    return GPCI_UNLIKELY(m->fill_ways != 0) && block != GPCI_TREE_NO_BLOCK && block % m->all_ways >= m->given.ways;
}

GPCI_INLINE bool gpci_module_directory_only(const gpci_module *m, uint32_t block) {
    return m->given.directory_ways && block % m->all_ways >= m->given.ways;
}

#endif
