/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of interfaces: what their ticks are in ns, and what they are called. */
#include <stdio.h>

#include "lib/capture_file.h"
#include "lib/units.h"

/* No typedefs elsewhere; __extension__ has no other place for this. */
__extension__ typedef __int128 wide;

uint64_t capture_clock_ns(const struct capture_interface *interface, uint64_t ticks)
{
	static const uint64_t power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
		100000000, 1000000000 };
	uint8_t exponent = interface->clock.exponent;
	wide ns = ticks;
	uint64_t usual;

	/* As nearly all are. */
	if (!interface->clock.binary && exponent <= 9 && !interface->offset_s &&
		!__builtin_mul_overflow(ticks, power[9 - exponent], &usual))
		return usual;
	if (interface->clock.binary) {
		ns = (ns * NS_PER_S) >> exponent;
	} else if (exponent <= 9) {
		ns *= power[9 - exponent];
	} else {
		for (; exponent > 9 && ns; exponent--)
			ns /= 10;
	}
	ns += (wide)interface->offset_s * (int64_t)NS_PER_S;
	if (ns < 0)
		return 0;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

void capture_clock_name(struct capture_clock clock, char *text, size_t size)
{
	static const char *const names[] = { "s", "ms", "us", "ns", "ps" };

	if (clock.exponent == 0)
		snprintf(text, size, "s");
	else if (!clock.binary && clock.exponent % 3 == 0 && clock.exponent <= 12)
		snprintf(text, size, "%s", names[clock.exponent / 3]);
	else
		snprintf(text, size, "%s^-%u s", clock.binary ? "2" : "10", clock.exponent);
}
