/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TORTURE_TORTURE_H
#define TESTS_TORTURE_TORTURE_H

#include <gpucache/ext/coherence.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/observe.h>
#include <gpucache/ext/parts.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <stdio.h>

/*
 * Random tests of whole timed hierarchies, from the public headers alone. A seed is a case: settings, a program, and
 * the behaviour of the host. A case runs in several ways. All runs must end, agree, and load the stored values.
 */

/* Numbers of a seed, the same on every machine. */
typedef struct dice {
    uint64_t state;
} dice;

uint64_t dice_next(dice *d);
uint32_t dice_below(dice *d, uint32_t bound); /* 0 for a bound of 0 */
bool dice_one_in(dice *d, uint32_t n);

/* Settings. */

enum { KEY_ROOM = 48, VALUE_ROOM = 112, MAX_SETTINGS = 160, MAX_OPS = 4096 };

typedef struct torture_setting {
    char key[KEY_ROOM]; /* or "preset" */
    char value[VALUE_ROOM];
    bool wanted; /* pair of the seed: never left out */
    bool drawn;  /* pair of the seed: a refusal may ask for another value off the default */
    bool pinned; /* need of the pair: left out by none, but refusals may ask for another value */
} torture_setting;

/* Operations of a host. SMs, warps and streams are taken modulo the hierarchy's numbers when used. */
typedef enum op_kind {
    OP_ACCESS,
    OP_TRANSACTIONS,
    OP_MISS,
    OP_FENCE,
    OP_PORT,
    OP_START,        /* a kernel beside others */
    OP_END,          /* the oldest kernel, after all accesses */
    OP_BEGIN,        /* a kernel, once nothing is under way */
    OP_WAIT,         /* until nothing is under way */
    OP_CREDITS,      /* of an SM */
    OP_EVENT,        /* event of a warp, to policies */
    OP_SAMPLE,       /* to policies */
    OP_INSTRUCTIONS, /* without memory */
    OP_PRELOAD,      /* once nothing is under way; likewise: */
    OP_FLUSH,
    OP_WINDOW,
    OP_RESET, /* of statistics */
    OP_RANK,  /* warps' ages are the library's, or the host's again */
    OP_COUNT
} op_kind;

typedef struct op {
    uint8_t what; /* op_kind */
    uint8_t kind, space, hint, priority, token, token_l2, scope, order, atomic, stream, copy, process, local, control;
    uint8_t multicast; /* SMs */
    bool pinned;       /* kept by the minimiser: other operations rely on the operation */
    uint32_t delay;    /* cycles before it */
    uint32_t sm, warp, width, count;
    uint64_t pc, mask, address, stride;
} op;

/* Behaviour of a host beside the program. */
typedef struct manners {
    bool memory;       /* the host replaces DRAM (on_memory) */
    uint32_t refuses;  /* % of transfers, and */
    uint32_t patience; /* cycles from a refusal until the channel is ready */
    uint32_t latency;  /* latency of the host's memory */
    uint32_t credits;  /* for replies, to each SM, every `period` cycles; 0: no limit */
    uint32_t period;
} manners;

typedef struct torture_case {
    uint64_t seed;
    torture_setting settings[MAX_SETTINGS];
    unsigned setting_count;
    op *ops; /* [op_count] */
    unsigned op_count;
    unsigned cut; /* operation before the snapshot or copy */
    manners manners;
    bool values;     /* a program without races, with expected values */
    bool retraces;   /* a trace of events begins again at the cut */
    bool functional; /* replays alone, without a clock */
} torture_case;

void case_free(torture_case *c);
bool case_copy(const torture_case *from, torture_case *to);
const char *case_value(const torture_case *c, const char *key); /* NULL: not set */
torture_setting *case_set(torture_case *c, const char *key, const char *value, bool wanted);
void case_drop(torture_case *c, unsigned setting);

/* Features and options. */

typedef struct feature {
    char key[KEY_ROOM];
    char value[VALUE_ROOM];   /* name of a preset or a protocol; "": any value off the default */
    char initial[VALUE_ROOM]; /* default of a key, in the library's own spelling */
} feature;

typedef struct features {
    feature *list;
    unsigned count;
} features;

typedef struct torture_options {
    uint64_t first, count, seconds;
    unsigned jobs, operations, limit; /* seconds of a case */
    const char *fixed[32];            /* KEY=VALUE of every case */
    unsigned fixed_count;
    const char *load, *output;
    bool values, snapshots, draws, list, show;
    unsigned fault; /* planted for the tester's own test: fault_kind */
    bool plain;     /* programs without themes */
} torture_options;

bool features_make(gpc_context *context, features *f);
unsigned features_pairs(const features *f);
/* Finds the pair of features of a seed. */
void features_pair(const features *f, uint64_t number, unsigned *a, unsigned *b);
/* Finds the features of a case. `has` is [count]. */
void features_of(gpc_context *context, const features *f, const torture_case *c, bool *has);

typedef enum drawn { DRAWN_ACCEPTED, DRAWN_REFUSED, DRAWN_WRONG } drawn;

/*
 * Draws the settings of a seed: the pair, and as many companions as creation accepts. DRAWN_REFUSED: creation never
 * accepts the pair. DRAWN_WRONG: an undocumented status. `why` receives the last message.
 */
drawn draw_settings(gpc_context *context, const features *f, const torture_options *o, torture_case *c, char *why,
                    size_t size);
/* The rule by which no configuration has both features, of which creation's last refusal speaks; NULL: no rule. */
const char *impossible(const feature *a, const feature *b, const char *refusal);
/* Tells whether creation may refuse settings with a status. */
bool is_refusal(gpc_status status);
/* Settings of a seed's program: `key=value; key=value`. */
const char *theme_settings(uint64_t seed);
void draw_program(const torture_options *o, torture_case *c);
/* Sets keys for a program with values. */
void draw_values_settings(torture_case *c);
void draw_values_program(const torture_options *o, torture_case *c);

/* Make a configuration of defaults, or of a case; NULL with `error`. `threads` is text, or NULL. */
gpc_config *default_config(gpc_context *context, gpc_error *error);
gpc_config *case_config(gpc_context *context, const torture_case *c, const char *threads, gpc_error *error);
/* Makes a context whose fresh memory has bytes of TORTURE_FILL. */
enum { TORTURE_FILL = 0x9d };
gpc_context *torture_context(const torture_options *o);

/* Fails the allocation behind the next `left` ones, and `all` later ones; UINT64_MAX: none. */
void starve(uint64_t left, bool all);

/* Failures. */

typedef struct failure {
    bool failed;
    char kind[32]; /* the same in smaller cases */
    char text[1200];
} failure;

void fail(failure *f, const char *kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Runs. */

typedef enum torture_way {
    WAY_JUMPS, /* from event to event: the reference */
    WAY_STEPS,
    WAY_TRACE,
    WAY_SAVED,
    WAY_COPIED,
    WAY_THREADS,
    WAY_STARVED, /* allocations fail, and each call that had no memory is made again */
    WAY_RENEWED, /* saved, loaded and saved again in each cycle with an event; only with `snapshots` */
    WAY_REPLAY,  /* the program's accesses as traces: the reference of the ways behind */
    WAY_PAUSED,  /* with pauses, snapshots and copies */
    WAY_REPLAY_THREADS,
    WAY_COUNT
} torture_way;

extern const char *const way_names[WAY_COUNT];

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_REPLY,     /* the host's memory forgets an answer */
    FAULT_VALUE,     /* a loaded byte differs */
    FAULT_STATISTIC, /* a counter is one more */
    FAULT_SAMPLE,    /* a paused replay forgets a part of its time series */
    FAULT_HUNGER,    /* a call that had no memory is not made again */
    FAULT_COUNT
} fault_kind;

typedef struct done {
    uint64_t token, issued, cycle, values, stages;
    uint32_t sm, warp;
    uint8_t kind, level, fence, port;
} done;

typedef struct record {
    done *list;
    size_t count, room;
    uint64_t *words; /* statistics of the whole and of all objects, and digests of caches */
    size_t word_count, word_room;
    uint64_t end; /* cycle */
    uint64_t accesses, value_bytes, renewals, replays, hungers;
    uint64_t told; /* digest of statuses and events */
} record;

void record_free(record *r);
void record_tell(record *r, uint64_t number);
/* Record all numbers, name a number, check sums. */
void record_read(gpc_hierarchy *h, record *r);
void record_name(gpc_hierarchy *h, size_t word, char *text, size_t size);
void record_sums(gpc_hierarchy *h, failure *f);

/* Runs a case once. `r` is empty before. */
void run_case(gpc_context *context, const torture_case *c, torture_way how, const char *threads, unsigned fault,
              record *r, failure *f);

/* Replays traces of a case's accesses once. */
void run_replay(gpc_context *context, const torture_case *c, torture_way how, const char *threads, unsigned fault,
                record *r, failure *f);
/* Deletes the traces that a process has left. */
void remove_traces(long process);

/* Snapshots in memory. `user_data` is snapshot_bytes. */
typedef struct snapshot_bytes {
    uint8_t *data;
    size_t size, room, at;
} snapshot_bytes;

gpc_status write_bytes(void *user_data, const void *data, size_t size);
gpc_status read_bytes(void *user_data, void *data, size_t size, size_t *out_read);

/* Runs all ways of a case, or jumps and the way `only`. */
void check_case(const torture_options *o, const torture_case *c, int only, record *sum, failure *f);

/* Expected values of a race-free program. */
typedef struct expected expected;
expected *expected_make(const torture_case *c);
void expected_free(expected *e);
bool expected_bytes(const expected *e, uint32_t n, const uint8_t **bytes, uint32_t *count);

/* Makes a case from a seed. */
drawn make_case(gpc_context *context, const features *f, const torture_options *o, uint64_t seed, torture_case *c,
                char *why, size_t size);

/* Finds a smaller case with the same failure and writes a C file. */
void explain_case(const features *f, const torture_options *o, uint64_t seed, const failure *what);
/* `only` is the failing way, or -1. */
void print_case(FILE *to, const torture_case *c, int only, const failure *f);
/* Prints the case of a seed as a C file. */
int show_case(const features *f, const torture_options *o, uint64_t seed);

int torture_run(const torture_options *o);

#endif
