/*
 * test_fibre.c -- turns of fibres; built twice, with each of the two switches.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>

#include "fibre.h"

#define N_FIBRES 40u
#define N_ROUNDS 50u

static wm_fibre_home home;
static wm_fibre *fibres;
static uint32_t n_turns, turns[N_FIBRES * N_ROUNDS + N_FIBRES];
static bool is_passing;

/* Sums that live in registers and on the stack over a switch. */
static void count(void *argument)
{
    wm_fibre *fibre = argument;
    uint32_t number = (uint32_t)(fibre - fibres);
    double sum = number;
    uint64_t kept[8];
    for (uint32_t i = 0; i < 8; i++) {
        kept[i] = number * 100 + i;
    }
    for (uint32_t round = 0;; round++) {
        turns[n_turns++] = number;
        if (is_passing && number + 1 < N_FIBRES) {
            wm_fibre_pass(fibre, fibre + 1);
        } else {
            wm_fibre_yield(fibre);
        }
        sum += 1;
        cr_assert_eq(sum, (double)number + round + 1);
        for (uint32_t i = 0; i < 8; i++) {
            cr_assert_eq(kept[i]++, number * 100 + i + round);
        }
    }
}

static void set_up(void (*body)(void *))
{
    n_turns = 0;
    fibres = aligned_alloc(64, N_FIBRES * sizeof(*fibres));
    cr_assert(wm_fibre_home_init(&home, N_FIBRES));
    for (uint32_t i = 0; i < N_FIBRES; i++) {
        wm_fibre_init(&fibres[i], &home, i, body, &fibres[i]);
    }
}

static void tear_down(void)
{
    wm_fibre_home_fini(&home);
    free(fibres);
}

Test(fibre, each_goes_on_where_it_yielded)
{
    is_passing = false;
    set_up(count);
    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        for (uint32_t i = N_FIBRES; i-- > 0;) {
            wm_fibre_resume(&fibres[i]);
            cr_assert_eq(turns[n_turns - 1], i);
        }
    }
    cr_assert_eq(n_turns, N_FIBRES * N_ROUNDS);
    tear_down();
}

Test(fibre, one_resumed_passes_through_all_behind_it)
{
    is_passing = true;
    set_up(count);
    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        wm_fibre_resume(&fibres[0]);
        cr_assert_eq(n_turns, N_FIBRES * (round + 1));
        for (uint32_t i = 0; i < N_FIBRES; i++) {
            cr_assert_eq(turns[N_FIBRES * round + i], i);
        }
    }
    tear_down();
}

static void look_at_stack(void *argument)
{
    wm_fibre *fibre = argument;
    volatile uint8_t here[64] = {0};
    cr_assert((uintptr_t)here >= (uintptr_t)fibre->stack);
    cr_assert((uintptr_t)here + sizeof(here) <= (uintptr_t)fibre->top);
    cr_assert_eq((uintptr_t)__builtin_frame_address(0) % 16, 0);
    cr_assert_geq(fibre->top - fibre->stack, (long)WM_FIBRE_STACK_BYTES);
    n_turns++;
    for (;;) {
        wm_fibre_yield(fibre);
    }
}

Test(fibre, stacks_are_apart_aligned_and_at_different_lines_of_a_page)
{
    set_up(look_at_stack);
    bool is_taken[64] = {false};
    for (uint32_t i = 0; i < N_FIBRES; i++) {
        wm_fibre_resume(&fibres[i]);
        uint32_t line = (uint32_t)((uintptr_t)fibres[i].top % 4096 / 64);
        cr_assert(!is_taken[line]);
        is_taken[line] = true;
        cr_assert(i == 0 || fibres[i].stack >= fibres[i - 1].top);
    }
    cr_assert_eq(n_turns, N_FIBRES);
    tear_down();
}

static void on_signal(int number)
{
    (void)number;
    wm_fibre_abandon(&fibres[1]);
}

static void crash(void *argument)
{
    wm_fibre *fibre = argument;
    n_turns++;
    if (fibre == &fibres[0]) {
        wm_fibre_pass(fibre, fibre + 1);
    }
    (void)raise(SIGUSR1);
    n_turns += 100;
}

Test(fibre, one_abandoned_in_a_signal_handler_is_back_at_its_home)
{
    static uint8_t signal_stack[65536];
    stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof(signal_stack)};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    cr_assert_eq(sigaltstack(&stack, NULL), 0);
    cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
    set_up(crash);
    wm_fibre_resume(&fibres[0]);
    cr_assert_eq(n_turns, 2);
    tear_down();
}
