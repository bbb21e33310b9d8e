/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_PROFILE_PROFILE_FILE_FORMAT_H
#define GPC_PROFILE_PROFILE_FILE_FORMAT_H

#include "base/buffer.h"
#include "base/crc.h"
#include "profile/profile.h"

/*
 * A profile's file, version 1. Numbers are varints except where a width stands.
 *
 *   head       "GCP\x1a", u32 version, u32 CRC of the eight bytes before
 *   sections   each: u64 bytes of its contents, the contents, u32 CRC of both
 *     general      line shift, SMs, names (length, characters), launches (name of each), instructions
 *     SMs          per SM what gpc_profile_sm has from its counts on
 *     instructions per row its name, pc, counts and lines
 *     classes      per class its counts
 *     per SM       distances: how many, and loads at each; lines: how many, and per line the distance of its number
 *                  to the one before, and what gpc_profile_line has from accesses on
 *
 * What follows from counts (R, U, scores) is computed again. Nothing comes behind the last section.
 */

#define GPCI_PROFILE_MAGIC "GCP\x1a"
#define GPCI_PROFILE_VERSION 1u
#define GPCI_PROFILE_HEAD 12u

/* Numbers of 64 bits that stand in a row, one behind the other. */
#define GPCI_SM_WORDS ((sizeof(gpc_profile_sm) - offsetof(gpc_profile_sm, lines)) / sizeof(uint64_t))
#define GPCI_INSTRUCTION_WORDS \
    ((sizeof(gpc_profile_instruction) - offsetof(gpc_profile_instruction, lines)) / sizeof(uint64_t))
#define GPCI_LINE_WORDS ((offsetof(gpc_profile_line, reuse) - offsetof(gpc_profile_line, accesses)) / sizeof(uint64_t))

#endif
