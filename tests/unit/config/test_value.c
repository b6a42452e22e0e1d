/*
 * test_value.c -- what a value may look like, and how it is shown.
 */
#include "base/rng.h"
#include "config_fixture.h"

static void expect_shown(const wm_config_set *set, const char *name,
                         const char *wanted)
{
    wm_buffer out;
    wm_buffer_init(&out);
    wm_key_format(wm_key_find(name), wm_config_values(set), &out);
    cr_expect_str_eq(out.bytes, wanted, "%s: %s", name, out.bytes);
    wm_buffer_fini(&out);
}

Test(value, each_type_is_shown_as_a_person_writes_it)
{
    wm_config_set *set = fixture_preset("v100", "", "");
    expect_shown(set, "sm.count", "80");
    expect_shown(set, "sm.clock", "1380 MHz");
    expect_shown(set, "l1.enabled", "true");
    expect_shown(set, "l1.latency", "28 cycles");
    expect_shown(set, "l1.hash", "xor");
    expect_shown(set, "l1.policy", "aged");
    expect_shown(set, "l2.size", "6 MiB");
    expect_shown(set, "l2.bandwidth", "32 B/clk");
    expect_shown(set, "dram.bandwidth", "898 GB/s");
    expect_shown(set, "dram.latency", "160 ns");
    expect_shown(set, "shared.carveouts", "0 8 16 32 64 96 KiB");
    wm_config_free(set);
}

Test(value, time_becomes_cycles_with_the_final_clock)
{
    /* 20 ns x 1.38 GHz = 27.6; the clock given later must count. */
    wm_config_set *set =
        fixture_load("l1.latency: 20 ns\nsm.clock: 1380 MHz\n");
    cr_expect_eq(wm_config_values(set)->l1.latency, 28u);
    wm_config_free(set);
    set = fixture_preset("v100", "l1.latency=20 ns", "sm.clock=2 GHz");
    cr_expect_eq(wm_config_values(set)->l1.latency, 40u);
    wm_config_free(set);
    /* Half a cycle rounds up: 12.5 ns at 1 GHz. */
    set = fixture_preset("v100", "l1.latency=12.5ns", "sm.clock=1 GHz");
    cr_expect_eq(wm_config_values(set)->l1.latency, 13u);
    wm_config_free(set);
}

Test(value, a_later_number_of_cycles_replaces_a_time)
{
    wm_config_set *set =
        fixture_preset("v100", "l1.latency=20 ns", "l1.latency=30");
    cr_expect_eq(wm_config_values(set)->l1.latency, 30u);
    wm_config_free(set);
}

Test(value, a_time_of_too_many_or_no_cycles_is_refused)
{
    fixture_preset_refuses("v100", "l1.latency=1 s", "",
                           "--set l1.latency=1 s: l1.latency 1 s at sm.clock "
                           "1380 MHz is out of range, wanted 1 cycles to "
                           "1000000 cycles");
    fixture_preset_refuses("v100", "l1.latency=100 ps", "",
                           "--set l1.latency=100 ps: l1.latency 100 ps at "
                           "sm.clock 1380 MHz is out of range, wanted "
                           "1 cycles to 1000000 cycles");
    fixture_preset_refuses("v100", "l1.latency=18446744 s", "",
                           "--set l1.latency=18446744 s: l1.latency "
                           "18446744 s at sm.clock 1380 MHz is out of range, "
                           "wanted 1 cycles to 1000000 cycles");
}

Test(value, switches_have_four_spellings)
{
    static const char *const on[] = {"true", "yes", "on", "1"};
    static const char *const off[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < 4; i++) {
        char text[32];
        (void)snprintf(text, sizeof(text), "l1.enabled=%s", on[i]);
        wm_config_set *set = fixture_preset("v100", text, "");
        cr_expect_eq(wm_config_values(set)->l1.enabled, 1u, "%s", text);
        wm_config_free(set);
        (void)snprintf(text, sizeof(text), "l1.enabled=%s", off[i]);
        set = fixture_preset("v100", text, "");
        cr_expect_eq(wm_config_values(set)->l1.enabled, 0u, "%s", text);
        wm_config_free(set);
    }
}

Test(value, lists_of_sizes_have_several_spellings)
{
    static const char *const texts[] = {
        "shared.carveouts: 0 8 96 KiB\n",
        "shared.carveouts: [0 KiB, 8 KiB, 96 KiB]\n",
        "shared.carveouts: [0, 8, 96 KiB]\n",
        "shared.carveouts:\n- 0\n- 8192 B\n- 96KiB\n",
        "shared.carveouts: 0 8KiB, 96 KiB\n",
        "shared.carveouts: 0 8 96KiB\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        wm_config_set *set = fixture_load(texts[i]);
        const wm_sizes *list = &wm_config_values(set)->shared.carveouts;
        cr_expect_eq(list->n, 3u, "%s", texts[i]);
        cr_expect_eq(list->bytes[0], 0u, "%s", texts[i]);
        cr_expect_eq(list->bytes[1], 8192u, "%s", texts[i]);
        cr_expect_eq(list->bytes[2], 98304u, "%s", texts[i]);
        wm_config_free(set);
    }
}

Test(value, an_empty_list_of_sizes_is_any)
{
    static const char *const texts[] = {"shared.carveouts=any",
                                        "shared.carveouts="};
    for (size_t i = 0; i < 2; i++) {
        wm_config_set *set = fixture_preset("v100", texts[i], "");
        cr_expect_eq(wm_config_values(set)->shared.carveouts.n, 0u);
        expect_shown(set, "shared.carveouts", "any");
        wm_config_free(set);
    }
}

Test(value, bad_lists_of_sizes_are_refused)
{
#define TAIL ", wanted up to 16 rising sizes such as 0 8 16 KiB, 0 B to 1 GiB"
    static const char *const cases[][2] = {
        {"shared.carveouts=8 16", "'8 16' has no unit" TAIL},
        {"shared.carveouts=8 KiB 8 KiB", "'8 KiB 8 KiB' does not rise" TAIL},
        {"shared.carveouts=8 MHz", "'8 MHz' has an unknown unit" TAIL},
        {"shared.carveouts=KiB", "'KiB' is not a number" TAIL},
        {"shared.carveouts=-8 KiB", "'-8 KiB' is negative" TAIL},
        {"shared.carveouts=2 GiB", "'2 GiB' is out of range" TAIL},
        {"shared.carveouts=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 KiB",
         "'1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 KiB' has too many "
         "sizes" TAIL},
        {"shared.carveouts=18446744073709551615 TiB",
         "'18446744073709551615 TiB' is too large" TAIL}};
#undef TAIL
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char wanted[300];
        (void)snprintf(wanted, sizeof(wanted), "--set %s: %s", cases[i][0],
                       cases[i][1]);
        fixture_preset_refuses("v100", cases[i][0], "", wanted);
    }
}

/* A random value of the key's type, and its text, through --set on a preset;
 * rules over several keys may refuse it, the parser may not. */
static uint64_t random_in(wm_rng *rng, uint64_t min, uint64_t max)
{
    uint64_t span = max - min;
    uint64_t value = wm_rng_next(rng) >> wm_rng_below(rng, 64);
    return min + (span == UINT64_MAX ? value : value % (span + 1));
}

static void put_random(const wm_key *key, wm_config *values, wm_rng *rng)
{
    char *field = (char *)values + key->offset;
    const bool is_text = strcmp(key->type, "TEXT") == 0;
    if (is_text || strcmp(key->type, "NAME") == 0) {
        uint32_t n = 1 + wm_rng_below(rng, is_text ? WM_TEXT_BYTES - 1 : 31);
        memset(field, 0, is_text ? WM_TEXT_BYTES : 32);
        for (uint32_t i = 0; i < n; i++) {
            field[i] = (char)('a' + wm_rng_below(rng, 26));
        }
    } else if (strcmp(key->type, "SIZES") == 0) {
        wm_sizes list = {wm_rng_below(rng, WM_SIZES_MAX + 1), {0}};
        uint64_t at = wm_rng_below(rng, 2) * 100;
        for (uint32_t i = 0; i < list.n; i++) {
            list.bytes[i] = at;
            at += (1 + wm_rng_below(rng, 9)) << (10 * wm_rng_below(rng, 2));
        }
        memcpy(field, &list, sizeof(list));
    } else {
        uint64_t value = random_in(rng, key->min, key->max);
        if (strcmp(key->type, "CHOICE") == 0) {
            uint32_t n = 1;
            for (const char *p = key->unit; *p != '\0'; p++) {
                n += *p == ' ';
            }
            value = wm_rng_below(rng, n);
        }
        memcpy(field, &value, sizeof(value));
    }
}

Test(value, what_is_shown_reads_back_as_the_same_value_for_every_key)
{
    const uint64_t seed = 424242;
    wm_rng rng = {seed};
    wm_buffer text;
    wm_buffer again;
    wm_buffer_init(&text);
    wm_buffer_init(&again);
    for (size_t i = 0; i < wm_n_keys * 40; i++) {
        const wm_key *key = &wm_keys[i % wm_n_keys];
        wm_config values;
        wm_config_set *set = NULL;
        wm_error err = {WM_OK, ""};
        memset(&values, 0, sizeof(values));
        put_random(key, &values, &rng);
        wm_buffer_clear(&text);
        wm_buffer_printf(&text, "%s=", key->name);
        wm_key_format(key, &values, &text);
        const char *sets[] = {text.bytes};
        if (wm_config_load("v100", sets, 1, &set, &err) != WM_OK) {
            /* Refused for its company, not for its form. */
            cr_expect_null(strstr(err.text, "'"), "seed %llu: %s",
                           (unsigned long long)seed, err.text);
            continue;
        }
        wm_buffer_clear(&again);
        wm_buffer_printf(&again, "%s=", key->name);
        wm_key_format(key, wm_config_values(set), &again);
        cr_expect_str_eq(again.bytes, text.bytes, "seed %llu",
                         (unsigned long long)seed);
        wm_config_free(set);
    }
    wm_buffer_fini(&text);
    wm_buffer_fini(&again);
}

/* Whether --set KEY=VALUE is refused for its range. */
static bool is_out_of_range(const wm_key *key, uint64_t value)
{
    wm_buffer text;
    wm_config values;
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    memset(&values, 0, sizeof(values));
    memcpy((char *)&values + key->offset, &value, sizeof(value));
    wm_buffer_init(&text);
    wm_buffer_printf(&text, "%s=", key->name);
    wm_key_format(key, &values, &text);
    const char *sets[] = {text.bytes};
    (void)wm_config_load("v100", sets, 1, &set, &err);
    wm_config_free(set);
    wm_buffer_fini(&text);
    return strstr(err.text, "' is out of range") != NULL;
}

Test(value, the_ends_of_every_range_belong_to_it)
{
    for (size_t i = 0; i < wm_n_keys; i++) {
        const wm_key *key = &wm_keys[i];
        if (key->max <= 1 || strcmp(key->type, "SIZES") == 0) {
            continue; /* switches, choices, names and lists have no range */
        }
        cr_expect_not(is_out_of_range(key, key->min), "%s", key->name);
        cr_expect_not(is_out_of_range(key, key->max), "%s", key->name);
        cr_expect(is_out_of_range(key, key->max + 1), "%s", key->name);
        if (key->min != 0) {
            cr_expect(is_out_of_range(key, key->min - 1), "%s", key->name);
        }
    }
}

Test(keys, are_found_by_their_names)
{
    cr_expect_gt(wm_n_keys, 50u);
    for (size_t i = 0; i < wm_n_keys; i++) {
        cr_expect_eq(wm_key_find(wm_keys[i].name), &wm_keys[i]);
        cr_expect_eq(wm_key_nearest(wm_keys[i].name), &wm_keys[i]);
        cr_expect_gt(strlen(wm_keys[i].sentence), 0u);
    }
    cr_expect_null(wm_key_find("l2"));
    cr_expect_null(wm_key_find(""));
    cr_expect_str_eq(wm_key_nearest("dram.chanels")->name, "dram.channels");
}
