/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fabric_free(struct fabric *fabric)
{
	free(fabric->nodes);
	free(fabric->ports);
	free(fabric->links);
	free(fabric->nics);
	free(fabric->faults);
	free(fabric->text);
	*fabric = (struct fabric)FABRIC_INIT;
}
