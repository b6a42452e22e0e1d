/*
 * fuzz_config.c -- any bytes as a configuration: loaded or refused with a
 * sentence; what loads has a digest and can be shown.
 */
#include <stdlib.h>
#include <unistd.h>

#include "config/config.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    const char *path = fuzz_file(bytes, n_bytes, ".yaml");
    wm_config_set *config = NULL;
    wm_error err;
    wm_status status = wm_config_load(path, NULL, 0, &config, &err);
    if (status != WM_OK && err.text[0] == '\0') {
        abort();
    }
    if (status == WM_OK) {
        char hex[WM_DIGEST_HEX];
        wm_buffer text;
        wm_buffer_init(&text);
        wm_config_digest(config, hex);
        for (size_t k = 0; k < wm_n_keys; k++) {
            wm_key_format(&wm_keys[k], wm_config_values(config), &text);
        }
        wm_buffer_fini(&text);
    }
    wm_config_free(config);
    (void)unlink(path);
    return 0;
}
