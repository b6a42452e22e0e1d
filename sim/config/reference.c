/*
 * reference.c -- docs/CONFIG.md, from schema.def.
 */
#include <string.h>

#include "base/text.h"
#include "config/config_internal.h"

static const char reference_head[] =
    "# Configuration keys\n"
    "\n"
    "Generated from `sim/config/schema.def` by `warpmem config explain "
    "--all`; edit that file, not this one.\n"
    "\n"
    "A configuration is a preset (`-c v100`) or a YAML file. Values come in "
    "layers, each over the one before:\n"
    "the defaults below, the file's `base:` (a preset's name, or a file "
    "beside it), the file, then `--set KEY=VALUE`.\n"
    "Keys may be nested or dotted:\n"
    "\n"
    "    base: v100\n"
    "    l2:\n"
    "      size: 12 MiB\n"
    "    dram.bandwidth: 1200 GB/s\n"
    "\n"
    "Unknown keys, keys given twice, missing or wrong units, values out of "
    "range and impossible geometry are errors\n"
    "with file, line, column and what is wanted. Anchors, aliases, tags and "
    "several documents in a file are refused.\n"
    "`warpmem config show` prints every value and where it came from.\n"
    "\n"
    "## Values\n"
    "\n"
    "Decimal fractions are allowed where the result is whole in the unit "
    "kept: `1.755 GHz`, `0.5 B/clk`. Zero needs no unit.\n"
    "\n"
    "| type | value | units |\n"
    "|---|---|---|\n"
    "| INT | `80` | none |\n"
    "| SIZE | `128 KiB` | B, KiB, MiB, GiB, TiB; also K, M, G, T and KB, MB, "
    "GB, TB, all powers of two |\n"
    "| SIZES | `0 8 16 32 KiB`, `[0 KiB, 8 KiB]` or `any` | as SIZE; up to "
    "16, rising; a bare number takes the next unit |\n"
    "| CLOCK | `1380 MHz` | Hz, kHz, MHz, GHz |\n"
    "| TIME | `160 ns` | ps, ns, us, ms, s |\n"
    "| CYCLES | `28`, `28 cycles`, `20 ns` | SM cycles; a time is converted "
    "with the final sm.clock, to the nearest cycle |\n"
    "| RATE | `898 GB/s` | B/s, kB/s, MB/s, GB/s, TB/s, powers of ten |\n"
    "| PER_CLK | `64 B/clk` | B/clk, bytes per SM cycle |\n"
    "| BOOL | `true` | true, false, yes, no, on, off, 1, 0 |\n"
    "| CHOICE | `through` | one of the words listed |\n"
    "| NAME | `lru` | a registered name |\n"
    "| TEXT | `column 5-9; bank 10 11; row 12-` | 1 to 255 printable ASCII "
    "characters |\n"
    "\n"
    "## Cache geometry\n"
    "\n"
    "`size` = `slices` x `sets` x `ways` x `line` (the L1 has no slices). "
    "The newest layer that gives any of them decides:\n"
    "\n"
    "| it gives | kept from below | derived |\n"
    "|---|---|---|\n"
    "| size, ways, slices or line, but not sets | the others of these | sets "
    "|\n"
    "| sets, but not size | ways, slices, line | size |\n"
    "| sets and size | slices, line | ways; with ways given too, slices |\n"
    "| all | | nothing: they must agree |\n"
    "\n"
    "All of `--set` is one layer. Any positive number of sets, ways and "
    "slices is fine, but they must come out whole.\n"
    "\n"
    "## Rules over several keys\n"
    "\n"
    "- `l1.line` = `l2.line` and `l1.sector` = `l2.sector`, each 32, 64 or "
    "128 B, a sector at most a line\n"
    "- `l1.latency` <= `l2.latency`, and `fabric.request_latency` + "
    "`fabric.response_latency` < `l2.latency`\n"
    "- `l2.interleave` and `dram.row` are multiples of `l2.line`; "
    "`l2.fetch` x `l2.sector` <= `l2.line`\n"
    "- `dram.row_miss` <= `dram.latency`\n"
    "- `l1.unified` is 0, or at least `l1.size` and `shared.size` and every "
    "one of `shared.carveouts`\n"
    "- `shared.carveouts` is `any`, or its largest is at least "
    "`shared.size`\n"
    "- in segment mode `coalescer.segment` is from `l1.sector` to "
    "`l1.line`\n"
    "- `sm.max_threads`, where a file or `--set` gives it over an earlier "
    "`sm.max_warps`, is at most 64 x `sm.max_warps`\n";

/* A table cell may hold no '|'; nothing else needs care. */
static void reference_cell(const char *text, wm_buffer *out)
{
    for (; *text != '\0'; text++) {
        wm_buffer_add(out, *text == '|' ? "/" : text, 1);
    }
}

static void reference_key(const wm_key *key, wm_buffer *out)
{
    wm_buffer_printf(out, "| `%s` | %s | ", key->name, key->type);
    wm_value_describe(key, out);
    wm_buffer_printf(out, " | %s%s%s | ", key->preset[0] != '\0' ? "`" : "",
                     key->preset[0] != '\0'  ? key->preset
                     : wm_value_is_list(key) ? "any"
                                             : "derived",
                     key->preset[0] != '\0' ? "`" : "");
    reference_cell(key->sentence, out);
    wm_buffer_puts(out, " |\n");
}

static void reference_section(const char *name, const char *sentence,
                              wm_buffer *out)
{
    wm_buffer_printf(out,
                     "\n## %s: %s\n\n"
                     "| key | type | range or choices | default | meaning |\n"
                     "|---|---|---|---|---|\n",
                     name, sentence);
    for (size_t i = 0; i < wm_n_keys; i++) {
        if (strcmp(wm_keys[i].section, name) == 0) {
            reference_key(&wm_keys[i], out);
        }
    }
}

void wm_config_reference(wm_buffer *out)
{
    wm_buffer_puts(out, reference_head);
#define WM_SECTION(section, sentence)                                          \
    reference_section(#section, sentence, out);
#define WM_KEY(section, field, type, unit, min, max, preset, sentence)
#define WM_SECTION_END(section)
#include "config/schema.def"
#undef WM_SECTION
#undef WM_KEY
#undef WM_SECTION_END
}
