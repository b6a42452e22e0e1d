/*
 * mapping.c -- bit lists read, checked to be one to one, made into tables.
 */
#include "model/dram/mapping.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* Low address bits that the tables cover. */
#define TABLE_BITS (8u * WM_MAPPING_TABLES)

typedef struct mapping_field {
    const char *name;
    uint64_t *bits; /* address bits of each output bit */
    uint32_t *n;
    uint32_t room;
    uint32_t wanted; /* output bits */
} mapping_field;

typedef struct mapping_reader {
    const char *at;
    const char *place;
    uint32_t rest; /* first bit of the row's open run, or 64 */
} mapping_reader;

static wm_status mapping_fail(const mapping_reader *reader, const char *wanted,
                              wm_error *err)
{
    return wm_fail(err, WM_ECONFIG, "%s: \"%.40s\", wanted %s", reader->place,
                   reader->at, wanted);
}

static void mapping_blanks(mapping_reader *reader)
{
    reader->at += strspn(reader->at, " \t,");
}

static wm_status mapping_number(mapping_reader *reader, uint32_t *value,
                                wm_error *err)
{
    const size_t n = strspn(reader->at, "0123456789");
    if (n == 0 || n > 2) {
        return mapping_fail(reader, "an address bit, 0 to 63", err);
    }
    const unsigned long bit = strtoul(reader->at, NULL, 10);
    if (bit >= WM_MAPPING_BITS) {
        return mapping_fail(reader, "an address bit, 0 to 63", err);
    }
    *value = (uint32_t)bit;
    reader->at += n;
    return WM_OK;
}

static wm_status mapping_add(mapping_reader *reader, mapping_field *field,
                             uint64_t bits, wm_error *err)
{
    if (*field->n == field->room) {
        return mapping_fail(reader, "fewer bits in this field", err);
    }
    field->bits[(*field->n)++] = bits;
    return WM_OK;
}

/* "A", "A^B^C", "A-B" or, last of the row, "A-". */
static wm_status mapping_bits(mapping_reader *reader, mapping_field *field,
                              wm_error *err)
{
    uint32_t first = 0;
    uint32_t next = 0;
    wm_status status = mapping_number(reader, &first, err);
    if (status != WM_OK) {
        return status;
    }
    if (*reader->at == '-') {
        reader->at++;
        if (strspn(reader->at, "0123456789") == 0) {
            reader->rest = first;
            return strcmp(field->name, "row") == 0
                       ? WM_OK
                       : mapping_fail(reader, "an open run in row only", err);
        }
        status = mapping_number(reader, &next, err);
        for (uint32_t b = first; status == WM_OK && b <= next; b++) {
            status = mapping_add(reader, field, UINT64_C(1) << b, err);
        }
        return status;
    }
    uint64_t bits = UINT64_C(1) << first;
    while (status == WM_OK && *reader->at == '^') {
        reader->at++;
        status = mapping_number(reader, &next, err);
        bits ^= UINT64_C(1) << next;
    }
    return status == WM_OK ? mapping_add(reader, field, bits, err) : status;
}

static wm_status mapping_read_field(mapping_reader *reader,
                                    mapping_field *fields, size_t n_fields,
                                    wm_error *err)
{
    const size_t n = strspn(reader->at, "abcdefghijklmnopqrstuvwxyz");
    for (size_t f = 0; f < n_fields; f++) {
        if (strlen(fields[f].name) != n ||
            memcmp(fields[f].name, reader->at, n) != 0) {
            continue;
        }
        wm_status status = WM_OK;
        reader->at += n;
        mapping_blanks(reader);
        while (status == WM_OK && *reader->at != ';' && *reader->at != '\0') {
            status = mapping_bits(reader, &fields[f], err);
            mapping_blanks(reader);
        }
        return status;
    }
    return mapping_fail(reader, "column, pc, sid, bg, bank or row", err);
}

static wm_status mapping_read(mapping_reader *reader, mapping_field *fields,
                              size_t n_fields, wm_error *err)
{
    wm_status status = WM_OK;
    mapping_blanks(reader);
    while (status == WM_OK && *reader->at != '\0') {
        status = mapping_read_field(reader, fields, n_fields, err);
        if (*reader->at == ';') {
            reader->at++;
        }
        mapping_blanks(reader);
    }
    return status;
}

/*
 * One to one: the output bits are independent (Gauss), and with the atom's own
 * bits and the row's rest they are as many as the address bits.
 */
static wm_status mapping_check(const mapping_reader *reader,
                               const wm_mapping *mapping,
                               const mapping_field *fields, size_t n_fields,
                               wm_error *err)
{
    uint64_t pivot[WM_MAPPING_BITS] = {0};
    uint64_t used = 0;
    uint32_t n_bits = 0;
    for (size_t f = 0; f < n_fields; f++) {
        if (fields[f].wanted != UINT32_MAX &&
            *fields[f].n != fields[f].wanted) {
            return wm_fail(err, WM_ECONFIG,
                           "%s: %s has %u bits, wanted %u for this standard",
                           reader->place, fields[f].name, *fields[f].n,
                           fields[f].wanted);
        }
        for (uint32_t i = 0; i < *fields[f].n; i++, n_bits++) {
            uint64_t bits = fields[f].bits[i];
            used |= bits;
            /* The rest is known, so it can be taken out of every sum. */
            bits &= wm_low_mask(reader->rest);
            while (bits != 0 && pivot[wm_highest_bit(bits)] != 0) {
                bits ^= pivot[wm_highest_bit(bits)];
            }
            if (bits == 0) {
                return wm_fail(err, WM_ECONFIG,
                               "%s: bit %u of %s follows from the others, "
                               "wanted a mapping that is one to one",
                               reader->place, i, fields[f].name);
            }
            pivot[wm_highest_bit(bits)] = bits;
        }
    }
    if ((used & wm_low_mask(mapping->atom_shift)) != 0 ||
        n_bits + mapping->atom_shift != reader->rest) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: %u bits in all, wanted each address bit from %u "
                       "up, the row's last as an open run (15-)",
                       reader->place, n_bits, mapping->atom_shift);
    }
    if (wm_highest_bit(used) >= TABLE_BITS + mapping->atom_shift) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: address bit %u, wanted bits below %u in lists",
                       reader->place, wm_highest_bit(used),
                       TABLE_BITS + mapping->atom_shift);
    }
    return WM_OK;
}

/* The number that the output bits make of an address. */
static uint64_t mapping_gather(const uint64_t *bits, uint32_t n, uint64_t addr)
{
    uint64_t x = 0;
    for (uint32_t i = 0; i < n; i++) {
        x |= (uint64_t)(wm_popcount64(bits[i] & addr) & 1) << i;
    }
    return x;
}

static uint64_t mapping_word(const wm_mapping *mapping, uint64_t addr)
{
    uint64_t bank = mapping_gather(mapping->pc, mapping->n_pc, addr);
    bank = bank << mapping->n_sid |
           mapping_gather(mapping->sid, mapping->n_sid, addr);
    bank = bank << mapping->n_bg |
           mapping_gather(mapping->bg, mapping->n_bg, addr);
    bank = bank << mapping->n_bank |
           mapping_gather(mapping->bank, mapping->n_bank, addr);
    return bank |
           mapping_gather(mapping->column, mapping->n_column, addr) << 8 |
           mapping_gather(mapping->row, mapping->n_row, addr) << 24;
}

static void mapping_tables(wm_mapping *mapping, uint32_t highest)
{
    mapping->n_tables = (highest - mapping->atom_shift) / 8 + 1;
    for (uint32_t t = 0; t < mapping->n_tables; t++) {
        for (uint64_t v = 0; v < 256; v++) {
            mapping->table[t][v] =
                mapping_word(mapping, v << (mapping->atom_shift + 8 * t));
        }
    }
    /* Low column bits that are the address's own, and nobody else's. */
    uint64_t others = 0;
    for (uint32_t i = 0; i < mapping->n_pc; i++) {
        others |= mapping->pc[i];
    }
    for (uint32_t i = 0; i < mapping->n_sid; i++) {
        others |= mapping->sid[i];
    }
    for (uint32_t i = 0; i < mapping->n_bg; i++) {
        others |= mapping->bg[i];
    }
    for (uint32_t i = 0; i < mapping->n_bank; i++) {
        others |= mapping->bank[i];
    }
    for (uint32_t i = 0; i < mapping->n_row; i++) {
        others |= mapping->row[i];
    }
    uint32_t run = 0;
    while (run < mapping->n_column &&
           mapping->column[run] == UINT64_C(1) << (mapping->atom_shift + run) &&
           (others & mapping->column[run]) == 0) {
        run++;
    }
    mapping->run_atoms = 1u << (run > 3 ? 3 : run);
}

static wm_status mapping_text(wm_mapping *mapping, const wm_standard *standard,
                              const char *text, const char *place,
                              wm_error *err)
{
    mapping_reader reader = {text, place, WM_MAPPING_BITS};
    memset(mapping, 0, sizeof(*mapping));
    mapping->atom_shift = wm_lowest_bit(standard->atom_bytes);
    mapping_field fields[] = {
        {"column", mapping->column, &mapping->n_column, 16,
         wm_lowest_bit(standard->row_bytes / standard->atom_bytes)},
        {"pc", mapping->pc, &mapping->n_pc, 2,
         wm_lowest_bit(standard->pseudo_channels)},
        {"sid", mapping->sid, &mapping->n_sid, 2,
         wm_lowest_bit(standard->stack_ids)},
        {"bg", mapping->bg, &mapping->n_bg, 4,
         wm_lowest_bit(standard->bank_groups)},
        {"bank", mapping->bank, &mapping->n_bank, 4,
         wm_lowest_bit(standard->banks)},
        {"row", mapping->row, &mapping->n_row, 24, UINT32_MAX},
    };
    const size_t n_fields = sizeof(fields) / sizeof(fields[0]);
    wm_status status = mapping_read(&reader, fields, n_fields, err);
    if (status == WM_OK) {
        status = mapping_check(&reader, mapping, fields, n_fields, err);
    }
    if (status != WM_OK) {
        return status;
    }
    uint64_t used = UINT64_C(1) << mapping->atom_shift;
    for (size_t f = 0; f < n_fields; f++) {
        for (uint32_t i = 0; i < *fields[f].n; i++) {
            used |= fields[f].bits[i];
        }
    }
    mapping->row_bits = mapping->n_row;
    mapping->rest_shift = reader.rest;
    mapping_tables(mapping, wm_highest_bit(used));
    return WM_OK;
}

wm_status wm_mapping_init(wm_mapping *mapping, const wm_standard *standard,
                          const char *text, const char *place, wm_error *err)
{
    wm_buffer rule;
    wm_buffer_init(&rule);
    if (text[0] == '\0' || strcmp(text, "standard") == 0) {
        text = standard->mapping;
    }
    wm_status status = WM_OK;
    if (strpbrk(text, " ;") == NULL) {
        status = wm_mapping_rule(text, standard, &rule);
        if (status == WM_OK && rule.is_failed) {
            status = wm_fail_memory(err);
        } else if (status != WM_OK) {
            status = wm_fail(err, WM_ECONFIG,
                             "%s: \"%.40s\", wanted bit lists such as \"column "
                             "5-9; bank 10 11; row 12-\", or mop4clxor, "
                             "robaracoch or gpu",
                             place, text);
        } else {
            text = rule.bytes;
        }
    }
    if (status == WM_OK) {
        status = mapping_text(mapping, standard, text, place, err);
    }
    wm_buffer_fini(&rule);
    return status;
}
