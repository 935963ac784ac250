/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/run_sql.h"

/* Of a run of more stages than fit, those of the first stages stay: all who read a run begin
 * there, so what was let go for the last stage would be the next that is asked for. */
#define KEPT_BYTES_MAX (UINT64_C(128) << 20)
#define KEPT_MAX 4096u /* looked through one by one */

struct kept {
	enum table_id id;
	uint32_t stage;
	size_t count;
	void *rows; /* owned */
};

static const struct kept *find(const struct run *run, enum table_id id, uint32_t stage)
{
	for (size_t i = 0; i < run->kept_count; i++)
		if (run->kept[i].id == id && run->kept[i].stage == stage)
			return &run->kept[i];
	return NULL;
}

/* NULL for no rows, as run_read() has it. */
static void *copy(const void *rows, size_t bytes)
{
	void *copied;

	if (!bytes)
		return NULL;
	copied = zeroed(bytes, 1);
	memcpy(copied, rows, bytes);
	return copied;
}

static void keep(
	struct run *run, enum table_id id, uint32_t stage, const void *rows, size_t count)
{
	size_t bytes = count * run_tables[id].row_bytes;

	if (run->kept_count == KEPT_MAX || run->kept_bytes + bytes > KEPT_BYTES_MAX)
		return;
	run->kept = grow(run->kept, run->kept_count, &run->kept_room, sizeof(*run->kept));
	run->kept[run->kept_count++] = (struct kept){ id, stage, count, copy(rows, bytes) };
	run->kept_bytes += bytes;
}

int run_read_kept(struct run *run, enum table_id id, uint32_t stage, void *rows, size_t *count,
	struct diag *diag)
{
	const struct kept *kept = find(run, id, stage);
	void *found;
	int err;

	if (kept) {
		found = copy(kept->rows, kept->count * run_tables[id].row_bytes);
		memcpy(rows, &found, sizeof(found));
		*count = kept->count;
		return 0;
	}
	err = run_read(run, id, &stage, rows, count, diag);
	if (err || run->writing)
		return err;
	memcpy(&found, rows, sizeof(found));
	keep(run, id, stage, found, *count);
	return 0;
}

void run_kept_free(struct run *run)
{
	for (size_t i = 0; i < run->kept_count; i++)
		free(run->kept[i].rows);
	free(run->kept);
}
