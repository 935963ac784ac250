/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/wire/read.h"

#include "lib/units.h"
#include "pfc/wire_judge.h"

void read_bytes(struct read *read, const uint8_t *bytes, size_t size,
	const struct wire_options *options)
{
	const char *const names[] = { "one" };
	struct wire_facts facts = { .tap_names = names, .taps = 1, .priority = 8 };
	struct capture_record record, more[3];
	size_t count;

	*read = (struct read){ .findings = FINDINGS_INIT };
	read->end = capture_open_memory(&read->capture, bytes, size, &read->diag);
	if (read->end)
		return;
	wire_init(&read->wire, options);
	while ((read->end = capture_next(read->capture, &record, &read->diag)) == 1) {
		wire_record(&read->wire, &record, 0, 0);
		count = capture_at_hand(read->capture, more, COUNT_OF(more));
		wire_records(&read->wire, more, count, 0, 0);
	}
	wire_finish(&read->wire);
	facts.cut = capture_info(read->capture)->cut_last_record;
	facts.damaged = read->end ? read->diag.text : NULL;
	wire_judge(&read->wire, &facts, &read->findings);
}

void read_free(struct read *read)
{
	findings_free(&read->findings);
	if (!read->capture)
		return;
	wire_free(&read->wire);
	capture_close(read->capture);
	read->capture = NULL;
}
