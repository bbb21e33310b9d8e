/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ACCEL_SIM_STUB_SHADER_H
#define ACCEL_SIM_STUB_SHADER_H

/*
 * The part of accel-sim/gpgpu-sim_distribution that the glue touches: names and signatures of
 * src/abstract_hardware_model.h (01f6fc4), src/gpgpu-sim/mem_fetch.h (18dc15a), gpu-cache.h (05fd91f), shader.h (005db44).
 * What is behind them is this test's: as little as makes them work.
 */
#include <bitset>
#include <cassert>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

typedef unsigned long long new_addr_type;
typedef unsigned long long address_type;
const unsigned MAX_WARP_SIZE = 32;
typedef std::bitset<MAX_WARP_SIZE> active_mask_t;
const unsigned MAX_MEMORY_ACCESS_SIZE = 128;
typedef std::bitset<MAX_MEMORY_ACCESS_SIZE> mem_access_byte_mask_t;
const unsigned SECTOR_CHUNCK_SIZE = 4;
const unsigned SECTOR_SIZE = 32;
typedef std::bitset<SECTOR_CHUNCK_SIZE> mem_access_sector_mask_t;

enum mem_access_type {
    GLOBAL_ACC_R,
    LOCAL_ACC_R,
    CONST_ACC_R,
    TEXTURE_ACC_R,
    GLOBAL_ACC_W,
    LOCAL_ACC_W,
    L1_WRBK_ACC,
    L2_WRBK_ACC,
    INST_ACC_R,
    L1_WR_ALLOC_R,
    L2_WR_ALLOC_R,
    NUM_MEM_ACCESS_TYPE
};

enum cache_operator_type {
    CACHE_UNDEFINED,
    CACHE_ALL,
    CACHE_LAST_USE,
    CACHE_VOLATILE,
    CACHE_L1,
    CACHE_STREAMING,
    CACHE_GLOBAL,
    CACHE_WRITE_BACK,
    CACHE_WRITE_THROUGH
};

enum mem_stage_stall_type {
    NO_RC_FAIL = 0,
    BK_CONF,
    MSHR_RC_FAIL,
    ICNT_RC_FAIL,
    COAL_STALL,
    TLB_STALL,
    DATA_PORT_STALL,
    WB_ICNT_RC_FAIL,
    WB_CACHE_RSRV_FAIL,
    N_MEM_STAGE_STALL_TYPE
};

enum cache_request_status {
    HIT = 0,
    HIT_RESERVED,
    MISS,
    RESERVATION_FAIL,
    SECTOR_MISS,
    MSHR_HIT,
    NUM_CACHE_REQUEST_STATUS
};

class mem_access_t {
  public:
    mem_access_t(mem_access_type type, new_addr_type address, unsigned size, bool wr, const active_mask_t &active_mask,
                 const mem_access_byte_mask_t &byte_mask, const mem_access_sector_mask_t &sector_mask)
        : m_addr(address), m_write(wr), m_req_size(size), m_type(type), m_warp_mask(active_mask),
          m_byte_mask(byte_mask), m_sector_mask(sector_mask) {}
    new_addr_type get_addr() const { return m_addr; }
    unsigned get_size() const { return m_req_size; }
    const active_mask_t &get_warp_mask() const { return m_warp_mask; }
    bool is_write() const { return m_write; }
    enum mem_access_type get_type() const { return m_type; }
    mem_access_byte_mask_t get_byte_mask() const { return m_byte_mask; }
    mem_access_sector_mask_t get_sector_mask() const { return m_sector_mask; }

  private:
    new_addr_type m_addr;
    bool m_write;
    unsigned m_req_size;
    mem_access_type m_type;
    active_mask_t m_warp_mask;
    mem_access_byte_mask_t m_byte_mask;
    mem_access_sector_mask_t m_sector_mask;
};

class inst_t {
  public:
    address_type pc = static_cast<address_type>(-1);
    cache_operator_type cache_op = CACHE_UNDEFINED;
};

class warp_inst_t : public inst_t {
  public:
    bool empty() const { return m_empty; }
    unsigned warp_id() const { return m_warp_id; }
    unsigned get_uid() const { return m_uid; }
    bool isatomic() const { return m_isatomic; }
    unsigned active_count() const { return static_cast<unsigned>(m_warp_active_mask.count()); }
    bool accessq_empty() const { return m_accessq.empty(); }
    unsigned accessq_count() const { return static_cast<unsigned>(m_accessq.size()); }
    const mem_access_t &accessq_back() { return m_accessq.back(); }
    void accessq_pop_back() { m_accessq.pop_back(); }

    /* The stub's, as generate_mem_accesses with 32-byte segments leaves it: the highest at the back; or `ascending`. */
    void stub_issue(unsigned uid, unsigned warp, address_type at, const active_mask_t &mask, bool write, bool atomic,
                    const uint64_t *addresses, unsigned width, bool ascending);

  private:
    bool m_empty = true, m_isatomic = false;
    unsigned m_warp_id = 0, m_uid = 0;
    active_mask_t m_warp_active_mask;
    std::list<mem_access_t> m_accessq;
};

enum mf_type { READ_REQUEST = 0, WRITE_REQUEST, READ_REPLY, WRITE_ACK };

class mem_fetch {
  public:
    mem_fetch(const mem_access_t &access, const warp_inst_t *inst, unsigned wid, unsigned sid)
        : m_sid(sid), m_wid(wid), m_access(access), m_type(access.is_write() ? WRITE_REQUEST : READ_REQUEST) {
        if (inst)
            m_inst = *inst;
    }
    void set_reply() {
        assert(m_access.get_type() != L1_WRBK_ACC && m_access.get_type() != L2_WRBK_ACC);
        m_type = m_type == READ_REQUEST ? READ_REPLY : WRITE_ACK;
    }
    void do_atomic() {}
    mem_access_t get_m_access() const { return m_access; }
    new_addr_type get_addr() const { return m_access.get_addr(); }
    bool get_is_write() const { return m_access.is_write(); }
    unsigned get_sid() const { return m_sid; }
    unsigned get_wid() const { return m_wid; }
    enum mf_type get_type() const { return m_type; }
    bool isatomic() const { return !m_inst.empty() && m_inst.isatomic(); }
    enum mem_access_type get_access_type() const { return m_access.get_type(); }
    mem_access_sector_mask_t get_access_sector_mask() const { return m_access.get_sector_mask(); }
    const warp_inst_t &get_inst() { return m_inst; }

  private:
    unsigned m_sid, m_wid;
    mem_access_t m_access;
    enum mf_type m_type;
    warp_inst_t m_inst;
};

class shader_core_ctx {
  public:
    void accept_fetch_response(mem_fetch *mf) { m_fetched.push_back(mf); }
    void accept_ldst_unit_response(mem_fetch *mf) { m_response_fifo.push_back(mf); }
    std::list<mem_fetch *> m_response_fifo, m_fetched; /* in the simulator ldst_unit's, and of instruction fetch */
};

class cache_config {
  public:
    cache_config(unsigned nset, unsigned assoc, unsigned line_sz) : m_line_sz(line_sz), m_nset(nset), m_assoc(assoc) {}
    unsigned get_line_sz() const { return m_line_sz; }
    unsigned get_assoc() const { return m_assoc; }
    unsigned get_nset() const { return m_nset; }
    unsigned set_index(new_addr_type addr) const { return static_cast<unsigned>(addr / m_line_sz % m_nset); }
    new_addr_type block_addr(new_addr_type addr) const { return addr & ~(new_addr_type)(m_line_sz - 1); }

  private:
    unsigned m_line_sz, m_nset, m_assoc;
};

inline void warp_inst_t::stub_issue(unsigned uid, unsigned warp, address_type at, const active_mask_t &mask, bool write,
                                    bool atomic, const uint64_t *addresses, unsigned width, bool ascending) {
    struct transaction_info {
        mem_access_byte_mask_t bytes;
        active_mask_t active;
    };
    std::map<new_addr_type, transaction_info> subwarp_transactions;
    m_empty = false;
    m_uid = uid;
    m_warp_id = warp;
    pc = at;
    m_warp_active_mask = mask;
    m_isatomic = atomic;
    cache_op = CACHE_ALL;
    for (unsigned lane = 0, n = 0; lane < MAX_WARP_SIZE; lane++) {
        if (!mask.test(lane))
            continue;
        for (unsigned byte = 0; byte < width; byte++) {
            const new_addr_type address = addresses[n] + byte;
            transaction_info &info = subwarp_transactions[address / SECTOR_SIZE * SECTOR_SIZE];
            info.bytes.set(address % MAX_MEMORY_ACCESS_SIZE);
            info.active.set(lane);
        }
        n++;
    }
    for (const auto &t : subwarp_transactions)
        m_accessq.push_back(mem_access_t(write ? GLOBAL_ACC_W : GLOBAL_ACC_R, t.first, SECTOR_SIZE, write,
                                         t.second.active, t.second.bytes,
                                         mem_access_sector_mask_t(1u << t.first / SECTOR_SIZE % SECTOR_CHUNCK_SIZE)));
    if (ascending)
        m_accessq.reverse();
}

#endif
