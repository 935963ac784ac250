/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/json.h"
#include "lib/utf8.h"

int wire_number(const struct json *object, const char *key, uint64_t least, uint64_t most,
	uint64_t *value, struct diag *diag)
{
	int64_t number;

	if (!json_int(json_get(object, key), &number) || number < 0)
		return diag_error(diag, -EPROTO, "the peer's frame has no number \"%s\"", key);
	if ((uint64_t)number < least || (uint64_t)number > most)
		return diag_error(diag, -EPROTO,
			"the peer's \"%s\" is %" PRId64 ": expected %" PRIu64 "..%" PRIu64, key,
			number, least, most);
	*value = (uint64_t)number;
	return 0;
}

int wire_text(
	const struct json *object, const char *key, char *text, size_t size, struct diag *diag)
{
	const char *found = json_text(json_get(object, key));

	if (!found || strlen(found) >= size || utf8_has_control(found))
		return diag_error(diag, -EPROTO, "the peer's frame has no good \"%s\"", key);
	memcpy(text, found, strlen(found) + 1);
	return 0;
}
