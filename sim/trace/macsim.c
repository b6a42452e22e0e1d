/*
 * macsim.c -- records of a warp.
 *
 * A record has one address.  The tracer writes an access whose lanes lie side
 * by side as one record, or one per 128 bytes, each 128 bytes further; any
 * other access as one record per active lane.  The first record's size is the
 * lane's times the number of records (modulo 256), the others have the lane's.
 */
#include "trace/macsim.h"

#include <string.h>

#include "base/bits.h"

/* MacSim's numbers of the opcodes that matter here; the others touch no memory
 * and take the default latency. */
static const struct {
    uint8_t number;
    const char *opcode;
} opcodes[] = {
    {0, "FADD"},   {4, "FFMA"},   {6, "FMUL"},   {12, "MUFU"},    {13, "HADD2"},
    {15, "HFMA2"}, {18, "HMUL2"}, {22, "DADD"},  {23, "DFMA"},    {24, "DMUL"},
    {31, "IADD"},  {32, "IADD3"}, {36, "IMAD"},  {43, "ISETP"},   {44, "LEA"},
    {60, "MOV"},   {66, "SHFL"},  {71, "LD"},    {73, "LDG"},     {74, "LDL"},
    {75, "LDS"},   {76, "LDSM"},  {77, "ST"},    {78, "STG"},     {79, "STL"},
    {80, "STS"},   {83, "ATOM"},  {84, "ATOMS"}, {85, "ATOMG"},   {86, "RED"},
    {132, "BRA"},  {139, "EXIT"}, {151, "BAR"},  {153, "DEPBAR"},
};

static const char *opcode_text(uint8_t number)
{
    for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
        if (opcodes[i].number == number) {
            return opcodes[i].opcode;
        }
    }
    return "OTHER";
}

void wm_macsim_decode(const uint8_t bytes[WM_MACSIM_RECORD_BYTES],
                      wm_macsim_record *out)
{
    out->opcode = bytes[0];
    out->n_src = bytes[4] < 4 ? bytes[4] : 4;
    out->n_dst = bytes[5] < 4 ? bytes[5] : 4;
    for (size_t i = 0; i < 4; i++) {
        out->src[i] = (uint16_t)(bytes[6 + 2 * i] | bytes[7 + 2 * i] << 8);
        out->dst[i] = (uint16_t)(bytes[14 + 2 * i] | bytes[15 + 2 * i] << 8);
    }
    out->mask = (uint32_t)wm_load_le64(bytes + 24);
    out->pc = wm_load_le64(bytes + 32);
    out->address = wm_load_le64(bytes + 48);
    out->size = bytes[56];
}

bool wm_macsim_continues(const wm_macsim_record *first,
                         const wm_macsim_record *next)
{
    return next->opcode == first->opcode && next->pc == first->pc &&
           next->mask == first->mask;
}

void wm_macsim_warp_start(wm_macsim_warp *warp)
{
    wm_distil_start(&warp->distil);
    warp->n_parts = 0;
}

static void add_runs(const uint16_t *registers, uint8_t n, uint16_t n_each,
                     wm_register_run *runs, uint8_t *n_runs)
{
    for (uint8_t i = 0; i < n; i++) {
        if (registers[i] < 255) {
            runs[*n_runs].first = registers[i];
            runs[*n_runs].n = n_each;
            ++*n_runs;
        }
    }
}

static wm_use use_of(const wm_macsim_record *record, const wm_opcode *opcode,
                     uint16_t n_data)
{
    wm_use use;
    bool is_memory = wm_kind_is_memory((wm_kind)opcode->kind);
    use.n_reads = use.n_writes = 0;
    use.latency_cycles = opcode->latency_cycles;
    use.awaits_copies = opcode->waits_for_copies ? 0 : WM_COPIES_NONE;
    use.is_off = record->mask == 0;
    /* A source may be an address of two registers. */
    add_runs(record->src, record->n_src, is_memory ? 2 : opcode->n_src_regs[0],
             use.reads, &use.n_reads);
    add_runs(record->dst, record->n_dst,
             is_memory ? n_data : opcode->n_dst_regs, use.writes,
             &use.n_writes);
    return use;
}

static wm_static_entry *find(wm_statics *statics,
                             const wm_macsim_record *record)
{
    const char *text = opcode_text(record->opcode);
    return wm_statics_find(statics, record->pc, text, strlen(text));
}

/* Lane addresses of the access that was gathered. */
static void spread(const wm_macsim_warp *warp, uint8_t width, uint64_t *lanes)
{
    uint32_t n_active = wm_popcount64(warp->first.mask);
    for (uint32_t i = 0; i < n_active; i++) {
        lanes[i] = warp->n_parts == n_active
                       ? warp->addresses[i]
                       : warp->addresses[0] + (uint64_t)i * width;
    }
}

/* Bytes per lane: the last part has them, a single record is one itself. */
static uint8_t lane_bytes(const wm_macsim_warp *warp)
{
    uint32_t n = warp->n_last_bytes;
    bool is_width = n <= WM_WIDTH_MAX && wm_is_power_of_two(n);
    return is_width ? (uint8_t)n : 4;
}

static bool flush(wm_macsim_warp *warp, wm_statics *statics, wm_cta *cta)
{
    uint64_t lanes[32];
    wm_record record;
    if (warp->n_parts == 0) {
        return true;
    }
    wm_static_entry *entry = find(statics, &warp->first);
    if (entry == NULL) {
        return false;
    }
    memset(&record, 0, sizeof(record));
    record.kind = entry->opcode.kind;
    record.width = lane_bytes(warp);
    record.mask = warp->first.mask;
    record.static_id = wm_statics_number(statics, entry, (wm_kind)record.kind,
                                         record.width, 0);
    wm_use use = use_of(&warp->first, &entry->opcode,
                        record.width > 4 ? record.width / 4u : 1);
    spread(warp, record.width, lanes);
    warp->n_parts = 0;
    return record.static_id != WM_STATIC_NONE &&
           wm_record_set_addresses(cta, &record, lanes) &&
           wm_distil_record(&warp->distil, cta, &use, &record, 1);
}

static bool feed_other(wm_macsim_warp *warp, wm_statics *statics, wm_cta *cta,
                       const wm_macsim_record *record)
{
    wm_static_entry *entry = find(statics, record);
    if (entry == NULL) {
        return false;
    }
    const wm_opcode *opcode = &entry->opcode;
    wm_use use = use_of(record, opcode, 1);
    if (opcode->kind == WM_KIND_BARRIER && record->mask != 0) {
        wm_record barrier;
        memset(&barrier, 0, sizeof(barrier));
        barrier.kind = WM_KIND_BARRIER;
        barrier.mask = record->mask;
        barrier.static_id =
            wm_statics_number(statics, entry, WM_KIND_BARRIER, 0, 0);
        return barrier.static_id != WM_STATIC_NONE &&
               wm_distil_record(&warp->distil, cta, &use, &barrier, 1);
    }
    if (warp->distil.keeps_all) {
        warp->distil.static_id =
            wm_statics_number(statics, entry, (wm_kind)opcode->kind, 0, 0);
        if (warp->distil.static_id == WM_STATIC_NONE) {
            return false;
        }
    }
    uint64_t n = (uint64_t)opcode->flops_per_lane * wm_popcount64(record->mask);
    cta->work.n_other++;
    cta->work.flops_fp16 += opcode->precision == WM_PRECISION_FP16 ? n : 0;
    cta->work.flops_fp32 += opcode->precision == WM_PRECISION_FP32 ? n : 0;
    cta->work.flops_fp64 += opcode->precision == WM_PRECISION_FP64 ? n : 0;
    return wm_distil_pass(&warp->distil, cta, &use);
}

bool wm_macsim_feed(wm_macsim_warp *warp, wm_statics *statics, wm_cta *cta,
                    const wm_macsim_record *record)
{
    bool is_part = warp->n_parts > 0 && warp->n_parts < 64 &&
                   wm_macsim_continues(&warp->first, record);
    if (is_part) {
        warp->addresses[warp->n_parts++] = record->address;
        warp->n_last_bytes = record->size;
        return true;
    }
    wm_opcode opcode;
    const char *text = opcode_text(record->opcode);
    wm_opcode_parse(text, strlen(text), &opcode);
    if (!flush(warp, statics, cta)) {
        return false;
    }
    if (!wm_kind_is_memory((wm_kind)opcode.kind)) {
        return feed_other(warp, statics, cta, record);
    }
    warp->first = *record;
    warp->addresses[0] = record->address;
    warp->n_parts = 1;
    warp->n_last_bytes = record->size;
    return true;
}

bool wm_macsim_finish(wm_macsim_warp *warp, wm_statics *statics, wm_cta *cta)
{
    if (!flush(warp, statics, cta)) {
        return false;
    }
    wm_static_entry *entry = wm_statics_find(statics, 0, "EXIT", 4);
    uint32_t id = entry == NULL
                      ? WM_STATIC_NONE
                      : wm_statics_number(statics, entry, WM_KIND_EXIT, 0, 0);
    return id != WM_STATIC_NONE && wm_distil_finish(&warp->distil, cta, id);
}
