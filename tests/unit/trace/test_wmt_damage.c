/* Damaged native trace files: what is cut or changed is never taken for whole,
 * what is delivered of it is right, and a message says where. */
#include <criterion/criterion.h>
#include <string.h>

#include "trace_wmt.h"

/* What a damaged file gives must be the beginning of what the whole gives. */
static void assert_beginning(const damaged *d, const wm_buffer *dump,
                             size_t place)
{
    cr_assert_leq(dump->n_bytes, d->dump.n_bytes, "byte %zu", place);
    cr_assert(dump->n_bytes == 0 ||
                  memcmp(dump->bytes, d->dump.bytes, dump->n_bytes) == 0,
              "byte %zu", place);
}

/* Some message names the file and a byte of it. */
static void assert_place(const test_run *run, size_t place)
{
    bool is_named = run->status != WM_OK &&
                    strstr(run->err.text, "damaged.wmt: byte ") != NULL;
    for (uint32_t i = 0; i < run->diag.n_warnings; i++) {
        is_named |=
            strstr(run->diag.warning[i].text, "damaged.wmt: byte ") != NULL;
    }
    cr_assert(is_named, "byte %zu: %s", place, run->err.text);
}

static void assert_cut(damaged *d, size_t n_bytes, bool keep_going)
{
    wm_buffer dump;
    wm_buffer_init(&dump);
    test_run *run = read_bytes(d, d->bytes.bytes, n_bytes, keep_going, &dump);
    if (n_bytes < WM_WMT_FILE_BYTES) {
        cr_assert_eq(run->status, WM_EFORMAT, "cut at %zu", n_bytes);
    } else {
        cr_assert_eq(run->status, WM_OK, "cut at %zu: %s", n_bytes,
                     run->err.text);
        cr_assert_not(run->is_complete, "cut at %zu", n_bytes);
        cr_assert_not_null(test_run_warning(run, "trace-cut"));
        assert_place(run, n_bytes);
    }
    assert_beginning(d, &dump, n_bytes);
    test_run_free(run);
    wm_buffer_fini(&dump);
}

Test(wmt_damage, a_file_cut_at_any_byte_gives_its_whole_chunks_and_says_where,
     .timeout = 120)
{
    for (size_t small = 0; small <= TEST_SMALL_BYTES;
         small += TEST_SMALL_BYTES) {
        damaged d;
        damaged_init(&d, 3, 3, small);
        cr_assert_lt(d.bytes.n_bytes, 12000);
        for (size_t n = 1; n < d.bytes.n_bytes; n++) {
            assert_cut(&d, n, n % 2 == 0);
        }
        damaged_fini(&d);
    }
}

Test(wmt_damage, a_file_cut_between_chunks_loses_nothing_before)
{
    damaged d;
    damaged_init(&d, 5, 12, 0);
    const uint8_t *at = (const uint8_t *)d.bytes.bytes;
    size_t offset = WM_WMT_FILE_BYTES;
    size_t n_before = 0;
    uint32_t n_chunks = 0;
    while (offset < d.bytes.n_bytes) {
        wm_buffer dump;
        wm_buffer_init(&dump);
        assert_cut(&d, offset, false);
        test_run_free(read_bytes(&d, d.bytes.bytes, offset, false, &dump));
        cr_assert_geq(dump.n_bytes, n_before);
        n_before = dump.n_bytes;
        wm_buffer_fini(&dump);
        offset += WM_WMT_CHUNK_BYTES + wm_wmt_get_u32(at + offset + 12);
        n_chunks++;
    }
    cr_expect_eq(n_before, d.dump.n_bytes,
                 "all of it stands before the footer");
    cr_expect_eq(offset, d.bytes.n_bytes);
    cr_expect_gt(n_chunks, 10);
    damaged_fini(&d);
}

/* Changes one byte after another, reading with and without keep_going. */
static void change_every_byte(damaged *d)
{
    for (size_t i = 0; i < 2 * d->bytes.n_bytes; i++) {
        wm_buffer dump;
        bool keep_going = i % 2 == 0;
        char *byte = &d->bytes.bytes[i / 2];
        char change = (char)(1 + (i * 37) % 255);
        wm_buffer_init(&dump);
        *byte = (char)(*byte ^ change);
        test_run *run =
            read_bytes(d, d->bytes.bytes, d->bytes.n_bytes, keep_going, &dump);
        cr_assert(run->status != WM_OK || !run->is_complete, "byte %zu", i / 2);
        if (i / 2 >= 8) { /* without its magic it is no .wmt at all */
            assert_place(run, i / 2);
        }
        if (!keep_going) {
            assert_beginning(d, &dump, i / 2);
        }
        test_run_free(run);
        wm_buffer_fini(&dump);
        *byte = (char)(*byte ^ change);
    }
}

Test(wmt_damage, every_single_changed_byte_is_noticed_and_named, .timeout = 120)
{
    for (size_t small = 0; small <= TEST_SMALL_BYTES;
         small += TEST_SMALL_BYTES) {
        damaged d;
        damaged_init(&d, 2, 2, small);
        cr_assert_lt(d.bytes.n_bytes, 8000);
        change_every_byte(&d);
        damaged_fini(&d);
    }
}

/* The file with its payloads changed here and there, then sealed again: every
 * CRC-32 fits. */
static void change_payloads(const damaged *d, wm_wmt_unpacker *unpacker,
                            wm_rng *rng, wm_buffer *file)
{
    const uint8_t *bytes = (const uint8_t *)d->bytes.bytes;
    wm_buffer_add(file, bytes, WM_WMT_FILE_BYTES);
    for (size_t at = WM_WMT_FILE_BYTES; at < d->bytes.n_bytes;) {
        uint8_t head[WM_WMT_CHUNK_BYTES];
        uint8_t raw[65536];
        memcpy(head, bytes + at, sizeof(head));
        uint32_t n_raw = wm_wmt_get_u32(head + 8);
        uint32_t n_packed = wm_wmt_get_u32(head + 12);
        const uint8_t *packed = bytes + at + WM_WMT_CHUNK_BYTES;
        cr_assert_leq(n_raw, sizeof(raw));
        if (wm_wmt_get_u32(head + 4) == 0) {
            cr_assert(wm_wmt_unpack(unpacker, packed, n_packed, raw, n_raw));
        } else {
            memcpy(raw, packed, n_raw);
        }
        if (n_raw > 0 && wm_rng_below(rng, 3) == 0) {
            uint32_t n_near = n_raw < 40 ? n_raw : 40;
            uint32_t place =
                wm_rng_below(rng, wm_rng_below(rng, 2) == 0 ? n_near : n_raw);
            raw[place] = (uint8_t)wm_rng_next(rng);
        }
        wm_wmt_put_u32(head + 4, WM_WMT_FLAG_STORED);
        wm_wmt_put_u32(head + 12, n_raw);
        wm_wmt_put_u32(head + 16, wm_wmt_crc32(raw, n_raw));
        wm_wmt_put_u32(head + 20, wm_wmt_crc32(head, 20));
        wm_buffer_add(file, head, sizeof(head));
        wm_buffer_add(file, raw, n_raw);
        at += WM_WMT_CHUNK_BYTES + n_packed;
    }
}

/* Damage that a CRC-32 cannot show: nothing may crash, and memory must stay
 * within bounds. */
Test(wmt_damage, hostile_payloads_do_no_harm, .timeout = 120)
{
    wm_rng rng = {13};
    wm_wmt_unpacker *unpacker = wm_wmt_unpacker_new();
    for (size_t small = 0; small <= TEST_SMALL_BYTES;
         small += TEST_SMALL_BYTES) {
        damaged d;
        damaged_init(&d, 2, 3, small);
        for (int i = 0; i < 2000; i++) {
            wm_buffer file;
            wm_buffer dump;
            wm_buffer_init(&file);
            wm_buffer_init(&dump);
            change_payloads(&d, unpacker, &rng, &file);
            test_run *run =
                read_bytes(&d, file.bytes, file.n_bytes, i % 2 == 0, &dump);
            cr_assert(run->status == WM_OK || run->status == WM_EFORMAT, "%s",
                      run->err.text);
            cr_assert_lt(dump.n_bytes, 1 << 22);
            test_run_free(run);
            wm_buffer_fini(&file);
            wm_buffer_fini(&dump);
        }
        damaged_fini(&d);
    }
    wm_wmt_unpacker_free(unpacker);
}

/* Changes one byte in the payload of the first chunk of the given type. */
static size_t damage_chunk(damaged *d, uint32_t type)
{
    uint8_t *bytes = (uint8_t *)d->bytes.bytes;
    size_t at = WM_WMT_FILE_BYTES;
    while (wm_wmt_get_u32(bytes + at) != type) {
        at += WM_WMT_CHUNK_BYTES + wm_wmt_get_u32(bytes + at + 12);
        cr_assert_lt(at, d->bytes.n_bytes);
    }
    bytes[at + WM_WMT_CHUNK_BYTES + 3] ^= 0x10;
    return at;
}

Test(wmt_damage, a_damaged_chunk_is_named_by_path_and_byte)
{
    damaged d;
    char place[64];
    wm_buffer dump;
    damaged_init(&d, 3, 12, 0);
    wm_buffer_init(&dump);
    snprintf(place, sizeof(place), "damaged.wmt: byte %zu: damaged CTAS chunk",
             damage_chunk(&d, WM_WMT_CTAS));
    test_run *run =
        read_bytes(&d, d.bytes.bytes, d.bytes.n_bytes, false, &dump);
    cr_expect_eq(run->status, WM_EFORMAT);
    cr_expect_not_null(strstr(run->err.text, place), "%s", run->err.text);
    test_run_free(run);
    wm_buffer_fini(&dump);
    damaged_fini(&d);
}

Test(wmt_damage, keep_going_skips_the_damaged_chunk_only)
{
    static const uint32_t types[] = {WM_WMT_CTAS, WM_WMT_STAT, WM_WMT_LAUN,
                                     WM_WMT_META, WM_WMT_INDX};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        damaged d;
        wm_buffer dump;
        damaged_init(&d, 3, 12, 0);
        wm_buffer_init(&dump);
        (void)damage_chunk(&d, types[i]);
        test_run *run =
            read_bytes(&d, d.bytes.bytes, d.bytes.n_bytes, true, &dump);
        cr_expect_eq(run->status, WM_OK, "%s", run->err.text);
        cr_expect_not(run->is_complete);
        cr_expect_not_null(test_run_warning(run, "chunk-damaged"));
        cr_expect_null(test_run_warning(run, "trace-cut"));
        cr_expect_eq(run->n_launches, types[i] == WM_WMT_LAUN ? 2 : 3);
        test_run_free(run);
        wm_buffer_fini(&dump);
        damaged_fini(&d);
    }
}

static void assert_refused(damaged *d, const char *wanted)
{
    wm_buffer dump;
    wm_buffer_init(&dump);
    test_run *run =
        read_bytes(d, d->bytes.bytes, d->bytes.n_bytes, false, &dump);
    cr_expect_eq(run->status, WM_EFORMAT);
    cr_expect_not_null(strstr(run->err.text, wanted), "%s", run->err.text);
    test_run_free(run);
    wm_buffer_fini(&dump);
}

Test(wmt_damage, a_newer_version_is_refused_by_number)
{
    damaged d;
    damaged_init(&d, 1, 1, 0);
    uint8_t *bytes = (uint8_t *)d.bytes.bytes;
    wm_wmt_put_u32(bytes + 8, WM_WMT_VERSION + 1);
    wm_wmt_put_u32(bytes + 12, wm_wmt_crc32(bytes, 12));
    assert_refused(&d, "byte 8: found trace format 3, wanted 1 to 2");
    damaged_fini(&d);
}

/* The file with one more chunk behind META, counted in the footer. */
static void insert_chunk(const damaged *d, uint32_t flags, wm_buffer *file)
{
    static const char payload[] = "of a later version";
    const uint8_t *bytes = (const uint8_t *)d->bytes.bytes;
    uint8_t head[WM_WMT_CHUNK_BYTES];
    size_t at = WM_WMT_FILE_BYTES + WM_WMT_CHUNK_BYTES +
                wm_wmt_get_u32(bytes + WM_WMT_FILE_BYTES + 12);
    wm_wmt_put_u32(head, WM_WMT_TYPE('X', 'T', 'R', 'A'));
    wm_wmt_put_u32(head + 4, flags);
    wm_wmt_put_u32(head + 8, sizeof(payload));
    wm_wmt_put_u32(head + 12, sizeof(payload));
    wm_wmt_put_u32(head + 16, wm_wmt_crc32(payload, sizeof(payload)));
    wm_wmt_put_u32(head + 20, wm_wmt_crc32(head, 20));
    wm_buffer_add(file, bytes, at);
    wm_buffer_add(file, head, sizeof(head));
    wm_buffer_add(file, payload, sizeof(payload));
    wm_buffer_add(file, bytes + at, d->bytes.n_bytes - at);
    uint8_t *foot = (uint8_t *)file->bytes + file->n_bytes - WM_WMT_FOOT_BYTES -
                    WM_WMT_CHUNK_BYTES;
    uint8_t *body = foot + WM_WMT_CHUNK_BYTES;
    wm_wmt_put_u64(body + 16, wm_wmt_get_u64(body + 16) + 1);
    wm_wmt_put_u32(foot + 16, wm_wmt_crc32(body, WM_WMT_FOOT_BYTES));
    wm_wmt_put_u32(foot + 20, wm_wmt_crc32(foot, 20));
}

Test(wmt_damage, chunks_of_unknown_type_are_passed_over_unknown_flags_are_not)
{
    damaged d;
    damaged_init(&d, 2, 3, 0);
    for (uint32_t flags = WM_WMT_FLAG_STORED; flags <= 4; flags += 3) {
        wm_buffer file;
        wm_buffer dump;
        wm_buffer_init(&file);
        wm_buffer_init(&dump);
        insert_chunk(&d, flags, &file);
        test_run *run = read_bytes(&d, file.bytes, file.n_bytes, false, &dump);
        if (flags == WM_WMT_FLAG_STORED) {
            cr_expect_eq(run->status, WM_OK, "%s", run->err.text);
            cr_expect(run->is_complete);
            assert_same_dump(&d.dump, &dump, 3);
        } else {
            cr_expect_eq(run->status, WM_EFORMAT);
            cr_expect_not_null(strstr(run->err.text, "unknown flags"));
        }
        test_run_free(run);
        wm_buffer_fini(&file);
        wm_buffer_fini(&dump);
    }
    damaged_fini(&d);
}

Test(wmt_damage, bytes_behind_the_footer_are_refused)
{
    damaged d;
    damaged_init(&d, 1, 1, 0);
    wm_buffer_puts(&d.bytes, "x");
    assert_refused(&d, "bytes behind the footer");
    damaged_fini(&d);
}

Test(wmt_damage, sizes_that_the_bytes_cannot_justify_take_no_memory)
{
    damaged d;
    damaged_init(&d, 1, 1, 0);
    uint8_t *head = (uint8_t *)d.bytes.bytes + WM_WMT_FILE_BYTES;
    wm_wmt_put_u32(head + 4, 0);
    wm_wmt_put_u32(head + 8, WM_WMT_RAW_MAX);
    wm_wmt_put_u32(head + 20, wm_wmt_crc32(head, 20));
    assert_refused(&d, "sizes that cannot belong to each other");
    damaged_fini(&d);
}
