/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TIMED_CROSSBAR_H
#define TESTS_TIMED_CROSSBAR_H

#include "timed/network/network.h"

/* A network between scripted senders and habitual receivers; and a naive model. */

/* One packet of the script. Per input, packets are sent in order, each as soon as there is room from `cycle` on. */
typedef struct item {
    uint64_t cycle;
    uint32_t input, output, size;
    uint64_t sent, taken; /* core cycles, from a run */
} item;

typedef struct crossbar {
    gpci_network_options options; /* without components */
    bool ports_last;              /* senders and receivers run after the network, not before */
    uint32_t takes;               /* most packets a receiver takes per cycle; 0 = unlimited */
    uint32_t seldom;              /* a receiver takes in one of so many cycles, chosen by a hash; 0 = in all */
    uint64_t closed;              /* no receiver takes before this cycle */
} crossbar;

/* True if receiver `output` takes packets in a cycle. */
bool crossbar_takes(const crossbar *c, uint32_t output, uint64_t cycle);

/* Event by event, through the network; and cycle by cycle, through the model. Finally all items are taken. */
gpci_network_stats crossbar_run(const crossbar *c, item *items, uint32_t count);
gpci_network_stats crossbar_model(const crossbar *c, item *items, uint32_t count);

#endif
