/*
 * ncu.h -- what Nsight Compute measured, from its CSV export.
 *
 * Both layouts that `ncu --csv` prints are read:
 *     wide   --page raw: a column per metric, a row of units, a row per launch
 *     long   --page details or --metrics: a row per launch and metric, with
 *            "Metric Name", "Metric Unit", "Metric Value"
 * Lines before the header (==PROF== ..., the program's own output) are
 * skipped.  Values come as ncu prints them: thousands separators of the
 * locale, n/a, units scaled ("Mbyte", "usecond").  They are stored in the base
 * unit: bytes, ns, per second, Hz, fractions for %.
 *
 * Not modelled  per-instance values: the sum before the parenthesis counts.
 * Ownership     init/fini.
 * Errors        WM_EFORMAT "FILE:LINE: found, wanted"; WM_EIO; WM_ENOMEM.
 */
#ifndef WM_STUDY_NCU_H
#define WM_STUDY_NCU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"

typedef struct wm_ncu_value {
    char *name; /* as in the file */
    double value;
    bool has_value; /* false for n/a and blank */
} wm_ncu_value;

typedef struct wm_ncu_kernel {
    char *id;   /* the ID column */
    char *name; /* as in the file */
    wm_ncu_value *values;
    size_t n_values, cap_values;
} wm_ncu_kernel;

typedef struct wm_ncu {
    wm_ncu_kernel *kernels;
    size_t n_kernels, cap_kernels;
} wm_ncu;

void wm_ncu_init(wm_ncu *ncu);
void wm_ncu_fini(wm_ncu *ncu);

/* Parses n_text bytes that came from the file called path. */
wm_status wm_ncu_parse(const char *path, const char *text, size_t n_text,
                       wm_ncu *ncu, wm_diag *diag, wm_error *err);
wm_status wm_ncu_read(const char *path, wm_ncu *ncu, wm_diag *diag,
                      wm_error *err);

/* The value called name, or NULL. */
const wm_ncu_value *wm_ncu_find(const wm_ncu_kernel *kernel, const char *name);

/*
 * A number as ncu prints it in some locale.  is_comma: the comma is the
 * decimal point.  False for what is no number.
 */
bool wm_ncu_number(const char *text, bool is_comma, double *value);

/* Scales a value in ncu's unit to the base unit. */
double wm_ncu_scale(const char *unit);

/*
 * The bare function name of a kernel: of `void ns::add<int>(int *)`, of
 * `add(int *)`, of the mangled `_ZN2ns3addIiEEvPT_` and of `add` it is "add".
 */
void wm_ncu_base_name(const char *name, char *base, size_t n_base);

#endif
