/*
 * document.h -- a YAML file of any kind with its bases: for data that are no
 * configuration keys, such as memory standards.
 *
 * The entries of the innermost base come first, each file's in its order, so
 * that a later entry of the same key replaces an earlier one.
 *
 * Units      lines and columns from 1.
 * Ownership  what is handed to the visitor lives until it returns.
 * Errors     WM_ECONFIG "FILE:LINE:COLUMN: found, wanted"; WM_EIO; WM_ENOMEM;
 *            what the visitor returns.
 * Threads    no shared state.
 */
#ifndef WM_CONFIG_DOCUMENT_H
#define WM_CONFIG_DOCUMENT_H

#include "base/status.h"
#include "config/yaml.h"

/* Kinds of files: folders of configs/. */
#define WM_KIND_GPU  "gpu"
#define WM_KIND_DRAM "dram"

/* shown: the file's name in messages. */
typedef wm_status (*wm_document_visit)(const char *shown,
                                       const wm_yaml_entry *entry,
                                       void *context, wm_error *err);

/* name: as wm_config_load's, looked for among files of `kind`. */
wm_status wm_document_read(const char *kind, const char *name,
                           wm_document_visit visit, void *context,
                           wm_error *err);

#endif
