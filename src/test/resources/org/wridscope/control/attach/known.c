// SPDX-License-Identifier: Apache-2.0
// Posts a known list of requests between queue pairs of this process, in chains and with errors, and writes what it
// posted and polled to a file, a line each, in the words of KnownProgram.
//
//   known DEVICE FILE
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 65536
#define CHAIN 32    // how many requests of a chain are recorded
#define LONG 40     // requests in a chain that is longer

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *sends, *receives;
static struct ibv_srq *srq;
static struct ibv_mr *mr;
static union ibv_gid gid;
static FILE *out;
static char *memory;

static void check(int good, const char *what) {
  if (!good) {
    fprintf(stderr, "known: %s: %s\n", what, strerror(errno));
    exit(1);
  }
}

static struct ibv_qp *create(struct ibv_srq *shared) {
  struct ibv_qp_init_attr init = {
      .send_cq = sends, .recv_cq = receives, .srq = shared, .qp_type = IBV_QPT_RC,
      .cap = {.max_send_wr = 64, .max_recv_wr = 16, .max_send_sge = 2, .max_recv_sge = 2}};
  struct ibv_qp *qp = ibv_create_qp(pd, &init);
  check(qp != NULL, "ibv_create_qp");
  return qp;
}

static void modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, const char *what) {
  check(!ibv_modify_qp(qp, attr, mask), what);
  fprintf(out, "modified QP %u 0 %x %d %d %d %d %d %d %d %x\n", qp->qp_num, mask, attr->qp_state, attr->path_mtu,
          attr->port_num, attr->timeout, attr->retry_cnt, attr->rnr_retry, attr->min_rnr_timer, attr->qp_access_flags);
  int path = mask & (IBV_QP_AV | IBV_QP_DEST_QPN | IBV_QP_SQ_PSN | IBV_QP_RQ_PSN);
  if (path) fprintf(out, "path QP %u %x %u %u %u\n", qp->qp_num, path, attr->dest_qp_num, attr->sq_psn, attr->rq_psn);
  if (mask & IBV_QP_DEST_QPN) fprintf(out, "peer QP %u ?\n", qp->qp_num);
}

static void connect(struct ibv_qp *qp, struct ibv_qp *peer) {
  struct ibv_qp_attr init = {
      .qp_state = IBV_QPS_INIT, .port_num = 1,
      .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC};
  modify(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, "INIT");
  struct ibv_qp_attr rtr = {
      .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer->qp_num, .max_dest_rd_atomic = 1,
      .min_rnr_timer = 12,
      .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = gid, .sgid_index = 1, .hop_limit = 1}}};
  modify(qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
                       IBV_QP_MIN_RNR_TIMER, "RTR");
  struct ibv_qp_attr rts = {
      .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
  modify(qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                       IBV_QP_MAX_QP_RD_ATOMIC, "RTS");
}

static uint64_t length(struct ibv_sge *list, int count) {
  uint64_t sum = 0;
  for (int i = 0; i < count; i++) sum += list[i].length;
  return sum;
}

// Posts the whole chain and writes what became of each request.
static void post(struct ibv_qp *qp, struct ibv_send_wr *first) {
  struct ibv_send_wr *bad = NULL;
  int error = ibv_post_send(qp, first, &bad), refused = 0, count = 0;
  for (struct ibv_send_wr *wr = first; wr; wr = wr->next) {
    if (count++ >= CHAIN) continue;
    if (error && wr == bad) refused = error;
    if (refused) {
      fprintf(out, "refused QP %u %" PRIx64 " %d %" PRIu64 "\n", qp->qp_num, wr->wr_id, refused,
              length(wr->sg_list, wr->num_sge));
      continue;
    }
    fprintf(out, "post QP %u %" PRIx64 " %d %u %" PRIu64 "\n", qp->qp_num, wr->wr_id, wr->opcode, wr->send_flags,
            length(wr->sg_list, wr->num_sge));
    if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
      fprintf(out, "target %" PRIx64 " %" PRIx64 " %x\n", wr->wr_id, wr->wr.atomic.remote_addr, wr->wr.atomic.rkey);
    else if (wr->opcode == IBV_WR_RDMA_WRITE || wr->opcode == IBV_WR_RDMA_READ)
      fprintf(out, "target %" PRIx64 " %" PRIx64 " %x\n", wr->wr_id, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
  }
  if (count > CHAIN) fprintf(out, "unseen 0 %d\n", count - CHAIN);
}

static void posted(const char *queue, unsigned number, struct ibv_recv_wr *wr, int error) {
  check(!error, "posting receives");
  for (; wr; wr = wr->next)
    fprintf(out, "receive %s %u %" PRIx64 " %" PRIu64 "\n", queue, number, wr->wr_id, length(wr->sg_list, wr->num_sge));
}

// Polls until so many completions have come.
static long empty[4];  // polls of each completion queue that found nothing

static void poll(struct ibv_cq *cq, int number, int count) {
  struct ibv_wc wc[16];
  while (count > 0) {
    int n = ibv_poll_cq(cq, 16, wc);
    check(n >= 0, "ibv_poll_cq");
    empty[number] += n == 0;
    for (int i = 0; i < n; i++) {
      int good = wc[i].status == IBV_WC_SUCCESS;
      fprintf(out, "completion QP %u CQ %d %" PRIx64 " %d %d %u\n", wc[i].qp_num, number, wc[i].wr_id, wc[i].status,
              good ? (int)wc[i].opcode : -1, good ? wc[i].byte_len : wc[i].vendor_err);
    }
    count -= n;
  }
}

// The same of an extended completion queue, of which the program reads one field after the other.
static void poll_extended(struct ibv_cq_ex *cq, int number, int count) {
  struct ibv_poll_cq_attr attr = {0};
  while (count > 0) {
    if (ibv_start_poll(cq, &attr)) {
      empty[number]++;
      continue;
    }
    int more;
    do {
      int good = cq->status == IBV_WC_SUCCESS;
      fprintf(out, "completion QP %u CQ %d %" PRIx64 " %d %d %u\n", ibv_wc_read_qp_num(cq), number, cq->wr_id, cq->status,
              good ? (int)ibv_wc_read_opcode(cq) : -1, good ? ibv_wc_read_byte_len(cq) : ibv_wc_read_vendor_err(cq));
      more = --count > 0 && !ibv_next_poll(cq);
    } while (more);
    // rxe's provider of rdma-core 44 has ended the poll already if there was no other completion.
    if (count == 0) ibv_end_poll(cq);
  }
}

int main(int argc, char **argv) {
  check(argc >= 3 && (out = fopen(argv[2], "w")), "usage: known DEVICE FILE");
  int number;
  struct ibv_device **devices = ibv_get_device_list(&number);
  for (int i = 0; i < number; i++)
    if (!strcmp(ibv_get_device_name(devices[i]), argv[1])) context = ibv_open_device(devices[i]);
  check(context != NULL, "ibv_open_device");
  check(!ibv_query_gid(context, 1, 1, &gid), "ibv_query_gid");
  pd = ibv_alloc_pd(context);
  sends = ibv_create_cq(context, 128, NULL, NULL, 0);
  receives = ibv_create_cq(context, 128, NULL, NULL, 0);
  struct ibv_srq_init_attr shared = {.attr = {.max_wr = 16, .max_sge = 1}};
  srq = ibv_create_srq(pd, &shared);
  memory = aligned_alloc(4096, BYTES);
  mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                  IBV_ACCESS_REMOTE_ATOMIC);
  check(pd && sends && receives && srq && mr, "resources");
  fprintf(out, "regions 2 0 0\nregistered %" PRIxPTR " %d %x\n", (uintptr_t)memory, BYTES, mr->lkey);
  // More than the address space.
  size_t most = (size_t)1 << 46;
  check(!ibv_reg_mr(pd, memory, most, IBV_ACCESS_LOCAL_WRITE), "a region of more memory than there is");
  fprintf(out, "region refused 0 %" PRIxPTR " %zu %d\n", (uintptr_t)memory, most, errno);
  memset(memory, 0, BYTES);
  struct ibv_qp *a = create(NULL), *b = create(NULL), *c = create(NULL), *d = create(srq);
  connect(a, b), connect(b, a), connect(c, d), connect(d, c);
  uint64_t there = (uintptr_t)memory + BYTES / 2;

  // Receives, in a chain, one of them with two elements; their wr_ids also look like those of a QEMU.
  struct ibv_sge offered[2] = {{(uintptr_t)memory, 4096, mr->lkey}, {(uintptr_t)memory + 8192, 512, mr->lkey}};
  struct ibv_recv_wr receive[3] = {
      {.wr_id = 0xfedcba9876543210, .next = &receive[1], .sg_list = offered, .num_sge = 1},
      {.wr_id = 4000, .next = &receive[2], .sg_list = offered, .num_sge = 2},
      {.wr_id = 4000, .sg_list = offered, .num_sge = 1}}, *bad_receive;
  posted("QP", b->qp_num, receive, ibv_post_recv(b, receive, &bad_receive));
  receive[1].next = NULL;
  receive[1].num_sge = 1;
  posted("SRQ", 1, receive, ibv_post_srq_recv(srq, receive, &bad_receive));

  // A chain of different operations, of which the first is unsignaled.
  struct ibv_sge small = {(uintptr_t)memory, 100, mr->lkey}, word = {(uintptr_t)memory + 1024, 8, mr->lkey};
  struct ibv_sge two[2] = {{(uintptr_t)memory, 1000, mr->lkey}, {(uintptr_t)memory + 2048, 24, mr->lkey}};
  struct ibv_send_wr chain[5] = {
      {.wr_id = 1, .next = &chain[1], .sg_list = &small, .num_sge = 1, .opcode = IBV_WR_SEND},
      {.wr_id = 0xffffffffffffffff, .next = &chain[2], .sg_list = &small, .num_sge = 1, .opcode = IBV_WR_SEND,
       .send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED},
      {.wr_id = 2000, .next = &chain[3], .sg_list = two, .num_sge = 2, .opcode = IBV_WR_RDMA_WRITE,
       .send_flags = IBV_SEND_SIGNALED, .wr.rdma = {there, mr->rkey}},
      {.wr_id = 0, .next = &chain[4], .sg_list = &small, .num_sge = 1, .opcode = IBV_WR_RDMA_READ,
       .send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE, .wr.rdma = {there, mr->rkey}},
      {.wr_id = 7, .sg_list = &word, .num_sge = 1, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
       .send_flags = IBV_SEND_SIGNALED, .wr.atomic = {.remote_addr = there, .compare_add = 1, .rkey = mr->rkey}}};
  post(a, chain);
  poll(sends, 1, 4);
  poll(receives, 2, 2);

  // Into the shared receive queue.
  struct ibv_send_wr one = {.wr_id = 1, .sg_list = &small, .num_sge = 1, .opcode = IBV_WR_SEND,
                            .send_flags = IBV_SEND_SIGNALED};
  post(c, &one);
  poll(sends, 1, 1);
  poll(receives, 2, 1);

  // More requests than are recorded of a chain.
  struct ibv_send_wr many[LONG];
  memset(many, 0, sizeof many);
  for (int i = 0; i < LONG; i++) {
    many[i] = chain[2];
    many[i].wr_id = 100 + i;
    many[i].next = i + 1 < LONG ? &many[i + 1] : NULL;
  }
  post(a, many);
  poll(sends, 1, LONG);

  // The second request has more elements than the queue pair takes, so it and the third are refused.
  struct ibv_sge three[3] = {two[0], two[1], small};
  many[0].next = &many[1], many[1].next = &many[2], many[2].next = NULL;
  many[1].sg_list = three;
  many[1].num_sge = 3;
  post(a, many);
  poll(sends, 1, 1);

  // The extended interface: requests that are given up leave no trace. rxe's provider in rdma-core 44 takes the length
  // of the first element for that of all, so that they are equally long here.
  struct ibv_sge equal[2] = {{(uintptr_t)memory, 512, mr->lkey}, {(uintptr_t)memory + 2048, 512, mr->lkey}};
  struct ibv_qp_init_attr_ex extended = {
      .send_cq = sends, .recv_cq = receives, .qp_type = IBV_QPT_RC,
      .cap = {.max_send_wr = 16, .max_recv_wr = 1, .max_send_sge = 2, .max_recv_sge = 1}, .pd = pd,
      .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
      .send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ};
  struct ibv_qp *e = ibv_create_qp_ex(context, &extended), *f = create(srq);
  check(e != NULL, "ibv_create_qp_ex");
  connect(e, f), connect(f, e);
  struct ibv_qp_ex *x = ibv_qp_to_qp_ex(e);
  ibv_wr_start(x);
  x->wr_id = 0xdead, x->wr_flags = 0;
  ibv_wr_send(x);
  ibv_wr_set_sge(x, mr->lkey, small.addr, small.length);
  ibv_wr_abort(x);
  ibv_wr_start(x);
  x->wr_id = 0xe0, x->wr_flags = 0;
  ibv_wr_rdma_write(x, mr->rkey, there);
  ibv_wr_set_sge_list(x, 2, equal);
  x->wr_id = 0xe1, x->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_read(x, mr->rkey, there + 64);
  ibv_wr_set_sge(x, mr->lkey, small.addr, small.length);
  x->wr_id = 0xe2;
  ibv_wr_send(x);
  ibv_wr_set_sge(x, mr->lkey, small.addr, 33);
  check(!ibv_wr_complete(x), "ibv_wr_complete");
  fprintf(out, "post QP %u e0 0 0 1024\ntarget e0 %" PRIx64 " %x\n", e->qp_num, there, mr->rkey);
  fprintf(out, "post QP %u e1 4 2 100\ntarget e1 %" PRIx64 " %x\n", e->qp_num, there + 64, mr->rkey);
  fprintf(out, "post QP %u e2 2 2 33\n", e->qp_num);
  poll(sends, 1, 2);
  poll(receives, 2, 1);

  // An extended completion queue for both queues of two queue pairs; the last request has a key that nobody gave.
  struct ibv_cq_init_attr_ex fields = {.cqe = 16, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_QP_NUM};
  struct ibv_cq_ex *extra = ibv_create_cq_ex(context, &fields);
  check(extra != NULL, "ibv_create_cq_ex");
  struct ibv_cq *before[2] = {sends, receives};
  sends = receives = ibv_cq_ex_to_cq(extra);
  struct ibv_qp *g = create(NULL), *h = create(NULL);
  sends = before[0], receives = before[1];
  connect(g, h), connect(h, g);
  struct ibv_recv_wr into = {.wr_id = 0x6a, .sg_list = offered, .num_sge = 1};
  posted("QP", h->qp_num, &into, ibv_post_recv(h, &into, &bad_receive));
  struct ibv_send_wr three_of[3] = {
      {.wr_id = 0x61, .next = &three_of[1], .sg_list = &small, .num_sge = 1, .opcode = IBV_WR_SEND,
       .send_flags = IBV_SEND_SIGNALED},
      {.wr_id = 0x62, .next = &three_of[2], .sg_list = &small, .num_sge = 1, .opcode = IBV_WR_RDMA_READ,
       .send_flags = IBV_SEND_SIGNALED, .wr.rdma = {there, mr->rkey}},
      {.wr_id = 0x63, .sg_list = &small, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
       .wr.rdma = {there, ~mr->rkey}}};
  post(g, three_of);
  poll_extended(extra, 3, 4);

  // A key that nobody gave, after which both requests fail; then what is left of the receives is flushed.
  struct ibv_send_wr wrong[2] = {
      {.wr_id = 0xbad, .next = &wrong[1], .sg_list = &small, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
       .send_flags = IBV_SEND_SIGNALED, .wr.rdma = {there, ~mr->rkey}},
      {.wr_id = 0xf1, .sg_list = &small, .num_sge = 1, .opcode = IBV_WR_SEND}};
  post(a, wrong);
  poll(sends, 1, 2);
  struct ibv_qp_attr error = {.qp_state = IBV_QPS_ERR};
  modify(b, &error, IBV_QP_STATE, "ERR");
  poll(receives, 2, 1);
  for (int i = 1; i < 4; i++)
    if (empty[i]) fprintf(out, "empty CQ %d %ld\n", i, empty[i]);
  return fclose(out) ? 1 : 0;
}
