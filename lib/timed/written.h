/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_WRITTEN_H
#define GPC_TIMED_WRITTEN_H

#include "timed/timed.h"

/*
 * What an L2 slice has written of late. From a write of a sector to a read of it there are l2.write_to_read L2 cycles:
 * a read that comes earlier waits at the tags, and what is behind it, too. Only a line's home knows: a copy in the
 * other partition is dropped with the write, and read again from there. Writes wait for nobody, nor do atomics, which
 * do not make a read wait either.
 *
 * Example, 260 cycles: a sector is written in cycle 100. A read of it that is there in 120 passes in 360, and one of
 * another sector that came in 121 in 361; had the latter come first, it would have passed in 119.
 *
 * Rows of eight sectors, a cache line of the processor's, as many as hold a sector for each of these cycles. A sector
 * is told by 31 bits of a hash. Where a ninth of a row would hold a read, the oldest no longer does.
 */
#define GPCI_WRITTEN_WAYS 8u

typedef struct gpci_written_sector {
    uint32_t tag; /* of the hash; 0: none */
    uint32_t at;  /* own cycle of its last write, the lower bits */
} gpci_written_sector;

typedef struct gpci_written {
    uint64_t until[2]; /* own cycle to which a read waits: of the SMs, of the other partition */
    uint32_t rows;
    gpci_written_sector sectors[];
} gpci_written;

/* None without l2.write_to_read, and in trees. GPC_ERROR_MEMORY. */
gpc_status gpci_written_create(const gpci_timed *t, gpci_stage *slice);
void gpci_written_destroy(const gpci_timed *t, gpci_stage *slice);
void gpci_written_state(gpci_written *written, gpci_state_fn visit, void *user_data);

/* The line that a packet is about, and its sectors. */
uint64_t gpci_written_line(const gpci_timed *t, const gpci_packet *p, uint8_t *out_sectors);
/* Must a packet wait? Then the slice is woken when it need not. `link`: it is the other partition's. */
bool gpci_written_holds(gpci_timed *t, gpci_stage *slice, const gpci_packet *p, bool link);
/* These sectors have been written. */
void gpci_written_note(gpci_timed *t, gpci_stage *slice, uint64_t line, uint8_t sectors);
/* Does the SMs' first packet wait? */
GPCI_INLINE bool gpci_written_waits(const gpci_timed *t, const gpci_stage *slice) {
    return GPCI_UNLIKELY(slice->written != NULL) &&
           slice->written->until[0] > gpci_clock_own(slice->options->clock, t->wheel.now);
}

#endif
