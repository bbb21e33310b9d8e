/* SPDX-License-Identifier: BSD-2-Clause */
#include "torture.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Smaller cases with the same failure. Operations and settings are left out in halves, quarters and so on. Fields of
 * the remaining operations get plain values. Both repeat until no change is possible [Zeller and Hildebrandt,
 * "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2), 2002].
 */

enum { MOST_SECONDS = 90 };

typedef struct shrinking {
    const torture_options *o;
    torture_case *best;
    failure *what;
    int only; /* torture_way, or -1 */
    time_t end;
    bool changed;
} shrinking;

/* Runs a case in a child process, because the case may crash or never end. */
static void try_case(const torture_options *o, const torture_case *c, int only, failure *what) {
    int ends[2], status = 0;
    *what = (failure){0};
    if (pipe(ends))
        return;
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid) {
        record sum = {0};
        check_case(o, c, only, &sum, what);
        _exit(write(ends[1], what, sizeof *what) != (ssize_t)sizeof *what);
    }
    close(ends[1]);
    struct pollfd wait = {.fd = ends[0], .events = POLLIN};
    const bool told = poll(&wait, 1, (int)o->limit * 1000) == 1;
    if (!told)
        kill(pid, SIGKILL);
    if (read(ends[0], what, sizeof *what) != (ssize_t)sizeof *what)
        *what = (failure){0};
    close(ends[0]);
    waitpid(pid, &status, 0);
    remove_traces((long)pid);
    if (!told)
        fail(what, "endless", "no end after %u seconds", o->limit);
    else if (WIFSIGNALED(status))
        fail(what, "crash", "ended by signal %d, %s", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* Takes a case in place of the best if the failure is alike, and frees the case otherwise. */
static bool take(shrinking *s, torture_case *c) {
    failure what;
    if (c->ops && time(NULL) < s->end) {
        try_case(s->o, c, s->only, &what);
        if (what.failed && !strcmp(what.kind, s->what->kind)) {
            case_free(s->best);
            *s->best = *c;
            *s->what = what;
            s->changed = true;
            return true;
        }
    }
    case_free(c);
    return false;
}

/* Tells whether accesses stand between a pinned operation and an equal earlier operation, or the beginning. */
static bool is_needed(const torture_case *c, unsigned n) {
    const op *o = &c->ops[n];
    for (unsigned i = n; i-- > 0;) {
        const op *before = &c->ops[i];
        if (!before->pinned)
            return true;
        if (before->what == o->what && before->sm == o->sm && before->order == o->order)
            return false;
    }
    return false;
}

/* Leaves operations out, from `at` on. Returns the number of pinned operations, which stay. */
static unsigned cut_ops(torture_case *c, unsigned at, unsigned size) {
    unsigned to = at, kept = 0, cut = c->cut;
    for (unsigned from = at; from < c->op_count; from++) {
        const bool stays = from >= at + size || (c->ops[from].pinned && is_needed(c, from));
        kept += stays && from < at + size;
        cut -= !stays && from < c->cut;
        if (stays)
            c->ops[to++] = c->ops[from];
    }
    c->op_count = to;
    c->cut = cut;
    return kept;
}

static void drop_ops(shrinking *s) {
    torture_case *c = malloc(sizeof *c);
    for (unsigned size = s->best->op_count / 2 + 1; c && size; size /= 2)
        for (unsigned at = 0; at < s->best->op_count;) {
            if (!case_copy(s->best, c))
                break;
            const unsigned kept = cut_ops(c, at, size);
            if (c->op_count == s->best->op_count)
                case_free(c), at += size;
            else
                at += take(s, c) ? kept : size;
        }
    free(c);
}

static void drop_settings(shrinking *s) {
    torture_case *c = malloc(sizeof *c);
    for (unsigned size = s->best->setting_count / 2 + 1; c && size; size /= 2)
        for (unsigned at = 0; at < s->best->setting_count;) {
            if (!case_copy(s->best, c))
                break;
            for (unsigned n = 0; n < size && at < c->setting_count; n++)
                case_drop(c, at);
            at += take(s, c) ? 0 : size;
        }
    free(c);
}

/* Tries a plain value in a field of 1, 4 or 8 bytes. */
static void plain_field(shrinking *s, unsigned n, size_t offset, size_t size, uint64_t value) {
    torture_case *c = malloc(sizeof *c);
    if (c && case_copy(s->best, c)) {
        uint8_t *field = (uint8_t *)&c->ops[n] + offset;
        const uint8_t byte = (uint8_t)value;
        const uint32_t word = (uint32_t)value;
        const void *from = size == 1 ? (const void *)&byte : size == 4 ? (const void *)&word : (const void *)&value;
        if (memcmp(field, from, size) != 0) {
            memcpy(field, from, size);
            take(s, c);
        } else {
            case_free(c);
        }
    }
    free(c);
}

/* Tries plain fields. With values the words of an operation stay, because other operations rely on the words. */
static void plain_ops(shrinking *s) {
#define PLAIN(field, value) plain_field(s, n, offsetof(op, field), sizeof s->best->ops[n].field, value)
    for (unsigned n = 0; n < s->best->op_count; n++) {
        if (s->best->values) {
            PLAIN(delay, 0), PLAIN(hint, 0), PLAIN(pc, 0);
            continue;
        }
        PLAIN(delay, 0), PLAIN(mask, 1), PLAIN(kind, 0), PLAIN(hint, 0), PLAIN(priority, 0), PLAIN(token, 0);
        PLAIN(token_l2, 0), PLAIN(order, 0), PLAIN(scope, 0), PLAIN(atomic, 0), PLAIN(stream, 0), PLAIN(copy, 0);
        PLAIN(space, 0), PLAIN(process, 0), PLAIN(local, 0), PLAIN(control, 0), PLAIN(multicast, 0), PLAIN(sm, 0);
        PLAIN(warp, 0), PLAIN(count, 0), PLAIN(pc, 0), PLAIN(width, 4), PLAIN(stride, 0), PLAIN(stride, 128);
        PLAIN(address, 65536), PLAIN(mask, 3), PLAIN(mask, 0xff);
    }
#undef PLAIN
}

static void plain_manners(shrinking *s) {
    torture_case *c = malloc(sizeof *c);
    for (unsigned i = 0; c && i < 3; i++) {
        const manners has = s->best->manners;
        manners plain = has;
        if (i == 0)
            plain = (manners){.credits = has.credits, .period = has.period};
        else if (i == 1)
            plain.credits = plain.period = 0;
        else if (has.memory)
            plain.refuses = 0, plain.patience = plain.latency = 1;
        if (!memcmp(&plain, &has, sizeof has) || !case_copy(s->best, c))
            continue;
        c->manners = plain;
        take(s, c);
    }
    free(c);
}

/* Finds the way that fails alone. */
static bool find_way(shrinking *s) {
    failure what;
    for (s->only = 0; s->only < WAY_COUNT; s->only++) {
        try_case(s->o, s->best, s->only, &what);
        if (what.failed && !strcmp(what.kind, s->what->kind))
            return true;
    }
    s->only = -1;
    try_case(s->o, s->best, s->only, &what);
    return what.failed && !strcmp(what.kind, s->what->kind);
}

static void shrink(shrinking *s) {
    do {
        s->changed = false;
        drop_ops(s);
        drop_settings(s);
        plain_manners(s);
        plain_ops(s);
    } while (s->changed && time(NULL) < s->end);
}

void explain_case(const features *f, const torture_options *o, uint64_t seed, const failure *what) {
    torture_case *c = calloc(1, sizeof *c);
    gpc_context *context = torture_context(o);
    torture_options quick = *o;
    failure found = *what;
    char why[1024], name[512];
    quick.limit = o->limit < 10 ? o->limit : 10;
    shrinking s = {.o = &quick, .best = c, .what = &found, .end = time(NULL) + MOST_SECONDS};
    if (c && context && make_case(context, f, o, seed, c, why, sizeof why) == DRAWN_ACCEPTED && find_way(&s)) {
        shrink(&s);
        snprintf(name, sizeof name, "%s/%s-%" PRIu64 ".c", o->output, found.kind, seed);
        for (char *at = name + strlen(o->output); *at; at++)
            if (*at == ' ')
                *at = '-';
        FILE *to = fopen(name, "w");
        if (to) {
            print_case(to, c, s.only, &found);
            fclose(to);
            printf("  %s: %u operations, %u settings\n", name, c->op_count, c->setting_count);
        }
    }
    if (c)
        case_free(c);
    free(c);
    gpc_context_destroy(context);
}

int show_case(const features *f, const torture_options *o, uint64_t seed) {
    torture_case *c = calloc(1, sizeof *c);
    gpc_context *context = torture_context(o);
    char why[1024] = "";
    failure what = {0};
    if (!c || !context)
        return 1;
    if (make_case(context, f, o, seed, c, why, sizeof why) == DRAWN_ACCEPTED) {
        try_case(o, c, -1, &what);
        print_case(stdout, c, -1, &what);
    } else {
        printf("refused: %s\n", why);
    }
    case_free(c);
    free(c);
    gpc_context_destroy(context);
    return what.failed;
}
