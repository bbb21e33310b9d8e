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
 *   sections   each: u64 bytes of its contents, the contents, u32 CRC of both
 *     general      line shift, SMs, names (length, characters), launches (name of each), instructions
 *     SMs          per SM the fields of gpc_profile_sm from its counts on
 *     instructions per row its name, pc, counts and lines
 *     classes      per class its counts
 *     per SM       distances: number, and loads at each; lines: number, and per line the distance of its number to the
 *                  line before, and the fields of gpc_profile_line from accesses on
 *
 * Values computed from counts (R, U, scores) are computed again. The file ends with the last section.
 */

#define GPCI_PROFILE_MAGIC "GCP\x1a"
#define GPCI_PROFILE_VERSION 1u
#define GPCI_PROFILE_HEAD 12u

/* Consecutive 64-bit numbers. */
#define GPCI_SM_WORDS ((sizeof(gpc_profile_sm) - offsetof(gpc_profile_sm, lines)) / sizeof(uint64_t))
#define GPCI_INSTRUCTION_WORDS \
    ((sizeof(gpc_profile_instruction) - offsetof(gpc_profile_instruction, lines)) / sizeof(uint64_t))
#define GPCI_LINE_WORDS ((offsetof(gpc_profile_line, reuse) - offsetof(gpc_profile_line, accesses)) / sizeof(uint64_t))

#endif
