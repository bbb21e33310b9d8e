/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/opcodes.h"

#include <string.h>

/*
 * Names of SASS and their classes. Sources:
 *
 *   NVIDIA     CUDA Binary Utilities, Instruction Set Reference: 13.3 for Turing to Blackwell, 12.5 for Maxwell, Pascal
 *              and Volta, 11.1 for Kepler
 *   Accel-Sim  gpu-simulator/ISA_Def: kepler, pascal, volta, turing, ampere and hopper_opcode.h
 *
 * tests/trace/public_opcodes.h lists the names of both. Notes report all unknown names.
 */

/*
 * Names of memory instructions. Bulk copies (UBLK*) and tensor copies (UTMA*) move the bytes counted on the instruction
 * line. LDGMC is PTX's multimem.ld_reduce, a load of a sum made by the switch between GPUs. ARRIVES and SYNCS work on
 * an mbarrier in shared memory.
 */
static const gpci_memory_opcode memory_names[] = {
    {"LDG", GPC_LOAD, GPC_SPACE_GLOBAL, 4},
    {"STG", GPC_STORE, GPC_SPACE_GLOBAL, 4},
    {"LDL", GPC_LOAD, GPC_SPACE_LOCAL, 4},
    {"STL", GPC_STORE, GPC_SPACE_LOCAL, 4},
    {"LDS", GPC_LOAD, GPC_SPACE_SHARED, 4},
    {"STS", GPC_STORE, GPC_SPACE_SHARED, 4},
    {"LD", GPC_LOAD, GPC_SPACE_GENERIC, 4},
    {"ST", GPC_STORE, GPC_SPACE_GENERIC, 4},
    {"LDC", GPC_LOAD, GPC_SPACE_CONSTANT, 4},
    {"LDGSTS", GPC_LOAD, GPC_SPACE_GLOBAL, 4},
    {"LDGMC", GPC_LOAD, GPC_SPACE_GLOBAL, 4},
    {"USTGR", GPC_STORE, GPC_SPACE_GLOBAL, 4},
    {"UREDGR", GPC_REDUCTION, GPC_SPACE_GLOBAL, 4},
    {"ATOM", GPC_ATOMIC, GPC_SPACE_GENERIC, 4},
    {"ATOMG", GPC_ATOMIC, GPC_SPACE_GLOBAL, 4},
    {"RED", GPC_REDUCTION, GPC_SPACE_GENERIC, 4},
    {"REDG", GPC_REDUCTION, GPC_SPACE_GLOBAL, 4},
    {"ATOMS", GPC_ATOMIC, GPC_SPACE_SHARED, 4},
    {"SYNCS", GPC_ATOMIC, GPC_SPACE_SHARED, 8},
    {"ARRIVES", GPC_ATOMIC, GPC_SPACE_SHARED, 8},
    {"LDSM", GPC_LOAD, GPC_SPACE_SHARED, 16},
    {"STSM", GPC_STORE, GPC_SPACE_SHARED, 16},
    {"LDSLK", GPC_LOAD, GPC_SPACE_SHARED, 4},
    {"STSCUL", GPC_STORE, GPC_SPACE_SHARED, 4},
    {"UMEMSETS", GPC_STORE, GPC_SPACE_SHARED, 4},
    {"STAS", GPC_STORE, GPC_SPACE_CLUSTER, 4},
    {"REDAS", GPC_REDUCTION, GPC_SPACE_CLUSTER, 4},
    {"UTMALDG", GPC_LOAD, GPC_SPACE_GLOBAL, 16},
    {"UTMASTG", GPC_STORE, GPC_SPACE_GLOBAL, 16},
    {"UTMAPF", GPC_PREFETCH, GPC_SPACE_GLOBAL, 16},
    {"UTMAREDG", GPC_REDUCTION, GPC_SPACE_GLOBAL, 16},
    {"UBLKCP", GPC_LOAD, GPC_SPACE_GLOBAL, 16},
    {"UBLKPF", GPC_PREFETCH, GPC_SPACE_GLOBAL, 16},
    {"UBLKRED", GPC_REDUCTION, GPC_SPACE_GLOBAL, 16},
    {"TEX", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"TEXS", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"TLD", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"TLDS", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"TLD4", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"TLD4S", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"TXD", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"SULD", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"SUST", GPC_STORE, GPC_SPACE_TEXTURE, 4},
    {"SULDGA", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"SUSTGA", GPC_STORE, GPC_SPACE_TEXTURE, 4},
    {"SUATOM", GPC_ATOMIC, GPC_SPACE_TEXTURE, 4},
    {"SURED", GPC_REDUCTION, GPC_SPACE_TEXTURE, 4},
};

/*
 * Prefixes that tell the memory space of unknown names of later architectures. LD, ST and RED are no prefixes here:
 * LDTM, STTM and REDUX begin with them, and do not access the same memories.
 */
static const char *const families[] = {"LDG", "STG", "LDL", "STL", "LDS", "STS", "ATOMG", "ATOMS", "REDG"};

/*
 * Names of all other instructions. Classes are Accel-Sim's: SP_OP is FP here; INTP_OP and ALU_OP, a single unit in
 * Accel-Sim, are ALU. Conversions and bit counts run at the rate of MUFU (CUDA C++ Programming Guide, arithmetic
 * instructions: 16 results per clock and SM). Names missing in Accel-Sim's tables go by NVIDIA's sections: tensor
 * memory with the tensor cores. GPCI_WORK_MOVE neither adds nor multiplies, GPCI_WORK_FMA does both.
 */
static const struct {
    uint8_t op_class, work;
    const char *names;
} classes[] = {
    {GPC_OP_ALU, GPCI_WORK_OTHER,
     "IABS IADD IADD3 IADD32I IDP IDP4A IMNMX IMUL IMUL32I ISAD ISCADD ISCADD32I ISUB LEA VABSDIFF VABSDIFF4 VADD "
     "VHMNMX VIADD VIADDMNMX VIMNMX VIMNMX3 VMNMX F2FP F2IP I2FP I2IP CSET CSETP MATCH QSPC SUBFM SUCLAMP SUEAU "
     "SUQUERY TMML TXQ B2R CSMTEST GETLMEMBASE LEPC PMTRIG R2B SETCTAID SETLMEMBASE VOTE_VTG"},
    {GPC_OP_ALU, GPCI_WORK_MOVE,
     "MOV MOV32I MOVM SEL PRMT SHF SHL SHR LOP LOP3 LOP32I PLOP3 BFE BFI BMSK SGXT ISET ISETP ICMP PSET PSETP P2R R2P "
     "CS2R S2R SHFL VOTE"},
    {GPC_OP_ALU, GPCI_WORK_FMA, "IMAD IMAD32I IMADSP XMAD"},
    {GPC_OP_FP, GPCI_WORK_OTHER,
     "FADD FADD2 FADD32I FCHK FHADD FMNMX FMNMX3 FMUL FMUL2 FMUL32I FSWZ FSWZADD HADD2 HADD2_32I HMNMX2 HMUL2 "
     "HMUL2_32I"},
    {GPC_OP_FP, GPCI_WORK_MOVE, "FCMP FSEL FSET FSETP HSET2 HSETP2"},
    {GPC_OP_FP, GPCI_WORK_FMA, "FFMA FFMA2 FFMA32I FHFMA HFMA2 HFMA2_32I"},
    {GPC_OP_DOUBLE, GPCI_WORK_OTHER, "DADD DFMA DMNMX DMUL DSET DSETP"},
    {GPC_OP_SFU, GPCI_WORK_OTHER, "MUFU F2F F2I I2F I2I FRND POPC FLO BREV RRO"},
    {GPC_OP_TENSOR, GPCI_WORK_OTHER,
     "HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA BGMMA QGMMA UTCHMMA UTCIMMA UTCQMMA UTCOMMA LDT LDTM STT STTM UTCCP "
     "UTCSHIFT"},
    {GPC_OP_UNIFORM, GPCI_WORK_OTHER,
     "S2UR R2UR CS2UR REDUX CREDUX VOTEU LDCU ULDC UBMSK UBREV UCGABAR_ARV UCLEA UF2F UF2FP UF2I UF2IP UFADD UFFMA "
     "UFLO UFMNMX UFMUL UFRND UFSEL UFSET UFSETP UGETNEXTWORKID UI2F UI2FP UI2I UI2IP UIABS UIADD3 UIMAD UIMNMX UISETP "
     "ULEA ULEPC ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USETMAXREG USGXT USHF USHL USHR "
     "UTCATOMSWS UTCBAR UTMACCTL UTMACMDFLUSH UVIADD UVIMNMX UVIRTCOUNT"},
    {GPC_OP_CONTROL, GPCI_WORK_OTHER,
     "BRA BRX BRXU BRK BREAK BSSY BSYNC BMOV BPT CALL CAL JCAL CONT JMP JMX JMXU KILL NANOSLEEP NANOTRAP NOP PBK PCNT "
     "PEXIT PRET RET RPCMOV RTT SSY SYNC WARPSYNC YIELD DEPBAR LDGDEPBAR ACQBULK ACQSHMINIT PREEXIT ELECT "
     "ENDCOLLECTIVE WARPGROUP WARPGROUPSET"},
    {GPC_OP_BARRIER, GPCI_WORK_OTHER, "BAR UCGABAR_WAIT"},
    {GPC_OP_FENCE, GPCI_WORK_OTHER, "MEMBAR ERRBAR CGAERRBAR CCTL CCTLL CCTLT FENCE"},
    {GPC_OP_EXIT, GPCI_WORK_OTHER, "EXIT"},
};

#define TABLE_LENGTH(table) (sizeof(table) / sizeof *(table))

/* Find a word in a list with blanks between. */
static bool is_listed(const char *words, gpci_opcode_part word) {
    while (words) {
        gpci_opcode_part next = {words, strcspn(words, " ")};
        if (next.length == word.length && !memcmp(next.at, word.at, word.length))
            return true;
        words = next.at[next.length] ? next.at + next.length + 1 : NULL;
    }
    return false;
}

static const gpci_memory_opcode *memory_of(gpci_opcode_part name) {
    for (size_t i = 0; i < TABLE_LENGTH(memory_names); i++)
        if (gpci_opcode_is(name, memory_names[i].name))
            return &memory_names[i];
    return NULL;
}

static bool has_class(gpci_opcode_part name) {
    for (size_t i = 0; i < TABLE_LENGTH(classes); i++)
        if (is_listed(classes[i].names, name))
            return true;
    return false;
}

const gpci_memory_opcode *gpci_opcode_memory(gpci_opcode_part name, bool *unknown) {
    const gpci_memory_opcode *known = memory_of(name);
    *unknown = false;
    if (known || has_class(name))
        return known;
    *unknown = true;
    for (size_t i = 0; i < TABLE_LENGTH(families); i++) {
        const gpci_opcode_part family = gpci_opcode_first(families[i]);
        if (name.length > family.length && !memcmp(name.at, family.at, family.length))
            return memory_of(family);
    }
    return NULL;
}

void gpci_opcode_class(gpci_opcode_part name, gpci_opcode *opcode) {
    for (size_t i = 0; i < TABLE_LENGTH(classes); i++) {
        if (!is_listed(classes[i].names, name))
            continue;
        opcode->op_class = classes[i].op_class;
        opcode->work = classes[i].work;
        return;
    }
    opcode->unknown = true;
    if (name.length > 1 && *name.at == 'U') /* a name of the uniform datapath */
        opcode->op_class = GPC_OP_UNIFORM;
}
