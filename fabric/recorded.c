/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/recorded.h"

#include "fabric/file.h"
#include "lib/diag.h"

int fabric_recorded(
	struct fabric *fabric, const struct run *run, const char *path, struct diag *diag)
{
	const struct run_info *info = run_info(run);
	struct diag why;
	int err;

	err = fabric_parse(fabric, "the fabric file in it", info->fabric_text,
		info->fabric_bytes, info->plane[0] ? info->plane : NULL, &why);
	if (err)
		return diag_error(diag, err,
			"%s: made by %s, which this weft does not follow: %s", path,
			info->program, why.text);
	return 0;
}
