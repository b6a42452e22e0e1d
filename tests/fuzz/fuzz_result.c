/*
 * fuzz_result.c -- any bytes as a result file: every writer takes what was
 * read, and what was written as JSON is read and written the same again; or a
 * sentence says why nothing was.
 */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "report/result_read.h"

static void write_as(const wm_loaded_result *loaded, const char *name,
                     wm_buffer *out)
{
    wm_buffer_init(out);
    wm_writer_find(name)->write(&loaded->report, out);
}

static void read_again(const wm_loaded_result *loaded)
{
    char path[FUZZ_PATH_BYTES];
    wm_loaded_result again;
    wm_buffer first, second;
    wm_error err = {WM_OK, ""};
    write_as(loaded, "json", &first);
    fuzz_put("again.json", first.bytes, first.n_bytes, path);
    wm_loaded_result_init(&again);
    if (wm_result_read(path, &again, &err) != WM_OK) {
        fuzz_fail("a result that was written is refused: %s", err.text);
    }
    write_as(&again, "json", &second);
    if (first.n_bytes != second.n_bytes ||
        memcmp(first.bytes, second.bytes, first.n_bytes) != 0) {
        fuzz_fail("a result that was written is written differently");
    }
    wm_loaded_result_fini(&again);
    wm_buffer_fini(&first);
    wm_buffer_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    const char *path = fuzz_file(bytes, n_bytes, ".json");
    wm_loaded_result loaded;
    wm_buffer study;
    wm_error err = {WM_OK, ""};
    wm_loaded_result_init(&loaded);
    wm_buffer_init(&study);
    const wm_status status = wm_result_read_any(path, &loaded, &study, &err);
    if (status != WM_OK && err.text[0] == '\0') {
        fuzz_fail("failure %d without a sentence", (int)status);
    }
    if (status == WM_OK && study.n_bytes == 0) {
        for (size_t i = 0; wm_writers[i] != NULL; i++) {
            wm_buffer out;
            write_as(&loaded, wm_writers[i]->name, &out);
            wm_buffer_fini(&out);
        }
        read_again(&loaded);
    }
    wm_buffer_fini(&study);
    wm_loaded_result_fini(&loaded);
    (void)unlink(path);
    return 0;
}
