/*
 * naive_front.c -- lanes to lines, banks: every byte of every lane is looked
 * at.
 */
#include "naive.h"

#include <string.h>

static naive_line *line_of(naive_lines *lines, uint32_t first, uint32_t group,
                           uint64_t number)
{
    for (uint32_t i = lines->n; i > first; i--) {
        naive_line *line = &lines->line[i - 1];
        if (line->line == number && line->group == group) {
            return line;
        }
    }
    naive_line *line = &lines->line[lines->n++];
    memset(line, 0, sizeof(*line));
    line->line = number;
    line->group = group;
    return line;
}

static bool is_any(const bool *byte, uint64_t first, uint64_t n)
{
    bool found = false;
    for (uint64_t i = first; i < first + n; i++) {
        found = found || byte[i];
    }
    return found;
}

static bool are_all(const bool *byte, uint64_t first, uint64_t n)
{
    bool all = true;
    for (uint64_t i = first; i < first + n; i++) {
        all = all && byte[i];
    }
    return all;
}

/* Which sectors travel for the bytes that were touched. */
static void line_finish(const case_machine *m, naive_line *line)
{
    for (uint64_t at = 0; at < m->line; at += m->segment) {
        line->n_segments += is_any(line->byte, at, m->segment);
    }
    for (uint64_t s = 0; s < m->line / m->sector; s++) {
        const uint64_t at = s * m->sector;
        const uint64_t segment = at / m->segment * m->segment;
        const uint64_t unit = m->segment > m->sector ? m->segment : m->sector;
        line->is_full[s] = are_all(line->byte, at, m->sector);
        line->sector[s] =
            m->mode == BY_LINE ||
            (m->mode == BY_SEGMENT && is_any(line->byte, segment, unit)) ||
            (m->mode == BY_SECTOR && is_any(line->byte, at, m->sector));
    }
}

void naive_lines_add(const case_machine *m, const uint64_t *address,
                     uint64_t mask, uint32_t width, bool is_store,
                     bool is_falling, naive_lines *lines)
{
    const uint32_t first = lines->n;
    uint64_t split =
        is_store && m->store_split != 0 ? m->store_split : m->split;
    split = split == 0 ? CASE_LANES : split;
    for (uint32_t lane = 0; lane < CASE_LANES; lane++) {
        if ((mask >> lane & 1) == 0) {
            continue;
        }
        for (uint32_t k = 0; k < width; k++) {
            const uint64_t byte =
                address[lane] + (is_falling ? width - 1 - k : k);
            line_of(lines, first, (uint32_t)(lane / split), byte / m->line)
                ->byte[byte % m->line] = true;
        }
    }
    for (uint32_t i = first; i < lines->n; i++) {
        line_finish(m, &lines->line[i]);
    }
}

static uint64_t tag_bank(uint64_t n_banks, uint64_t line)
{
    if ((n_banks & (n_banks - 1)) != 0 || n_banks == 1) {
        return line % n_banks;
    }
    uint64_t bank = 0;
    for (; line != 0; line /= n_banks) {
        bank ^= line % n_banks;
    }
    return bank;
}

uint32_t naive_tag_passes(const case_machine *m, const naive_lines *lines)
{
    uint32_t most = 0;
    for (uint64_t bank = 0; bank < m->tag_banks; bank++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < lines->n; i++) {
            n += tag_bank(m->tag_banks, lines->line[i].line) == bank;
        }
        most = n > most ? n : most;
    }
    return most;
}

/* Distinct words in the fullest bank, of the lanes from first to last. */
static uint32_t phase_passes(uint32_t n_banks, uint32_t bank_width,
                             const uint64_t *address, uint64_t mask,
                             uint32_t width, uint32_t first, uint32_t last)
{
    uint64_t word[32 * 32];
    uint32_t n_words = 0;
    uint32_t in_bank[64] = {0};
    uint32_t most = 0;
    for (uint32_t lane = first; lane <= last && lane < CASE_LANES; lane++) {
        for (uint32_t k = 0; (mask >> lane & 1) != 0 && k < width; k++) {
            const uint64_t wanted = (address[lane] + k) / bank_width;
            uint32_t i = 0;
            while (i < n_words && word[i] != wanted) {
                i++;
            }
            if (i == n_words) {
                word[n_words++] = wanted;
                const uint32_t n = ++in_bank[wanted % n_banks];
                most = n > most ? n : most;
            }
        }
    }
    return most;
}

uint32_t naive_passes(uint32_t n_banks, uint32_t bank_width,
                      const uint64_t *address, uint64_t mask, uint32_t width,
                      uint32_t *n_phases)
{
    uint32_t per_phase = n_banks * bank_width / width;
    per_phase = per_phase > 32 ? 32 : per_phase;
    per_phase = per_phase == 0 ? 1 : per_phase;
    uint32_t n_passes = 0;
    *n_phases = 0;
    for (uint32_t first = 0; first < CASE_LANES; first += per_phase) {
        const uint32_t n = phase_passes(n_banks, bank_width, address, mask,
                                        width, first, first + per_phase - 1);
        n_passes += n;
        *n_phases += n != 0;
    }
    return n_passes;
}

uint32_t naive_same_address(const uint64_t *address, uint64_t mask)
{
    uint32_t most = 0;
    for (uint32_t a = 0; a < CASE_LANES; a++) {
        uint32_t n = 0;
        for (uint32_t b = 0; b < CASE_LANES; b++) {
            n += (mask >> a & mask >> b & 1) != 0 && address[a] == address[b];
        }
        most = n > most ? n : most;
    }
    return most;
}
