/*
 * static_table.c -- see static_table.h.  One allocation per opcode text: a
 * kernel has few statics, and the texts must not move.
 */
#include "trace/static_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

void wm_static_table_init(wm_static_table *table)
{
    memset(table, 0, sizeof(*table));
}

void wm_static_table_clear(wm_static_table *table)
{
    for (uint32_t i = 0; i < table->n_items; i++) {
        union {
            const char *kept;
            char *owned;
        } text = {table->items[i].opcode};
        free(text.owned);
    }
    table->n_items = 0;
}

void wm_static_table_fini(wm_static_table *table)
{
    wm_static_table_clear(table);
    free(table->items);
    wm_static_table_init(table);
}

bool wm_static_table_add(wm_static_table *table, const wm_static *item,
                         const char *opcode, size_t n_opcode)
{
    if (table->n_items >= WM_STATICS_MAX ||
        !wm_grow(&table->items, &table->capacity, table->n_items + (size_t)1,
                 sizeof(*table->items))) {
        return false;
    }
    char *text = malloc(n_opcode + 1);
    if (text == NULL) {
        return false;
    }
    memcpy(text, opcode, n_opcode);
    text[n_opcode] = '\0';
    table->items[table->n_items] = *item;
    table->items[table->n_items].opcode = text;
    table->n_items++;
    return true;
}
