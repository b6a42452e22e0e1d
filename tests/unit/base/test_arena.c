/*
 * test_arena.c -- what is taken twice is zeroed, aligned and apart.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

enum { N = 20 };

static void take(wm_arena *arena, unsigned char *array[N])
{
    for (size_t i = 0; i < N; i++) {
        array[i] = wm_arena_take(arena, i * 37, 3);
    }
}

static wm_arena arena_of(unsigned char *array[N])
{
    wm_arena arena = {0};
    wm_error err;
    take(&arena, array);
    cr_assert_eq(wm_arena_open(&arena, &err), WM_OK);
    take(&arena, array);
    return arena;
}

Test(arena, arrays_are_zeroed_aligned_and_apart)
{
    unsigned char *array[N];
    wm_arena arena = arena_of(array);
    for (size_t i = 0; i < N; i++) {
        cr_expect_eq((uintptr_t)array[i] % WM_ARENA_ALIGN, 0u);
        for (size_t k = 0; k < i * 37 * 3; k++) {
            cr_expect_eq(array[i][k], 0);
        }
        memset(array[i], (int)i + 1, i * 37 * 3);
    }
    for (size_t i = 1; i < N; i++) {
        cr_expect_eq(array[i][0], i + 1);
        cr_expect_eq(array[i][i * 37 * 3 - 1], i + 1);
    }
    wm_arena_close(&arena);
    wm_arena_close(&arena); /* nothing is left */
}

Test(arena, more_than_the_host_can_address_is_no_memory)
{
    wm_arena arena = {0};
    wm_error err;
    (void)wm_arena_take(&arena, SIZE_MAX / 8, 1);
    (void)wm_arena_take(&arena, SIZE_MAX / 8, 2);
    cr_expect_eq(wm_arena_open(&arena, &err), WM_ENOMEM);
    wm_arena_close(&arena);
}

#ifdef __SANITIZE_ADDRESS__
Test(arena, the_byte_behind_an_array_is_poisoned)
{
    unsigned char *array[N];
    wm_arena arena = arena_of(array);
    for (size_t i = 1; i < N; i++) {
        cr_expect_not(__asan_address_is_poisoned(array[i] + i * 37 * 3 - 1));
        cr_expect(__asan_address_is_poisoned(array[i] + i * 37 * 3));
    }
    wm_arena_close(&arena);
}
#endif
