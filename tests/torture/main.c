/* SPDX-License-Identifier: BSD-2-Clause */
#include "torture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: gpucache-torture [OPTION]...\n"
    "Random machines under random programs: what is equal must be equal, and all of it must end.\n"
    "  --first N        the first seed (default 1)\n"
    "  --count N        seeds (default: as many as there are pairs of features)\n"
    "  --seconds N      end after so long\n"
    "  --jobs N         processes (default: one for each processor)\n"
    "  --operations N   of each program (default 60; with --values 1000)\n"
    "  --limit N        seconds after which a case is taken to be endless (default 60)\n"
    "  --set KEY=VALUE  of every machine; again and again\n"
    "  --load FILE.so   policies of its gpucache_register()\n"
    "  --values         programs without races, whose loads have to find what was stored\n"
    "  --snapshots      save, load and save again in each cycle with an event, in place of the other ways\n"
    "  --output FOLDER  a C file for each kind of failure, made as small as it gets\n"
    "  --draws          draw machines, and run nothing: which pairs of features there are\n"
    "  --list           name the pairs of features that no machine can have\n"
    "  --show           print the settings of the first seed, and what it does\n"
    "  --fault N        plant a fault: 1 a reply is lost, 2 a value is another, 3 a statistic is,\n"
    "                   4 a paused replay forgets a sample, 5 a call without memory is not made again\n";

static bool number_option(torture_options *o, const char *name, const char *value) {
    const uint64_t number = value ? strtoull(value, NULL, 0) : 0;
    if (!strcmp(name, "--first"))
        o->first = number;
    else if (!strcmp(name, "--count"))
        o->count = number;
    else if (!strcmp(name, "--seconds"))
        o->seconds = number;
    else if (!strcmp(name, "--jobs"))
        o->jobs = (unsigned)number;
    else if (!strcmp(name, "--operations"))
        o->operations = (unsigned)(number < MAX_OPS ? number : MAX_OPS);
    else if (!strcmp(name, "--limit"))
        o->limit = (unsigned)number;
    else if (!strcmp(name, "--fault"))
        o->fault = (unsigned)number;
    else
        return false;
    return value;
}

static bool text_option(torture_options *o, const char *name, const char *value) {
    if (!strcmp(name, "--set") && value && strchr(value, '=') && o->fixed_count < 32)
        o->fixed[o->fixed_count++] = value;
    else if (!strcmp(name, "--load"))
        o->load = value;
    else if (!strcmp(name, "--output"))
        o->output = value;
    else
        return false;
    return value;
}

static bool flag_option(torture_options *o, const char *name) {
    if (!strcmp(name, "--values"))
        o->values = true;
    else if (!strcmp(name, "--snapshots"))
        o->snapshots = true;
    else if (!strcmp(name, "--draws"))
        o->draws = true;
    else if (!strcmp(name, "--list"))
        o->list = true;
    else if (!strcmp(name, "--show"))
        o->show = true;
    else
        return false;
    return true;
}

int main(int argc, char **argv) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    torture_options o = {.first = 1, .jobs = processors > 0 ? (unsigned)processors : 1, .limit = 60};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (flag_option(&o, argv[i]))
            continue;
        if (!number_option(&o, argv[i], value) && !text_option(&o, argv[i], value)) {
            fputs(usage, strcmp(argv[i], "--help") ? stderr : stdout);
            return strcmp(argv[i], "--help") ? 2 : 0;
        }
        i++;
    }
    o.operations = o.operations ? o.operations : o.values ? 1000 : 60;
    return torture_run(&o);
}
