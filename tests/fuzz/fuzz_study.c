/*
 * fuzz_study.c -- any bytes as a study file: its grid, or a sentence that says
 * why not.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "study/points.h"

#define POINTS_MAX 64u /* a larger grid takes its time, and shows no more */

static uint64_t grid(const wm_study *study)
{
    uint64_t n = (uint64_t)study->traces.n * study->configs.n;
    for (uint32_t g = 0; g < study->n_groups && n <= POINTS_MAX; g++) {
        n *= study->groups[g].n_values;
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    const char *path = fuzz_file(bytes, n_bytes, ".yaml");
    wm_study study;
    wm_error err = {WM_OK, ""};
    wm_study_init(&study);
    wm_status status = wm_study_read(path, &study, &err);
    if (status == WM_OK && grid(&study) <= POINTS_MAX) {
        wm_points points;
        wm_tape_facts *facts = calloc(study.traces.n, sizeof(*facts));
        wm_points_init(&points);
        for (size_t t = 0; facts != NULL && t < study.traces.n; t++) {
            facts[t].n_launches = 3;
        }
        status = facts != NULL ? wm_points_make(&study, facts, &points, &err)
                               : WM_OK;
        wm_points_fini(&points);
        free(facts);
    }
    if (status != WM_OK && err.text[0] == '\0') {
        abort();
    }
    wm_study_fini(&study);
    (void)unlink(path);
    return 0;
}
