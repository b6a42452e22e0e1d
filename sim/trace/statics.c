/*
 * statics.c -- open addressing over (pc, mnemonic); texts in blocks that never
 * move.
 */
#include "trace/statics.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"

#define SLOTS_FIRST 256u
#define BLOCK_BYTES 8192u

struct wm_text_block {
    wm_text_block *next;
    size_t n_used, capacity;
    char bytes[];
};

void wm_statics_init(wm_statics *statics)
{
    memset(statics, 0, sizeof(*statics));
}

static void texts_free(wm_statics *statics)
{
    while (statics->texts != NULL) {
        wm_text_block *next = statics->texts->next;
        free(statics->texts);
        statics->texts = next;
    }
}

void wm_statics_fini(wm_statics *statics)
{
    texts_free(statics);
    free(statics->list);
    free(statics->entries);
    free(statics->slots);
    wm_statics_init(statics);
}

void wm_statics_clear(wm_statics *statics)
{
    texts_free(statics);
    statics->n_listed = 0;
    statics->n_entries = 0;
    if (statics->slots != NULL) {
        memset(statics->slots, 0, statics->n_slots * sizeof(uint32_t));
    }
}

static const char *text_keep(wm_statics *statics, const char *text, size_t n)
{
    wm_text_block *block = statics->texts;
    if (block == NULL || block->capacity - block->n_used < n + 1) {
        size_t capacity = n + 1 > BLOCK_BYTES ? n + 1 : BLOCK_BYTES;
        block = malloc(sizeof(*block) + capacity);
        if (block == NULL) {
            return NULL;
        }
        block->next = statics->texts;
        block->n_used = 0;
        block->capacity = capacity;
        statics->texts = block;
    }
    char *kept = block->bytes + block->n_used;
    memcpy(kept, text, n);
    kept[n] = '\0';
    block->n_used += n + 1;
    return kept;
}

static uint32_t slot_of(const wm_statics *statics, uint64_t pc)
{
    return (uint32_t)wm_mix64(pc) & (statics->n_slots - 1);
}

static bool slots_grow(wm_statics *statics)
{
    uint32_t n_slots = statics->n_slots * 2;
    if (n_slots == 0) {
        n_slots = SLOTS_FIRST;
    }
    uint32_t *slots = calloc(n_slots, sizeof(*slots));
    if (slots == NULL) {
        return false;
    }
    free(statics->slots);
    statics->slots = slots;
    statics->n_slots = n_slots;
    for (uint32_t i = 0; i < statics->n_entries; i++) {
        uint32_t slot = slot_of(statics, statics->entries[i].pc);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (n_slots - 1);
        }
        slots[slot] = i + 1;
    }
    return true;
}

static wm_static_entry *entry_add(wm_statics *statics, uint64_t pc,
                                  const char *text, size_t n_text)
{
    if (statics->n_entries >= WM_STATICS_MAX || n_text > UINT32_MAX ||
        !wm_grow(&statics->entries, &statics->cap_entries,
                 (size_t)statics->n_entries + 1, sizeof(*statics->entries))) {
        return NULL;
    }
    const char *kept = text_keep(statics, text, n_text);
    if (kept == NULL) {
        return NULL;
    }
    wm_static_entry *entry = &statics->entries[statics->n_entries++];
    entry->pc = pc;
    entry->text = kept;
    entry->n_text = (uint32_t)n_text;
    entry->static_id = WM_STATIC_NONE;
    wm_opcode_parse(kept, n_text, &entry->opcode);
    return entry;
}

wm_static_entry *wm_statics_find(wm_statics *statics, uint64_t pc,
                                 const char *text, size_t n_text)
{
    if (2 * (statics->n_entries + 1) > statics->n_slots &&
        !slots_grow(statics)) {
        return NULL;
    }
    uint32_t slot = slot_of(statics, pc);
    for (; statics->slots[slot] != 0;
         slot = (slot + 1) & (statics->n_slots - 1)) {
        wm_static_entry *entry = &statics->entries[statics->slots[slot] - 1];
        if (entry->pc == pc && entry->n_text == n_text &&
            memcmp(entry->text, text, n_text) == 0) {
            return entry;
        }
    }
    wm_static_entry *entry = entry_add(statics, pc, text, n_text);
    if (entry != NULL) {
        statics->slots[slot] = statics->n_entries;
    }
    return entry;
}

uint32_t wm_statics_number(wm_statics *statics, wm_static_entry *entry,
                           wm_kind kind, uint8_t width, uint32_t source_line)
{
    if (entry->static_id != WM_STATIC_NONE) {
        return entry->static_id;
    }
    if (!wm_grow(&statics->list, &statics->cap_listed,
                 (size_t)statics->n_listed + 1, sizeof(*statics->list))) {
        return WM_STATIC_NONE;
    }
    wm_static *fresh = &statics->list[statics->n_listed];
    memset(fresh, 0, sizeof(*fresh));
    fresh->pc = entry->pc;
    fresh->line = source_line;
    fresh->kind = (uint8_t)kind;
    fresh->width = width;
    fresh->flags = entry->opcode.flags;
    fresh->opcode = entry->text;
    entry->static_id = statics->n_listed++;
    return entry->static_id;
}
