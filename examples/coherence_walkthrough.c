/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worked examples of coherence protocols in seeds/002: Table 2.1 (MSI), 2.2 (MESI) and 2.6 (NMOESI), row by row.
 * This file has the processors' accesses alone. The accesses run on three caches with a block each, over a memory.
 * Rows come from the messages and changes of state that the library reports, values from its blocks and memory.
 *
 *     coherence_walkthrough [PROTOCOL]    the same accesses under another protocol
 */
#include <gpucache/ext/coherence.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CACHES 3u
#define MEMORY CACHES /* the module after the caches */
#define BLOCK 4u      /* bytes */
#define BLOCKS 2u
#define ROWS 32u
#define CELL 24u

typedef enum action { END, READ, WRITE, N_STORE, FLUSH } action;

/* An access: WRITE stores a number, N_STORE adds to the bytes of `mask` what the cache last read. */
typedef struct step {
    action action;
    unsigned cache, block;
    uint8_t number, mask;
} step;

typedef struct example {
    const char *title, *protocol;
    bool bytes;   /* blocks hold bytes, and have names; or else a number */
    bool changes; /* rows have changed values alone */
    uint8_t memory[BLOCKS][BLOCK];
    const step *steps;
    const char *notes;
} example;

static const step number_steps[] = {
    {.action = READ, .cache = 0}, {.action = WRITE, .cache = 0, .number = 6}, {.action = READ, .cache = 1},
    {.action = READ, .cache = 2}, {.action = WRITE, .cache = 1, .number = 9}, {.action = END},
};

/* Five is added to each of eight bytes, by four blocks of two threads; the fourth finds a cache that holds bytes of
   the first. */
static const step vector_steps[] = {
    {.action = READ, .cache = 0, .block = 0},
    {.action = READ, .cache = 1, .block = 0},
    {.action = READ, .cache = 2, .block = 1},
    {.action = N_STORE, .cache = 0, .block = 0, .number = 5, .mask = 0x3},
    {.action = N_STORE, .cache = 1, .block = 0, .number = 5, .mask = 0xc},
    {.action = N_STORE, .cache = 2, .block = 1, .number = 5, .mask = 0x3},
    {.action = READ, .cache = 0, .block = 1},
    {.action = N_STORE, .cache = 0, .block = 1, .number = 5, .mask = 0xc},
    {.action = FLUSH, .cache = 0},
    {.action = FLUSH, .cache = 1},
    {.action = FLUSH, .cache = 2},
    {.action = END},
};

static const char number_notes[] =
    "The bus has what the document's has: requests, data, write-backs. Probes are its requests, as the other caches\n"
    "see them; acknowledgements are not shown.\n"
    "Memory's data   With nobody else's copy the block is E where there is an E, and S in MSI: who else has one\n"
    "                decides, not that memory sent it.\n"
    "Send, then back After the modified block is sent to cache 1, nobody is M and memory is still behind. Both rows\n"
    "                are one transaction: no other access comes between the data and the write-back.\n"
    "Cache 2's read  Both others are S, and one sends: the last, as in the document. S does not answer in Table 2.5.\n";

static const char vector_notes[] =
    "Steps 1, 3, 5  The document has a block's bytes and state beside the request already. They come with the data,\n"
    "               in steps 2, 4 and 6, as its own text says and as it has them in step 13 and in Tables 2.1, 2.2.\n"
    "Step 10        An eviction is a cache's own decision: no message, no bytes, and nobody else sees it. What it\n"
    "               causes is step 11. The document lists it on the bus, and so it is a row here.\n"
    "Step 12        The block is invalid only after its write-back: until memory has the bytes, the cache answers\n"
    "               for them. It is one transaction with the read, so that no other cache finds it half done.\n"
    "Step 13        Memory sends the data, and yet the block is S, not E: cache 2 has a copy, in N. Table 2.5's text\n"
    "               would have E where memory sends; then cache 2's copy would be beside an exclusive one.\n"
    "Steps 16 to 20 Table 2.5 answers a Write Request in N with Send Data. Here memory itself asks, so that data to\n"
    "               who asked are a write-back, with the mask that merges them. The state goes with the answer: I\n"
    "               is beside the write-back (16, 18, 20), not beside the request, where the document has cache 2's.\n";

static const example examples[] = {
    {"Table 2.1: MSI Cache Coherence Example", "msi", false, false, {{0}}, number_steps, number_notes},
    {"Table 2.2: MESI Cache Coherence Example", "mesi", false, false, {{0}}, number_steps, number_notes},
    {"Table 2.6: NMOESI Cache Coherence Example 2",
     "nmoesi",
     true,
     true,
     {{10, 20, 30, 40}, {50, 60, 70, 80}},
     vector_steps,
     vector_notes},
};

#define INITIAL_NUMBER 3u

/* Contents of the caches and memory. */
typedef struct view {
    uint8_t states[CACHES];
    uint8_t bytes[CACHES][BLOCK];
    uint8_t dirty[CACHES]; /* a bit per byte */
    uint8_t memory[BLOCKS][BLOCK];
} view;

typedef struct row {
    char instruction[32], bus[48];
    uint64_t sent; /* cycle */
    view view;
} row;

typedef struct walk {
    const example *example;
    gpc_coherence *system;
    row rows[ROWS];
    unsigned row_count;
    view now, after;             /* as far as the rows have come; after the access */
    uint8_t read[CACHES][BLOCK]; /* last value read by each processor */
    bool full;
} walk;

static gpc_status look(const walk *w, view *out, gpc_error *error) {
    *out = (view){.states = {0}};
    for (unsigned cache = 0; cache < CACHES; cache++) {
        gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
        gpc_status status = gpc_coherence_get_block(w->system, cache, 0, 0, &block, error);
        if (status != GPC_OK)
            return status;
        out->states[cache] = (uint8_t)block.state;
        if (block.state != GPC_LINE_I) {
            memcpy(out->bytes[cache], block.bytes, BLOCK);
            out->dirty[cache] = *block.dirty;
        }
    }
    return gpc_coherence_read_memory(w->system, 0, out->memory[0], sizeof out->memory, error);
}

/* From messages and transitions to rows */

static row *open_row(walk *w, const char *bus, uint64_t sent) {
    if (w->row_count == ROWS) {
        w->full = true;
        return &w->rows[ROWS - 1];
    }
    row *r = &w->rows[w->row_count++];
    *r = (row){.sent = sent, .view = w->now};
    snprintf(r->bus, sizeof r->bus, "%s", bus);
    return r;
}

/* Map a probe to the request behind the probe; a probe without request is the memory's. */
static bool asked(const gpc_coherence_result *result, const gpc_coherence_message *probe) {
    for (const gpc_coherence_message *m = result->messages; m < probe; m++)
        if (m->kind == GPC_MESSAGE_READ_REQUEST || m->kind == GPC_MESSAGE_WRITE_REQUEST)
            return true;
    return false;
}

/* Name of a message on the document's bus; NULL: not shown there. */
static const char *bus_name(const gpc_coherence_result *result, const gpc_coherence_message *m) {
    switch (m->kind) {
    case GPC_MESSAGE_READ_REQUEST:
        return "Read Request";
    case GPC_MESSAGE_WRITE_REQUEST:
        return "Write Request";
    case GPC_MESSAGE_WRITE_PROBE:
        return asked(result, m) ? NULL : "Write Request";
    case GPC_MESSAGE_DATA:
        return "Send Data";
    case GPC_MESSAGE_WRITE_BACK:
        return "Write Back";
    case GPC_MESSAGE_WRITE_THROUGH:
        return "Write Through";
    case GPC_MESSAGE_EVICTION:
        return "Eviction";
    default:
        return NULL;
    }
}

static void mask_text(uint8_t mask, char *text) {
    memcpy(text, " [", 2);
    for (unsigned i = 0; i < BLOCK; i++)
        text[2 + i] = mask >> i & 1 ? '1' : '0';
    memcpy(text + 2 + BLOCK, "]", 2);
}

/* Rows of the access under way, of which some are a cache's: its data came, or it answered a flush. */
typedef struct places {
    unsigned first, data[CACHES], answer[CACHES];
} places;

static void show_message(walk *w, const view *before, const gpc_coherence_result *result,
                         const gpc_coherence_message *m, places *p) {
    const char *name = bus_name(result, m);
    if (!name)
        return;
    char bus[48], who[8] = "Memory", block[4] = "", mask[4 + BLOCK] = "";
    unsigned number = (unsigned)(m->address / BLOCK % BLOCKS);
    bool back = m->kind == GPC_MESSAGE_WRITE_BACK;
    bool carries = back || m->kind == GPC_MESSAGE_WRITE_THROUGH || m->kind == GPC_MESSAGE_DATA;
    if (m->from < CACHES)
        snprintf(who, sizeof who, "C%u", (unsigned)(m->from % CACHES));
    if (w->example->bytes && (carries || m->kind == GPC_MESSAGE_READ_REQUEST))
        snprintf(block, sizeof block, " %c", 'A' + (int)number);
    if (back && m->masked && m->from < CACHES)
        mask_text(before->dirty[m->from], mask);
    snprintf(bus, sizeof bus, "%s%s%s (%s)", name, block, mask, who);
    if (carries && m->to == MEMORY)
        memcpy(w->now.memory[number], w->after.memory[number], BLOCK);
    open_row(w, bus, m->sent);
    if (m->kind == GPC_MESSAGE_DATA && m->to < CACHES)
        p->data[m->to] = w->row_count - 1;
    if (back && m->from < CACHES && !asked(result, m))
        p->answer[m->from] = w->row_count - 1;
}

static void set_state(const walk *w, view *v, unsigned cache, uint8_t state) {
    v->states[cache] = state;
    memset(v->bytes[cache], 0, BLOCK);
    if (state != GPC_LINE_I)
        memcpy(v->bytes[cache], w->after.bytes[cache], BLOCK);
}

/*
 * A store is a row. What data bring is seen with them, and what a flush takes with its answer; all else with what is
 * next on the bus.
 */
static unsigned row_of(walk *w, const places *p, const gpc_coherence_transition *t) {
    if (t->origin == GPC_ORIGIN_STORE || t->origin == GPC_ORIGIN_N_STORE) {
        open_row(w, "-", t->cycle);
        return w->row_count - 1;
    }
    if (t->origin == GPC_ORIGIN_LOAD_MISS)
        return p->data[t->module];
    if (t->origin == GPC_ORIGIN_WRITE_DOWN_UP && p->answer[t->module] < ROWS)
        return p->answer[t->module];
    unsigned next = p->first;
    while (next < w->row_count && w->rows[next].sent < t->cycle)
        next++;
    return next;
}

static void show_access(walk *w, const view *before, const gpc_coherence_result *result, const char *instruction) {
    places p = {.first = w->row_count, .data = {ROWS, ROWS, ROWS}, .answer = {ROWS, ROWS, ROWS}};
    bool late = false; /* changes without a row so far */
    for (uint32_t i = 0; i < result->message_count; i++)
        show_message(w, before, result, &result->messages[i], &p);
    for (uint32_t i = 0; i < result->transition_count; i++) {
        const gpc_coherence_transition *t = &result->transitions[i];
        if (t->module >= CACHES)
            continue;
        unsigned first = row_of(w, &p, t);
        if (first >= w->row_count)
            late |= t->from != t->to;
        else if (t->origin == GPC_ORIGIN_STORE || t->origin == GPC_ORIGIN_N_STORE)
            late = false;
        for (unsigned r = first; r < w->row_count; r++)
            set_state(w, &w->rows[r].view, t->module, t->to);
        set_state(w, &w->now, t->module, t->to);
    }
    if (late || w->row_count == p.first)
        open_row(w, "-", 0);
    row *r = &w->rows[p.first % ROWS];
    snprintf(r->instruction, sizeof r->instruction, "%s", instruction);
}

/* Running the accesses */

static void instruction_text(const walk *w, const step *s, char *text, size_t size) {
    static const char *const names[] = {"", "Read", "Write", "N-Store", ""};
    char block[4] = "";
    if (w->example->bytes)
        snprintf(block, sizeof block, " %c", 'A' + (int)(s->block % BLOCKS));
    if (s->action != FLUSH)
        snprintf(text, size, "Cache %u %s%s", s->cache, names[s->action], block);
    else
        snprintf(text, size, "%s", s[-1].action == FLUSH ? "" : "End of Program Flush Cache");
}

static gpc_status run_step(walk *w, const step *s, gpc_error *error, gpc_coherence_result *result) {
    uint8_t bytes[BLOCK] = {0};
    uint32_t number = s->number;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = s->cache;
    request.address = (uint64_t)s->block * BLOCK;
    request.size = BLOCK;
    request.bytes = bytes;
    if (s->action == FLUSH)
        return gpc_coherence_flush(w->system, s->cache, 0, result, error);
    if (s->action == READ) {
        request.out = w->read[s->cache];
    } else if (s->action == WRITE) {
        request.kind = GPC_COHERENCE_STORE;
        memcpy(bytes, &number, sizeof number);
    } else {
        request.kind = GPC_COHERENCE_N_STORE;
        request.mask = &s->mask;
        for (unsigned i = 0; i < BLOCK; i++)
            bytes[i] = (uint8_t)(w->read[s->cache][i] + s->number);
    }
    return gpc_coherence_access(w->system, &request, result, error);
}

/* True if the last row shows the contents of the system. */
static bool same(const view *a, const view *b) {
    return !memcmp(a->states, b->states, sizeof a->states) && !memcmp(a->bytes, b->bytes, sizeof a->bytes) &&
           !memcmp(a->memory, b->memory, sizeof a->memory);
}

static gpc_status run_steps(walk *w, gpc_error *error) {
    view before;
    gpc_status status = look(w, &w->now, error);
    row *r = open_row(w, "-", 0);
    snprintf(r->instruction, sizeof r->instruction, "-");
    for (const step *s = w->example->steps; status == GPC_OK && s->action != END; s++) {
        char instruction[32];
        gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
        status = look(w, &before, error);
        if (status == GPC_OK)
            status = run_step(w, s, error, &result);
        if (status == GPC_OK)
            status = look(w, &w->after, error);
        if (status != GPC_OK)
            break;
        instruction_text(w, s, instruction, sizeof instruction);
        show_access(w, &before, &result, instruction);
        if (w->full || !same(&w->now, &w->after)) {
            snprintf(error->message, sizeof error->message, "%s: the rows do not lead to what the caches hold",
                     instruction);
            return GPC_ERROR_STATE;
        }
    }
    return status;
}

static gpc_status build(gpc_context *context, const char *protocol, gpc_error *error, gpc_coherence **out) {
    static const char *const names[] = {"C0", "C1", "C2", "Memory"};
    static const uint32_t below = MEMORY;
    gpc_coherence_module modules[CACHES + 1];
    gpc_coherence_network network = GPC_COHERENCE_NETWORK_INIT;
    network.name = "bus";
    for (unsigned i = 0; i <= CACHES; i++) {
        modules[i] = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
        modules[i].name = names[i];
        modules[i].block_bytes = BLOCK;
        if (i < CACHES) {
            modules[i].low = &below;
            modules[i].low_count = 1;
            modules[i].low_network = 0;
        } else {
            modules[i].memory = true;
            modules[i].ways = 0; /* a directory entry for every block cached */
            modules[i].high_network = 0;
        }
    }
    gpc_coherence_options options = GPC_COHERENCE_OPTIONS_INIT;
    options.protocol = protocol;
    options.modules = modules;
    options.module_count = CACHES + 1;
    options.networks = &network;
    options.network_count = 1;
    return gpc_coherence_create(context, &options, out, error);
}

static gpc_status begin(walk *w, gpc_context *context, const example *e, const char *protocol, gpc_error *error) {
    uint32_t number = INITIAL_NUMBER;
    *w = (walk){.example = e};
    gpc_status status = build(context, protocol, error, &w->system);
    if (status == GPC_OK && e->bytes)
        status = gpc_coherence_write_memory(w->system, 0, e->memory[0], sizeof e->memory, error);
    else if (status == GPC_OK)
        status = gpc_coherence_write_memory(w->system, 0, (const uint8_t *)&number, sizeof number, error);
    return status;
}

/* Printing */

static void value_text(const example *e, const uint8_t *bytes, char *text) {
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    if (e->bytes)
        snprintf(text, CELL, "%u, %u, %u, %u", bytes[0], bytes[1], bytes[2], bytes[3]);
    else
        snprintf(text, CELL, "%" PRIu32, number);
}

static void cache_text(const example *e, const view *v, unsigned cache, char *text) {
    char value[CELL] = "";
    if (v->states[cache] != GPC_LINE_I)
        value_text(e, v->bytes[cache], value);
    snprintf(text, CELL, "%.16s%s(%c)", value, *value ? " " : "", "NMOESI"[v->states[cache]]);
}

static void print_rows(const walk *w) {
    const example *e = w->example;
    int width = e->bytes ? 18 : 7;
    unsigned blocks = e->bytes ? BLOCKS : 1;
    printf("Step | %-26s | %-*s | %-*s | %-*s | ", "Instruction", width, "Cache 0", width, "Cache 1", width, "Cache 2");
    if (e->bytes)
        printf("%-*s | %-*s | Bus\n", width, "Memory Address A", width, "Address B");
    else
        printf("%-*s | Bus\n", width, "Memory");
    char last[CACHES + BLOCKS][CELL] = {""};
    for (unsigned i = 0; i < w->row_count; i++) {
        const row *r = &w->rows[i];
        printf("%4u | %-26s | ", i, r->instruction);
        for (unsigned k = 0; k < CACHES + blocks; k++) {
            char cell[CELL];
            if (k < CACHES)
                cache_text(e, &r->view, k, cell);
            else
                value_text(e, r->view.memory[k - CACHES], cell);
            printf("%-*s | ", width, e->changes && !strcmp(cell, last[k]) ? "" : cell);
            memcpy(last[k], cell, CELL);
        }
        printf("%s\n", r->bus);
    }
}

static gpc_status tell(gpc_context *context, const example *e, const char *protocol, gpc_error *error) {
    walk w;
    gpc_status status = begin(&w, context, e, protocol ? protocol : e->protocol, error);
    if (status == GPC_OK)
        status = run_steps(&w, error);
    if (status == GPC_OK) {
        printf("%s%s%s\n", e->title, protocol ? ", run under " : "", protocol ? protocol : "");
        print_rows(&w);
        printf("\n%s%s", protocol ? "" : e->notes, protocol ? "" : "\n");
    }
    gpc_coherence_destroy(w.system);
    return status;
}

/*
 * The document's text has an invalid block's load go to "owned or exclusive", its Table 2.5 to S or E. Owned would give
 * a block that nobody changed the duty to be written back, and a modified one a second owner.
 */
static gpc_status tell_loads(gpc_context *context, const char *protocol, gpc_error *error) {
    static const step others[][3] = {
        {{.action = END}},
        {{.action = READ, .cache = 1}, {.action = END}},
        {{.action = READ, .cache = 1}, {.action = READ, .cache = 2}, {.action = END}},
        {{.action = WRITE, .cache = 1, .number = 6}, {.action = END}},
        {{.action = WRITE, .cache = 1, .number = 6}, {.action = READ, .cache = 2}, {.action = END}},
        {{.action = N_STORE, .cache = 1, .number = 6, .mask = 0xf}, {.action = END}},
    };
    static const example plain = {.notes = ""};
    gpc_status status = GPC_OK;
    printf("A load by cache 0, invalid: the states of caches 1 and 2 decide, and it is never owned (%s)\n"
           "before -> after: C0 C1 C2, and what the bus had\n",
           protocol);
    for (unsigned i = 0; status == GPC_OK && i < sizeof others / sizeof *others; i++) {
        walk w;
        const step load = {.action = READ, .cache = 0};
        status = begin(&w, context, &plain, protocol, error);
        for (const step *s = others[i]; status == GPC_OK && s->action != END; s++)
            status = run_step(&w, s, error, NULL);
        const step program[] = {load, {.action = END}};
        example one = plain;
        one.steps = program;
        w.example = &one;
        if (status == GPC_OK)
            status = run_steps(&w, error);
        if (status == GPC_OK) {
            const uint8_t *from = w.rows[0].view.states, *to = w.now.states;
            printf("%c %c %c -> %c %c %c:", "NMOESI"[from[0]], "NMOESI"[from[1]], "NMOESI"[from[2]], "NMOESI"[to[0]],
                   "NMOESI"[to[1]], "NMOESI"[to[2]]);
            for (unsigned r = 1; r < w.row_count; r++)
                printf(" %s%s", w.rows[r].bus, r + 1 < w.row_count ? "," : "\n");
        }
        gpc_coherence_destroy(w.system);
    }
    return status;
}

int main(int argc, char **argv) {
    const char *protocol = argc > 1 ? argv[1] : NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_status status = gpc_context_create(NULL, &context, &error);
    for (size_t i = 0; status == GPC_OK && i < sizeof examples / sizeof *examples; i++)
        status = tell(context, &examples[i], protocol, &error);
    if (status == GPC_OK)
        status = tell_loads(context, protocol ? protocol : "nmoesi", &error);
    gpc_context_destroy(context);
    if (status != GPC_OK)
        fprintf(stderr, "failed: %s\n", error.message);
    return status == GPC_OK ? 0 : 1;
}
