/*
 * fuzz_ncu.c -- any bytes as an export of Nsight Compute: launches with finite
 * numbers, or a sentence that says why not.
 */
#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "study/ncu.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    wm_ncu ncu;
    wm_diag diag;
    wm_error err = {WM_OK, ""};
    wm_ncu_init(&ncu);
    wm_diag_init(&diag);
    const wm_status status = wm_ncu_parse("fuzz.csv", (const char *)bytes,
                                          n_bytes, &ncu, &diag, &err);
    if (status != WM_OK && err.text[0] == '\0') {
        abort();
    }
    for (size_t k = 0; k < ncu.n_kernels; k++) {
        char base[64];
        wm_ncu_base_name(ncu.kernels[k].name, base, sizeof(base));
        for (size_t i = 0; i < ncu.kernels[k].n_values; i++) {
            if (ncu.kernels[k].values[i].has_value &&
                !isfinite(ncu.kernels[k].values[i].value)) {
                abort();
            }
        }
    }
    wm_ncu_fini(&ncu);
    return 0;
}
