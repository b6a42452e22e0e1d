/*
 * test_preset.c -- the presets that come with the program.
 */
#include "config_fixture.h"

Test(preset, all_load_twice_with_the_same_digest)
{
    char **names = NULL;
    wm_error err = {WM_OK, ""};
    cr_assert_eq(wm_config_list(&names, &err), WM_OK);
    size_t n = 0;
    for (; names[n] != NULL; n++) {
        wm_config_set *a = fixture_preset(names[n], "", "");
        wm_config_set *b = fixture_preset(names[n], "", "");
        char hex[2][WM_DIGEST_HEX];
        wm_config_digest(a, hex[0]);
        wm_config_digest(b, hex[1]);
        cr_expect_str_eq(hex[0], hex[1]);
        cr_expect_str_eq(wm_config_name(a), names[n]);
        wm_config_free(a);
        wm_config_free(b);
    }
    cr_expect_geq(n, 6u);
    for (size_t i = 1; i < n; i++) {
        cr_expect_lt(strcmp(names[i - 1], names[i]), 0, "sorted");
    }
    wm_config_free_list(names);
}

Test(preset, every_value_has_a_source_or_the_word_estimated)
{
    char **names = NULL;
    cr_assert_eq(wm_config_list(&names, NULL), WM_OK);
    for (size_t i = 0; names[i] != NULL; i++) {
        char path[512];
        char line[512];
        (void)snprintf(path, sizeof(path), WM_SOURCE_DIR "/configs/gpu/%s.yaml",
                       names[i]);
        FILE *file = fopen(path, "r");
        cr_assert_not_null(file, "%s", path);
        while (fgets(line, sizeof(line), file) != NULL) {
            const char *note = strchr(line, '#');
            bool is_value = line[0] == ' ' && strchr(line, ':') != NULL;
            cr_expect(!is_value ||
                          (note != NULL && (strstr(note, "[D]") != NULL ||
                                            strstr(note, "[M]") != NULL ||
                                            strstr(note, "[C]") != NULL ||
                                            strstr(note, "[S]") != NULL ||
                                            strstr(note, "estimated") != NULL)),
                      "%s: %s", path, line);
        }
        (void)fclose(file);
    }
    wm_config_free_list(names);
}

Test(preset, gives_every_key_that_matters_itself)
{
    static const char *const free_keys[] = {"l1.sets", "l2.sets",
                                            "coalescer.segment"};
    char **names = NULL;
    cr_assert_eq(wm_config_list(&names, NULL), WM_OK);
    for (size_t i = 0; names[i] != NULL; i++) {
        wm_config_set *set = fixture_preset(names[i], "", "");
        for (size_t k = 0; k < wm_n_keys; k++) {
            bool is_free = false;
            for (size_t f = 0; f < 3; f++) {
                is_free |= strcmp(wm_keys[k].name, free_keys[f]) == 0;
            }
            cr_expect(is_free || strncmp(wm_config_origin(set, &wm_keys[k]),
                                         "configs/gpu/", 12) == 0,
                      "%s: %s", names[i], wm_keys[k].name);
        }
        wm_config_free(set);
    }
    wm_config_free_list(names);
}

Test(preset, v100_is_the_part_of_the_published_latencies)
{
    wm_config_set *set = fixture_preset("v100", "", "");
    const wm_config *v = wm_config_values(set);
    cr_expect_eq(v->sm.count, 80u);
    cr_expect_eq(v->sm.clock, 1380000000u);
    cr_expect_eq(v->l1.latency, 28u);
    cr_expect_eq(v->l2.latency, 212u);
    cr_expect_eq(v->l2.sets, 48u);
    /* 434 cycles beyond the L2, within 1 %. */
    uint64_t total = v->l2.latency + v->dram.latency * 1380 / 1000000;
    cr_expect(total >= 430 && total <= 438, "%llu", (unsigned long long)total);
    cr_expect_eq(v->shared.carveouts.n, 6u);
    wm_config_free(set);
}

Test(preset, summaries_name_the_gpu)
{
    char *text = wm_config_summary("a100");
    cr_assert_not_null(text);
    cr_expect_str_eq(text, "NVIDIA A100 SXM4 40 GB (Ampere GA100).");
    free(text);
    text = wm_config_summary("no such preset");
    cr_assert_not_null(text);
    cr_expect_str_eq(text, "");
    free(text);
}

Test(preset, an_sm_version_gets_its_own_or_the_nearest_lower_one)
{
    static const struct {
        uint32_t version;
        const char *name;
    } cases[] = {{0, "a100"},     {20, "v100"},    {52, "v100"},
                 {60, "v100"},    {61, "v100"},    {70, "v100"},
                 {72, "v100"},    {75, "t4"},      {80, "a100"},
                 {86, "rtx3090"}, {87, "rtx3090"}, {89, "rtx4090"},
                 {90, "h100"},    {100, "h100"},   {120, "h100"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *name = wm_config_for_sm_version(cases[i].version);
        cr_expect_str_eq(name, cases[i].name, "sm_%u", cases[i].version);
        wm_config_free(fixture_preset(name, "", ""));
    }
}

Test(preset, the_search_path_comes_before_the_programs_own)
{
    fixture_folder folder;
    wm_error err = {WM_OK, ""};
    char **names = NULL;
    bool is_listed = false;
    char list[128];
    fixture_open(&folder);
    fixture_write(&folder, "mine.yaml", "# Mine. More.\nbase: t4\n", 23);
    fixture_write(&folder, "t4.yaml", "sm.count: 3\n", 12);
    (void)snprintf(list, sizeof(list), "/nonexistent::%s", folder.path);
    cr_assert_eq(setenv("WARPMEM_CONFIG_PATH", list, 1), 0);
    wm_config_set *set = fixture_preset("mine", "", "");
    cr_expect_eq(wm_config_values(set)->sm.count, 3u);
    wm_config_free(set);
    char *text = wm_config_summary("mine");
    cr_expect_str_eq(text, "Mine.");
    free(text);
    cr_assert_eq(wm_config_list(&names, &err), WM_OK);
    for (size_t i = 0; names[i] != NULL; i++) {
        is_listed |= strcmp(names[i], "mine") == 0;
        cr_expect(i == 0 || strcmp(names[i - 1], names[i]) < 0, "no repeats");
    }
    cr_expect(is_listed);
    wm_config_free_list(names);
    cr_assert_eq(unsetenv("WARPMEM_CONFIG_PATH"), 0);
    fixture_remove(&folder, "mine.yaml");
    fixture_remove(&folder, "t4.yaml");
    fixture_close(&folder);
}

Test(reference, the_document_is_the_one_in_docs)
{
    wm_buffer text;
    char block[4096];
    wm_buffer file_text;
    size_t n = 0;
    wm_buffer_init(&text);
    wm_buffer_init(&file_text);
    wm_config_reference(&text);
    FILE *file = fopen(WM_SOURCE_DIR "/docs/CONFIG.md", "rb");
    cr_assert_not_null(file);
    while ((n = fread(block, 1, sizeof(block), file)) != 0) {
        wm_buffer_add(&file_text, block, n);
    }
    (void)fclose(file);
    cr_expect_eq(strcmp(text.bytes, file_text.bytes), 0,
                 "docs/CONFIG.md is stale: write it anew from "
                 "wm_config_reference()");
    for (size_t i = 0; i < wm_n_keys; i++) {
        cr_expect_not_null(strstr(text.bytes, wm_keys[i].name));
    }
    wm_buffer_fini(&text);
    wm_buffer_fini(&file_text);
}
