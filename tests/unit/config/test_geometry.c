/*
 * test_geometry.c -- size = slices x sets x ways x line, whatever is given.
 */
#include "base/rng.h"
#include "config_fixture.h"

typedef struct shape {
    uint64_t size_kib, slices, sets, ways;
} shape;

static void expect_l2(const char *a, const char *b, shape wanted)
{
    wm_config_set *set = fixture_preset("v100", a, b);
    const wm_config *v = wm_config_values(set);
    cr_expect_eq(v->l2.size, wanted.size_kib * 1024, "%s %s: size", a, b);
    cr_expect_eq(v->l2.slices, wanted.slices, "%s %s: slices", a, b);
    cr_expect_eq(v->l2.sets, wanted.sets, "%s %s: sets", a, b);
    cr_expect_eq(v->l2.ways, wanted.ways, "%s %s: ways", a, b);
    wm_config_free(set);
}

/* v100: 6 MiB = 64 slices x 48 sets x 16 ways x 128 B. */
Test(geometry, the_newest_layer_decides_and_the_rest_follows)
{
    expect_l2("", "", (shape){6144, 64, 48, 16});
    expect_l2("l2.size=96MiB", "", (shape){98304, 64, 768, 16});
    expect_l2("l2.ways=32", "", (shape){6144, 64, 24, 32});
    expect_l2("l2.sets=64", "", (shape){8192, 64, 64, 16});
    expect_l2("l2.slices=48", "", (shape){6144, 48, 64, 16});
    expect_l2("l2.ways=8", "l2.sets=48", (shape){3072, 64, 48, 8});
    expect_l2("l2.ways=8", "l2.size=3MiB", (shape){3072, 64, 48, 8});
    expect_l2("l2.size=6MiB", "l2.sets=96", (shape){6144, 64, 96, 8});
    expect_l2("l2.slices=1", "l2.size=4MiB", (shape){4096, 1, 2048, 16});
    expect_l2("l2.slices=7", "l2.sets=13", (shape){182, 7, 13, 16});
}

Test(geometry, sets_and_size_and_ways_leave_the_slices)
{
    const char *sets[] = {"l2.size=6MiB", "l2.sets=48", "l2.ways=8"};
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    cr_assert_eq(wm_config_load("v100", sets, 3, &set, &err), WM_OK, "%s",
                 err.text);
    cr_expect_eq(wm_config_values(set)->l2.slices, 128u);
    cr_expect_str_eq(fixture_origin(set, "l2.slices"), "derived");
    cr_expect_str_eq(fixture_origin(set, "l2.sets"), "--set");
    wm_config_free(set);
}

Test(geometry, a_smaller_line_keeps_the_size)
{
    const char *sets[] = {"l1.line=64 B", "l2.line=64 B"};
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    cr_assert_eq(wm_config_load("v100", sets, 2, &set, &err), WM_OK, "%s",
                 err.text);
    cr_expect_eq(wm_config_values(set)->l1.size, 120u * 1024);
    cr_expect_eq(wm_config_values(set)->l1.sets, 120u);
    cr_expect_eq(wm_config_values(set)->l2.sets, 96u);
    wm_config_free(set);
}

Test(geometry, contradictions_in_one_layer_state_the_product)
{
    fixture_refuses("l1: {size: 64 KiB, ways: 16, sets: 64}\n",
                    ":1:12: l1.size 64 KiB contradicts l1.sets: 64 sets x "
                    "16 ways x 128 B = 128 KiB; wanted equal, or one of "
                    "l1.size and l1.sets left out");
    fixture_preset_refuses("v100", "l2.size=6MiB", "l2.sets=47",
                           "--set l2.size=6MiB: l2.size 6 MiB contradicts "
                           "l2.sets: 64 slices x 47 sets x 16 ways x 128 B = "
                           "6016 KiB; wanted equal, or one of l2.size and "
                           "l2.sets left out");
    wm_config_set *set =
        fixture_load("l1: {size: 128 KiB, ways: 16, sets: 64}\n");
    cr_expect_eq(wm_config_values(set)->l1.size, 128u * 1024);
    wm_config_free(set);
}

Test(geometry, sets_that_are_not_whole_tell_which_sizes_fit)
{
    fixture_preset_refuses("v100", "l2.ways=20", "",
                           "--set l2.ways=20: l2.size 6 MiB is not a whole "
                           "number of sets of 64 slices x 20 ways x 128 B = "
                           "160 KiB, wanted a multiple such as 6080 KiB or "
                           "6240 KiB");
    fixture_preset_refuses("v100", "l2.slices=5", "",
                           "--set l2.slices=5: l2.size 6 MiB is not a whole "
                           "number of sets of 5 slices x 16 ways x 128 B = "
                           "10 KiB, wanted a multiple such as 6140 KiB or "
                           "6150 KiB");
}

Test(geometry, a_later_layer_may_repair_what_its_base_left_odd)
{
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    fixture_folder folder;
    char path[128];
    const char *sets[] = {"l2.size=5MiB"};
    fixture_open(&folder);
    fixture_write(&folder, "c.yaml", "l2.ways: 20\n", 12);
    fixture_path(&folder, "c.yaml", path);
    cr_expect_eq(wm_config_load(path, NULL, 0, &set, &err), WM_ECONFIG);
    cr_expect_eq(wm_config_load(path, sets, 1, &set, &err), WM_OK, "%s",
                 err.text);
    cr_expect_eq(wm_config_values(set)->l2.sets, 32u);
    wm_config_free(set);
    fixture_remove(&folder, "c.yaml");
    fixture_close(&folder);
}

Test(geometry, derived_values_out_of_range_are_refused)
{
    const char *sets[] = {"l2.slices=4096", "l2.sets=16777216", "l2.ways=1024"};
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    cr_expect_eq(wm_config_load("v100", sets, 3, &set, &err), WM_ECONFIG);
    cr_expect_str_eq(err.text, "--set l2.sets=16777216: this makes l2.size "
                               "9007199254740992, wanted 32 B to 1 TiB");
}

Test(geometry, the_product_holds_for_random_shapes)
{
    const uint64_t seed = 31337;
    wm_rng rng = {seed};
    for (int i = 0; i < 300; i++) {
        char sets[3][48];
        const char *const list[] = {sets[0], sets[1], sets[2]};
        wm_config_set *set = NULL;
        wm_error err = {WM_OK, ""};
        (void)snprintf(sets[0], sizeof(sets[0]), "l2.sets=%u",
                       1 + wm_rng_below(&rng, 3000));
        (void)snprintf(sets[1], sizeof(sets[1]), "l2.ways=%u",
                       1 + wm_rng_below(&rng, 100));
        (void)snprintf(sets[2], sizeof(sets[2]), "l2.slices=%u",
                       1 + wm_rng_below(&rng, 100));
        cr_assert_eq(wm_config_load("v100", list, 3, &set, &err), WM_OK,
                     "seed %llu: %s", (unsigned long long)seed, err.text);
        const wm_config *v = wm_config_values(set);
        cr_expect_eq(v->l2.size,
                     v->l2.slices * v->l2.sets * v->l2.ways * v->l2.line,
                     "seed %llu", (unsigned long long)seed);
        wm_config_free(set);
    }
}

Test(geometry, derived_ways_stay_in_their_range)
{
    expect_l2("l2.size=8MiB", "l2.sets=1", (shape){8192, 64, 1, 1024});
    fixture_preset_refuses("v100", "l2.size=16MiB", "l2.sets=1",
                           "--set l2.size=16MiB: l2.size 16 MiB contradicts "
                           "l2.sets: 64 slices x 1 sets x 16 ways x 128 B = "
                           "128 KiB; wanted equal, or one of l2.size and "
                           "l2.sets left out");
}
