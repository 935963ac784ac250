/*
 * peer_match - which devices and GIDs of two hosts talk to each other, where the options leave
 * that open.
 *
 * In this order: two in one subnet, of the same device name if there are such; the only device
 * of each host; two devices of the same name. The family asked for before the other one; then
 * the order in which the hosts name them. Never one address with itself, unless there is
 * nothing else.
 */
#ifndef CMD_PEER_MATCH_H
#define CMD_PEER_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/verbs_ends.h"

struct diag;
struct json;

enum peer_match_rule { PEER_ONE_SUBNET, PEER_ONLY_ONES, PEER_ONE_NAME };

struct peer_match {
	struct verbs_end here, there;
	enum peer_match_rule rule;
	uint32_t devices_here, devices_there; /* that would have done */
};

/* host: the other one, for the sentence. Returns 0, or -ENODEV with what there is to choose
 * from. */
int peer_match(struct peer_match *match, const struct verbs_ends *here,
	const struct verbs_ends *there, bool ipv6_first, const char *host, struct diag *diag);

/* In frames. The reader returns 0, or -EPROTO. */
void peer_put_ends(struct json *list, const struct verbs_ends *ends);
int peer_get_ends(const struct json *list, struct verbs_ends *ends, struct diag *diag);
int peer_get_end(const struct json *object, struct verbs_end *end, struct diag *diag);
void peer_put_end(struct json *object, const struct verbs_end *end);

#endif
