// SPDX-License-Identifier: Apache-2.0
// The provider of a device that does not exist: what is posted goes nowhere, and what is polled was put there by the
// program. Its functions are those of a library, as a real provider's are.
#include "provider.h"
#include <errno.h>
#include <string.h>

struct script script;

int provider_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
  for (int i = 0; script.refused && i < script.refused_at && wr; i++) wr = wr->next;
  if (script.refused && !script.silent) *bad = wr;
  return script.refused;
}

static int received(struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
  for (int i = 0; script.refused && i < script.refused_at && wr; i++) wr = wr->next;
  if (script.refused && !script.silent) *bad = wr;
  return script.refused;
}

int provider_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { return received(wr, bad); }

int provider_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { return received(wr, bad); }

int provider_poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc) {
  int n = script.completed < entries ? script.completed : entries;
  if (n > 0) memcpy(wc, script.completions, n * sizeof *wc);
  return n;
}

void provider_wr_send(struct ibv_qp_ex *qp) { script.begun++; }

void provider_wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote) { script.begun += rkey != 0; }

void provider_wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length) { script.begun += length != 1; }

void provider_wr_set_sge_list(struct ibv_qp_ex *qp, size_t n, const struct ibv_sge *list) { script.begun += n != 1; }

void provider_wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length) { script.begun += length != 2; }

void provider_wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t n, const struct ibv_data_buf *list) { script.begun += n != 2; }

int provider_wr_complete(struct ibv_qp_ex *qp) { return script.refused; }

void provider_wr_abort(struct ibv_qp_ex *qp) { script.begun = 0; }

int provider_connect(void *id, void *parameter) { return script.refused; }

int provider_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask) { return script.refused; }
