/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/hwcounters.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/diag.h"
#include "lib/units.h"

/* Digits and at most a newline. */
static bool parse(const char *text, uint64_t *value)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && (!*end || (*end == '\n' && !end[1]));
}

static bool read_one(int folder, const char *name, uint64_t *value)
{
	char text[32];
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	return parse(text, value);
}

static int by_name(const void *left, const void *right)
{
	const struct hwcounter *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static void add(struct hwcounters *counters, const char *name, uint64_t value)
{
	struct hwcounter *item = &counters->items[counters->count++];

	snprintf(item->name, sizeof(item->name), "%.47s", name);
	item->value = value;
}

int hwcounters_read(struct hwcounters *counters, const char *folder, struct diag *diag)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int err = 0;

	if (!dir)
		return diag_system(diag, -errno, "counters: %.200s", folder);
	counters->count = 0;
	while (!err && (entry = readdir(dir))) {
		uint64_t value;

		if (strlen(entry->d_name) >= HWCOUNTERS_NAME ||
			strcmp(entry->d_name, "lifespan") == 0 ||
			!read_one(dirfd(dir), entry->d_name, &value))
			continue;
		if (counters->count == HWCOUNTERS_MAX)
			err = diag_error(diag, -EOVERFLOW,
				"counters: %.200s holds more than %u", folder, HWCOUNTERS_MAX);
		else
			add(counters, entry->d_name, value);
	}
	closedir(dir);
	if (err)
		return err;
	qsort(counters->items, counters->count, sizeof(counters->items[0]), by_name);
	return 0;
}

/* 2^32 small messages take minutes. */
static bool wraps(const char *name)
{
	return strcmp(name, "rx_write_requests") == 0 ||
	       strcmp(name, "rx_read_requests") == 0 || strcmp(name, "rx_atomic_requests") == 0;
}

void hwcounters_between(const struct hwcounters *from, const struct hwcounters *to,
	struct hwcounters *grown, bool *reset)
{
	grown->count = 0;
	*reset = false;
	for (uint32_t i = 0; i < to->count; i++) {
		const struct hwcounter *now = &to->items[i];
		const struct hwcounter *then =
			bsearch(now, from->items, from->count, sizeof(*now), by_name);

		if (!then || then->value == now->value)
			continue;
		if (then->value > now->value) {
			*reset |= !wraps(now->name);
			continue;
		}
		grown->items[grown->count] = *now;
		grown->items[grown->count++].value -= then->value;
	}
}

bool hwcounters_tell_loss(const struct hwcounters *from, const struct hwcounters *to)
{
	bool told = false;

	for (uint32_t i = 0; i < from->count; i++) {
		const struct hwcounter *then = &from->items[i];
		const struct hwcounter *now =
			bsearch(then, to->items, to->count, sizeof(*then), by_name);

		if (!hwcounters_is_loss(then->name))
			continue;
		if (!now || now->value < then->value)
			return false;
		told = true;
	}
	return told;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

bool hwcounters_is_not_ready(const char *name)
{
	static const char *const names[] = {
		"out_of_buffer",     /* mlx5 */
		"rnr_nak_retry_err", /* mlx5 */
		"rcvd_rnr_err",      /* rxe */
		"send_rnr_err",      /* rxe */
		"rnr_naks_rcvd",     /* bnxt_re */
		"rx_out_of_buffer",  /* bnxt_re */
		"requester_rnr_nak", /* mana_ib */
		"responder_rnr_nak",
		"req_rx_rnr_retry_err", /* ionic_rdma */
		"resp_rx_outof_buf",
		"sq_num_rnr", /* mlx4_ib */
		"rq_num_rnr",
	};

	return is_one_of(name, names, COUNT_OF(names));
}

bool hwcounters_is_loss(const char *name)
{
	static const char *const names[] = {
		/* mlx5 */
		"out_of_sequence",
		"packet_seq_err",
		"implied_nak_seq_err",
		"local_ack_timeout_err",
		"req_transport_retries_exceeded",
		"roce_adp_retrans",
		"roce_adp_retrans_to",
		/* rxe; duplicate_request of mlx5 too */
		"duplicate_request",
		"out_of_seq_request",
		"rcvd_seq_err",
		"completer_retry_err",
		"retry_exceeded_err",
		/* bnxt_re */
		"to_retransmits",
		"seq_err_naks_rcvd",
		"max_retry_exceeded",
		"oos_drop_count",
		"missing_resp",
		"dup_req",
		/* irdma */
		"RetransSegs",
		/* mana_ib */
		"requester_timeout",
		"requester_oos_nak",
		"requester_implicit_nak",
		"requester_retries_exceeded",
		"responder_oos",
		"responder_dup_request",
		/* ionic_rdma */
		"tx_rdma_ack_timeout",
		"tx_rdma_retx_pkts",
		"req_rx_pkt_seq_err",
		"req_rx_impl_nak_seq_err",
		"req_tx_retry_excd_err",
		"resp_rx_outouf_seq",
		"resp_rx_dup_request",
		/* mlx4_ib */
		"sq_num_to",
		"sq_num_oos",
		"sq_num_tree",
		"rq_num_oos",
		"rq_num_dup",
	};

	return is_one_of(name, names, COUNT_OF(names));
}
