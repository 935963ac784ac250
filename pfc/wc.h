/*
 * wc - completion statuses by number and name, as in enum ibv_wc_status of
 * rdma-core libibverbs/verbs.h.
 */
#ifndef PFC_WC_H
#define PFC_WC_H

#define WC_LOC_PROT_ERR 4
#define WC_WR_FLUSH_ERR 5
#define WC_RETRY_EXC_ERR 12

/* "IBV_WC_RETRY_EXC_ERR" for 12; NULL beyond the enum. */
const char *wc_name(int status);

/* The status whose name (with or without IBV_WC_) or ibv_wc_status_str() text is
 * in the line; -1 for none. IBV_WC_SUCCESS is not looked for. */
int wc_find(const char *line);

#endif
