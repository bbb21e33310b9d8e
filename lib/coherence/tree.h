/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_TREE_H
#define GPC_COHERENCE_TREE_H

#include "base/map.h"
#include "policies/protocol/protocols.h"
#include "registry/registry.h"

/*
 * A tree of modules and the transaction under way in it. All that an access changes, but for statistics and memory's
 * bytes, lies in one block (`slab`), so that a tree can be saved and gone back to by copying it.
 */

#define GPCI_TREE_NO_BLOCK UINT32_MAX
#define GPCI_TREE_NO_OWNER UINT16_MAX

/*
 * What a replacement policy may read, as GPC_READS_ bits: in a hierarchy's coherent levels, and in a tree that its host
 * made by itself, where all of it comes from gpc_coherence_request.
 */
#define GPCI_TREE_READS (GPC_READS_PLACE | GPC_READS_ADDRESS)
#define GPCI_TREE_HOST_READS (GPCI_TREE_READS | GPC_READS_CYCLE | GPC_READS_SM | GPC_READS_KIND)

typedef enum gpci_module_place {
    GPCI_PLACE_FIRST = 0,
    GPCI_PLACE_BETWEEN = 1,
    GPCI_PLACE_LAST = 2,
    GPCI_PLACE_MEMORY = 3
} gpci_module_place;

typedef struct gpci_module {
    gpc_coherence_module given; /* its pointers are this object's */
    uint32_t index, level;      /* level 1: no module above */
    gpci_module_place place;
    const gpc_protocol_rule (*rules)[GPC_EVENT_COUNT]; /* [state][event] */
    uint32_t all_ways; /* ways + directory_ways; a full map's: UINT32_MAX, so that all is set 0 */
    uint32_t blocks;   /* sets * all_ways; a full map's: entries that there are room for */
    uint32_t block_shift, sub_shift;
    uint32_t mask_bytes; /* of a block's mask of modified bytes: one bit a byte, at least one byte */
    uint32_t sub_blocks; /* 0 without modules above */
    uint32_t above_count, sharer_words;
    const uint32_t *above; /* [above_count] modules, ascending */
    const uint16_t *slots; /* [modules] place in `above` */
    uint64_t first, last;  /* bytes; what it serves, cut to what reaches a memory from it */
    uint32_t *banks;       /* [bank_modulus] low modules by (address >> bank_shift) mod bank_modulus, or NULL */
    uint32_t bank_shift, bank_modulus;
    uint64_t set_mask;    /* sets - 1 */
    uint32_t index_shift; /* tag >> index_shift & set_mask is the set, unless it `divides` */
    bool divides, interleaved, full_map, fifo;
    bool plain;       /* first level, lru or fifo, every set by a mask, copies kept and written here */
    uint32_t leaving; /* block whose eviction its policy has been told of; GPCI_TREE_NO_BLOCK */
    /* by block: set * all_ways + way */
    uint64_t *tags;      /* block addresses; 0 where invalid */
    uint8_t *states;     /* gpc_coherence_state */
    uint16_t *order;     /* ways of a set from most to least recent; then likewise its directory entries */
    uint16_t *owners;    /* [block][sub_block] place in `above`; GPCI_TREE_NO_OWNER */
    uint64_t *sharers;   /* [block][sub_block][sharer_words] bit per place in `above` */
    uint8_t *data;       /* [block][block_bytes]; NULL without data, and in memories */
    uint8_t *dirty;      /* [block][mask_bytes] modified bytes, as `data` */
    gpci_policy *policy; /* NULL: lru or fifo */
    gpci_map map;        /* of a full map: block number -> block */
    gpc_coherence_stats stats;
    const gpc_coherence *tree; /* that it is of */
} gpci_module;

/*
 * When a link is busy in the transaction under way: spans of cycles, ascending; the first two are joined where a span
 * is one too many.
 */
#define GPCI_TREE_LINK_SPANS 6u
typedef struct gpci_tree_link {
    uint64_t transaction; /* to which the spans belong */
    uint32_t count;
    uint32_t last; /* round-robin of a switch's output: the module served last; kept from one transaction to the next */
    uint64_t begins[GPCI_TREE_LINK_SPANS + 1], ends[GPCI_TREE_LINK_SPANS + 1];
} gpci_tree_link;

/* A star network on an idle system. */
typedef struct gpci_tree_star {
    gpc_coherence_network given;
    gpci_tree_link *out, *through, *in; /* [modules] to the switch, in it to a module's link, from it; one allocation */
    uint64_t transaction;
} gpci_tree_star;

/* Faults that the tests put in, to see that they are caught. */
enum {
    GPCI_FAULT_NO_UNLOCK = 1 << 0,   /* D1: who is refused its write-back keeps its own block locked */
    GPCI_FAULT_CLEAR_WRONG = 1 << 1, /* D2: the owner of another sub-block is cleared */
    GPCI_FAULT_TWICE = 1 << 2        /* D9: a store that hits S, N or O is done twice */
};

struct gpc_coherence {
    gpc_context *context;
    const gpc_protocol *protocol;
    gpc_protocol own; /* a copy, where a test has put in faults */
    uint32_t faults;  /* GPCI_FAULT_ */
    uint32_t control_bytes;
    bool with_data, timing;
    gpci_module *modules; /* [module_count] */
    uint32_t module_count, levels;
    uint32_t first_map;    /* the lowest index of a memory with a full map; module_count: none */
    gpci_tree_star *stars; /* [star_count] */
    uint32_t star_count;
    void *slab; /* tags, states, order, owners, sharers, data, dirty of all modules but full maps */
    size_t slab_bytes;
    gpci_map memory_map; /* block number (of memory_shift) -> place in memory_bytes */
    uint8_t *memory_bytes;
    uint32_t memory_shift;
    size_t memory_room;
    gpc_coherence_callbacks callbacks;
    /* the transaction under way, or the last */
    const gpc_request *request; /* the access that it is for; NULL: no more than its address is known, or none is */
    gpc_coherence_message *messages;
    gpc_coherence_transition *transitions;
    size_t message_room, transition_room;
    uint32_t message_count, transition_count;
    uint32_t message_bound;                /* most that one access takes */
    struct gpci_tree_probe_reply *replies; /* [reply_room] answers that are being waited for, as a stack */
    uint32_t reply_count, reply_room;
    bool has_policies; /* a module has a replacement policy other than lru and fifo, which is shown requests */
    bool non_coherent; /* the protocol has N: copies may lack bytes that others have written back */
    uint8_t deepest;   /* level that was asked */
    gpc_status failed; /* a forbidden cell was reached */
    char failure[256];
};

/* tree_build.c sets everything of a module but what an access changes. */

/* module_tags.c */
/* Set of a tag; a full map has only 0. */
uint32_t gpci_module_set(const gpci_module *m, uint64_t tag);
/* Block of a tag; GPCI_TREE_NO_BLOCK. `tag`: the address of a block of this module. */
uint32_t gpci_module_find(const gpci_module *m, uint64_t tag);
/* The processor, or another module, looked up a block that is there. */
void gpci_module_touch(gpci_module *m, uint32_t block);
/*
 * A block for a tag that is not there: a free way, unless any_victim, or the policy's victim, which moves to the front.
 * A full map always has a free one (gpci_module_reserve). A policy's impossible choice: GPCI_TREE_NO_BLOCK.
 */
uint32_t gpci_module_victim(gpci_module *m, uint64_t tag);
/* Likewise, a directory entry of the tag's set (directory_ways is not 0). */
uint32_t gpci_module_directory_victim(gpci_module *m, uint64_t tag);
/* Write tag and state; no statistics. Invalid blocks have tag 0 and no directory. */
void gpci_module_write(gpci_module *m, uint32_t block, uint64_t tag, uint8_t state);
/* Full maps: room for `blocks` more, so that the transaction cannot fail. GPC_ERROR_MEMORY. */
gpc_status gpci_module_reserve(gpc_context *context, gpci_module *m, uint32_t blocks);
/*
 * The low module that serves an address; GPC_NO_MODULE. Creation sees to it that it is exactly one for each address
 * that the module serves; so whether an address reaches a memory is whether its first-level module serves it.
 */
uint32_t gpci_module_low(const gpc_coherence *c, const gpci_module *m, uint64_t address);
bool gpci_module_serves(const gpci_module *m, uint64_t address);

/* store.c: memory's bytes. */
gpc_status gpci_tree_memory_reserve(gpc_coherence *c,
                                    uint64_t address); /* the block of an address, zeroed if it is new */
/* The byte of an address, after which the rest of its memory block stands; NULL: a block never reserved, all zeroes. */
uint8_t *gpci_tree_memory_at(const gpc_coherence *c, uint64_t address);

/* star.c: a message on an idle network, which has seen this transaction's earlier ones. */
void gpci_tree_star_begin(gpc_coherence *c);
uint64_t gpci_tree_star_send(gpc_coherence *c, uint32_t network, uint32_t from, uint32_t to, uint32_t bytes,
                             uint64_t cycle);
/* Answers of modules that were asked together, to the one that asked: `comes` of each. Sorted by when they are sent. */
void gpci_tree_star_gather(gpc_coherence *c, uint32_t network, uint32_t to, struct gpci_tree_probe_reply *replies,
                           uint32_t count);

/*
 * snapshot.c: for exploration. Memory's bytes and full maps included, statistics and the state of policies other than
 * lru and fifo not. What is saved depends on the state alone, not on how it came about: equal states, equal bytes. Its
 * size grows when memory's bytes or a full map meet a block for the first time: ask again, and compare sizes too.
 * Only what the same object saved may be loaded.
 */
size_t gpci_coherence_saved_bytes(const gpc_coherence *c);
void gpci_coherence_save(const gpc_coherence *c, void *saved);
void gpci_coherence_load(gpc_coherence *c, const void *saved);

/*
 * tree_engine.c: gpc_coherence_access, neither argument NULL nor the struct's size another, for a request of which
 * all is known: `carried`, which every step of the transaction can look at, and by which policies are told of it.
 * NULL: they are told the address alone.
 */
gpc_status gpci_coherence_access(gpc_coherence *c, const gpc_coherence_request *request, const gpc_request *carried,
                                 gpc_error *error, gpc_coherence_result *result);
/* What transactions need beside the tree, made last and released first. GPC_ERROR_MEMORY. */
gpc_status gpci_tree_engine_prepare(gpc_coherence *c);
void gpci_tree_engine_release(gpc_coherence *c);
/* Tests only: put faults in. */
void gpci_coherence_inject(gpc_coherence *c, uint32_t faults, uint32_t protocol_flags);

GPCI_INLINE gpci_module *gpci_module_at(const gpc_coherence *c, uint32_t index) {
    return &c->modules[index];
}

GPCI_INLINE uint64_t gpci_module_tag_of(const gpci_module *m, uint64_t address) {
    return address >> m->block_shift << m->block_shift;
}

GPCI_INLINE uint32_t gpci_module_sub_of(const gpci_module *m, uint64_t address) {
    return (uint32_t)(address >> m->sub_shift) & (m->sub_blocks - 1);
}

GPCI_INLINE uint16_t *gpci_module_owner_of(const gpci_module *m, uint32_t block, uint32_t sub) {
    return &m->owners[(size_t)block * m->sub_blocks + sub];
}

GPCI_INLINE uint64_t *gpci_module_sharers_of(const gpci_module *m, uint32_t block, uint32_t sub) {
    return &m->sharers[((size_t)block * m->sub_blocks + sub) * m->sharer_words];
}

/* `order`: of a set's ways, or of its directory's entries, of which `way` is one. */
GPCI_INLINE void gpci_module_make_recent(uint16_t *order, uint16_t way) {
    uint16_t carried = order[0];
    order[0] = way;
    for (uint32_t i = 1; carried != way; i++) {
        const uint16_t next = order[i];
        order[i] = carried;
        carried = next;
    }
}

GPCI_INLINE uint8_t *gpci_module_data_of(const gpci_module *m, uint32_t block) {
    return m->data + ((size_t)block << m->block_shift);
}

GPCI_INLINE uint8_t *gpci_module_dirty_of(const gpci_module *m, uint32_t block) {
    return m->dirty + (size_t)block * m->mask_bytes;
}

/* Is this entry one of the directory alone, its data gone? */
GPCI_INLINE bool gpci_module_directory_only(const gpci_module *m, uint32_t block) {
    return m->given.directory_ways && block % m->all_ways >= m->given.ways;
}

#endif
