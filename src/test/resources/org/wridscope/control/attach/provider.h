// SPDX-License-Identifier: Apache-2.0
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

// What the provider does next.
struct script {
  int refused;     // what a post function returns
  int refused_at;  // the first request of the chain that is refused
  int silent;      // does not tell which that is
  int completed;   // how many completions are there
  struct ibv_wc completions[128];
  int current;     // which of them an extended completion queue shows
  long begun;
  unsigned key;    // of the region that is registered
};

extern struct script script;

int provider_post_send(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **);
int provider_post_recv(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **);
int provider_post_srq_recv(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **);
int provider_start_poll(struct ibv_cq_ex *, struct ibv_poll_cq_attr *);
int provider_next_poll(struct ibv_cq_ex *);
void provider_end_poll(struct ibv_cq_ex *);
enum ibv_wc_opcode provider_read_opcode(struct ibv_cq_ex *);
uint32_t provider_read_vendor_err(struct ibv_cq_ex *);
uint32_t provider_read_byte_len(struct ibv_cq_ex *);
uint32_t provider_read_qp_num(struct ibv_cq_ex *);
int provider_poll_cq(struct ibv_cq *, int, struct ibv_wc *);
void provider_wr_send(struct ibv_qp_ex *);
void provider_wr_rdma_write(struct ibv_qp_ex *, uint32_t, uint64_t);
void provider_wr_set_sge(struct ibv_qp_ex *, uint32_t, uint64_t, uint32_t);
void provider_wr_set_sge_list(struct ibv_qp_ex *, size_t, const struct ibv_sge *);
void provider_wr_set_inline_data(struct ibv_qp_ex *, void *, size_t);
void provider_wr_set_inline_data_list(struct ibv_qp_ex *, size_t, const struct ibv_data_buf *);
int provider_wr_complete(struct ibv_qp_ex *);
void provider_wr_abort(struct ibv_qp_ex *);
int provider_connect(void *, void *);
struct ibv_mr *provider_reg_mr(struct ibv_pd *, void *, size_t, int);
struct ibv_mr *provider_reg_mr_iova2(struct ibv_pd *, void *, size_t, uint64_t, unsigned);
int provider_cmd_reg_mr(struct ibv_pd *);
int provider_rereg_mr(struct ibv_mr *, int, struct ibv_pd *, void *, size_t, int);
int provider_dereg_mr(struct ibv_mr *);
int provider_close_device(struct ibv_context *);
int provider_modify_qp(struct ibv_qp *, struct ibv_qp_attr *, int);
