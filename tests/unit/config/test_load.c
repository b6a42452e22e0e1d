/*
 * test_load.c -- files, bases, --set, and what is said about bad ones.
 */
#include "config_fixture.h"

/* The bad inputs of public bug reports, one by one. */
Test(bad_config, line_of_zero)
{
    fixture_refuses("base: v100\nl1:\n  line: 0\n",
                    ":3:9: l1.line: '0' is out of range, wanted a size such "
                    "as 128 KiB (B, KiB, MiB, GiB), 32 B to 128 B");
}

Test(bad_config, line_of_48)
{
    fixture_refuses("base: v100\nl1.line: 48 B\n",
                    ":2:10: l1.line 48 B is not allowed, wanted 32 B, 64 B "
                    "or 128 B");
}

Test(bad_config, no_ways)
{
    fixture_refuses("base: v100\nl2: {ways: 0}\n",
                    ":2:12: l2.ways: '0' is out of range, wanted a number, "
                    "1 to 1024");
}

Test(bad_config, capacity_below_one_set)
{
    fixture_refuses("base: v100\nl1.size: 1 KiB\n",
                    ":2:10: l1.size 1 KiB is not a whole number of sets of "
                    "16 ways x 128 B = 2 KiB, wanted a multiple such as "
                    "2 KiB");
}

Test(bad_config, negative_sets)
{
    fixture_refuses("base: v100\nl1.sets: -1\n",
                    ":2:10: l1.sets: '-1' is negative, wanted a number, 1 to "
                    "16777216");
}

Test(bad_config, negative_latency)
{
    fixture_refuses("base: v100\nl1:\n  latency: -5\n",
                    ":3:12: l1.latency: '-5' is negative, wanted cycles or a "
                    "time, such as 28 or 20 ns, 1 cycles to 1000000 cycles");
}

Test(bad_config, size_without_a_unit)
{
    fixture_refuses("base: v100\nl1.size: 128\n",
                    ":2:10: l1.size: '128' has no unit, wanted a size such "
                    "as 128 KiB (B, KiB, MiB, GiB), 32 B to 64 GiB");
}

Test(bad_config, misspelt_key)
{
    fixture_refuses("base: v100\nl2_sise: 6 MiB\n",
                    ":2:1: l2_sise: unknown key, nearest is l2.size");
    fixture_refuses("base: v100\nl2:\n  sise: 6 MiB\n",
                    ":3:3: l2.sise: unknown key, nearest is l2.size");
}

Test(bad_config, key_given_twice)
{
    fixture_refuses("base: v100\nl2.ways: 8\nl2:\n  ways: 16\n",
                    ":4:3: l2.ways: given twice, first on line 2");
    fixture_refuses("base: v100\nl2: {ways: 8}\nl2: {size: 6 MiB}\n",
                    ":3:1: l2: given twice, first on line 2");
    fixture_refuses("base: v100\nbase: t4\n",
                    ":2:1: base: given twice, first on line 1");
}

Test(bad_config, sectors_of_64_under_lines_of_128_work)
{
    wm_config_set *set =
        fixture_load("base: v100\nl1.sector: 64 B\nl2.sector: 64 B\n");
    cr_expect_eq(wm_config_values(set)->l1.sector, 64u);
    wm_config_free(set);
    fixture_refuses("base: v100\nl1.sector: 64 B\n",
                    ":2:12: l1.sector 64 B differs from l2.sector 32 B, "
                    "wanted equal: sectors of two sizes are not modelled "
                    "yet");
}

Test(bad_config, tab_indent)
{
    fixture_refuses("base: v100\nl2:\n\tsize: 6 MiB\n",
                    ":3:1: a tab in the indent, wanted spaces");
}

Test(bad_config, empty_file)
{
    fixture_refuses("", ":1: an empty file, wanted KEY: VALUE");
    fixture_refuses("# nothing\n", ":1: an empty file, wanted KEY: VALUE");
    fixture_refuses("---\n", ":1: an empty file, wanted KEY: VALUE");
}

Test(load, values_of_every_other_kind_are_refused_with_what_is_wanted)
{
    fixture_refuses("sm.count: lots\n",
                    ":1:11: sm.count: 'lots' is not a number, wanted a "
                    "number, 1 to 1024");
    fixture_refuses("sm.count: 80 KiB\n",
                    ":1:11: sm.count: '80 KiB' is not a plain number, wanted "
                    "a number, 1 to 1024");
    fixture_refuses("sm.count: 1.5\n",
                    ":1:11: sm.count: '1.5' is not a whole number, wanted a "
                    "number, 1 to 1024");
    fixture_refuses("sm.count: 18446744073709551616\n",
                    ":1:11: sm.count: '18446744073709551616' is too large, "
                    "wanted a number, 1 to 1024");
    fixture_refuses("sm.count:\n",
                    ":1:10: sm.count: '' is empty, wanted a number, 1 to "
                    "1024");
    fixture_refuses("sm.clock: 1380 ns\n",
                    ":1:11: sm.clock: '1380 ns' has an unknown unit, wanted "
                    "a clock such as 1380 MHz (kHz, MHz, GHz), 1 MHz to "
                    "20 GHz");
    fixture_refuses("l1.write: bck\n",
                    ":1:11: l1.write: 'bck' is not a choice, wanted through, "
                    "allocate or evict");
    fixture_refuses("l1.enabled: maybe\n",
                    ":1:13: l1.enabled: 'maybe' is not a switch, wanted true "
                    "or false");
    fixture_refuses("l1.policy: a policy\n",
                    ":1:12: l1.policy: 'a policy' is not a name, wanted 1 to "
                    "31 letters, digits, - and _");
}

Test(load, shapes_that_are_no_configuration_are_refused)
{
    fixture_refuses("- a\n- b\n",
                    ":1:1: not a map, wanted lines of KEY: VALUE");
    fixture_refuses("just text\n",
                    ":1:1: not a map, wanted lines of KEY: VALUE");
    fixture_refuses("l2.size: [6 MiB]\n",
                    ":1:1: l2.size: a list, wanted one value");
    fixture_refuses("l2.size: {a: 1}\n",
                    ":1:1: l2.size: a map, wanted one value");
    fixture_refuses("l2:\n",
                    ":1:1: l2: a section, wanted its keys indented below");
    fixture_refuses("shared.carveouts: [[1 KiB]]\n",
                    ":1:20: shared.carveouts: a list or map inside a list, "
                    "wanted a list of plain values");
    fixture_refuses("? [a]\n: b\n", ":1:3: a list or map as a key, wanted a "
                                    "name such as l2.size");
    fixture_refuses("sm.count: 80\n---\nsm.count: 81\n",
                    ":2:1: a second document, wanted one per file");
}

Test(load, anchors_aliases_and_tags_are_refused)
{
    fixture_refuses("sm.count: &n 80\n",
                    ":1:11: sm.count: anchors and aliases (& *) are not "
                    "supported, wanted the value itself or `base:`");
    fixture_refuses("sm.count: *n\n",
                    ":1:11: sm.count: anchors and aliases (& *) are not "
                    "supported, wanted the value itself or `base:`");
    fixture_refuses("sm.count: !!int 80\n",
                    ":1:11: sm.count: a tag (!) is not supported, wanted a "
                    "value");
}

Test(load, syntax_errors_name_line_and_column)
{
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    const char *text = "l2: {size: 6 MiB\nsm.count: 80\n";
    cr_expect_eq(fixture_load_bytes(text, strlen(text), &set, &err),
                 WM_ECONFIG);
    cr_expect_not_null(strstr(err.text, "c.yaml:2:9: "), "%s", err.text);
    const char bad[] = "sm.count: \xff\xfe\n";
    cr_expect_eq(fixture_load_bytes(bad, sizeof(bad) - 1, &set, &err),
                 WM_ECONFIG);
    cr_expect_not_null(strstr(err.text, "byte 10"), "%s", err.text);
}

Test(load, nested_dotted_and_flow_keys_are_the_same)
{
    wm_config_set *a = fixture_load("l2:\n  size: 12 MiB\n  ways: 8\n");
    wm_config_set *b = fixture_load("l2.size: 12 MiB\nl2.ways: 8\n");
    wm_config_set *c = fixture_load("l2: {\"size\": '12 MiB', ways: 8}\n");
    char hex[3][WM_DIGEST_HEX];
    wm_config_digest(a, hex[0]);
    wm_config_digest(b, hex[1]);
    wm_config_digest(c, hex[2]);
    cr_expect_str_eq(hex[0], hex[1]);
    cr_expect_str_eq(hex[0], hex[2]);
    cr_expect_eq(wm_config_values(a)->l2.sets, 192u);
    wm_config_free(a);
    wm_config_free(b);
    wm_config_free(c);
}

Test(load, crlf_and_byte_order_mark_change_nothing)
{
    const char *lf = "# head\nbase: t4\nl2:\n  size: 8 MiB\n"
                     "shared.carveouts: [32 KiB,\n  64 KiB]\n";
    char crlf[256] = "";
    size_t n = 0;
    for (const char *p = lf; *p != '\0'; p++) {
        if (*p == '\n') {
            crlf[n++] = '\r';
        }
        crlf[n++] = *p;
    }
    char bom[256] = "\xef\xbb\xbf";
    memcpy(bom + 3, crlf, n);
    const char *const texts[] = {lf, crlf, bom};
    char hex[3][WM_DIGEST_HEX];
    for (size_t i = 0; i < 3; i++) {
        wm_config_set *set = fixture_load(texts[i]);
        wm_config_digest(set, hex[i]);
        cr_expect_str_eq(strrchr(fixture_origin(set, "l2.size"), ':'), ":4");
        wm_config_free(set);
    }
    cr_expect_str_eq(hex[0], hex[1]);
    cr_expect_str_eq(hex[0], hex[2]);
}

Test(load, the_column_after_a_byte_order_mark_is_the_seen_one)
{
    fixture_refuses("\xef\xbb\xbfsm.cuont: 80\n",
                    ":1:1: sm.cuont: unknown key, nearest is sm.count");
}

Test(load, later_layers_win_and_each_value_knows_its_origin)
{
    fixture_folder folder;
    char path[128];
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    const char *const sets[] = {"sm.max_ctas=8", "sm.max_ctas = 9"};
    const char *base = "base: v100\nsm.count: 10\nsm.max_ctas: 20\n";
    const char *user = "sm.count: 11\nbase: inner.yaml\n";
    fixture_open(&folder);
    fixture_write(&folder, "inner.yaml", base, strlen(base));
    fixture_write(&folder, "c.yaml", user, strlen(user));
    fixture_path(&folder, "c.yaml", path);
    cr_assert_eq(wm_config_load(path, sets, 2, &set, &err), WM_OK, "%s",
                 err.text);
    cr_expect_eq(wm_config_values(set)->sm.count, 11u);
    cr_expect_eq(wm_config_values(set)->sm.max_ctas, 9u, "the last --set");
    cr_expect_str_eq(wm_config_name(set), path);
    cr_expect_str_eq(strrchr(fixture_origin(set, "sm.count"), '/'),
                     "/c.yaml:1");
    cr_expect_str_eq(fixture_origin(set, "sm.max_ctas"), "--set");
    cr_expect_str_eq(fixture_origin(set, "l2.sets"), "derived");
    cr_expect_str_eq(fixture_origin(set, "coalescer.segment"), "default");
    cr_expect_eq(
        strncmp(fixture_origin(set, "sm.clock"), "configs/gpu/v100.yaml:", 22),
        0, "%s", fixture_origin(set, "sm.clock"));
    wm_config_free(set);
    fixture_remove(&folder, "c.yaml");
    fixture_remove(&folder, "inner.yaml");
    fixture_close(&folder);
}

Test(load, a_base_that_leads_back_is_refused)
{
    fixture_folder folder;
    char path[128];
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    fixture_open(&folder);
    fixture_write(&folder, "a.yaml", "base: ./b.yaml\n", 15);
    fixture_write(&folder, "b.yaml", "base: a.yaml\n", 13);
    fixture_path(&folder, "a.yaml", path);
    cr_expect_eq(wm_config_load(path, NULL, 0, &set, &err), WM_ECONFIG);
    cr_expect_not_null(strstr(err.text, "b.yaml:1:7: base: "), "%s", err.text);
    cr_expect_not_null(strstr(err.text, "leads back to itself"), "%s",
                       err.text);
    fixture_remove(&folder, "a.yaml");
    fixture_remove(&folder, "b.yaml");
    fixture_close(&folder);
}

Test(load, sixteen_files_deep_is_fine_and_seventeen_is_not)
{
    fixture_folder folder;
    char path[128];
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    fixture_open(&folder);
    for (int i = 0; i < 17; i++) {
        char name[16];
        char text[32];
        (void)snprintf(name, sizeof(name), "f%d.yaml", i);
        (void)snprintf(text, sizeof(text),
                       i != 16 ? "base: f%d.yaml\n" : "sm.count: %d\n", i + 1);
        fixture_write(&folder, name, text, strlen(text));
    }
    fixture_path(&folder, "f1.yaml", path);
    cr_expect_eq(wm_config_load(path, NULL, 0, &set, &err), WM_OK, "%s",
                 err.text);
    wm_config_free(set);
    fixture_path(&folder, "f0.yaml", path);
    cr_expect_eq(wm_config_load(path, NULL, 0, &set, &err), WM_ECONFIG);
    cr_expect_not_null(strstr(err.text, "f15.yaml:1:7: base: over 16 files"),
                       "%s", err.text);
    for (int i = 0; i < 17; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "f%d.yaml", i);
        fixture_remove(&folder, name);
    }
    fixture_close(&folder);
}

Test(load, a_missing_base_names_the_line_that_wants_it)
{
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    const char *text = "base: nowhere.yaml\n";
    cr_expect_eq(fixture_load_bytes(text, strlen(text), &set, &err),
                 WM_ECONFIG);
    cr_expect_not_null(strstr(err.text, "c.yaml:1:7: base: "), "%s", err.text);
    cr_expect_not_null(strstr(err.text, "nowhere.yaml: No such file"), "%s",
                       err.text);
    fixture_refuses(
        "base: v10\n",
        ":1:7: base: 'v10' is not a preset, wanted one of: a100, "
        "a100-40, a100-80, a40, b200, gh200, gtx1070ti, "
        "h100, h100-pcie, h100-sxm, h200, l40s, mi210, "
        "mi300x, p100, rtx2080ti, rtx3070, rtx3090, "
        "rtx4000-ada, rtx4090, t4, titanx-pascal, v100; or a file, NAME.yaml");
}

Test(load, a_file_that_is_not_there_is_a_config_error_an_unreadable_one_io)
{
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    cr_expect_eq(wm_config_load("/nonexistent/x.yaml", NULL, 0, &set, &err),
                 WM_ECONFIG);
    cr_expect_str_eq(err.text,
                     "/nonexistent/x.yaml: No such file or directory");
    /* Opens, but its first page is never mapped. */
    cr_expect_eq(wm_config_load("/proc/self/mem", NULL, 0, &set, &err), WM_EIO);
    cr_expect_str_eq(err.text, "/proc/self/mem: Input/output error");
}

Test(load, a_folder_is_no_configuration)
{
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    cr_expect_eq(wm_config_load("/tmp/", NULL, 0, &set, &err), WM_ECONFIG);
    cr_expect_str_eq(err.text, "/tmp/: a folder, wanted a file");
}

Test(load, a_file_over_a_mebibyte_is_refused)
{
    size_t n = ((size_t)1 << 20) + 1;
    char *bytes = malloc(n);
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    cr_assert_not_null(bytes);
    memset(bytes, '#', n);
    cr_expect_eq(fixture_load_bytes(bytes, n, &set, &err), WM_ECONFIG);
    cr_expect_not_null(strstr(err.text, "over 1 MiB"), "%s", err.text);
    free(bytes);
}

Test(set_option, errors_repeat_the_option)
{
    fixture_preset_refuses("v100", "l2.sise=1", "",
                           "--set l2.sise=1: unknown key, nearest is l2.size");
    fixture_preset_refuses("v100", "l2.size", "",
                           "--set l2.size: no '=', wanted KEY=VALUE");
    fixture_preset_refuses("v100", "=6MiB", "",
                           "--set =6MiB: unknown key, nearest is l1.size");
    fixture_preset_refuses("v100", "base=t4", "",
                           "--set base=t4: only a file has a base, wanted a "
                           "key such as l2.size");
    fixture_preset_refuses("v100", "l2.size=128", "",
                           "--set l2.size=128: '128' has no unit, wanted a "
                           "size such as 128 KiB (B, KiB, MiB, GiB), 32 B to "
                           "1 TiB");
}

Test(set_option, control_bytes_are_not_passed_to_the_terminal)
{
    fixture_preset_refuses("v100", "l2.\x1b[2J=1", "",
                           "--set l2.?[2J=1: unknown key, nearest is l2.size");
}

Test(load, an_unknown_preset_lists_the_known_ones)
{
    fixture_preset_refuses(
        "v1000", "", "",
        "'v1000' is not a preset, wanted one of: a100, "
        "a100-40, a100-80, a40, b200, gh200, gtx1070ti, "
        "h100, h100-pcie, h100-sxm, h200, l40s, mi210, "
        "mi300x, p100, rtx2080ti, rtx3070, rtx3090, "
        "rtx4000-ada, rtx4090, t4, titanx-pascal, v100; or a file, NAME.yaml");
}

/* The digest of v100 with the memory standard `text`. */
static void standard_digest(const fixture_folder *folder, const char *model,
                            const char *text, char hex[WM_DIGEST_HEX])
{
    char path[128];
    char standard[160];
    const char *sets[] = {model, standard};
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    fixture_write(folder, "s.yaml", text, strlen(text));
    fixture_path(folder, "s.yaml", path);
    (void)snprintf(standard, sizeof(standard), "dram.standard=%s", path);
    cr_assert_eq(wm_config_load("v100", sets, 2, &set, &err), WM_OK, "%s",
                 err.text);
    wm_config_digest(set, hex);
    wm_config_free(set);
    fixture_remove(folder, "s.yaml");
}

Test(load, the_digest_holds_what_the_memory_standard_says_where_it_counts)
{
    fixture_folder folder;
    char hex[5][WM_DIGEST_HEX];
    fixture_open(&folder);
    const char *slow = "base: hbm2\ntiming.tRC: 60 ns\n";
    standard_digest(&folder, "dram.model=banked", "base: hbm2\n", hex[0]);
    standard_digest(&folder, "dram.model=banked", "# x\nbase: hbm2\n", hex[1]);
    standard_digest(&folder, "dram.model=banked", slow, hex[2]);
    standard_digest(&folder, "dram.model=simple", "base: hbm2\n", hex[3]);
    standard_digest(&folder, "dram.model=simple", slow, hex[4]);
    fixture_close(&folder);
    cr_expect_str_eq(hex[0], hex[1]);
    cr_expect_str_neq(hex[0], hex[2]);
    cr_expect_str_eq(hex[3], hex[4]);
}
