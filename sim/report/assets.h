/*
 * assets.h -- the files of assets/, as CMake put them into the program
 * (tools/embed.cmake).  Private to the report floor.
 */
#ifndef WM_REPORT_ASSETS_H
#define WM_REPORT_ASSETS_H

typedef struct wm_asset {
    const char *name; /* "report.js" */
    const unsigned char *bytes;
    unsigned long n_bytes;
} wm_asset;

extern const wm_asset wm_assets[]; /* ends with name NULL */

#endif
