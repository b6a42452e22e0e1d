/* Half precision: every half survives the way to float and back; rounding. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>

float __gnu_h2f_ieee(uint16_t half);
uint16_t __gnu_f2h_ieee(float value);

Test(half, every_half_survives_the_way_to_float_and_back)
{
    for (uint32_t h = 0; h < 0x10000; h++) {
        float value = __gnu_h2f_ieee((uint16_t)h);
        if (!isnan(value)) {
            cr_assert_eq(__gnu_f2h_ieee(value), h, "%x", h);
        }
    }
}

Test(half, known_values)
{
    cr_assert_eq(__gnu_h2f_ieee(0x3c00), 1.0f);
    cr_assert_eq(__gnu_h2f_ieee(0xc000), -2.0f);
    cr_assert_eq(__gnu_h2f_ieee(0x7bff), 65504.0f);
    cr_assert_eq(__gnu_h2f_ieee(0x0001), 0x1p-24f);
    cr_assert_eq(__gnu_h2f_ieee(0x0400), 0x1p-14f);
    cr_assert(isinf(__gnu_h2f_ieee(0x7c00)));
    cr_assert(isnan(__gnu_h2f_ieee(0x7e00)));
}

Test(half, ties_go_to_even_and_what_is_too_large_is_infinite)
{
    cr_assert_eq(__gnu_f2h_ieee(1.0f + 0x1p-11f), 0x3c00);
    cr_assert_eq(__gnu_f2h_ieee(1.0f + 0x3p-11f), 0x3c02);
    cr_assert_eq(__gnu_f2h_ieee(65519.0f), 0x7bff);
    cr_assert_eq(__gnu_f2h_ieee(65520.0f), 0x7c00);
    cr_assert_eq(__gnu_f2h_ieee(1e30f), 0x7c00);
    cr_assert_eq(__gnu_f2h_ieee(0x1p-25f), 0);
    cr_assert_eq(__gnu_f2h_ieee(-0x1.8p-25f), 0x8001);
    cr_assert_eq(__gnu_f2h_ieee(1e-30f), 0);
    cr_assert_eq(__gnu_f2h_ieee(NAN) & 0x7e00, 0x7e00);
}
