/* SPDX-License-Identifier: BSD-2-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "torture.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Processes share the seeds out. A crash or an endless run costs one seed. The findings are in shared memory.
 */

enum { MOST_JOBS = 64, MOST_FAILURES = 512 };

typedef struct found {
    uint64_t seed;
    failure failure;
} found;

/* PAIR_CONTRADICTED: a rule refused the pair where both keys have an effect; another seed has the pair without. */
typedef enum pair_state { PAIR_UNTRIED, PAIR_COVERED, PAIR_IMPOSSIBLE, PAIR_CONTRADICTED } pair_state;

typedef struct shared {
    uint64_t next, configurations, refused, accesses, value_bytes, renewals, replays, hungers, failures;
    uint64_t seeds[MOST_JOBS]; /* under test, by process; 0: no seed */
    time_t since[MOST_JOBS];
    found found[MOST_FAILURES];
    uint8_t pairs[]; /* pair_state of pairs of features, the lower number first */
} shared;

static size_t pair_at(const features *f, unsigned a, unsigned b) {
    return (size_t)a * f->count + b;
}

static void tell_failure(shared *s, uint64_t seed, const failure *what) {
    const uint64_t n = __atomic_fetch_add(&s->failures, 1, __ATOMIC_SEQ_CST);
    if (n >= MOST_FAILURES)
        return;
    s->found[n].failure = *what;
    __atomic_store_n(&s->found[n].seed, seed, __ATOMIC_SEQ_CST);
}

/* Adds that a pair is covered, or impossible by a rule. */
static void add_state(shared *s, size_t at, pair_state state) {
    s->pairs[at] = s->pairs[at] == PAIR_UNTRIED || s->pairs[at] == state ? state : PAIR_CONTRADICTED;
}

/* True if neither feature needs a hierarchy without a clock, where many keys have no effect. */
static bool is_timed_pair(const features *f, unsigned a, unsigned b) {
    return strcmp(f->list[a].key, "l1.future") != 0 && strcmp(f->list[b].key, "l1.future") != 0;
}

static void cover(shared *s, gpc_context *context, const features *f, const torture_case *c) {
    bool *has = calloc(f->count, sizeof *has);
    if (!has)
        return;
    features_of(context, f, c, has);
    for (unsigned a = 0; a < f->count; a++)
        for (unsigned b = a + 1; has[a] && b < f->count; b++)
            if (has[b] && !(c->functional && is_timed_pair(f, a, b)))
                add_state(s, pair_at(f, a, b), PAIR_COVERED);
    free(has);
}

/* Takes the seed's pair for impossible, by a rule. A refusal of other options, without a rule, is no failure. */
static void refuse(shared *s, const features *f, const torture_options *o, uint64_t seed, const char *why,
                   failure *what) {
    unsigned a, b;
    features_pair(f, seed, &a, &b);
    const size_t at = pair_at(f, a, b);
    __atomic_fetch_add(&s->refused, 1, __ATOMIC_SEQ_CST);
    if (impossible(&f->list[a], &f->list[b], why))
        add_state(s, at, PAIR_IMPOSSIBLE);
    else if (!o->fixed_count && s->pairs[at] != PAIR_COVERED)
        fail(what, "no rule", "%s %s with %s %s: %s", f->list[a].key, f->list[a].value, f->list[b].key,
             f->list[b].value, why);
}

static void run_seed(shared *s, const features *f, const torture_options *o, gpc_context *context, uint64_t seed) {
    torture_case *c = malloc(sizeof *c);
    failure what = {0};
    record sum = {0};
    char why[1024] = "";
    if (!c)
        return;
    const drawn end = make_case(context, f, o, seed, c, why, sizeof why);
    if (end == DRAWN_WRONG) {
        fail(&what, "refusal", "%s", why);
    } else if (end == DRAWN_REFUSED) {
        refuse(s, f, o, seed, why, &what);
    } else {
        if (!o->draws)
            check_case(o, c, -1, &sum, &what);
        cover(s, context, f, c);
        __atomic_fetch_add(&s->configurations, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&s->accesses, sum.accesses, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&s->value_bytes, sum.value_bytes, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&s->renewals, sum.renewals, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&s->replays, sum.replays, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&s->hungers, sum.hungers, __ATOMIC_SEQ_CST);
    }
    if (what.failed)
        tell_failure(s, seed, &what);
    case_free(c);
    free(c);
}

static void work(shared *s, unsigned job, const features *f, const torture_options *o, uint64_t last, time_t end) {
    gpc_context *context = torture_context(o);
    while (context && (!end || time(NULL) < end)) {
        const uint64_t seed = __atomic_fetch_add(&s->next, 1, __ATOMIC_SEQ_CST);
        if (seed > last)
            break;
        s->since[job] = time(NULL);
        __atomic_store_n(&s->seeds[job], seed, __ATOMIC_SEQ_CST);
        run_seed(s, f, o, context, seed);
        __atomic_store_n(&s->seeds[job], 0, __ATOMIC_SEQ_CST);
    }
    gpc_context_destroy(context);
}

static pid_t start(shared *s, unsigned job, const features *f, const torture_options *o, uint64_t last, time_t end) {
    fflush(stdout);
    const pid_t pid = fork();
    if (pid)
        return pid;
    work(s, job, f, o, last, end);
    _exit(0);
}

/* Kills an endless process and reports a crashed process. Returns whether the process is gone. */
static bool look_after(shared *s, unsigned job, pid_t pid, const torture_options *o) {
    int status = 0;
    const uint64_t seed = s->seeds[job];
    failure what = {0};
    if (seed && time(NULL) - s->since[job] > (time_t)o->limit)
        kill(pid, SIGKILL);
    if (waitpid(pid, &status, WNOHANG) != pid)
        return false;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        fail(&what, "endless", "no end after %u seconds", o->limit);
    else if (WIFSIGNALED(status))
        fail(&what, "crash", "ended by signal %d, %s", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WIFEXITED(status) && WEXITSTATUS(status)) /* as valgrind ends a process with errors */
        fail(&what, "exit", "ended with status %d", WEXITSTATUS(status));
    if (what.failed)
        tell_failure(s, seed, &what);
    remove_traces((long)pid);
    s->seeds[job] = 0;
    return true;
}

static unsigned long pairs_of(const shared *s, const features *f, pair_state state) {
    unsigned long count = 0;
    for (unsigned a = 0; a < f->count; a++)
        for (unsigned b = a + 1; b < f->count; b++)
            count += s->pairs[pair_at(f, a, b)] == state;
    return count;
}

static void progress(const shared *s, const features *f, bool end) {
    fprintf(stderr, "\r%" PRIu64 " configurations, %lu of %u pairs, %" PRIu64 " accesses, %" PRIu64 " failures%s",
            s->configurations, pairs_of(s, f, PAIR_COVERED) + pairs_of(s, f, PAIR_IMPOSSIBLE), features_pairs(f),
            s->accesses, s->failures, end ? "\n" : "");
}

static void supervise(shared *s, const features *f, const torture_options *o, uint64_t last) {
    const time_t end = o->seconds ? time(NULL) + (time_t)o->seconds : 0;
    pid_t jobs[MOST_JOBS];
    unsigned running = 0;
    for (unsigned job = 0; job < o->jobs; job++, running++)
        jobs[job] = start(s, job, f, o, last, end);
    for (unsigned ticks = 1; running; ticks++) {
        struct timespec tick = {0, 50000000};
        nanosleep(&tick, NULL);
        for (unsigned job = 0; job < o->jobs; job++) {
            if (jobs[job] <= 0 || !look_after(s, job, jobs[job], o))
                continue;
            jobs[job] = 0;
            running--;
            if (s->next <= last && (!end || time(NULL) < end)) {
                jobs[job] = start(s, job, f, o, last, end);
                running++;
            }
        }
        if (isatty(2) && ticks % 10 == 0)
            progress(s, f, !running);
    }
}

static void list_pairs(const shared *s, const features *f, pair_state state, const char *label) {
    for (unsigned a = 0; a < f->count; a++)
        for (unsigned b = a + 1; b < f->count; b++)
            if (s->pairs[pair_at(f, a, b)] == state)
                printf("%s: %s%s%s with %s%s%s\n", label, f->list[a].key, *f->list[a].value ? " = " : "",
                       f->list[a].value, f->list[b].key, *f->list[b].value ? " = " : "", f->list[b].value);
}

/* Explains the first failure of each kind. */
static void explain(const shared *s, const features *f, const torture_options *o) {
    const uint64_t count = s->failures < MOST_FAILURES ? s->failures : MOST_FAILURES;
    for (uint64_t i = 0; i < count; i++) {
        const found *each = &s->found[i];
        bool known = false;
        for (uint64_t j = 0; j < i; j++)
            known |= !strcmp(s->found[j].failure.kind, each->failure.kind);
        printf("seed %" PRIu64 ": %s: %s\n", each->seed, each->failure.kind, each->failure.text);
        if (known || !o->output)
            continue;
        explain_case(f, o, each->seed, &each->failure);
    }
}

static int summary(const shared *s, const features *f, const torture_options *o) {
    const unsigned long covered = pairs_of(s, f, PAIR_COVERED),
                        never = pairs_of(s, f, PAIR_IMPOSSIBLE) + pairs_of(s, f, PAIR_CONTRADICTED),
                        possible = features_pairs(f) - never;
    if (o->list) {
        list_pairs(s, f, PAIR_IMPOSSIBLE, "impossible");
        list_pairs(s, f, PAIR_CONTRADICTED, "impossible where both have an effect");
    }
    explain(s, f, o);
    printf("%" PRIu64 " configurations, %" PRIu64 " accesses, %" PRIu64 " bytes of values checked\n", s->configurations,
           s->accesses, s->value_bytes);
    printf("%" PRIu64 " snapshots loaded and saved again, %" PRIu64 " cases replayed, %" PRIu64
           " calls made again after a failed allocation\n",
           s->renewals, s->replays, s->hungers);
    printf("%u pairs of %u features: %lu impossible by a rule, of the rest %lu covered: %.2f %%\n", features_pairs(f),
           f->count, never, covered, 100.0 * (double)covered / (double)possible);
    printf("%" PRIu64 " failures\n", s->failures);
    return s->failures != 0;
}

int torture_run(const torture_options *given) {
    torture_options o = *given;
    features f = {0};
    gpc_context *context = torture_context(&o);
    if (!context || !features_make(context, &f))
        return 1;
    gpc_context_destroy(context);
    o.count = o.count ? o.count : features_pairs(&f);
    o.jobs = o.jobs < 1 ? 1 : o.jobs > MOST_JOBS ? MOST_JOBS : o.jobs;
    if (o.show)
        return show_case(&f, &o, o.first);
    shared *s =
        mmap(NULL, sizeof *s + (size_t)f.count * f.count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED)
        return 1;
    s->next = o.first;
    supervise(s, &f, &o, o.first + o.count - 1);
    const int code = summary(s, &f, &o);
    munmap(s, sizeof *s + (size_t)f.count * f.count);
    free(f.list);
    return code;
}
