/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TIMED_CROSSBAR_H
#define TESTS_TIMED_CROSSBAR_H

#include "timed/network.h"

/* A network between senders with a script and receivers with a habit; and a naive model of the same. */

/* One packet of the script. Per input, they are sent in order, each as soon as there is room from `cycle` on. */
typedef struct item {
    uint64_t cycle;
    uint32_t input, output, size;
    uint64_t sent, taken; /* core cycles, found by a run */
} item;

typedef struct crossbar {
    gpci_network_options options; /* without components */
    bool ports_last;              /* senders and receivers have their turn after the network, not before */
    uint32_t takes;               /* a receiver takes so many packets per cycle at most; 0 = any number */
    uint32_t seldom;              /* a receiver takes in one of so many cycles, chosen by a hash; 0 = in all */
    uint64_t closed;              /* no receiver takes before this cycle */
} crossbar;

/* Whether receiver `output` takes packets in a cycle. */
bool crossbar_takes(const crossbar *c, uint32_t output, uint64_t cycle);

/* Event by event, through the network; and cycle by cycle, through the model. All items are taken in the end. */
gpci_network_stats crossbar_run(const crossbar *c, item *items, uint32_t count);
gpci_network_stats crossbar_model(const crossbar *c, item *items, uint32_t count);

#endif
