/*
 * fuzz_result.c -- any bytes as a result file: every writer takes what was
 * read, or a sentence says why nothing was.
 */
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "report/result_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    const char *path = fuzz_file(bytes, n_bytes, ".json");
    wm_loaded_result loaded;
    wm_error err = {WM_OK, ""};
    wm_loaded_result_init(&loaded);
    const wm_status status = wm_result_read(path, &loaded, &err);
    if (status != WM_OK && err.text[0] == '\0') {
        abort();
    }
    for (size_t i = 0; wm_writers[i] != NULL && status == WM_OK; i++) {
        wm_buffer out;
        wm_buffer_init(&out);
        wm_writers[i]->write(&loaded.report, &out);
        wm_buffer_fini(&out);
    }
    wm_loaded_result_fini(&loaded);
    (void)unlink(path);
    return 0;
}
