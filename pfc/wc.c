/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/wc.h"

#include <stddef.h>

#include "lib/units.h"
#include "pfc/scan.h"

static const struct {
	const char *name, *says; /* says: ibv_wc_status_str() */
} statuses[] = {
	{ "IBV_WC_SUCCESS", "success" },
	{ "IBV_WC_LOC_LEN_ERR", "local length error" },
	{ "IBV_WC_LOC_QP_OP_ERR", "local QP operation error" },
	{ "IBV_WC_LOC_EEC_OP_ERR", "local EE context operation error" },
	{ "IBV_WC_LOC_PROT_ERR", "local protection error" },
	{ "IBV_WC_WR_FLUSH_ERR", "Work Request Flushed Error" },
	{ "IBV_WC_MW_BIND_ERR", "memory management operation error" },
	{ "IBV_WC_BAD_RESP_ERR", "bad response error" },
	{ "IBV_WC_LOC_ACCESS_ERR", "local access error" },
	{ "IBV_WC_REM_INV_REQ_ERR", "remote invalid request error" },
	{ "IBV_WC_REM_ACCESS_ERR", "remote access error" },
	{ "IBV_WC_REM_OP_ERR", "remote operation error" },
	{ "IBV_WC_RETRY_EXC_ERR", "transport retry counter exceeded" },
	{ "IBV_WC_RNR_RETRY_EXC_ERR", "RNR retry counter exceeded" },
	{ "IBV_WC_LOC_RDD_VIOL_ERR", "local RDD violation error" },
	{ "IBV_WC_REM_INV_RD_REQ_ERR", "remote invalid RD request" },
	{ "IBV_WC_REM_ABORT_ERR", "aborted error" },
	{ "IBV_WC_INV_EECN_ERR", "invalid EE context number" },
	{ "IBV_WC_INV_EEC_STATE_ERR", "invalid EE context state" },
	{ "IBV_WC_FATAL_ERR", "fatal error" },
	{ "IBV_WC_RESP_TIMEOUT_ERR", "response timeout error" },
	{ "IBV_WC_GENERAL_ERR", "general error" },
	{ "IBV_WC_TM_ERR", "TM error" },
	{ "IBV_WC_TM_RNDV_INCOMPLETE", "TM software rendezvous" },
};

const char *wc_name(int status)
{
	if (status < 0 || (size_t)status >= COUNT_OF(statuses))
		return NULL;
	return statuses[status].name;
}

int wc_find(const char *line)
{
	for (size_t i = 1; i < COUNT_OF(statuses); i++)
		if (scan_word(line, statuses[i].name) ||
			scan_word(line, statuses[i].name + 4) ||
			scan_word(line, statuses[i].name + 7) ||
			(i <= 13 && scan_has(line, statuses[i].says)))
			return (int)i;
	if (scan_has(line, "transport retry count exceeded")) /* UCX */
		return WC_RETRY_EXC_ERR;
	return -1;
}
