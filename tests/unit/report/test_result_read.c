/*
 * test_result_read.c -- a result that was written reads back as it was.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/result_read.h"

#define REF WM_TEST_DATA "/ref.yaml"

static char path[64];
static wm_error err;

static void setup(void)
{
    (void)snprintf(path, sizeof(path), "/tmp/wm_result_read_%ld.json",
                   (long)getpid());
}

static void teardown(void)
{
    (void)unlink(path);
}

TestSuite(result_read, .init = setup, .fini = teardown);

static void write_file(const char *text)
{
    FILE *stream = fopen(path, "wb");
    cr_assert_not_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void fill(wm_report *report, const wm_config_set *config)
{
    wm_report_instruction row = {.pc = 16,
                                 .line = 7,
                                 .width = 4,
                                 .kind = "global_load",
                                 .opcode = "LDG.E",
                                 .n_requests = 3};
    wm_report_kernel kernel = {.launch = 2,
                               .grid = {2, 3, 4},
                               .block = {64, 1, 1},
                               .is_complete = true,
                               .bound = 5,
                               .instructions = &row,
                               .n_instructions = 1};
    wm_report_init(report);
    strcpy(report->version, "9.8.7");
    report->is_complete = true;
    report->mode = "counts";
    report->config = config;
    report->has_instructions = true;
    strcpy(report->selection, "--launch-skip 1");
    report->n_launches_seen = 2;
    for (size_t i = 0; i < WM_COUNTER_COUNT; i++) {
        kernel.counters.value[i] = 1000 + i;
    }
    kernel.busy_ppm[5] = 123456;
    report->total = kernel.counters;
    report->total_bound = 5;
    memcpy(report->total_busy_ppm, kernel.busy_ppm, sizeof(kernel.busy_ppm));
    wm_warn(&report->diag, "a-code", "f:1", "a sentence");
    wm_warn(&report->diag, "a-code", "f:1", "a sentence");
    cr_assert_eq(wm_report_add_trace(report, "t.wmt", "wmt", "abcd", &err),
                 WM_OK);
    cr_assert_eq(
        wm_report_add_kernel(report, &kernel, "k\"\xc3\xa4(int)", &err), WM_OK);
}

Test(result_read, writing_what_was_read_gives_the_same_bytes)
{
    const char *sets[] = {"l2.size=8MiB", "shared.carveouts=0 8 96 KiB"};
    wm_config_set *config = NULL;
    wm_report report;
    wm_buffer first;
    wm_buffer second;
    wm_loaded_result loaded;
    cr_assert_eq(wm_config_load(REF, sets, 2, &config, &err), WM_OK, "%s",
                 err.text);
    fill(&report, config);
    wm_buffer_init(&first);
    wm_buffer_init(&second);
    wm_writer_find("json")->write(&report, &first);
    write_file(first.bytes);
    wm_loaded_result_init(&loaded);
    cr_assert_eq(wm_result_read(path, &loaded, &err), WM_OK, "%s", err.text);
    wm_writer_find("json")->write(&loaded.report, &second);
    cr_assert_str_eq(first.bytes, second.bytes);
    wm_loaded_result_fini(&loaded);
    wm_buffer_fini(&first);
    wm_buffer_fini(&second);
    wm_report_fini(&report);
    wm_config_free(config);
}

static void refuses(const char *text, wm_status wanted, const char *part)
{
    wm_loaded_result loaded;
    write_file(text);
    wm_loaded_result_init(&loaded);
    cr_assert_eq(wm_result_read(path, &loaded, &err), wanted);
    cr_assert_not_null(strstr(err.text, part), "%s", err.text);
    wm_loaded_result_fini(&loaded);
}

Test(result_read, what_is_no_result_is_refused_with_its_place)
{
    refuses("{\n \"a\": ,\n}", WM_EFORMAT, ".json:2:");
    refuses("{}", WM_EFORMAT, "no result of `warpmem run -f json`");
    refuses("[1, 2]", WM_EFORMAT, "no result");
    refuses("", WM_EFORMAT, "wanted a result");
    refuses("{\"warpmem\": {\"format\": 2}, \"kernels\": []}", WM_EFORMAT,
            "format 2");
}

Test(result_read, missing_members_are_nothing)
{
    wm_loaded_result loaded;
    write_file("{\"warpmem\": {\"format\": 1}, \"kernels\": [{}]}");
    wm_loaded_result_init(&loaded);
    cr_assert_eq(wm_result_read(path, &loaded, &err), WM_OK, "%s", err.text);
    cr_assert_eq(loaded.report.n_kernels, 1);
    cr_assert_not(loaded.report.is_complete);
    wm_loaded_result_fini(&loaded);
}

static uint32_t bound_of(const char *text)
{
    wm_loaded_result loaded;
    write_file(text);
    wm_loaded_result_init(&loaded);
    cr_assert_eq(wm_result_read(path, &loaded, &err), WM_OK, "%s", err.text);
    const uint32_t bound = loaded.report.kernels[0].bound;
    wm_loaded_result_fini(&loaded);
    return bound;
}

Test(result_read, a_launch_without_time_or_bound_waited)
{
#define RESULT(metrics)                                                        \
    "{\"warpmem\": {\"format\": 1}, \"kernels\": [{\"metrics\": {" metrics     \
    "}}]}"
    const uint32_t latency =
        bound_of(RESULT("\"time.cycles\": 9, \"bound.name\": \"latency\""));
    const uint32_t dram =
        bound_of(RESULT("\"time.cycles\": 9, \"bound.name\": \"dram\""));
    cr_assert_neq(dram, latency);
    cr_assert_eq(bound_of(RESULT("\"bound.name\": \"dram\"")), latency);
    cr_assert_eq(bound_of(RESULT("\"time.cycles\": 9")), latency);
    cr_assert_eq(bound_of(RESULT("\"time.cycles\": 9, \"bound.name\": \"x\"")),
                 latency);
#undef RESULT
}

Test(result_read, a_file_that_is_not_there_is_said)
{
    wm_loaded_result loaded;
    wm_loaded_result_init(&loaded);
    cr_assert_eq(wm_result_read("/nowhere/x.json", &loaded, &err), WM_EIO);
    wm_loaded_result_fini(&loaded);
}
