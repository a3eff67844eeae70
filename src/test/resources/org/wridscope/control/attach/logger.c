// SPDX-License-Identifier: Apache-2.0
// Writes what a program posts, polls and registers to the file $PROGRAM_LOG.PID, a line each, in the words of KnownProgram but
// without the numbers of completion queues: an account that owes nothing to probes. It replaces the functions in the tables of
// contexts and extended queue pairs by its own, which call them and write what they did.
//
//   LD_PRELOAD=logger.so PROGRAM_LOG=FILE PROGRAM ...
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ibv_context_ops own;
static struct ibv_qp_ex extended;
static struct ibv_srq *srqs[64];

// Unbuffered, since programs are killed; a child writes to a file of its own.
__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...) {
  static int file = -1, of;
  char line[256];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  pthread_mutex_lock(&lock);
  if (of != getpid()) {
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", getenv("PROGRAM_LOG"), of = getpid());
    file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }
  if (write(file, line, length) != length) abort();
  pthread_mutex_unlock(&lock);
}

// Of libibverbs itself, which may have been loaded so that others do not see it, and has older versions of some functions.
static void *own_function(const char *name) {
  void *library = dlopen("libibverbs.so.1", RTLD_LAZY | RTLD_NOLOAD), *function = library ? dlvsym(library, name, "IBVERBS_1.1") : NULL;
  if (library && !function) function = dlsym(library, name);
  if (!function) abort();
  return function;
}

static uint64_t total(const struct ibv_sge *list, int count) {
  uint64_t sum = 0;
  for (int i = 0; i < count && i < 32; i++) sum += list[i].length;
  return sum;
}

static void one(unsigned qp, uint64_t wr_id, int opcode, unsigned flags, uint64_t length, int error) {
  if (error) tell("refused QP %u %" PRIx64 " %d %" PRIu64 "\n", qp, wr_id, error, length);
  else tell("post QP %u %" PRIx64 " %d %u %" PRIu64 "\n", qp, wr_id, opcode, flags, length);
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
  int error = own.post_send(qp, wr, bad), refused = 0;
  for (; wr; wr = wr->next) {
    if (error && wr == *bad) refused = error;
    one(qp->qp_num, wr->wr_id, wr->opcode, wr->send_flags, total(wr->sg_list, wr->num_sge), refused);
  }
  return error;
}

static void receives(const char *kind, unsigned number, struct ibv_recv_wr *wr, struct ibv_recv_wr *bad, int error) {
  for (int refused = 0; wr; wr = wr->next) {
    if (error && wr == bad) refused = error;
    uint64_t length = total(wr->sg_list, wr->num_sge);
    if (refused) tell("refused %s %u %" PRIx64 " %d %" PRIu64 "\n", kind, number, wr->wr_id, refused, length);
    else tell("receive %s %u %" PRIx64 " %" PRIu64 "\n", kind, number, wr->wr_id, length);
  }
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
  int error = own.post_recv(qp, wr, bad);
  receives("QP", qp->qp_num, wr, error ? *bad : NULL, error);
  return error;
}

// Shared receive queues have numbers in the order of their first use.
static unsigned number(struct ibv_srq *srq) {
  unsigned i = 0;
  while (i < 63 && srqs[i] && srqs[i] != srq) i++;
  srqs[i] = srq;
  return i + 1;
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
  int error = own.post_srq_recv(srq, wr, bad);
  receives("SRQ", number(srq), wr, error ? *bad : NULL, error);
  return error;
}

static int poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc) {
  int n = own.poll_cq(cq, entries, wc);
  for (int i = 0; i < n; i++) {
    int good = wc[i].status == IBV_WC_SUCCESS;
    tell("completion QP %u %" PRIx64 " %d %d %u\n", wc[i].qp_num, wc[i].wr_id, wc[i].status, good ? (int)wc[i].opcode : -1,
         good ? wc[i].byte_len : wc[i].vendor_err);
  }
  return n;
}

// ---- the extended interface: what was begun is posted by wr_complete

static __thread struct {
  uint64_t wr_id, length;
  int opcode;
  unsigned flags;
} begun[1024];
static __thread int many;

static void begin(struct ibv_qp_ex *qp, int opcode) {
  if (many == 1024) abort();
  begun[many].wr_id = qp->wr_id, begun[many].opcode = opcode, begun[many].flags = qp->wr_flags;
  begun[many++].length = 0;
}

static void wr_send(struct ibv_qp_ex *qp) { begin(qp, IBV_WR_SEND), extended.wr_send(qp); }

static void wr_send_imm(struct ibv_qp_ex *qp, __be32 imm) { begin(qp, IBV_WR_SEND_WITH_IMM), extended.wr_send_imm(qp, imm); }

static void wr_rdma_write(struct ibv_qp_ex *qp, uint32_t key, uint64_t addr) {
  begin(qp, IBV_WR_RDMA_WRITE), extended.wr_rdma_write(qp, key, addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t key, uint64_t addr, __be32 imm) {
  begin(qp, IBV_WR_RDMA_WRITE_WITH_IMM), extended.wr_rdma_write_imm(qp, key, addr, imm);
}

static void wr_rdma_read(struct ibv_qp_ex *qp, uint32_t key, uint64_t addr) {
  begin(qp, IBV_WR_RDMA_READ), extended.wr_rdma_read(qp, key, addr);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t key, uint64_t addr, uint64_t compare, uint64_t swap) {
  begin(qp, IBV_WR_ATOMIC_CMP_AND_SWP), extended.wr_atomic_cmp_swp(qp, key, addr, compare, swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t key, uint64_t addr, uint64_t add) {
  begin(qp, IBV_WR_ATOMIC_FETCH_AND_ADD), extended.wr_atomic_fetch_add(qp, key, addr, add);
}

static void wr_set_sge(struct ibv_qp_ex *qp, uint32_t key, uint64_t addr, uint32_t length) {
  begun[many - 1].length += length, extended.wr_set_sge(qp, key, addr, length);
}

static void wr_set_sge_list(struct ibv_qp_ex *qp, size_t n, const struct ibv_sge *list) {
  begun[many - 1].length += total(list, n), extended.wr_set_sge_list(qp, n, list);
}

static void wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length) {
  begun[many - 1].length += length, extended.wr_set_inline_data(qp, addr, length);
}

static int wr_complete(struct ibv_qp_ex *qp) {
  int error = extended.wr_complete(qp);
  for (int i = 0; i < many; i++)
    one(qp->qp_base.qp_num, begun[i].wr_id, begun[i].opcode, begun[i].flags, begun[i].length, error);
  many = 0;
  return error;
}

static void wr_abort(struct ibv_qp_ex *qp) { many = 0, extended.wr_abort(qp); }

#define REPLACE(table, saved, member) if ((table)->member && (table)->member != member) (saved).member = (table)->member, (table)->member = member

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp) {
  struct ibv_qp_ex *(*real)(struct ibv_qp *) = own_function("ibv_qp_to_qp_ex"), *x = real(qp);
  if (!x) return x;
  REPLACE(x, extended, wr_send);
  REPLACE(x, extended, wr_send_imm);
  REPLACE(x, extended, wr_rdma_write);
  REPLACE(x, extended, wr_rdma_write_imm);
  REPLACE(x, extended, wr_rdma_read);
  REPLACE(x, extended, wr_atomic_cmp_swp);
  REPLACE(x, extended, wr_atomic_fetch_add);
  REPLACE(x, extended, wr_set_sge);
  REPLACE(x, extended, wr_set_sge_list);
  REPLACE(x, extended, wr_set_inline_data);
  REPLACE(x, extended, wr_complete);
  REPLACE(x, extended, wr_abort);
  return x;
}

struct ibv_context *ibv_open_device(struct ibv_device *device) {
  struct ibv_context *(*real)(struct ibv_device *) = own_function("ibv_open_device");
  struct ibv_context *context = real(device);
  if (!context) return context;
  REPLACE(&context->ops, own, post_send);
  REPLACE(&context->ops, own, post_recv);
  REPLACE(&context->ops, own, post_srq_recv);
  REPLACE(&context->ops, own, poll_cq);
  return context;
}

// ---- memory

// One of the functions that register memory may call another one.
static __thread int inside;

static struct ibv_mr *registered(struct ibv_mr *mr) {
  if (!--inside && mr) tell("registered %" PRIxPTR " %zu %x\n", (uintptr_t)mr->addr, mr->length, mr->lkey);
  return mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access) {
  struct ibv_mr *(*real)(struct ibv_pd *, void *, size_t, int) = own_function("ibv_reg_mr");
  inside++;
  return registered(real(pd, addr, length, access));
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned access) {
  struct ibv_mr *(*real)(struct ibv_pd *, void *, size_t, uint64_t, unsigned) = own_function("ibv_reg_mr_iova2");
  inside++;
  return registered(real(pd, addr, length, iova, access));
}

int ibv_dereg_mr(struct ibv_mr *mr) {
  int (*real)(struct ibv_mr *) = own_function("ibv_dereg_mr");
  struct ibv_mr before = *mr;
  int error = real(mr);
  if (!error) tell("deregistered %" PRIxPTR " %zu %x\n", (uintptr_t)before.addr, before.length, before.lkey);
  return error;
}
