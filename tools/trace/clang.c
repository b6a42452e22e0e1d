/*
 * clang.c -- two runs of clang and a dlopen.
 */
#include "clang.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERSION_FIRST 14
#define VERSION_LAST  21
#define ARGUMENTS_MAX 96u

extern char **environ;

/* Whether program is on the path (or is one). */
static bool is_there(const char *program)
{
    const char *path = getenv("PATH");
    char name[4096];
    if (strchr(program, '/') != NULL) {
        return access(program, X_OK) == 0;
    }
    for (path = path != NULL ? path : "/usr/bin"; *path != '\0';) {
        size_t n = strcspn(path, ":");
        (void)snprintf(name, sizeof(name), "%.*s/%s", (int)n, path, program);
        if (access(name, X_OK) == 0) {
            return true;
        }
        path += n + (path[n] == ':');
    }
    return false;
}

static bool find_program(wm_clang *clang)
{
    const char *chosen = getenv("WARPMEM_CLANG");
    if (chosen != NULL && chosen[0] != '\0') {
        (void)snprintf(clang->program, sizeof(clang->program), "%s", chosen);
        return is_there(clang->program);
    }
    (void)snprintf(clang->program, sizeof(clang->program), "clang");
    bool is_found = is_there(clang->program);
    for (int v = VERSION_LAST; v >= VERSION_FIRST && !is_found; v--) {
        (void)snprintf(clang->program, sizeof(clang->program), "clang-%d", v);
        is_found = is_there(clang->program);
    }
    return is_found;
}

wm_status wm_clang_init(wm_clang *clang, wm_error *err)
{
    memset(clang, 0, sizeof(*clang));
    if (!find_program(clang)) {
        const char *chosen = getenv("WARPMEM_CLANG");
        return wm_fail(err, WM_EIO,
                       "found no %s, wanted clang %d or later: install the "
                       "package clang (apt-get install clang), or name it in "
                       "WARPMEM_CLANG",
                       chosen != NULL ? chosen : "clang", VERSION_FIRST);
    }
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(clang->folder, sizeof(clang->folder),
                   "%s/warpmem-trace-XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(clang->folder) == NULL) {
        wm_status status =
            wm_fail(err, WM_EIO, "%s: %s", clang->folder, strerror(errno));
        clang->folder[0] = '\0';
        return status;
    }
    return WM_OK;
}

static void path_of(const wm_clang *clang, const char *name, char path[512])
{
    (void)snprintf(path, 512, "%s/%s", clang->folder, name);
}

void wm_clang_fini(wm_clang *clang)
{
    static const char *const names[] = {"kernel.cl", "kernel.cpp", "kernel.ll",
                                        "traced.ll", "traced.so"};
    if (clang->library != NULL) {
        (void)dlclose(clang->library);
    }
    for (size_t i = 0;
         clang->folder[0] != '\0' && i < sizeof(names) / sizeof(names[0]);
         i++) {
        char path[512];
        path_of(clang, names[i], path);
        (void)unlink(path);
    }
    if (clang->folder[0] != '\0') {
        (void)rmdir(clang->folder);
    }
    memset(clang, 0, sizeof(*clang));
}

typedef struct command {
    char *words[ARGUMENTS_MAX + 1];
    size_t n;
    bool is_failed;
} command;

static void add_n(command *c, const char *word, size_t n)
{
    char *copy = c->n < ARGUMENTS_MAX ? malloc(n + 1) : NULL;
    if (copy == NULL) {
        c->is_failed = true;
        return;
    }
    memcpy(copy, word, n);
    copy[n] = '\0';
    c->words[c->n++] = copy;
}

static void add(command *c, const char *word)
{
    add_n(c, word, strlen(word));
}

/* Words between blanks. */
static void add_words(command *c, const char *words)
{
    for (words += strspn(words, " "); *words != '\0';
         words += strspn(words, " ")) {
        size_t n = strcspn(words, " ");
        add_n(c, words, n);
        words += n;
    }
}

static wm_status run_command(command *c, const char *source, const char *what,
                             wm_error *err)
{
    wm_status status = c->is_failed ? wm_fail_memory(err) : WM_OK;
    pid_t child;
    int outcome = 0;
    c->words[c->n] = NULL;
    if (status == WM_OK) {
        int code =
            posix_spawnp(&child, c->words[0], NULL, NULL, c->words, environ);
        if (code != 0) {
            status =
                wm_fail(err, WM_EIO, "%s: %s", c->words[0], strerror(code));
        } else {
            while (waitpid(child, &outcome, 0) < 0 && errno == EINTR) {
            }
            if (!WIFEXITED(outcome) || WEXITSTATUS(outcome) != 0) {
                status = wm_fail(err, WM_EFORMAT,
                                 "%s: %s could not %s it: see its messages "
                                 "above",
                                 source, c->words[0], what);
            }
        }
    }
    for (size_t i = 0; i < c->n; i++) {
        free(c->words[i]);
    }
    return status;
}

static bool has_headers(const char *folder)
{
    char path[600];
    (void)snprintf(path, sizeof(path), "%s/warpmem_cuda.h", folder);
    return access(path, R_OK) == 0;
}

/* The folder of warpmem_cuda.h: the environment's, the source tree's, the one
 * beside the program's bin, the installed one. */
static void find_headers(char folder[512])
{
    static const char beside[] = "../share/warpmem/trace";
    const char *chosen = getenv("WARPMEM_TRACE_INCLUDE");
    char self[256];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL) {
        slash[1] = '\0';
    }
    if (chosen != NULL) {
        (void)snprintf(folder, 512, "%s", chosen);
        return;
    }
    (void)snprintf(folder, 512, "%s", WM_TRACE_SOURCE_INCLUDE);
    if (!has_headers(folder)) {
        (void)snprintf(folder, 512, "%s%s", self, beside);
    }
    if (!has_headers(folder)) {
        (void)snprintf(folder, 512, "%s", WM_TRACE_INSTALLED_INCLUDE);
    }
}

/* What is compiled: our header, the source, and for CUDA a use of the kernel,
 * which makes the compiler instantiate it.  An error in the kernel's name is
 * then reported at its place in the launch file. */
static wm_status write_wrapper(const wm_clang *clang, const wm_spec *spec,
                               wm_error *err)
{
    char path[512];
    path_of(clang, spec->is_opencl ? "kernel.cl" : "kernel.cpp", path);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return wm_fail(err, WM_EIO, "%s: %s", path, strerror(errno));
    }
    fprintf(file, "#include \"%s\"\n#include \"%s\"\n",
            spec->is_opencl ? "warpmem_opencl.h" : "warpmem_cuda.h",
            spec->source);
    if (!spec->is_opencl) {
        fprintf(file,
                "#line %u \"%s\"\n__attribute__((used)) void *wm_keep = "
                "(void *)(%s);\n",
                spec->kernel_line, spec->path, spec->kernel);
    }
    return fclose(file) == 0
               ? WM_OK
               : wm_fail(err, WM_EIO, "%s: %s", path, strerror(errno));
}

static wm_status read_whole(const char *path, wm_buffer *text, wm_error *err)
{
    char block[65536];
    size_t n;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return wm_fail(err, WM_EIO, "%s: %s", path, strerror(errno));
    }
    while ((n = fread(block, 1, sizeof(block), file)) != 0) {
        wm_buffer_add(text, block, n);
    }
    fclose(file);
    return text->is_failed ? wm_fail_memory(err) : WM_OK;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

/* The name before the bracket that opens a function's parameters, behind
 * __global__ and its attributes; NULL when there is none. */
static const char *name_behind(const char *text, size_t *n)
{
    static const char bounds[] = "__launch_bounds__";
    for (;;) {
        size_t at = strcspn(text, "({;");
        size_t end = at;
        if (text[at] != '(') {
            return NULL;
        }
        while (end > 0 && !is_word(text[end - 1])) {
            end--;
        }
        *n = 0;
        while (*n < end && is_word(text[end - *n - 1])) {
            (*n)++;
        }
        const char *name = text + end - *n;
        if (*n != strlen(bounds) || memcmp(name, bounds, *n) != 0) {
            return name;
        }
        text += at + 1;
        text += strcspn(text, ")");
        text += *text != '\0';
    }
}

/* After a failure: whether it is that a CUDA source has no such kernel. */
static wm_status explain_failure(const wm_spec *spec, wm_status status,
                                 wm_error *err)
{
    wm_buffer text, names;
    wm_error ignored;
    size_t n_kernel = strcspn(spec->kernel, "< ");
    bool is_there = false;
    wm_buffer_init(&text);
    wm_buffer_init(&names);
    if (read_whole(spec->source, &text, &ignored) == WM_OK &&
        text.bytes != NULL) {
        const char *at = text.bytes;
        while ((at = strstr(at, "__global__")) != NULL) {
            size_t n;
            at += strlen("__global__");
            const char *name = name_behind(at, &n);
            if (name != NULL) {
                is_there |=
                    n == n_kernel && memcmp(name, spec->kernel, n_kernel) == 0;
                wm_buffer_printf(&names, "%s%.*s",
                                 names.n_bytes == 0 ? "" : ", ", (int)n, name);
            }
        }
    }
    if (!is_there && names.n_bytes != 0 && !names.is_failed) {
        status = wm_fail(err, WM_EFORMAT,
                         "%s: found no kernel '%s', wanted one of: %s",
                         spec->source, spec->kernel, names.bytes);
    }
    wm_buffer_fini(&text);
    wm_buffer_fini(&names);
    return status;
}

wm_status wm_clang_compile(wm_clang *clang, const wm_spec *spec,
                           wm_buffer *text, wm_error *err)
{
    command c = {.n = 0};
    char path[512];
    char word[512];
    char headers[512];
    find_headers(headers);
    if (!has_headers(headers)) {
        return wm_fail(err, WM_EIO,
                       "%s: found no warpmem_cuda.h in it, wanted the headers "
                       "of warpmem-trace (WARPMEM_TRACE_INCLUDE names their "
                       "folder)",
                       headers);
    }
    if (access(spec->source, R_OK) != 0) {
        return wm_fail(err, WM_ECONFIG, "%s: %s (the source named by %s)",
                       spec->source, strerror(errno), spec->path);
    }
    wm_status status = write_wrapper(clang, spec, err);
    if (status != WM_OK) {
        return status;
    }
    add(&c, clang->program);
    if (spec->is_opencl) {
        add_words(&c, "-x cl -cl-std=CL1.2 -Xclang -finclude-default-header "
                      "-Xclang -fdeclare-opencl-builtins");
    } else {
        add_words(&c, "-x c++ -std=c++20 -nostdinc++ -fdeclspec "
                      "-fno-exceptions -fno-rtti -fno-math-errno");
    }
    /* The accesses of the source, one for one: nothing is widened, repeated
     * or turned into a block copy; device functions become part of the
     * kernel, as on a GPU. */
    add_words(&c, "-O2 -g -fPIC -w -ffp-contract=on -fno-vectorize "
                  "-fno-slp-vectorize -fno-unroll-loops -fno-stack-protector "
                  "-fcf-protection=none -mllvm -disable-loop-idiom-all "
                  "-mllvm -disable-vector-combine "
                  "-mllvm -inline-threshold=100000 -S -emit-llvm -iquote . -I");
    add(&c, headers);
    for (uint32_t i = 0; wm_spec_word(spec->flags, i, word, sizeof(word));
         i++) {
        add(&c, word);
    }
    path_of(clang, "kernel.ll", path);
    add(&c, "-o");
    add(&c, path);
    path_of(clang, spec->is_opencl ? "kernel.cl" : "kernel.cpp", path);
    add(&c, path);
    status = run_command(&c, spec->source, "compile", err);
    path_of(clang, "kernel.ll", path);
    if (status == WM_EFORMAT && !spec->is_opencl) {
        return explain_failure(spec, status, err);
    }
    return status == WM_OK ? read_whole(path, text, err) : status;
}

/* Symbols as the loader gives them: data pointers. */
static wm_status find_symbols(wm_clang *clang, const wm_spec *spec,
                              wm_module *module, wm_error *err)
{
    void *entry = dlsym(clang->library, "wm_entry");
    const uint64_t *image = dlsym(clang->library, "wm_image");
    if (entry == NULL || image == NULL) {
        return wm_fail(err, WM_EFORMAT, "%s: %s", spec->source, dlerror());
    }
    memcpy(&module->entry, &entry, sizeof(entry));
    memcpy(module->image, image, sizeof(module->image));
    return WM_OK;
}

wm_status wm_clang_load(wm_clang *clang, const wm_spec *spec,
                        const wm_buffer *text, wm_module *module, wm_error *err)
{
    command c = {.n = 0};
    char path[512];
    path_of(clang, "traced.ll", path);
    FILE *file = fopen(path, "w");
    size_t n = file != NULL ? fwrite(text->bytes, 1, text->n_bytes, file) : 0;
    if (file == NULL || fclose(file) != 0 || n != text->n_bytes) {
        return wm_fail(err, WM_EIO, "%s: %s", path, strerror(errno));
    }
    add(&c, clang->program);
    add_words(&c, "-x ir -O2 -w -fPIC -shared -Xclang -disable-llvm-passes");
    add(&c, path);
    path_of(clang, "traced.so", path);
    add(&c, "-o");
    add(&c, path);
    add(&c, "-lm");
    wm_status status = run_command(&c, spec->source, "link", err);
    if (status != WM_OK) {
        return status;
    }
    clang->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (clang->library == NULL) {
        const char *said = dlerror();
        const char *symbol = strstr(said, "undefined symbol: ");
        return symbol != NULL
                   ? wm_fail(err, WM_EFORMAT,
                             "%s: found a call of '%s', which the tracer does "
                             "not have (c++filt tells its name), wanted one "
                             "of the functions in docs/TRACING.md",
                             spec->source,
                             symbol + strlen("undefined symbol: "))
                   : wm_fail(err, WM_EFORMAT, "%s: %s", spec->source, said);
    }
    return find_symbols(clang, spec, module, err);
}
