/*
 * test_access_formats.c -- lists of accesses: tables with a header, the JSON
 * of nvbit-rs, PPT-GPU's files; json_scan.h.
 */
#include "trace/json_scan.h"
#include "trace_files.h"

static uint64_t address(const test_run *run, size_t record, uint32_t lane)
{
    return wm_record_address(&run->last.records[record], run->last.lanes, lane);
}

static test_run *run_text(const char *name, const char *text, bool keep_going)
{
    test_files files;
    files_init(&files);
    test_run *run = test_run_path(files_text(&files, name, text), keep_going);
    files_fini(&files);
    return run;
}

static void check_fails(const char *text, const char *wanted)
{
    test_run *run = run_text("t", text, false);
    cr_assert_eq(run->status, WM_EFORMAT, "wanted %s", wanted);
    cr_assert_not_null(strstr(run->err.text, wanted), "got: %s", run->err.text);
    test_run_free(run);
    run = run_text("t", text, true);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert(!run->is_complete);
    test_run_free(run);
}

/* --- csv -------------------------------------------------------------------
 */

Test(csv, a_row_is_an_access_and_a_new_kernel_a_launch)
{
    test_run *run = run_text("t.csv",
                             "kernel,cta,warp,opcode,width,pc,addresses\n"
                             "# a comment\n"
                             "copy,0,0,LDG.E,4,0x10,0x1000 0x1004 0x1008\n"
                             "copy,0,1,LDG.E,4,0x10,0x2000;0x2004\r\n"
                             "\n"
                             "copy,1,0,STG.E.64,8,0x20,\"0x3000|0x3008\"\n"
                             "add,0,0,load,2,,4096\n",
                             false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_str_eq(run->format, "csv");
    cr_assert_eq(run->n_launches, 2);
    cr_assert_eq(run->n_ctas, 3);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_requests, 3);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_lanes, 6);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_STORE].n_bytes, 16);
    cr_assert_eq(run->last.records[0].width, 2);
    cr_assert_eq(address(run, 0, 0), 4096);
    test_run_free(run);
}

Test(csv, rows_of_lanes_with_rising_numbers_are_one_access)
{
    test_run *run = run_text("t.csv",
                             "cta_x\tcta_y\tthread\top\tspace\tsize\taddress\n"
                             "0\t1\t0\tload\tglobal\t4\t4096\n"
                             "0\t1\t1\tload\tglobal\t4\t4100\n"
                             "0\t1\t1\tload\tglobal\t4\t5000\n"
                             "0\t1\t33\tload\tglobal\t4\t8192\n"
                             "0\t1\t34\tW\tshared\t8\t0x100\n",
                             false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->n_ctas, 1);
    cr_assert_eq(run->last.id[1], 1);
    cr_assert_eq(run->last.n_warps, 2);
    cr_assert_eq(run->last.warps[0].n_records, 3);
    cr_assert_eq(run->last.records[0].mask, 3);
    cr_assert_eq(address(run, 1, 1), 5000);
    cr_assert_eq(run->kind[WM_KIND_SHARED_STORE].n_bytes, 8);
    test_run_free(run);
}

Test(csv, a_mask_says_which_lanes_the_addresses_belong_to)
{
    test_run *run = run_text("t.csv",
                             "Mask,ADDR,grid_x,block_x\n"
                             "0x80000001,16 32,7,64\n"
                             "0,,7,64\n",
                             false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->last.records[0].mask, 0x80000001);
    cr_assert_eq(address(run, 0, 31), 32);
    cr_assert_eq(run->last.records[1].mask, 0);
    cr_assert_eq(run->last.n_warps, 2);
    test_run_free(run);
}

Test(csv, a_bad_row_is_named)
{
    check_fails("cta,addr\n0,16\n0,zz\n", "t:3: found another number of");
    check_fails("warp,addr\n1024,16\n", "t:2: found a column that is no num");
    check_fails("mask,addr\n3,16\n", "one per active lane");
    check_fails("lane,addr\n3,16 20\n", "found a lane's row");
    check_fails("warp,addrs\n0,1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "
                "20 21 22 23 24 25 26 27 28 29 30 31 32 33\n",
                "another number of addresses");
}

Test(csv, a_table_without_rows_has_no_launch)
{
    test_run *run = run_text("t.csv", "warp,address", false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->n_launches, 0);
    test_run_free(run);
}

/* --- nvbit_rs --------------------------------------------------------------
 */

#define ZEROS_28 "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
#define OBJECT(launch, cta, warp, opcode, addresses)                           \
    "{\"cuda_ctx\": 94055892906480, \"grid_launch_id\": " launch ", " cta      \
    ",\n \"warp_id\": " warp ", \"instr_opcode\": \"" opcode                   \
    "\", \"instr_offset\": 152, \"instr_predicate\": {\"num\": 0, "            \
    "\"is_neg\": false}, \"instr_mem_space\": \"Glo\\\"bal\",\n \"addrs\": "   \
    "[" addresses "," ZEROS_28 "]}"
#define NESTED "\"cta_id\": {\"x\": 1, \"y\": 0, \"z\": 2}"
#define FLAT   "\"cta_id_x\": 0, \"cta_id_y\": 3, \"cta_id_z\": 0"

Test(nvbit_rs, objects_are_accesses_and_launch_ids_launches)
{
    test_run *run = run_text(
        "n.json",
        "[\n" OBJECT(
            "0", NESTED, "0", "LDG.E.64",
            "4096,4104,0,4120") ",\n" OBJECT("0", FLAT, "5", "STG.E",
                                             "64,68,72,76") ",\n" OBJECT("1",
                                                                         NESTED,
                                                                         "1",
                                                                         "LDG."
                                                                         "E."
                                                                         "128",
                                                                         "18446"
                                                                         "74407"
                                                                         "37095"
                                                                         "51600"
                                                                         ",16,"
                                                                         "32,"
                                                                         "48") "\n]\n",
        false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_str_eq(run->format, "nvbit_rs");
    cr_assert(run->is_complete);
    cr_assert_eq(run->n_launches, 2);
    cr_assert_eq(run->n_ctas, 3);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_requests, 2);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_lanes, 7);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_STORE].n_bytes, 16);
    cr_assert_eq(run->last.id[2], 2);
    cr_assert_eq(run->last.n_warps, 2);
    cr_assert_eq(address(run, 0, 0), UINT64_C(18446744073709551600));
    test_run_free(run);
}

Test(nvbit_rs, launches_of_one_line_can_be_skipped)
{
    test_files files;
    wm_trace *trace = NULL;
    wm_command command;
    wm_error err;
    files_init(&files);
    const char *path =
        files_text(&files, "n.json",
                   "[" OBJECT("0", NESTED, "0", "LDG", "1,2,3,4")
                       OBJECT("1", FLAT, "0", "LDG", "1,2,3,4") "]");
    wm_trace_options options = {.keep_going = false};
    cr_assert_eq(wm_trace_open(path, &options, NULL, &trace, &err), WM_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(wm_trace_next_command(trace, &command, &err), WM_OK);
        cr_assert_eq(command.kind, WM_COMMAND_LAUNCH);
    }
    cr_assert_eq(command.launch.grid[1], 4);
    cr_assert_eq(wm_trace_next_command(trace, &command, &err), WM_OK);
    cr_assert_eq(command.kind, WM_COMMAND_END);
    wm_trace_close(trace);
    files_fini(&files);
}

Test(nvbit_rs, damage_is_named_with_its_line)
{
    check_fails("[" OBJECT("0", NESTED, "0", "LDG", "1,2,3,4") ",\n{\"cta_id\"",
                "t:4: found an object without its end");
    check_fails("[" OBJECT("0", NESTED, "0", "LDG", "1,2,3,4"),
                "t:3: found the end of the file, wanted ']'");
    check_fails("[" OBJECT("0", NESTED, "0", "LDG", "1,2,3,4") " x]",
                "found something between the objects");
    check_fails("[" OBJECT("0", NESTED, "1024", "LDG", "1,2,3,4") "]",
                "warp_id below 1024");
    check_fails("[" OBJECT("0", NESTED, "0", "LDG", "1,2,3,4,5") "]",
                "32 addrs");
    check_fails("[{\"cta_id_x\": 1}]", "without instr_opcode or addrs");
    check_fails("[{\"cta_id_x\" 1}]", "found an object without instr");
}

/* --- ppt -------------------------------------------------------------------
 */

Test(ppt, blocks_beside_the_first_are_ctas_of_one_launch)
{
    test_files files;
    files_init(&files);
    const char *first =
        files_text(&files, "kernel_1_block_0.mem",
                   "=====\nLDG.E.SYS 0x7f0000000000 0x7f0000000004 \n"
                   "=====\nSTG.E.64 0x7f0000000100\n");
    files_text(&files, "kernel_1_block_1.mem",
               "LDGSTS.E.128 10 20 7f0000000100 7f0000000110\n");
    files_text(&files, "kernel_1_block_3.mem", "LDG.E 100\n");
    test_run *run = test_run_path(first, false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_str_eq(run->format, "ppt");
    cr_assert_eq(run->n_launches, 1);
    cr_assert_eq(run->n_ctas, 2);
    cr_assert_eq(run->kind[WM_KIND_GLOBAL_LOAD].n_bytes, 8);
    cr_assert_eq(run->last.id[0], 1);
    cr_assert_eq(run->last.records[0].kind, WM_KIND_ASYNC_COPY);
    cr_assert_eq(address(run, 0, 1), 0x7f0000000110);
    cr_assert_not_null(test_run_warning(run, "ppt-no-warps"));
    test_run_free(run);
    run = test_run_path(files.path[2], false);
    cr_assert_eq(run->n_ctas, 1);
    test_run_free(run);
    files_fini(&files);
}

Test(ppt, a_bad_line_is_named_with_its_file)
{
    test_files files;
    files_init(&files);
    const char *first =
        files_text(&files, "kernel_1_block_0.mem", "LDG.E 100\n");
    files_text(&files, "kernel_1_block_1.mem", "LDG.E 100\nLDG.E xyz\n");
    test_run *run = test_run_path(first, false);
    cr_assert_eq(run->status, WM_EFORMAT);
    cr_assert_not_null(
        strstr(run->err.text, "kernel_1_block_1.mem:2: found a line"), "%s",
        run->err.text);
    test_run_free(run);
    files_fini(&files);
}

/* --- json_scan -------------------------------------------------------------
 */

Test(json_scan, values_end_where_json_says)
{
    static const struct {
        const char *text;
        size_t n_bytes;
    } rows[] = {
        {"12,", 2},
        {"\"a\\\"]\" ", 6},
        {"{\"a\":[1,{}]},", 12},
        {"[]", 2},
        {"[", 0},
        {"\"abc", 0},
        {"true}", 4},
        {"", 0},
        {"{\"a\":\"}\"}x", 9},
        {"\"\\", 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_assert_eq(wm_json_value_bytes(rows[i].text, strlen(rows[i].text)),
                     rows[i].n_bytes, "%s", rows[i].text);
    }
}

Test(json_scan, members_come_in_order)
{
    wm_word all = {"{ \"a\" : 1 , \"b\":[2 , 3], \"c\":\"x,y\" }", 36};
    wm_word left = wm_json_inside(&all);
    wm_word key, value, element, none;
    cr_assert(wm_json_next(&left, &key, &value));
    cr_assert(wm_word_is(&key, "a") && wm_word_is(&value, "1"));
    cr_assert(wm_json_next(&left, &key, &value));
    cr_assert(wm_word_is(&key, "b"));
    wm_word inside = wm_json_inside(&value);
    cr_assert(wm_json_next(&inside, &none, &element));
    cr_assert(wm_word_is(&element, "2"));
    cr_assert(wm_json_next(&inside, &none, &element));
    cr_assert(wm_word_is(&element, "3"));
    cr_assert(!wm_json_next(&inside, &none, &element));
    cr_assert_eq(inside.n_bytes, 0);
    cr_assert(wm_json_next(&left, &key, &value));
    cr_assert(wm_word_is(&value, "x,y"));
    cr_assert(!wm_json_next(&left, &key, &value));
    cr_assert_eq(left.n_bytes, 0);
}
