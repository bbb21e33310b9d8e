/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SYNTHETIC_MARS_H
#define GPC_TRACE_SYNTHETIC_MARS_H

#include "trace/synthetic/synthetic.h"

/*
 * Mapper of Mars, a MapReduce framework (He et al., PACT 2008), from the source: wenbinf/Mars, commit f47db01. Mapper
 * (MarsLib.cu) has a thread for each record of the input, in blocks of 256 threads, and calls an application's map
 * (map.cu). The other kernels of Mars (MapperCount, prefix sums, sort) are not here.
 *
 * A map emits results by EmitIntermediate. The results of a thread lie behind the results of the threads before, by
 * prefix sums. EmitIntermediate begins with a barrier of all threads of a block. Only SimilarityScore has the barrier
 * here, because all of its threads emit together. In the other maps single threads emit, for which a barrier has no
 * defined meaning; and with the two warps a scheduler that seeds/004 found best, warps would wait forever.
 */

#define GPCI_MARS_SIZES 16u /* bytes of an int4: offset and size of a key, offset and size of a value */
#define GPCI_MARS_SLOT 20u  /* bytes of shared memory for each thread */

/* Mapper's entry. R0 record; then R4 key, R5 value. A wide load's register stands for all of the load's registers. */
#define GPCI_MARS_MAPPER                                                                                            \
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R3 R2 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R4 LEA R0 R1; R5 LDG.E R4;" \
    "R6 LEA R5 R1; R12 LDG.E.128 R6; R9 MOV R12; R11 MOV R12; R4 LEA R0 R1; R8 LDG.E R4; R4 LEA R0 R1;"             \
    "R10 LDG.E R4; STG.E.128 R6 R8 R10; R4 LEA R0 R1; R8 LDG.E.128 R4; R4 IADD3 R8 R1; R5 IADD3 R8 R1;"

/* EmitIntermediate behind the barrier. `key`, `value`: copies of bytes to R16 and R17. R2, R3, R12 to R19 are free. */
#define GPCI_MARS_EMIT(key, value)                                                                                \
    "R2 LEA R0 R1; R18 LDG.E.64 R2; R2 LEA R0 R1; R16 LDG.E R2; R16 IADD3 R16 R18;"                               \
    "R2 LEA R0 R1; R17 LDG.E R2; R17 IADD3 R17 R18; " key value "R18 IADD3 R18; R2 LEA R0 R1;"                    \
    "STG.E.64 R2 R18; R2 LEA R0 R1; R3 LDG.E R2; R17 LEA R0 R1; R17 LDG.E R17; R17 IADD3 R3 R17; R14 LEA R17 R1;" \
    "R12 LDG.E.128 R14; R16 LDG.E.128 R14; R12 IADD3 R12 R16; STG.E.128 R14 R12;"                                 \
    "R3 IADD3 R3; STG.E R2 R3; "

#define GPCI_MARS_SHARED(bytes, to) #bytes "*{R15 LDS.U8 R14; STG.E.U8 " to " R15};"
#define GPCI_MARS_GLOBAL(bytes, from, to) #bytes "*{R15 LDG.E.U8 " from "; STG.E.U8 " to " R15};"

/* Arrays of Mapper, by their names in Mars; data of a problem. */
typedef struct gpci_mars {
    uint64_t inputOffsetSizes, inputKeys, inputVals, text, keyword;
    uint64_t psKeySizes, psValSizes, psCounts, keyValOffsets, curIndex; /* an element for each thread */
    uint64_t interOffsetSizes, interKeys, interVals;                    /* an element for each result */
    uint32_t key, value;                                                /* bytes of a record's key and value, aligned */
    uint32_t key_result, value_result;                                  /* bytes of a result's key and value */
    uint8_t word[171], left[171]; /* StringMatch: word of a place in the sample, and letters up to the word's end */
    uint32_t *start;              /* place of each record in the text, and the end of the last record */
    uint32_t *first, *keys;       /* results of all threads before a thread, and bytes of their keys */
} gpci_mars;

/* State of each lane: present byte, first byte of the word or link, bytes or letters read, results. */
typedef struct gpci_mars_scan {
    uint64_t thread;
    uint64_t at[GPCI_SYNTHETIC_LANES], start[GPCI_SYNTHETIC_LANES], read[GPCI_SYNTHETIC_LANES];
    uint64_t size[GPCI_SYNTHETIC_LANES], results[GPCI_SYNTHETIC_LANES];
    uint64_t key_bytes[GPCI_SYNTHETIC_LANES]; /* bytes of the keys of the results before */
} gpci_mars_scan;

/* An application's map: bytes of a record's key and value, and of a result's. */
typedef struct gpci_mars_map {
    const char *code;
    void (*warp)(gpci_walk *walk, const gpci_launch *launch);
    uint32_t key, value, key_result, value_result;
} gpci_mars_map;

GPCI_INLINE uint64_t gpci_next_lane(uint64_t *lanes) {
    uint64_t lane = gpci_lowest(*lanes);
    *lanes &= *lanes - 1;
    return lane;
}

#define GPCI_FOR_LANES(lane, lanes) \
    for (uint64_t rest_ = (lanes), lane; rest_ && (lane = gpci_next_lane(&rest_), true);)

GPCI_INLINE const gpci_mars *gpci_mars_of(const gpci_launch *launch) {
    return launch->data;
}

/* Address of the shared memory of lane 0's thread. */
GPCI_INLINE uint64_t gpci_mars_scratch(const gpci_walk *walk) {
    return GPCI_SHARED_BASE + walk->first * GPCI_MARS_SLOT;
}

/* Enter Mapper up to the addresses of each thread's record. False: the warp has no record. */
bool gpci_mars_enter(gpci_walk *walk, const gpci_launch *launch, gpci_mars_scan *s);
/* Load a field of each record's key or value. */
void gpci_mars_key(gpci_walk *walk, const gpci_launch *launch, const gpci_mars_scan *s, uint64_t field);
void gpci_mars_value(gpci_walk *walk, const gpci_launch *launch, const gpci_mars_scan *s, uint64_t field);
/* Begin EmitIntermediate, up to the copies. `to`: offsets of the results' values. */
void gpci_mars_emit(gpci_walk *walk, const gpci_launch *launch, const gpci_mars_scan *s, uint64_t *to);
/* Copy bytes from the threads' shared memory. */
void gpci_mars_copy(gpci_walk *walk, uint64_t from, unsigned bytes, uint64_t base, const uint64_t *to);
/* End EmitIntermediate. `key_bytes`: of each lane's key; NULL: as all keys. */
void gpci_mars_emitted(gpci_walk *walk, const gpci_launch *launch, gpci_mars_scan *s, const uint64_t *key_bytes);

/* Allocate the numbers of `n` threads, the launch's data. NULL: out of memory, with an error. */
gpci_mars *gpci_mars_numbers(gpci_problem *problem, gpci_launch *launch, uint64_t n);
/* Allocate the arrays of Mapper, and add the launch. `text` and `keyword`: bytes of the application's arrays. */
gpc_status gpci_mars_plan(gpci_problem *problem, gpci_launch *launch, const gpci_mars_map *map, gpci_mars *m,
                          uint64_t text, uint64_t keyword);

#endif
