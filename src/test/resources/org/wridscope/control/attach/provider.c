// SPDX-License-Identifier: Apache-2.0
// The provider of a device that does not exist: what is posted goes nowhere, and what is polled was put there by the
// program. Its functions are those of a library, as a real provider's are.
#include "provider.h"
#include <errno.h>
#include <stdlib.h>
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

// An extended completion queue shows one completion after the other.
static int show(struct ibv_cq_ex *cq, int which) {
  if (which >= script.completed) return ENOENT;
  script.current = which;
  cq->status = script.completions[which].status;
  cq->wr_id = script.completions[which].wr_id;
  return 0;
}

int provider_start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr) { return show(cq, 0); }

int provider_next_poll(struct ibv_cq_ex *cq) { return show(cq, script.current + 1); }

void provider_end_poll(struct ibv_cq_ex *cq) { script.completed = 0; }

enum ibv_wc_opcode provider_read_opcode(struct ibv_cq_ex *cq) { return script.completions[script.current].opcode; }

uint32_t provider_read_vendor_err(struct ibv_cq_ex *cq) { return script.completions[script.current].vendor_err; }

uint32_t provider_read_byte_len(struct ibv_cq_ex *cq) { return script.completions[script.current].byte_len; }

uint32_t provider_read_qp_num(struct ibv_cq_ex *cq) { return script.completions[script.current].qp_num; }

void provider_wr_send(struct ibv_qp_ex *qp) { script.begun++; }

void provider_wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote) { script.begun += rkey != 0; }

void provider_wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length) { script.begun += length != 1; }

void provider_wr_set_sge_list(struct ibv_qp_ex *qp, size_t n, const struct ibv_sge *list) { script.begun += n != 1; }

void provider_wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length) { script.begun += length != 2; }

void provider_wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t n, const struct ibv_data_buf *list) { script.begun += n != 2; }

int provider_wr_complete(struct ibv_qp_ex *qp) { return script.refused; }

void provider_wr_abort(struct ibv_qp_ex *qp) { script.begun = 0; }

int provider_connect(void *id, void *parameter) { return script.refused; }

int provider_cmd_reg_mr(struct ibv_pd *pd) { return script.silent ? 0 : script.refused; }

// As in libibverbs, one of the functions that register memory calls the other, and that asks the kernel.
struct ibv_mr *provider_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned access) {
  if (provider_cmd_reg_mr(pd) || script.refused) return NULL;
  struct ibv_mr *mr = calloc(1, sizeof *mr);
  *mr = (struct ibv_mr){.context = pd->context, .pd = pd, .addr = addr, .length = length, .lkey = script.key, .rkey = 1};
  return mr;
}

struct ibv_mr *provider_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access) {
  struct ibv_mr *mr = provider_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, access);
  script.begun += mr != NULL;
  return mr;
}

int provider_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access) {
  if (script.refused) return IBV_REREG_MR_ERR_CMD;
  mr->addr = addr, mr->length = length, mr->lkey = script.key;
  return script.silent ? IBV_REREG_MR_ERR_DO_FORK_OLD : 0;
}

int provider_dereg_mr(struct ibv_mr *mr) {
  if (!script.refused) {
    memset(mr, 0xff, sizeof *mr);
    free(mr);
  }
  return script.refused;
}

int provider_close_device(struct ibv_context *context) { return 0; }

int provider_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask) { return script.refused; }
