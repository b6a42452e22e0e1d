/*
 * memory_model.c -- what all banked channels of a run share: the standard at
 * the configuration's clock, its constraints, the mapping.
 */
#include "engine/engine_internal.h"

static uint64_t memory_idle_ps(const wm_memory_model *model)
{
    /* Admission, ACT, RD, data. */
    const uint64_t ticks = 1 + (uint64_t)model->timing.act_rd +
                           (uint64_t)model->timing.read_latency;
    return wm_mul_div(ticks, model->tick_fs.d, 1000);
}

wm_status wm_memory_model_init(wm_memory_model *model, const wm_config *config,
                               wm_error *err)
{
    wm_standard *standard = &model->standard;
    wm_status status = wm_standard_load(config->dram.standard, standard, err);
    if (status != WM_OK) {
        return status;
    }
    uint64_t ck_fs = wm_standard_ck_for(standard, config->dram.bandwidth /
                                                      config->dram.channels);
    ck_fs -= ck_fs % standard->ticks_per_ck;
    status = wm_standard_settle(standard, ck_fs, err);
    if (status == WM_OK) {
        status = wm_dram_timing_init(&model->timing, standard, err);
    }
    if (status == WM_OK) {
        status = wm_mapping_init(&model->mapping, standard,
                                 config->dram.mapping, "dram.mapping", err);
    }
    if (status != WM_OK) {
        return status;
    }
    if (standard->atom_bytes > config->l2.line ||
        config->l2.line / standard->atom_bytes > 8) {
        return wm_fail(err, WM_ECONFIG,
                       "dram.standard: %s moves atoms of %llu B, wanted 1 to 8 "
                       "of them in an l2.line of %llu B",
                       standard->name, (unsigned long long)standard->atom_bytes,
                       (unsigned long long)config->l2.line);
    }
    model->tick_fs = wm_divisor_of(ck_fs / standard->ticks_per_ck);
    model->tick_ps = model->tick_fs.d / 1000;
    model->tick_rest_fs = model->tick_fs.d % 1000;
    model->line_shift = wm_lowest_bit(config->l2.line);
    model->sector_shift = wm_lowest_bit(config->l2.sector);
    model->atom_shift = wm_lowest_bit(standard->atom_bytes);
    model->atoms_per_line = 1u << (model->line_shift - model->atom_shift);
    model->run_atoms = model->mapping.run_atoms < model->atoms_per_line
                           ? model->mapping.run_atoms
                           : model->atoms_per_line;
    const uint64_t idle = memory_idle_ps(model);
    model->extra_ps =
        config->dram.latency > idle ? config->dram.latency - idle : 0;
    model->extra_ticks = model->extra_ps * 1000 / model->tick_fs.d;
    model->lag = (uint64_t)(model->timing.read_latency - 1) / 2;
    return WM_OK;
}
