/*
 * format_csv.c -- accesses in a table with a header line, separated by commas
 * or tabs: one row per warp access with all its addresses, or one row per
 * lane.
 *
 *     kernel,cta,warp,opcode,width,addresses
 *     copy,0,0,LDG.E,4,0x7f0000000000 0x7f0000000004 ...
 *
 *     cta_x,cta_y,thread,op,size,address
 *     0,0,5,load,4,139637976727552
 *
 * Columns are found by name, in any order and case (docs/TRACE_FORMAT.md lists
 * them); unknown ones are passed over.  Of a table with a lane or thread
 * column, rows in a row of the same warp and instruction with rising lanes are
 * one access.  access_reader.h brings warps and CTAs together.
 *
 * Not modelled  what access_reader.h leaves out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/access_reader.h"
#include "trace/access_words.h"

#define COLUMNS_MAX 64u
#define TEXT_MAX    128u

typedef enum field {
    F_LAUNCH,
    F_KERNEL,
    F_GRID_X,
    F_GRID_Y,
    F_GRID_Z,
    F_BLOCK_X,
    F_BLOCK_Y,
    F_BLOCK_Z,
    F_CTA,
    F_CTA_Y,
    F_CTA_Z,
    F_WARP,
    F_LANE,
    F_THREAD,
    F_PC,
    F_OPERATION,
    F_SPACE,
    F_WIDTH,
    F_MASK,
    F_ADDRESS,
    F_COUNT
} field;

/* The names of each field; blanks separate them. */
static const char *const field_names[F_COUNT] = {
    [F_LAUNCH] = "launch launch_id grid_launch_id kernel_id",
    [F_KERNEL] = "kernel kernel_name name",
    [F_GRID_X] = "grid_x grid_dim_x grid",
    [F_GRID_Y] = "grid_y grid_dim_y",
    [F_GRID_Z] = "grid_z grid_dim_z",
    [F_BLOCK_X] = "block_x block_dim_x block",
    [F_BLOCK_Y] = "block_y block_dim_y",
    [F_BLOCK_Z] = "block_z block_dim_z",
    [F_CTA] = "cta cta_x cta_id cta_id_x block_id block_idx_x",
    [F_CTA_Y] = "cta_y cta_id_y block_idx_y",
    [F_CTA_Z] = "cta_z cta_id_z block_idx_z",
    [F_WARP] = "warp warp_id",
    [F_LANE] = "lane lane_id",
    [F_THREAD] = "thread thread_id tid",
    [F_PC] = "pc instr_offset offset",
    [F_OPERATION] = "opcode instr_opcode op operation type kind",
    [F_SPACE] = "space memory_space instr_mem_space",
    [F_WIDTH] = "width size bytes access_size",
    [F_MASK] = "mask active_mask",
    [F_ADDRESS] = "address addr addresses addrs",
};

/* A row: an access, or a lane of one. */
typedef struct row {
    uint64_t line;
    const char *fault;
    uint64_t launch;
    char kernel[TEXT_MAX];
    uint32_t grid[3], block[3];
    wm_memtrace_access access; /* its opcode is in `opcode` */
    char opcode[TEXT_MAX];
} row;

typedef struct csv_state {
    char separator;
    int columns[F_COUNT]; /* place of each field; -1: not there */
    bool has_header;
    bool has_row; /* `row` waits */
    bool is_launched;
    row row;
    row shown; /* what the item's views point into */
    uint64_t launch;
    char kernel[TEXT_MAX];
} csv_state;

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* The field that a column's name stands for, F_COUNT for none. */
static field find_field(wm_word name)
{
    for (int f = 0; f < F_COUNT; f++) {
        wm_word names = {field_names[f], strlen(field_names[f])};
        wm_word one;
        while (wm_word_part(&names, ' ', &one)) {
            size_t i = 0;
            while (i < one.n_bytes && i < name.n_bytes &&
                   lower(name.text[i]) == one.text[i]) {
                i++;
            }
            if (i == one.n_bytes && i == name.n_bytes) {
                return (field)f;
            }
        }
    }
    return F_COUNT;
}

static wm_word trim(const char *begin, const char *end)
{
    while (begin < end && (*begin == ' ' || *begin == '\t')) {
        begin++;
    }
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    if (end - begin >= 2 && *begin == '"' && end[-1] == '"') {
        begin++;
        end--;
    }
    return (wm_word){begin, (size_t)(end - begin)};
}

/* Cuts a line at separators outside quotes; returns how many columns. */
static uint32_t split(const char *text, size_t n, char separator,
                      wm_word columns[COLUMNS_MAX])
{
    uint32_t n_columns = 0;
    const char *end = text + n;
    const char *begin = text;
    bool is_quoted = false;
    for (const char *at = text; n_columns < COLUMNS_MAX; at++) {
        if (at == end || (*at == separator && !is_quoted)) {
            columns[n_columns++] = trim(begin, at);
            begin = at + 1;
        }
        if (at == end) {
            break;
        }
        is_quoted ^= *at == '"';
    }
    return n_columns;
}

/* Which fields a header names; returns how many. */
static uint32_t read_header(const char *text, size_t n, char *separator,
                            int places[F_COUNT])
{
    wm_word columns[COLUMNS_MAX];
    uint32_t n_found = 0;
    *separator = memchr(text, '\t', n) != NULL ? '\t' : ',';
    uint32_t n_columns = split(text, n, *separator, columns);
    for (int f = 0; f < F_COUNT; f++) {
        places[f] = -1;
    }
    for (uint32_t i = 0; i < n_columns; i++) {
        field f = find_field(columns[i]);
        if (f != F_COUNT && places[f] < 0) {
            places[f] = (int)i;
            n_found++;
        }
    }
    return n_found;
}

/* A column as a number; missing or empty: 0. */
static bool number_of(const csv_state *s, const wm_word *columns,
                      uint32_t n_columns, field f, uint64_t max, uint64_t *x)
{
    int place = s->columns[f];
    *x = 0;
    if (place < 0 || (uint32_t)place >= n_columns ||
        columns[place].n_bytes == 0) {
        return true;
    }
    return f == F_MASK ? wm_word_hex(&columns[place], x) && *x <= max
                       : wm_word_number(&columns[place], max, x);
}

static wm_word text_of(const csv_state *s, const wm_word *columns,
                       uint32_t n_columns, field f)
{
    int place = s->columns[f];
    return place < 0 || (uint32_t)place >= n_columns ? (wm_word){"", 0}
                                                     : columns[place];
}

static void keep(char kept[TEXT_MAX], wm_word word)
{
    size_t n = word.n_bytes < TEXT_MAX - 1 ? word.n_bytes : TEXT_MAX - 1;
    memcpy(kept, word.text, n);
    kept[n] = '\0';
}

/* Addresses between blanks, ';' or '|'; returns how many, 33 for too many or
 * what is no number. */
static uint32_t read_addresses(wm_word word, uint64_t addresses[32])
{
    uint32_t n = 0;
    const char *at = word.text;
    const char *end = word.text + word.n_bytes;
    while (at < end) {
        const char *start = at;
        while (at < end && *at != ' ' && *at != ';' && *at != '|') {
            at++;
        }
        wm_word one = {start, (size_t)(at - start)};
        if (one.n_bytes > 0) {
            if (n == 32 || !wm_word_number(&one, UINT64_MAX, &addresses[n])) {
                return 33;
            }
            n++;
        }
        at++;
    }
    return n;
}

/* One address, of the row's lane. */
static const char *take_lane(const csv_state *s, uint64_t lane, uint64_t thread,
                             const uint64_t *addresses, uint32_t n,
                             wm_memtrace_access *access)
{
    if (s->columns[F_LANE] < 0) {
        lane = thread % WM_MEMTRACE_LANES;
    }
    if (s->columns[F_WARP] < 0) {
        access->warp = (uint32_t)(thread / WM_MEMTRACE_LANES);
    }
    if (n != 1 || lane >= WM_MEMTRACE_LANES) {
        return "found a lane's row without one address and a lane below 32, "
               "wanted both";
    }
    access->addresses[0] = addresses[0];
    access->mask = UINT32_C(1) << lane;
    return NULL;
}

/* All addresses of a warp: one per active lane, or 32 with 0 for lanes that
 * are off. */
static const char *take_lanes(const csv_state *s, uint64_t mask,
                              const uint64_t *addresses, uint32_t n,
                              wm_memtrace_access *access)
{
    bool has_mask = s->columns[F_MASK] >= 0;
    for (uint32_t i = 0; !has_mask && i < WM_MEMTRACE_LANES; i++) {
        bool is_on = n == WM_MEMTRACE_LANES ? addresses[i] != 0 : i < n;
        mask |= (uint64_t)is_on << i;
    }
    if (n > 32 || (n != 32 && n != wm_popcount64(mask))) {
        return "found another number of addresses, wanted one per active "
               "lane, or 32";
    }
    access->mask = (uint32_t)mask;
    uint32_t k = 0;
    for (uint32_t lane = 0; lane < WM_MEMTRACE_LANES; lane++) {
        if ((mask >> lane & 1) != 0) {
            access->addresses[k] = addresses[n == 32 ? lane : k];
            k++;
        }
    }
    return NULL;
}

static const char *parse_row(csv_state *s, const char *text, size_t n, row *out)
{
    static const struct {
        field f;
        uint64_t max;
    } numbers[] = {
        {F_LAUNCH, UINT64_MAX},  {F_GRID_X, UINT32_MAX},
        {F_GRID_Y, UINT32_MAX},  {F_GRID_Z, UINT32_MAX},
        {F_BLOCK_X, UINT32_MAX}, {F_BLOCK_Y, UINT32_MAX},
        {F_BLOCK_Z, UINT32_MAX}, {F_CTA, UINT32_MAX},
        {F_CTA_Y, UINT32_MAX},   {F_CTA_Z, UINT32_MAX},
        {F_WARP, 1023},          {F_LANE, 31},
        {F_THREAD, 32767},       {F_PC, UINT64_MAX},
        {F_WIDTH, UINT32_MAX},   {F_MASK, UINT32_MAX},
    };
    wm_word columns[COLUMNS_MAX];
    uint64_t x[F_COUNT] = {0};
    uint64_t addresses[32];
    uint32_t n_columns = split(text, n, s->separator, columns);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (!number_of(s, columns, n_columns, numbers[i].f, numbers[i].max,
                       &x[numbers[i].f])) {
            return "found a column that is no number in its range (warps "
                   "below 1024, lanes below 32, masks in hexadecimal)";
        }
    }
    wm_memtrace_access *access = &out->access;
    memset(access, 0, sizeof(*access));
    out->launch = x[F_LAUNCH];
    for (uint32_t i = 0; i < 3; i++) {
        out->grid[i] = (uint32_t)x[F_GRID_X + i];
        out->block[i] = (uint32_t)x[F_BLOCK_X + i];
        access->cta[i] = (uint32_t)x[F_CTA + i];
    }
    access->warp = (uint32_t)x[F_WARP];
    access->pc = x[F_PC];
    access->n_traced = x[F_WIDTH];
    keep(out->kernel, text_of(s, columns, n_columns, F_KERNEL));
    wm_word operation = text_of(s, columns, n_columns, F_OPERATION);
    wm_word space = text_of(s, columns, n_columns, F_SPACE);
    keep(out->opcode, wm_access_opcode(&operation, &space));
    uint32_t n_addresses =
        read_addresses(text_of(s, columns, n_columns, F_ADDRESS), addresses);
    if (s->columns[F_LANE] >= 0 || s->columns[F_THREAD] >= 0) {
        return take_lane(s, x[F_LANE], x[F_THREAD], addresses, n_addresses,
                         access);
    }
    return take_lanes(s, x[F_MASK], addresses, n_addresses, access);
}

/* Makes a row wait; *is_end at the end of the file. */
static wm_status next_row(wm_reader *r, bool *is_end, wm_error *err)
{
    csv_state *s = r->state;
    const char *text = NULL;
    size_t n = 0;
    *is_end = false;
    while (!s->has_row) {
        wm_status status = wm_stream_line(r->stream, &text, &n, err);
        if (status != WM_OK || text == NULL) {
            *is_end = true;
            return status;
        }
        if (!s->has_header) {
            (void)read_header(text, n, &s->separator, s->columns);
            s->has_header = true;
        } else if (n > 0 && text[0] != '#') {
            s->row.line = wm_stream_line_number(r->stream);
            s->row.fault = parse_row(s, text, n, &s->row);
            s->has_row = true;
        }
    }
    return WM_OK;
}

/* The next row is a further lane of the access shown. */
static bool is_same_access(const csv_state *s)
{
    const wm_memtrace_access *a = &s->shown.access;
    const wm_memtrace_access *b = &s->row.access;
    return s->row.fault == NULL && s->row.launch == s->shown.launch &&
           strcmp(s->row.kernel, s->shown.kernel) == 0 &&
           memcmp(a->cta, b->cta, sizeof(a->cta)) == 0 && a->warp == b->warp &&
           a->pc == b->pc && a->n_traced == b->n_traced &&
           strcmp(s->row.opcode, s->shown.opcode) == 0 && b->mask > a->mask;
}

/* Gathers the lanes' rows behind the first. */
static wm_status gather(wm_reader *r, wm_error *err)
{
    csv_state *s = r->state;
    bool is_end = false;
    wm_memtrace_access *access = &s->shown.access;
    wm_status status = next_row(r, &is_end, err);
    while (status == WM_OK && !is_end && is_same_access(s)) {
        access->addresses[wm_popcount64(access->mask)] =
            s->row.access.addresses[0];
        access->mask |= s->row.access.mask;
        s->has_row = false;
        status = next_row(r, &is_end, err);
    }
    return status;
}

/* The row that waits begins a launch. */
static void show_launch(wm_reader *r)
{
    csv_state *s = r->state;
    wm_access_item *item = &r->item;
    wm_launch *launch = &item->launch;
    item->kind = WM_ITEM_LAUNCH;
    item->line = s->row.line;
    memset(launch, 0, sizeof(*launch));
    launch->warp_size = WM_MEMTRACE_LANES;
    for (size_t i = 0; i < 3; i++) {
        bool is_known = s->row.grid[0] != 0 && s->row.block[0] != 0;
        launch->grid[i] = s->row.grid[i] == 0 ? is_known : s->row.grid[i];
        launch->block[i] = s->row.block[i] == 0 ? is_known : s->row.block[i];
    }
    if (launch->grid[0] != 0 && launch->block[0] != 0) {
        uint64_t n_threads =
            (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
        launch->n_warps_per_cta =
            n_threads > 32768 ? 1024 : (uint32_t)((n_threads + 31) / 32);
    } else {
        memset(launch->grid, 0, sizeof(launch->grid));
    }
    s->launch = s->row.launch;
    memcpy(s->kernel, s->row.kernel, sizeof(s->kernel));
    s->is_launched = true;
    item->name = (wm_word){s->kernel, strlen(s->kernel)};
}

static wm_status csv_next(wm_reader *r, bool is_counting, wm_error *err)
{
    csv_state *s = r->state;
    wm_access_item *item = &r->item;
    bool is_end = false;
    (void)is_counting;
    wm_status status = next_row(r, &is_end, err);
    if (status != WM_OK || is_end) {
        item->kind = WM_ITEM_END;
        return status;
    }
    bool is_new = !s->is_launched || s->row.launch != s->launch ||
                  strcmp(s->row.kernel, s->kernel) != 0;
    if (s->row.fault == NULL && is_new) {
        show_launch(r);
        return WM_OK;
    }
    s->shown = s->row;
    s->has_row = false;
    if (s->shown.fault == NULL &&
        (s->columns[F_LANE] >= 0 || s->columns[F_THREAD] >= 0)) {
        status = gather(r, err);
    }
    item->kind = WM_ITEM_ACCESS;
    item->line = s->shown.line;
    item->fault = s->shown.fault;
    item->access = s->shown.access;
    item->access.opcode = (wm_word){s->shown.opcode, strlen(s->shown.opcode)};
    return status;
}

static wm_status csv_rewind(wm_reader *r, wm_error *err)
{
    (void)err;
    memset(r->state, 0, sizeof(csv_state));
    return WM_OK;
}

static const wm_access_dialect csv_dialect = {
    .state_bytes = sizeof(csv_state), .next = csv_next, .rewind = csv_rewind};

static wm_status csv_open(wm_stream *stream, const wm_reader_context *context,
                          wm_reader **out, wm_error *err)
{
    return wm_access_open(stream, context, &csv_dialect, out, err);
}

/* A first line that names an address and something else we know. */
static int csv_sniff(const uint8_t *head, size_t n_bytes)
{
    const char *text = (const char *)head;
    const char *end = memchr(text, '\n', n_bytes);
    size_t n = end == NULL ? n_bytes : (size_t)(end - text);
    int places[F_COUNT];
    char separator = ',';
    n -= n > 0 && text[n - 1] == '\r';
    uint32_t n_found = read_header(text, n, &separator, places);
    return n_found >= 2 && places[F_ADDRESS] >= 0 ? 80 : 0;
}

extern const wm_format wm_format_csv;
const wm_format wm_format_csv = {
    .name = "csv",
    .summary = "table of accesses with a header line",
    .sniff = csv_sniff,
    .open = csv_open,
    .next_command = wm_access_next_command,
    .next_cta = wm_access_next_cta,
    .launch = wm_access_launch_of,
    .close = wm_access_close,
};
