/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_PROFILE_PROFILE_FILE_FORMAT_H
#define GPC_PROFILE_PROFILE_FILE_FORMAT_H

#include "base/buffer.h"
#include "base/crc.h"
#include "profile/profile.h"

/*
 * File of a profile, version 1. Numbers are varints unless a width is given.
 *
 *   head       "GCP\x1a", u32 version, u32 CRC of the eight bytes before
 *   sections   each: u64 length of the contents, the contents, u32 CRC of both
 *     general      line shift; number of SMs; kernel names: number, and length and characters of each; launches:
 *                  number, and name index of each; number of instructions
 *     SMs          per SM the counts of gpc_profile_sm, and its fields from `lines` on
 *     instructions per instruction its kernel's name index, pc, counts, and fields from `lines` on
 *     classes      per class its counts
 *     per SM       (a section each) stack distances: number, and loads at each distance; lines: number, and per line
 *                  its line number minus the line number before, and the fields of gpc_profile_line from `accesses` on
 *
 * R, U and scores are not in the file: the reader computes them from the counts. The file ends with the last section.
 */

#define GPCI_PROFILE_MAGIC "GCP\x1a"
#define GPCI_PROFILE_VERSION 1u
#define GPCI_PROFILE_HEAD 12u

/* Number of 64-bit fields of a record that are in the file. */
#define GPCI_SM_WORDS ((sizeof(gpc_profile_sm) - offsetof(gpc_profile_sm, lines)) / sizeof(uint64_t))
#define GPCI_INSTRUCTION_WORDS \
    ((sizeof(gpc_profile_instruction) - offsetof(gpc_profile_instruction, lines)) / sizeof(uint64_t))
#define GPCI_LINE_WORDS ((offsetof(gpc_profile_line, reuse) - offsetof(gpc_profile_line, accesses)) / sizeof(uint64_t))

#endif
