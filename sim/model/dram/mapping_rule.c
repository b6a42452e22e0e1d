/*
 * mapping_rule.c -- named rules, written out as bit lists.
 */
#include <string.h>

#include "base/bits.h"
#include "model/dram/mapping.h"

/* A field's address bits: first, and what is joined to each. */
typedef struct rule_field {
    const char *name;
    uint32_t n;
    uint32_t bit[16];
    uint32_t with[16]; /* 0 = nothing */
} rule_field;

enum { RULE_PC, RULE_SID, RULE_BG, RULE_BANK, RULE_LEVELS };

static void rule_levels(const wm_standard *standard, rule_field *level)
{
    static const char *const names[RULE_LEVELS] = {"pc", "sid", "bg", "bank"};
    const uint32_t n[RULE_LEVELS] = {standard->pseudo_channels,
                                     standard->stack_ids, standard->bank_groups,
                                     standard->banks};
    for (uint32_t i = 0; i < RULE_LEVELS; i++) {
        memset(&level[i], 0, sizeof(level[i]));
        level[i].name = names[i];
        level[i].n = wm_lowest_bit(n[i]);
    }
}

static void rule_print(const rule_field *field, wm_buffer *out)
{
    if (field->n == 0) {
        return;
    }
    wm_buffer_puts(out, field->name);
    for (uint32_t i = 0; i < field->n; i++) {
        wm_buffer_printf(out, " %u", field->bit[i]);
        if (field->with[i] != 0) {
            wm_buffer_printf(out, "^%u", field->with[i]);
        }
    }
    wm_buffer_puts(out, "; ");
}

static uint32_t rule_take(rule_field *field, uint32_t next)
{
    for (uint32_t i = 0; i < field->n; i++) {
        field->bit[i] = next++;
    }
    return next;
}

/*
 * column: the lowest `low` bits, then the levels, then the rest of the column,
 * then the row.  Each level is joined with what `with` says.
 */
static void rule_write(const wm_standard *standard, uint32_t low,
                       rule_field *level, rule_field *column, uint32_t *row)
{
    const uint32_t atom = wm_lowest_bit(standard->atom_bytes);
    memset(column, 0, sizeof(*column));
    column->name = "column";
    column->n = wm_lowest_bit(standard->row_bytes / standard->atom_bytes);
    low = low < column->n ? low : column->n;
    uint32_t next = atom;
    for (uint32_t i = 0; i < low; i++) {
        column->bit[i] = next++;
    }
    for (uint32_t l = 0; l < RULE_LEVELS; l++) {
        next = rule_take(&level[l], next);
    }
    for (uint32_t i = low; i < column->n; i++) {
        column->bit[i] = next++;
    }
    *row = next;
}

/* Ramulator 2.1's MOP4CLXOR: each level, the row included, is joined with the
 * next bits of the column. */
static void rule_mop(const wm_standard *standard, wm_buffer *out)
{
    rule_field level[RULE_LEVELS];
    rule_field column;
    uint32_t row = 0;
    uint32_t k = 0;
    rule_levels(standard, level);
    rule_write(standard, 2, level, &column, &row);
    rule_print(&column, out);
    for (uint32_t l = 0; l < RULE_LEVELS; l++) {
        for (uint32_t i = 0; i < level[l].n && k < column.n; i++) {
            level[l].with[i] = column.bit[k++];
        }
        rule_print(&level[l], out);
    }
    wm_buffer_puts(out, "row");
    for (; k < column.n; k++) {
        wm_buffer_printf(out, " %u^%u", row++, column.bit[k]);
    }
    wm_buffer_printf(out, " %u-", row);
}

static void rule_plain(const wm_standard *standard, wm_buffer *out)
{
    rule_field level[RULE_LEVELS];
    rule_field column;
    uint32_t row = 0;
    rule_levels(standard, level);
    rule_write(standard, UINT32_MAX, level, &column, &row);
    rule_print(&column, out);
    for (uint32_t l = 0; l < RULE_LEVELS; l++) {
        rule_print(&level[l], out);
    }
    wm_buffer_printf(out, "row %u-", row);
}

/*
 * A line of 128 B in one row, lines dealt over pseudo-channels, groups and
 * banks, each joined with row bits, so that strides of any power of two are
 * spread (permutation-based interleaving, Zhang et al., MICRO 2000).
 */
static void rule_gpu(const wm_standard *standard, wm_buffer *out)
{
    rule_field level[RULE_LEVELS];
    rule_field column;
    uint32_t row = 0;
    const uint32_t line = 128 / (uint32_t)standard->atom_bytes;
    rule_levels(standard, level);
    rule_write(standard, line > 1 ? wm_lowest_bit(line) : 0, level, &column,
               &row);
    rule_print(&column, out);
    uint32_t with = row;
    for (uint32_t l = 0; l < RULE_LEVELS; l++) {
        for (uint32_t i = 0; i < level[l].n; i++) {
            level[l].with[i] = with++;
        }
        rule_print(&level[l], out);
    }
    wm_buffer_printf(out, "row %u-", row);
}

wm_status wm_mapping_rule(const char *rule, const wm_standard *standard,
                          wm_buffer *out)
{
    if (strcmp(rule, "mop4clxor") == 0) {
        rule_mop(standard, out);
    } else if (strcmp(rule, "robaracoch") == 0) {
        rule_plain(standard, out);
    } else if (strcmp(rule, "gpu") == 0) {
        rule_gpu(standard, out);
    } else {
        return WM_ECONFIG;
    }
    return WM_OK;
}
