/*
 * test_study.c -- study files: what they mean, and what is said of wrong ones.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "study/points.h"

#define HEAD                                                                   \
    "traces: [" WM_TEST_DATA "/golden_tiny.txt]\n"                             \
    "configs: [" WM_TEST_DATA "/ref.yaml]\n"

static char path[64];
static wm_study study;
static wm_points points;
static wm_tape_facts facts[8];
static wm_error err;

static void setup(void)
{
    (void)snprintf(path, sizeof(path), "/tmp/wm_study_%ld.yaml",
                   (long)getpid());
    wm_study_init(&study);
    wm_points_init(&points);
    for (size_t i = 0; i < 8; i++) {
        strcpy(facts[i].digest, "0123");
        facts[i].n_launches = 5;
    }
}

static void teardown(void)
{
    wm_points_fini(&points);
    wm_study_fini(&study);
    (void)unlink(path);
}

TestSuite(study, .init = setup, .fini = teardown);

static wm_status read_text(const char *text)
{
    FILE *stream = fopen(path, "wb");
    cr_assert_not_null(stream);
    fputs(text, stream);
    fclose(stream);
    wm_study_fini(&study);
    return wm_study_read(path, &study, &err);
}

static void expand(const char *text)
{
    cr_assert_eq(read_text(text), WM_OK, "%s", err.text);
    wm_points_fini(&points);
    cr_assert_eq(wm_points_make(&study, facts, &points, &err), WM_OK, "%s",
                 err.text);
}

Test(study, axes_are_crossed_and_the_last_is_fastest)
{
    expand(HEAD "axes:\n  l2.latency: [200, 300]\n  l1.size: [32 KiB, 64 KiB, "
                "128 KiB]\n");
    cr_assert_eq(points.n, 6);
    cr_assert_str_eq(wm_point_value(&study, &points.items[1], 0), "200");
    cr_assert_str_eq(wm_point_value(&study, &points.items[1], 1), "64 KiB");
    cr_assert_str_eq(wm_point_value(&study, &points.items[3], 0), "300");
    for (size_t i = 1; i < points.n; i++) {
        cr_assert_str_neq(points.items[i].digest, points.items[0].digest);
        cr_assert_eq(points.items[i].row, i);
    }
}

Test(study, nested_maps_and_dotted_keys_are_the_same)
{
    char digest[WM_DIGEST_HEX];
    expand(HEAD "axes:\n  l2.latency: [200]\n");
    strcpy(digest, points.items[0].digest);
    expand(HEAD "axes:\n  l2:\n    latency: 200\n");
    cr_assert_eq(points.n, 1);
    cr_assert_str_eq(points.items[0].digest, digest);
    expand(HEAD "set:\n  l2.latency: 200\n");
    cr_assert_str_eq(points.items[0].digest, digest);
}

Test(study, zipped_axes_move_together)
{
    expand(HEAD "zip:\n  memory:\n    dram.bandwidth: [100 GB/s, 200 GB/s]\n"
                "    dram.latency: [300 ns, 200 ns]\naxes:\n"
                "  l2.latency: [200, 300]\n");
    cr_assert_eq(points.n, 4);
    for (size_t i = 0; i < points.n; i++) {
        cr_assert_eq(points.items[i].value[0], points.items[i].value[1]);
    }
}

Test(study, ranges_step_and_multiply)
{
    expand(HEAD "axes:\n  l2.latency: 200..400 step 50\n"
                "  l2.size: 1 MiB..16 MiB times 4\n");
    cr_assert_eq(study.axes[0].values.n, 5);
    cr_assert_str_eq(study.axes[0].values.items[4], "400 cycles");
    cr_assert_eq(study.axes[1].values.n, 3);
    cr_assert_str_eq(study.axes[1].values.items[2], "16 MiB");
    cr_assert_eq(points.n, 15);
}

Test(study, a_condition_leaves_an_axis_out)
{
    expand(HEAD
           "axes:\n  l1.enabled: [true, false]\n"
           "  l1.size: [32 KiB, 64 KiB]\n"
           "when:\n  l1.size: l1.enabled == true and l2.latency < 10000\n");
    cr_assert_eq(points.n, 3);
    cr_assert_eq(points.items[2].value[1], WM_STUDY_UNSET);
    cr_assert_str_eq(wm_point_value(&study, &points.items[2], 1), "");
}

Test(study, a_split_gives_parts_of_one_row)
{
    expand(HEAD "split: {kernels: 2, warmup: 1}\naxes: {l2.latency: [200, "
                "300]}\n");
    cr_assert_eq(points.n, 6);
    cr_assert_eq(points.items[2].first_launch, 5);
    cr_assert_eq(points.items[2].row, 0);
    cr_assert_eq(points.items[3].row, 1);
    cr_assert_str_neq(points.items[0].digest, points.items[1].digest);
}

Test(study, a_digest_depends_on_what_the_result_depends_on)
{
    char digest[WM_DIGEST_HEX];
    expand(HEAD);
    strcpy(digest, points.items[0].digest);
    expand(HEAD "name: other\nmetrics: [time.ns]\nrows: kernels\n");
    cr_assert_str_eq(points.items[0].digest, digest);
    expand(HEAD "mode: counts\n");
    cr_assert_str_neq(points.items[0].digest, digest);
    expand(HEAD "select: {launch_skip: 1}\n");
    cr_assert_str_neq(points.items[0].digest, digest);
    expand(HEAD "select: {kernel_name: vec}\n");
    cr_assert_str_neq(points.items[0].digest, digest);
    strcpy(facts[0].digest, "other");
    expand(HEAD);
    cr_assert_str_neq(points.items[0].digest, digest);
}

Test(study, wrong_files_say_where_and_what_was_wanted)
{
    const struct {
        const char *text;
        const char *part;
    } cases[] = {
        {"configs: [a100]\n", ":1: no traces, wanted traces: [...]"},
        {HEAD "axis:\n  l2.size: 1 MiB\n", ":3:1: axis: unknown key, nearest "
                                           "is axes"},
        {HEAD "axes:\n  l2.sise: [1 MiB]\n",
         ":4:3: axes.l2.sise: unknown key, nearest is l2.size"},
        {HEAD "axes:\n  l2.size: []\n", ":4:12: axes.l2.size: no value"},
        {HEAD "axes:\n  l2.size: 1 MiB..2 MiB\n",
         ":4:12: axes.l2.size: '1 MiB..2 MiB': a range without step or times"},
        {HEAD "axes:\n  l2.size: 4 MiB..2 MiB step 1 MiB\n",
         "it never ends or is empty"},
        {HEAD "axes:\n  l2.size: 1 MiB..2 MiB times 1.5\n",
         "the factor is no whole number"},
        {HEAD "axes:\n  l2.hash: a..b step 1\n", "this key has no ranges"},
        {HEAD "axes:\n  l2.latency: [200]\nset:\n  l2.lat: 3\n",
         "set.l2.lat: unknown key, nearest is"},
        {HEAD "zip:\n  m:\n    l2.latency: [200, 300]\n    l1.latency: [20]\n",
         "1 values, wanted 2 as l2.latency has"},
        {HEAD "mode: fast\n", ":3:7: mode: 'fast', wanted timing or counts"},
        {HEAD "metrics: [time.n]\n",
         "unknown metric 'time.n', nearest is time.ns"},
        {HEAD "when:\n  l1.size: l2.size > 1 MiB\n", "no such axis above"},
        {HEAD "axes:\n  l1.size: [32 KiB]\nwhen:\n  l1.size: l2.sise > 1\n",
         "'l2.sise': unknown key in a condition, nearest is l2.size"},
        {HEAD "axes:\n  l1.size: [32 KiB]\nwhen:\n  l1.size: l2.size\n",
         "no comparison"},
        {HEAD "axes:\n  l1.size: [32 KiB]\nwhen:\n  l1.size: l2.hash > none\n",
         "a word has no order"},
        {HEAD "split: {warmup: 2}\n", "split.warmup without split.kernels"},
        {HEAD "split: {kernels: 2}\nselect: {launch_skip: 1}\n",
         "select and split, wanted one of them"},
        {HEAD "select: {kernel_name: \"(\"}\n", ":3:23: select.kernel_name:"},
        {HEAD "select: {launch_skip: many}\n", "no whole number"},
        {"traces: [no/such*.wmt]\nconfigs: [a100]\n",
         "no file is called /tmp/no/such*.wmt"},
        {HEAD "axes:\n  l2.size: [1 MiB]\n  l2:\n    size: [2 MiB]\n",
         "given twice"},
        {HEAD "axes:\n  l2: 3\n", "axes.l2: unknown key"},
        {HEAD "axes: 3\n", "axes: unknown key"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(read_text(cases[i].text), WM_ECONFIG, "%s", cases[i].text);
        cr_expect_not_null(strstr(err.text, cases[i].part), "%s\ngave %s",
                           cases[i].text, err.text);
        cr_expect_eq(strncmp(err.text, path, strlen(path)), 0, "%s", err.text);
    }
}

Test(study, a_configuration_that_cannot_be_is_said_with_its_axis)
{
    cr_assert_eq(read_text(HEAD "axes:\n  l2.ways: [16, 17]\n"), WM_OK);
    cr_assert_eq(wm_points_make(&study, facts, &points, &err), WM_ECONFIG);
    cr_assert_not_null(strstr(err.text, ":4:3: with config"), "%s", err.text);
    cr_assert_not_null(strstr(err.text, "--set l2.ways=17"), "%s", err.text);
}

Test(study, too_many_points_are_said_at_once)
{
    cr_assert_eq(read_text(HEAD "axes:\n  l2.latency: 200..1000 step 1\n"
                                "  dram.latency: 100 ns..1000 ns step 1 ns\n"),
                 WM_OK);
    cr_assert_eq(wm_points_make(&study, facts, &points, &err), WM_ECONFIG);
    cr_assert_not_null(strstr(err.text, "over 200000 points"), "%s", err.text);
    cr_assert_eq(points.n, 0);
}

Test(study, a_file_that_is_not_there_is_said)
{
    cr_assert_eq(wm_study_read("/nowhere/s.yaml", &study, &err), WM_ECONFIG);
}
