/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_WRITTEN_H
#define GPC_TIMED_WRITTEN_H

#include "timed/core/timed.h"

/*
 * Recent writes of an L2 slice. Between a write and a read of a sector l2.write_to_read L2 cycles pass: an earlier read
 * waits at the tags, and packets behind wait, too. Only a line's home knows: a copy in the other partition is dropped
 * with the write, and read again from home. Writes never wait, nor do atomics, which also delay no read.
 *
 * Example, 260 cycles: a sector is written in cycle 100. A read of the sector, at the tags in 120, passes in 360, and a
 * read of another sector, arriving in 121, in 361; had the second read come first, it would have passed in 119.
 *
 * Rows of eight sectors, a cache line of the processor; enough rows for a sector per cycle. A sector is identified by
 * 31 bits of a hash. If a ninth sector of a row would delay a read, the oldest no longer does.
 */
#define GPCI_WRITTEN_WAYS 8u

typedef struct gpci_written_sector {
    uint32_t tag; /* tag of the hash; 0: empty */
    uint32_t at;  /* own cycle of the last write, lower bits */
} gpci_written_sector;

typedef struct gpci_written {
    uint64_t until[2]; /* own cycle up to which a read waits: from the SMs, from the other partition */
    uint32_t rows;
    gpci_written_sector sectors[];
} gpci_written;

/* NULL without l2.write_to_read, and in trees. GPC_ERROR_MEMORY. */
gpc_status gpci_written_create(const gpci_timed *t, gpci_ctrl *slice);
void gpci_written_destroy(const gpci_timed *t, gpci_ctrl *slice);
void gpci_written_state(gpci_written *written, gpci_state_fn visit, void *user_data);

/* Line and sectors of a packet. */
uint64_t gpci_written_line(const gpci_timed *t, const gpci_packet *p, uint8_t *out_sectors);
/* True if a packet must wait; the slice is woken at the end of the wait. `link`: a packet of the other partition. */
bool gpci_written_holds(gpci_timed *t, gpci_ctrl *slice, const gpci_packet *p, bool link);
/* Note that sectors have been written. */
void gpci_written_note(gpci_timed *t, gpci_ctrl *slice, uint64_t line, uint8_t sectors);
/* True if the SMs' first packet waits. */
GPCI_INLINE bool gpci_written_waits(const gpci_timed *t, const gpci_ctrl *slice) {
    return GPCI_UNLIKELY(slice->written != NULL) &&
           slice->written->until[0] > gpci_clock_own(slice->options->clock, t->wheel.now);
}

#endif
