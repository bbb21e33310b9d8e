/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ACCEL_SIM_STUB_SHADER_H
#define ACCEL_SIM_STUB_SHADER_H

/*
 * The part of gpgpu-sim_distribution 667834cf that the adapters touch, with the names and signatures of
 * src/abstract_hardware_model.h and src/gpgpu-sim/{mem_fetch,gpu-cache,gpu-sim,shader,scoreboard}.h. What the adapters must
 * not rely on is left out. An assertion is the simulator's own; leak, hang and crash of the simulator are exceptions
 * here. Names with `stub` belong to the test.
 */
#include <bitset>
#include <cstdint>
#include <list>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

typedef unsigned long long new_addr_type;
typedef unsigned long long address_type;
const unsigned MAX_WARP_SIZE = 32;
typedef std::bitset<MAX_WARP_SIZE> active_mask_t;
const unsigned MAX_MEMORY_ACCESS_SIZE = 128;
typedef std::bitset<MAX_MEMORY_ACCESS_SIZE> mem_access_byte_mask_t;
const unsigned SECTOR_CHUNCK_SIZE = 4;
const unsigned SECTOR_SIZE = 32;
#define MAX_OUTPUT_VALUES 8
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

/* As assert(), also with NDEBUG, and in words that a test can read. */
inline void stub_assert(bool holds, const char *words) {
    if (!holds)
        throw std::logic_error(words);
}

class gpgpu_context {};

class mem_access_t {
  public:
    mem_access_t(mem_access_type type, new_addr_type address, unsigned size, bool wr, const active_mask_t &active_mask,
                 const mem_access_byte_mask_t &byte_mask, const mem_access_sector_mask_t &sector_mask, gpgpu_context *)
        : m_addr(address), m_write(wr), m_req_size(size), m_type(type), m_warp_mask(active_mask),
          m_byte_mask(byte_mask), m_sector_mask(sector_mask) {}
    new_addr_type get_addr() const { return m_addr; }
    void set_addr(new_addr_type addr) { m_addr = addr; }
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

enum op_type { NO_OP = -1, LOAD_OP, STORE_OP };

class inst_t {
  public:
    bool is_load() const { return op == LOAD_OP; }
    bool is_store() const { return op == STORE_OP; }
    address_type pc = static_cast<address_type>(-1);
    op_type op = NO_OP;
    unsigned out[8] = {};
    cache_operator_type cache_op = CACHE_UNDEFINED;
};

class warp_inst_t : public inst_t {
  public:
    bool empty() const { return m_empty; }
    unsigned warp_id() const { return m_warp_id; }
    unsigned get_uid() const { return m_uid; }
    unsigned long long get_streamID() const { return 0; }
    bool isatomic() const { return m_isatomic; }
    void do_atomic(bool forceDo = false) { stub_assert(m_isatomic && (!m_empty || forceDo), "do_atomic"); }
    unsigned active_count() const { return static_cast<unsigned>(m_warp_active_mask.count()); }
    new_addr_type get_addr(unsigned n) const { return stub_addresses[n]; }
    bool accessq_empty() const { return m_accessq.empty(); }
    unsigned accessq_count() const { return static_cast<unsigned>(m_accessq.size()); }
    const mem_access_t &accessq_back() { return m_accessq.back(); }
    void accessq_pop_back() { m_accessq.pop_back(); }
    bool m_is_ldgsts = false;

    /* As generate_mem_accesses with 32-byte segments leaves it: the highest at the back; or `ascending`. */
    void stub_issue(unsigned uid, unsigned warp, address_type at, const active_mask_t &mask, bool write, bool atomic,
                    const uint64_t *addresses, unsigned width, bool ascending);

  private:
    bool m_empty = true, m_isatomic = false;
    unsigned m_warp_id = 0, m_uid = 0;
    active_mask_t m_warp_active_mask;
    std::list<mem_access_t> m_accessq;
    std::vector<new_addr_type> stub_addresses;
};

enum mf_type { READ_REQUEST = 0, WRITE_REQUEST, READ_REPLY, WRITE_ACK };

struct memory_config {
    gpgpu_context *gpgpu_ctx;
};

class mem_fetch {
  public:
    mem_fetch(const mem_access_t &access, const warp_inst_t *inst, unsigned long long streamID, unsigned ctrl_size,
              unsigned wid, unsigned sid, unsigned tpc, const memory_config *config, unsigned long long /* cycle */,
              mem_fetch *original = nullptr, mem_fetch * /* original_wr_mf */ = nullptr)
        : m_sid(sid), m_tpc(tpc), m_wid(wid), m_access(access), m_data_size(access.get_size()), m_ctrl_size(ctrl_size),
          m_type(access.is_write() ? WRITE_REQUEST : READ_REQUEST), m_streamID(streamID), m_mem_config(config),
          original_mf(original) {
        if (inst)
            m_inst = *inst;
        stub_live()++;
    }
    ~mem_fetch() { stub_live()--; }
    mem_fetch(const mem_fetch &) = delete;
    mem_fetch &operator=(const mem_fetch &) = delete;
    void set_reply() {
        stub_assert(m_access.get_type() != L1_WRBK_ACC && m_access.get_type() != L2_WRBK_ACC, "set_reply");
        m_type = m_type == READ_REQUEST ? READ_REPLY : WRITE_ACK;
    }
    void do_atomic() { m_inst.do_atomic(); }
    unsigned get_data_size() const { return m_data_size; }
    void set_data_size(unsigned size) { m_data_size = size; }
    unsigned get_ctrl_size() const { return m_ctrl_size; }
    bool is_write() { return m_access.is_write(); }
    void set_addr(new_addr_type addr) { m_access.set_addr(addr); }
    new_addr_type get_addr() const { return m_access.get_addr(); }
    unsigned get_access_size() const { return m_access.get_size(); }
    bool get_is_write() const { return m_access.is_write(); }
    unsigned get_sid() const { return m_sid; }
    unsigned get_tpc() const { return m_tpc; }
    unsigned get_wid() const { return m_wid; }
    enum mf_type get_type() const { return m_type; }
    bool isatomic() const { return !m_inst.empty() && m_inst.isatomic(); }
    unsigned long long get_streamID() const { return m_streamID; }
    enum mem_access_type get_access_type() const { return m_access.get_type(); }
    const active_mask_t &get_access_warp_mask() const { return m_access.get_warp_mask(); }
    mem_access_byte_mask_t get_access_byte_mask() const { return m_access.get_byte_mask(); }
    mem_access_sector_mask_t get_access_sector_mask() const { return m_access.get_sector_mask(); }
    const warp_inst_t &get_inst() { return m_inst; }
    const memory_config *get_mem_config() { return m_mem_config; }
    mem_fetch *get_original_mf() { return original_mf; }

    static int &stub_live() { /* made and not deleted */
        static int live = 0;
        return live;
    }

  private:
    unsigned m_sid, m_tpc, m_wid;
    mem_access_t m_access;
    unsigned m_data_size, m_ctrl_size;
    enum mf_type m_type;
    warp_inst_t m_inst;
    unsigned long long m_streamID;
    const memory_config *m_mem_config;
    mem_fetch *original_mf;
};

enum mshr_config_t { TEX_FIFO, ASSOC, SECTOR_TEX_FIFO, SECTOR_ASSOC };
enum allocation_policy_t { ON_MISS, ON_FILL, STREAMING };

/* As the simulator's, with an adaptive L1: set_assoc changes the ways of each kernel, up to the multiplier's. */
class cache_config {
  public:
    cache_config(unsigned nset = 1, unsigned assoc = 1, unsigned line_sz = 128, unsigned multiplier = 1,
                 mshr_config_t mshr = ASSOC)
        : m_line_sz(line_sz), m_nset(nset), m_assoc(assoc), original_m_assoc(assoc), stub_multiplier(multiplier),
          m_mshr_type(mshr) {}
    virtual ~cache_config() = default;
    bool disabled() const { return false; }
    unsigned get_line_sz() const { return m_line_sz; }
    unsigned get_atom_sz() const { return SECTOR_SIZE; }
    unsigned get_num_lines() const { return m_nset * m_assoc; }
    unsigned get_max_num_lines() const { return get_max_cache_multiplier() * m_nset * original_m_assoc; }
    unsigned get_max_assoc() const { return get_max_cache_multiplier() * original_m_assoc; }
    virtual unsigned set_index(new_addr_type addr) const { return static_cast<unsigned>(addr / m_line_sz % m_nset); }
    virtual unsigned get_max_cache_multiplier() const { return stub_multiplier; }
    new_addr_type block_addr(new_addr_type addr) const { return addr & ~(new_addr_type)(m_line_sz - 1); }
    enum mshr_config_t get_mshr_type() const { return m_mshr_type; }
    void set_assoc(unsigned n) { m_assoc = n; }
    unsigned get_nset() const { return m_nset; }
    void set_allocation_policy(enum allocation_policy_t alloc) { m_alloc_policy = alloc; }

  protected:
    unsigned m_line_sz, m_nset, m_assoc, original_m_assoc, stub_multiplier;
    enum allocation_policy_t m_alloc_policy = ON_MISS;
    enum mshr_config_t m_mshr_type;

    friend class tag_array;
};

struct shader_core_config {
    unsigned num_shader() const { return n_simt_clusters * n_simt_cores_per_cluster; }
    unsigned cid_to_sid(unsigned cid, unsigned cluster_id) const { return cluster_id * n_simt_cores_per_cluster + cid; }
    mutable cache_config m_L1I_config, m_L1T_config, m_L1C_config, m_L1D_config;
    unsigned n_simt_cores_per_cluster = 1, n_simt_clusters = 1;
};

/* Part of a warp that its exit waits for. */
class shd_warp_t {
  public:
    unsigned get_n_atomic() const { return m_n_atomic; }
    void inc_n_atomic() { m_n_atomic++; }
    void dec_n_atomic(unsigned n) { m_n_atomic -= n; }
    bool stores_done() const { return m_stores_outstanding == 0; }
    void inc_store_req() { m_stores_outstanding++; }
    void dec_store_req() {
        stub_assert(m_stores_outstanding > 0, "m_stores_outstanding > 0");
        m_stores_outstanding--;
    }

  private:
    unsigned m_n_atomic = 0, m_stores_outstanding = 0;
};

class Scoreboard {
  public:
    void releaseRegister(unsigned wid, unsigned regnum) { stub_released.push_back({wid, regnum}); }
    std::vector<std::pair<unsigned, unsigned>> stub_released;
};

class shader_core_ctx {
    friend class gpucache_whole_l1; /* README.md */

  public:
    explicit shader_core_ctx(unsigned warps) {
        for (unsigned warp = 0; warp < warps; warp++)
            m_warp.push_back(new shd_warp_t);
    }
    ~shader_core_ctx() {
        for (shd_warp_t *warp : m_warp)
            delete warp;
    }
    shader_core_ctx(const shader_core_ctx &) = delete;
    shader_core_ctx &operator=(const shader_core_ctx &) = delete;
    void unset_depbar(const warp_inst_t &inst) {
        stub_assert(inst.m_is_ldgsts, "unset_depbar");
        stub_copied.push_back(inst.warp_id());
    }
    void decrement_atomic_count(unsigned wid, unsigned n) {
        stub_assert(m_warp[wid]->get_n_atomic() >= n, "get_n_atomic() >= n");
        m_warp[wid]->dec_n_atomic(n);
    }
    void inc_store_req(unsigned warp_id) { m_warp[warp_id]->inc_store_req(); }
    void store_ack(class mem_fetch *mf) {
        stub_assert(mf->get_type() == WRITE_ACK, "store_ack of another type");
        m_warp[mf->get_wid()]->dec_store_req();
    }
    void warp_inst_complete(const warp_inst_t &) { stub_completed++; }

    shd_warp_t &stub_warp(unsigned wid) { return *m_warp[wid]; }
    unsigned stub_warps() const { return static_cast<unsigned>(m_warp.size()); }
    std::vector<unsigned> stub_copied; /* warps with a group of copies done */
    unsigned stub_completed = 0;

  protected:
    std::vector<shd_warp_t *> m_warp;
};

class ldst_unit {
    friend class gpucache_whole_l1; /* README.md */

  public:
    std::map<unsigned, std::map<unsigned, std::map<unsigned, unsigned>>> m_pending_ldgsts; /* warp, pc, address */

  protected:
    class shader_core_ctx *m_core = nullptr;
    unsigned m_sid = 0;
    std::map<unsigned, std::map<unsigned, unsigned>> m_pending_writes; /* warp, register */
    Scoreboard *m_scoreboard = nullptr;
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
    op = write ? STORE_OP : LOAD_OP;
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
        stub_addresses.push_back(addresses[n]);
        n++;
    }
    for (const auto &t : subwarp_transactions)
        m_accessq.push_back(mem_access_t(
            write ? GLOBAL_ACC_W : GLOBAL_ACC_R, t.first, SECTOR_SIZE, write, t.second.active, t.second.bytes,
            mem_access_sector_mask_t(1u << t.first / SECTOR_SIZE % SECTOR_CHUNCK_SIZE), nullptr));
    if (ascending)
        m_accessq.reverse();
}

#endif
