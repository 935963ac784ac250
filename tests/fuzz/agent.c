/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what a coordinator sends: the agent answers or ends, and opens nothing. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabric/agent.h"
#include "lib/diag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct control control;
	struct diag diag;
	int in = memfd_create("in", MFD_CLOEXEC), out = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (in >= 0 && out >= 0 && write(in, data, size) == (ssize_t)size &&
		lseek(in, 0, SEEK_SET) == 0) {
		control_adopt(&control, in, out, "fuzzer");
		(void)agent_serve(&control, "weft fuzz", &diag);
		control_close(&control);
		return 0;
	}
	close(in);
	close(out);
	return 0;
}
