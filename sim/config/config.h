/*
 * config.h -- one typed, checked configuration.
 *
 * The struct is generated from schema.def: wm_config has one member struct per
 * section, with one field per key.  Every field is a uint64_t in the unit that
 * schema.def names, but NAME (char[32]), TEXT (char[WM_TEXT_BYTES]) and SIZES
 * (wm_sizes).
 *
 * Loading: a preset's name ("v100": configs/gpu/v100.yaml) or a file; the
 * file's `base:` is loaded first, recursively; then `--set KEY=VALUE` in
 * order.  Then geometry is completed (size = slices x sets x ways x line: any
 * one missing factor is derived, contradictions are errors; a factor set by a
 * later layer wins over derived ones and over size of an earlier layer) and
 * cross-key rules are checked.
 *
 * Units      as in schema.def.
 * Ownership  wm_config_new/free; strings inside belong to it.
 * Errors     WM_ECONFIG: "FILE:LINE:COLUMN: key: found, wanted" (for --set,
 *            "--set KEY=VALUE: ..."), with the nearest known key for an
 *            unknown one; WM_EIO when a file that exists cannot be read;
 *            WM_ENOMEM.
 * Repeatable the canonical text depends on the values only; so does the digest,
 *            but that banked memory adds what its standard's files say.
 */
#ifndef WM_CONFIG_CONFIG_H
#define WM_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "base/status.h"
#include "base/text.h"

#define WM_SIZES_MAX  16u
#define WM_TEXT_BYTES 256u /* of a TEXT, its NUL included */

typedef struct wm_sizes {
    uint32_t n;
    uint64_t bytes[WM_SIZES_MAX]; /* rising */
} wm_sizes;

/* C type of each schema type. */
#define WM_CTYPE_INT(field)     uint64_t field;
#define WM_CTYPE_SIZE(field)    uint64_t field;
#define WM_CTYPE_SIZES(field)   wm_sizes field;
#define WM_CTYPE_CLOCK(field)   uint64_t field;
#define WM_CTYPE_TIME(field)    uint64_t field;
#define WM_CTYPE_CYCLES(field)  uint64_t field;
#define WM_CTYPE_RATE(field)    uint64_t field;
#define WM_CTYPE_PER_CLK(field) uint64_t field;
#define WM_CTYPE_BOOL(field)    uint64_t field;
#define WM_CTYPE_CHOICE(field)  uint64_t field;
#define WM_CTYPE_NAME(field)    char field[32];
#define WM_CTYPE_TEXT(field)    char field[WM_TEXT_BYTES];

/* The values: config->l2.size, config->sm.clock, ... */
typedef struct wm_config {
#define WM_SECTION(section, sentence) struct {
#define WM_KEY(section, field, type, unit, min, max, preset, sentence)         \
    WM_CTYPE_##type(field)
#define WM_SECTION_END(section)                                                \
    }                                                                          \
    section;
#include "config/schema.def"
#undef WM_SECTION
#undef WM_KEY
#undef WM_SECTION_END
} wm_config;

/* Choices by name, in the order of schema.def. */
enum { WM_HASH_NONE, WM_HASH_XOR, WM_HASH_DRAWN };
enum { WM_L1_LOOKUP_WARP, WM_L1_LOOKUP_QUADS };
enum { WM_L1_WRITE_THROUGH, WM_L1_WRITE_ALLOCATE, WM_L1_WRITE_EVICT };
enum { WM_L2_WRITE_BACK, WM_L2_WRITE_THROUGH };
enum { WM_DRAM_SIMPLE, WM_DRAM_BANKED };
enum { WM_SCHEDULER_FRFCFS, WM_SCHEDULER_FRFCFS_ROWHIT };
enum { WM_L1_BETWEEN_INVALIDATE, WM_L1_BETWEEN_KEEP };
enum { WM_L2_BETWEEN_KEEP, WM_L2_BETWEEN_INVALIDATE, WM_L2_BETWEEN_FLUSH };
enum { WM_MEMCPY_FILL, WM_MEMCPY_IGNORE };
enum { WM_COALESCE_SECTOR, WM_COALESCE_LINE, WM_COALESCE_SEGMENT };

/* A configuration with the origin of each value. */
typedef struct wm_config_set wm_config_set;

typedef struct wm_key wm_key; /* below */

/*
 * name: a preset or a file (a name with '/' or ending in .yaml or .yml is a
 * file).  sets: n_sets strings "KEY=VALUE".  Presets are searched in
 * $WARPMEM_CONFIG_PATH (colon-separated), then the source tree's configs/,
 * then the installed share folder.
 */
wm_status wm_config_load(const char *name, const char *const *sets,
                         size_t n_sets, wm_config_set **out, wm_error *err);
void wm_config_free(wm_config_set *set); /* NULL is fine */

/*
 * A configuration that a result recorded: fetch is asked for each key; it
 * stores the value into *values (at key->offset) and gives its origin, or
 * answers false to keep the default.  Nothing is checked or derived again;
 * digest: the recorded one, "" when there is none.
 */
typedef bool (*wm_config_fetch_fn)(void *context, const wm_key *key,
                                   wm_config *values, const char **origin);
wm_status wm_config_restore(const char *name, const char *digest,
                            wm_config_fetch_fn fetch, void *context,
                            wm_config_set **out, wm_error *err);

const wm_config *wm_config_values(const wm_config_set *set);
const char *wm_config_name(const wm_config_set *set); /* "v100" or the path */
/* 32 hex digits over the canonical text of all values. */
void wm_config_digest(const wm_config_set *set, char hex[WM_DIGEST_HEX]);

/* --- keys, for show, explain, JSON and docs ---------------------------- */
struct wm_key {
    const char *name; /* "l2.size" */
    const char *section;
    const char *field;
    const char *type; /* "SIZE" */
    const char *unit; /* unit, or the choices of a CHOICE */
    uint64_t min, max;
    const char *preset; /* default as text; "" = derived or empty */
    const char *sentence;
    size_t offset; /* in wm_config */
};

extern const wm_key wm_keys[];
extern const size_t wm_n_keys;

/* The key called name, or NULL. */
const wm_key *wm_key_find(const char *name);
/* The known key nearest to name by edit distance; never NULL. */
const wm_key *wm_key_nearest(const char *name);
/* The units of a quantity; NULL for words, switches, names and lists. */
const wm_unit *wm_key_units(const wm_key *key);
/* Appends the value as a person writes it: "6 MiB", "28 cycles", "xor". */
void wm_key_format(const wm_key *key, const wm_config *values, wm_buffer *out);
/* Where the value came from: "default", "configs/gpu/v100.yaml:12", "--set",
 * "derived". */
const char *wm_config_origin(const wm_config_set *set, const wm_key *key);

/* Appends docs/CONFIG.md: every key, the units and the rules. */
void wm_config_reference(wm_buffer *out);

/* Preset names, sorted, found on the search path; ends in NULL.  Freed with
 * wm_config_free_list. */
wm_status wm_config_list(char ***names, wm_error *err);
void wm_config_free_list(char **names);
/* First sentence of a preset's leading comment, or "".  Malloced. */
char *wm_config_summary(const char *name);
/* The preset for an SM version (70 -> "v100"); unknown versions give the
 * nearest lower one; 0 gives "a100". */
const char *wm_config_for_sm_version(uint32_t sm_version);

#endif
