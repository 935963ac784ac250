/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/cm.h"

#include <stddef.h>
#include <string.h>

#include "lib/bytes.h"

/* Common MAD header: 24 bytes; class 7 is communication management. */
#define MAD_BYTES 24u
#define MAD_CLASS_CM 7u
#define ATTRIBUTE_REQ 0x0010u
#define ATTRIBUTE_REP 0x0013u

/* Offsets in the data that follows. */
#define REQ_LOCAL_ID 0u
#define REQ_LOCAL_QP 32u
#define REQ_PATH_MTU 50u
#define REQ_BYTES 52u
#define REP_REMOTE_ID 4u
#define REP_LOCAL_QP 12u
#define REP_BYTES 24u

static bool same(const struct cm_address *a, const struct cm_address *b)
{
	return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

static uint16_t mtu_of(uint8_t code)
{
	static const uint16_t mtus[16] = { 0, 256, 512, 1024, 2048, 4096 };

	return mtus[code & 15];
}

static void request(struct cm *cm, const uint8_t *data, const struct cm_address *src)
{
	struct cm_request *to = &cm->requests[cm->request_count++ % CM_REQUESTS_MAX];

	to->from = *src;
	to->id = be32_at(data + REQ_LOCAL_ID);
	to->qp = be24_at(data + REQ_LOCAL_QP);
	to->mtu = mtu_of(data[REQ_PATH_MTU] >> 4);
}

static const struct cm_pair *reply(struct cm *cm, const uint8_t *data,
	const struct cm_address *src, const struct cm_address *dst, uint16_t tap)
{
	uint32_t id = be32_at(data + REP_REMOTE_ID);
	uint32_t kept =
		cm->request_count < CM_REQUESTS_MAX ? cm->request_count : CM_REQUESTS_MAX;

	for (uint32_t i = 1; i <= kept; i++) {
		const struct cm_request *asked =
			&cm->requests[(cm->request_count - i) % CM_REQUESTS_MAX];
		struct cm_pair *pair;

		if (asked->id != id || !same(&asked->from, dst))
			continue;
		pair = &cm->pairs[cm->pair_count++ % CM_PAIRS_MAX];
		*pair = (struct cm_pair){
			.to = { *src, *dst },
			.qp = { be24_at(data + REP_LOCAL_QP), asked->qp },
			.mtu = asked->mtu,
			.tap = tap,
		};
		return pair;
	}
	return NULL;
}

const struct cm_pair *cm_datagram(struct cm *cm, const uint8_t *payload, uint32_t bytes,
	const struct cm_address *src, const struct cm_address *dst, uint16_t tap)
{
	const uint8_t *data;
	uint16_t attribute;

	if (bytes < MAD_BYTES || payload[1] != MAD_CLASS_CM)
		return NULL;
	data = payload + MAD_BYTES;
	attribute = be16_at(payload + 16);
	if (attribute == ATTRIBUTE_REQ && bytes >= MAD_BYTES + REQ_BYTES) {
		cm->seen++;
		request(cm, data, src);
	} else if (attribute == ATTRIBUTE_REP && bytes >= MAD_BYTES + REP_BYTES) {
		cm->seen++;
		return reply(cm, data, src, dst, tap);
	}
	return NULL;
}

bool cm_find(const struct cm *cm, const struct cm_address *to, uint32_t qp, uint16_t tap,
	uint32_t *other_qp, uint16_t *mtu)
{
	uint32_t kept = cm->pair_count < CM_PAIRS_MAX ? cm->pair_count : CM_PAIRS_MAX;

	for (uint32_t i = 1; i <= kept; i++) {
		const struct cm_pair *pair = &cm->pairs[(cm->pair_count - i) % CM_PAIRS_MAX];

		for (unsigned end = 0; end < 2; end++) {
			if (pair->tap != tap || pair->qp[end] != qp ||
				!same(&pair->to[end], to))
				continue;
			*other_qp = pair->qp[1 - end];
			*mtu = pair->mtu;
			return true;
		}
	}
	return false;
}
