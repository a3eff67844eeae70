// SPDX-License-Identifier: Apache-2.0
// Posts and polls at random on a device that does not exist (provider.c), and writes what it did to a file, a line each,
// in the words of KnownProgram.
//
//   scripted FILE SEED ROUNDS     when a line has come on the standard input; then waits for its end
//   scripted - DEPTH HUNDREDS     posts and polls up to so many requests at a time (1 to 64), as fast as it can, until its
//                                 standard input ends or so many hundred times, if that is not 0; and prints how many
#include "provider.h"
#include <arpa/inet.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHAIN 32      // how many requests of a chain are recorded
#define COUNTED 512   // and counted
#define BATCH 64      // how many completions of a batch
#define ELEMENTS 32   // how many elements of a request
#define LONGEST 560
#define REPEATED 8    // how many wr_ids repeat

static struct ibv_device device = {.name = "scripted0"};
static struct ibv_context context = {.device = &device};
static struct ibv_cq cqs[2] = {{.context = &context}, {.context = &context}};
static struct ibv_srq srq = {.context = &context};
static struct ibv_qp qps[3];
static struct ibv_sge elements[ELEMENTS + 8];
static struct ibv_send_wr sends[LONGEST];
static struct ibv_recv_wr receives[LONGEST];
static FILE *out;
static uint64_t state;

static uint64_t any(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state * 0x2545f4914f6cdd1d;
}

static int below(int bound) { return any() % bound; }

static uint64_t length(int count) {
  uint64_t sum = 0;
  for (int i = 0; i < count && i < ELEMENTS; i++) sum += elements[i].length;
  return sum;
}

// A chain's length: mostly short, often around what is recorded, sometimes longer than what is counted.
static int chain(void) {
  switch (below(8)) {
    case 0: return CHAIN - 1 + below(4);
    case 1: return CHAIN + COUNTED - 1 + below(4);
    case 2: return 1 + below(LONGEST);
    default: return 1 + below(6);
  }
}

// What becomes of a chain of so many: the first that is refused, or its length.
static int decide(int count) {
  memset(&script, 0, offsetof(struct script, completed));
  if (below(3)) return count;
  script.refused = below(2) ? 12 : 22;
  script.silent = !below(4);
  script.refused_at = below(4) ? below(count) : count - 1;
  return script.silent ? 0 : script.refused_at;
}

// Writes a chain; one(i) writes a request, errno 0 for one that was posted.
static void written(int count, int refused, void (*one)(int, int)) {
  int unseen = 0, more = 0;
  for (int i = 0; i < count; i++) {
    if (i < CHAIN) one(i, i < refused ? 0 : script.refused);
    else if (i < refused) unseen++;
  }
  if (unseen > COUNTED) unseen = COUNTED;
  if (unseen) fprintf(out, "unseen 0 %d\n", unseen);
  int next = CHAIN + unseen;
  if (refused >= CHAIN && refused < count && next == refused) one(next++, script.refused);
  if (refused < count && next >= refused && count > next) more = count - next;
  if (more > COUNTED) more = COUNTED;
  if (more) fprintf(out, "unseen 4 %d\n", more);
}

static struct ibv_qp *at;

static void sent(int i, int error) {
  struct ibv_send_wr *wr = &sends[i];
  if (error) {
    fprintf(out, "refused QP %u %" PRIx64 " %d %" PRIu64 "\n", at->qp_num, wr->wr_id, error, length(wr->num_sge));
    return;
  }
  fprintf(out, "post QP %u %" PRIx64 " %d %u %" PRIu64 "\n", at->qp_num, wr->wr_id, wr->opcode, wr->send_flags,
          length(wr->num_sge));
  int atomic = wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
  if (wr->opcode <= IBV_WR_RDMA_WRITE_WITH_IMM || wr->opcode == IBV_WR_RDMA_READ || atomic)
    fprintf(out, "target %" PRIx64 " %" PRIx64 " %x\n", wr->wr_id, wr->wr.rdma.remote_addr,
            atomic ? wr->wr.atomic.rkey : wr->wr.rdma.rkey);
}

static void post_sends(void) {
  int count = chain(), refused = decide(count);
  at = &qps[below(3)];
  for (int i = 0; i < count; i++) {
    sends[i] = (struct ibv_send_wr){
        .wr_id = any(), .next = i + 1 < count ? &sends[i + 1] : NULL, .sg_list = elements,
        .num_sge = below(6) ? below(4) : below(ELEMENTS + 8), .opcode = below(7), .send_flags = below(16)};
    sends[i].wr.rdma.remote_addr = any();
    sends[i].wr.rdma.rkey = any();
    sends[i].wr.atomic.rkey = any();
  }
  struct ibv_send_wr *bad = NULL;
  ibv_post_send(at, sends, &bad);
  written(count, refused, sent);
}

static const char *kind;
static unsigned number;

static void received(int i, int error) {
  struct ibv_recv_wr *wr = &receives[i];
  if (error)
    fprintf(out, "refused %s %u %" PRIx64 " %d %" PRIu64 "\n", kind, number, wr->wr_id, error, length(wr->num_sge));
  else
    fprintf(out, "receive %s %u %" PRIx64 " %" PRIu64 "\n", kind, number, wr->wr_id, length(wr->num_sge));
}

static void post_receives(void) {
  int count = chain(), refused = decide(count);
  for (int i = 0; i < count; i++)
    receives[i] = (struct ibv_recv_wr){
        .wr_id = any(), .next = i + 1 < count ? &receives[i + 1] : NULL, .sg_list = elements, .num_sge = below(3)};
  struct ibv_recv_wr *bad = NULL;
  if (below(3)) {
    at = &qps[below(3)];
    kind = "QP", number = at->qp_num;
    ibv_post_recv(at, receives, &bad);
  } else {
    kind = "SRQ", number = 1;
    ibv_post_srq_recv(&srq, receives, &bad);
  }
  written(count, refused, received);
}

static long empty[4];  // polls of each completion queue that found nothing

static void tell_empty(void) {
  for (int i = 0; i < 4; i++)
    if (empty[i]) fprintf(out, "empty CQ %d %ld\n", i + 1, empty[i]);
}

static void poll_completions(void) {
  int which = below(2), n = below(4) ? below(6) : below(100);
  script.completed = n;
  struct ibv_wc *wc = script.completions;
  for (int i = 0; i < n; i++) {
    uint64_t words[6];
    for (int k = 0; k < 6; k++) words[k] = any();
    memcpy(&wc[i], words, sizeof wc[i]);
    wc[i].qp_num = qps[below(3)].qp_num;
    wc[i].status = below(4) ? 0 : 1 + below(22);
    wc[i].opcode = below(2) ? below(7) : 128 + below(2);
  }
  static struct ibv_wc polled[128];
  empty[which] += !ibv_poll_cq(&cqs[which], 128, polled);
  for (int i = 0; i < n && i < BATCH; i++) {
    int good = wc[i].status == 0;
    fprintf(out, "completion QP %u CQ %d %" PRIx64 " %d %d %u\n", wc[i].qp_num, which + 1, wc[i].wr_id, wc[i].status,
            good ? (int)wc[i].opcode : -1, good ? wc[i].byte_len : wc[i].vendor_err);
  }
  if (n > BATCH) fprintf(out, "unseen 1 %d\n", n - BATCH);
}

// The first one is that of the send queue of QP 50, the second one of its receive queue and of both queues of QP 51.
static struct ibv_cq_ex xcqs[2];
static struct ibv_qp pollers[2];

#define SEND_NOT_READ 127
#define RECEIVE_NOT_READ 255

// Polls an extended completion queue, and reads of each completion what it likes.
static void poll_extended(void) {
  int which = below(2), n = below(6), all = 0;
  struct ibv_cq_ex *cq = &xcqs[which];
  memset(&script, 0, offsetof(struct script, completed));
  script.completed = n;
  for (int i = 0; i < n; i++)
    script.completions[i] = (struct ibv_wc){
        .wr_id = any(), .status = below(4) ? 0 : 1 + below(22), .opcode = below(2) ? below(7) : 128 + below(2),
        .vendor_err = below(1000), .byte_len = any(), .qp_num = 50 + (which && below(2))};
  struct ibv_poll_cq_attr attr = {0};
  for (int more = ibv_start_poll(cq, &attr); !more; more = ibv_next_poll(cq), all++) {
    int fields = any(), qp = 0, opcode = -1;
    uint32_t bytes = 0, vendor = 0xffffffff;
    if (fields & 1) opcode = ibv_wc_read_opcode(cq);
    if (fields & 2) vendor = ibv_wc_read_vendor_err(cq);
    if (fields & 4) bytes = ibv_wc_read_byte_len(cq);
    if (fields & 8) qp = ibv_wc_read_qp_num(cq);
    else if (!which) qp = 50;
    if (opcode >= 128 && !(fields & 4)) opcode = RECEIVE_NOT_READ;
    if (opcode < 0 && qp == 50) opcode = which ? RECEIVE_NOT_READ : SEND_NOT_READ;
    int good = cq->status == 0;
    if (!qp || (good && opcode < 0)) fprintf(out, "unseen 1 1\n");
    else
      fprintf(out, "completion QP %d CQ %d %" PRIx64 " %d %d %u\n", qp, 3 + which, cq->wr_id, cq->status,
              good ? opcode : -1, good ? bytes : vendor);
  }
  if (n) ibv_end_poll(cq);
  else empty[2 + which]++;
  if (all != n) exit(1);
}

static void begin(struct ibv_qp_ex *x) {
  x->wr_id = any();
  x->wr_flags = below(16);
}

// Requests of the extended interface; they are posted, refused or given up together.
static void extended(struct ibv_qp_ex *x) {
  struct ibv_data_buf buffers[3] = {{NULL, below(1000)}, {NULL, below(1000)}, {NULL, below(1000)}};
  uint64_t wrids[4], remote = any();
  unsigned flags[4], rkey = any(), size = below(5000);
  memset(&script, 0, offsetof(struct script, completed));
  script.refused = below(3) ? 0 : 12;
  begin(x), wrids[0] = x->wr_id, flags[0] = x->wr_flags;
  x->wr_send(x), x->wr_set_sge(x, 7, 8, size);
  begin(x), wrids[1] = x->wr_id, flags[1] = x->wr_flags;
  x->wr_rdma_write(x, rkey, remote), x->wr_set_sge_list(x, 3, elements);
  begin(x), wrids[2] = x->wr_id, flags[2] = x->wr_flags;
  x->wr_send(x), x->wr_set_inline_data(x, elements, size + 1);
  begin(x), wrids[3] = x->wr_id, flags[3] = x->wr_flags;
  x->wr_send(x), x->wr_set_inline_data_list(x, 3, buffers);
  if (!below(4)) {
    x->wr_abort(x);
    return;
  }
  x->wr_complete(x);
  uint64_t sizes[4] = {size, length(3), size + 1, buffers[0].length + buffers[1].length + buffers[2].length};
  for (int i = 0; i < 4; i++) {
    if (script.refused) {
      fprintf(out, "refused QP %u %" PRIx64 " %d %" PRIu64 "\n", x->qp_base.qp_num, wrids[i], script.refused, sizes[i]);
      continue;
    }
    fprintf(out, "post QP %u %" PRIx64 " %d %u %" PRIu64 "\n", x->qp_base.qp_num, wrids[i], i == 1 ? 0 : 2, flags[i], sizes[i]);
    if (i == 1) fprintf(out, "target %" PRIx64 " %" PRIx64 " %x\n", wrids[1], remote, rkey);
  }
}

// A request whose elements are not in the memory of the program, and one that is not itself.
static void unreadable(void) {
  struct ibv_send_wr *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct ibv_send_wr second = {.wr_id = 2, .next = nowhere, .opcode = IBV_WR_SEND};
  struct ibv_send_wr first = {.wr_id = 1, .next = &second, .sg_list = (struct ibv_sge *)nowhere, .num_sge = 1}, *bad;
  memset(&script, 0, offsetof(struct script, completed));
  ibv_post_send(&qps[0], &first, &bad);
  fprintf(out, "unseen 0 1\npost QP %u 2 2 0 0\nunseen 0 1\n", qps[0].qp_num);
}

// A chain whose last request that is recorded has such elements: those after it are counted.
static void unreadable_last(void) {
  struct ibv_send_wr *bad;
  void *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < CHAIN + 8; i++) {
    sends[i] = (struct ibv_send_wr){.wr_id = i, .next = i + 1 < CHAIN + 8 ? &sends[i + 1] : NULL, .opcode = IBV_WR_SEND};
    if (i + 1 < CHAIN) fprintf(out, "post QP %u %x 2 0 0\n", qps[0].qp_num, i);
  }
  sends[CHAIN - 1].sg_list = (struct ibv_sge *)nowhere, sends[CHAIN - 1].num_sge = 1;
  memset(&script, 0, offsetof(struct script, completed));
  ibv_post_send(&qps[0], sends, &bad);
  fprintf(out, "unseen 0 1\nunseen 0 8\n");
}

// A request whose elements are in memory that the program has mapped and never touched.
static void untouched(void) {
  char name[] = "/tmp/scriptedXXXXXX";
  int file = mkstemp(name);
  struct ibv_sge one = {.length = 4711};
  if (file < 0 || write(file, &one, sizeof one) != sizeof one) exit(1);
  unlink(name);
  struct ibv_send_wr wr = {.wr_id = 3, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;
  wr.sg_list = mmap(NULL, sizeof one, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  memset(&script, 0, offsetof(struct script, completed));
  ibv_post_send(&qps[0], &wr, &bad);
  fprintf(out, "post QP %u 3 2 0 4711\n", qps[0].qp_num);
}

// An rdma_cm_id, of which librdmacm's header is not needed.
static void connect_peer(void) {
  static char id[512];
  struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(4444), .sin_addr = {htonl(0xc0000201)}};
  *(struct ibv_context **)id = &context;
  *(struct ibv_qp **)(id + 24) = &qps[0];
  memcpy(id + 160, &peer, sizeof peer);
  provider_connect(id, NULL);
  fprintf(out, "peer QP %u 192.0.2.1:4444\n", qps[0].qp_num);
}

// Any attributes, refused or not.
static void modify(void) {
  struct ibv_qp_attr attr = {
      .qp_state = below(8), .path_mtu = below(7), .rq_psn = below(1 << 24), .sq_psn = below(1 << 24), .dest_qp_num = below(1 << 24),
      .qp_access_flags = any(), .min_rnr_timer = any(), .port_num = any(), .timeout = any(), .retry_cnt = any(), .rnr_retry = any(),
      .ah_attr = {.dlid = any(), .is_global = below(2)}};
  static const unsigned char mapped[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 9, 0};
  memcpy(attr.ah_attr.grh.dgid.raw, mapped, sizeof mapped);
  attr.ah_attr.grh.dgid.raw[15] = any();
  int mask = any() & ((1 << 21) - 1);
  struct ibv_qp *qp = &qps[1 + below(2)];
  memset(&script, 0, offsetof(struct script, completed));
  script.refused = below(3) ? 0 : 22;
  provider_modify_qp(qp, &attr, mask);
  fprintf(out, "modified QP %u %d %x %d %d %d %d %d %d %d %x\n", qp->qp_num, script.refused, mask, attr.qp_state, attr.path_mtu,
          attr.port_num, attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.min_rnr_timer, attr.qp_access_flags);
  int path = mask & (IBV_QP_AV | IBV_QP_DEST_QPN | IBV_QP_SQ_PSN | IBV_QP_RQ_PSN);
  if (path) fprintf(out, "path QP %u %x %u %u %u\n", qp->qp_num, path, attr.dest_qp_num, attr.sq_psn, attr.rq_psn);
  if (script.refused || !(mask & IBV_QP_AV) || !(mask & IBV_QP_DEST_QPN)) return;
  fprintf(out, "peer QP %u QP %u at ", qp->qp_num, attr.dest_qp_num);
  if (attr.ah_attr.is_global) fprintf(out, "10.9.0.%d\n", attr.ah_attr.grh.dgid.raw[15]);
  else fprintf(out, "LID %d\n", attr.ah_attr.dlid);
}

#define REGIONS 40
static struct ibv_pd domain = {.context = &context};
static struct ibv_mr *regions[REGIONS];
static int registered;

static void told(const char *what, struct ibv_mr *mr) {
  fprintf(out, "%s %" PRIx64 " %zu %x\n", what, (uint64_t)(uintptr_t)mr->addr, mr->length, mr->lkey);
}

static void forget(int which) {
  memmove(&regions[which], &regions[which + 1], (--registered - which) * sizeof *regions);
}

// Registers memory, registers it again, or deregisters it; refused or not, by the kernel or before.
static void memory_regions(void) {
  memset(&script, 0, offsetof(struct script, completed));
  script.refused = below(3) ? 0 : below(2) ? 12 : 14;
  script.silent = !below(4);
  script.key = any();
  void *addr = (void *)(uintptr_t)(any() >> 17);
  size_t length = any() >> (24 + below(30));
  int which = registered ? below(registered) : 0;
  if (registered && (registered == REGIONS || below(3) == 0)) {
    struct ibv_mr *mr = regions[which];
    if (script.refused) fprintf(out, "region refused 1 %" PRIx64 " %zu %d\n", (uint64_t)(uintptr_t)mr->addr, mr->length, script.refused);
    else told("deregistered", mr), forget(which);
    provider_dereg_mr(mr);
  } else if (registered && below(3) == 0) {
    struct ibv_mr *mr = regions[which];
    if (script.refused) fprintf(out, "region refused 0 %" PRIx64 " %zu 0\n", (uint64_t)(uintptr_t)mr->addr, mr->length);
    else told("deregistered", mr), forget(which);
    provider_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, &domain, addr, length, 0);
    if (!script.refused) told("registered", mr), regions[registered++] = mr;
  } else {
    struct ibv_mr *mr = below(2) ? provider_reg_mr(&domain, addr, length, 0)
                                 : provider_reg_mr_iova2(&domain, addr, length, any(), 0);
    if (mr) told("registered", mr), regions[registered++] = mr;
    else fprintf(out, "region refused 0 %" PRIx64 " %zu %d\n", (uint64_t)(uintptr_t)addr, length, script.silent ? 0 : script.refused);
  }
}

static void close_device(void) {
  for (int i = 0; i < registered; i++) told("deregistered", regions[i]);
  provider_close_device(&context);
}

// Up to so many requests at a time. The length of a request and that of its completion is its number; so is its wr_id if
// there is one at a time, otherwise wr_ids repeat.
static void flood(int depth, int hundreds) {
  long posted = 0, completed = 0;
  struct ibv_send_wr wr = {.sg_list = elements, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}, *bad;
  static struct ibv_wc wc[BATCH];
  struct pollfd in = {.fd = 0, .events = POLLIN};
  do {
    for (int i = 0; i < 100; i++) {
      int posts = depth > 1 ? below(depth - (posted - completed) + 1) : 1;
      script.completed = 0;
      while (posts--) {
        elements[0].length = ++posted;
        wr.wr_id = depth > 1 ? posted % REPEATED : posted;
        ibv_post_send(&qps[0], &wr, &bad);
      }
      int polled = depth > 1 ? below(posted - completed + 1) : 1;
      for (int k = 0; k < polled; k++) {
        completed++;
        script.completions[k] = (struct ibv_wc){
            .wr_id = depth > 1 ? completed % REPEATED : completed, .byte_len = completed, .qp_num = qps[0].qp_num};
      }
      script.completed = polled;
      ibv_poll_cq(&cqs[0], BATCH, wc);
    }
  } while (!poll(&in, 1, 0) && --hundreds);
  printf("%ld\n", posted);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  context.ops.post_send = provider_post_send;
  context.ops.post_recv = provider_post_recv;
  context.ops.post_srq_recv = provider_post_srq_recv;
  context.ops.poll_cq = provider_poll_cq;
  state = 0x9e3779b97f4a7c15 + strtoull(argv[2], NULL, 10);
  for (int i = 0; i < 8; i++) any();
  for (int i = 0; i < ELEMENTS + 8; i++) elements[i] = (struct ibv_sge){any(), any() % 10000, 7};
  for (int i = 0; i < 3; i++) qps[i] = (struct ibv_qp){.context = &context, .send_cq = &cqs[0], .recv_cq = &cqs[1], .qp_num = 17 + i};
  struct ibv_qp_ex x = {.qp_base = {.context = &context, .send_cq = &cqs[0], .recv_cq = &cqs[1], .qp_num = 40}};
  x.wr_send = provider_wr_send;
  x.wr_rdma_write = provider_wr_rdma_write;
  x.wr_set_sge = provider_wr_set_sge;
  x.wr_set_sge_list = provider_wr_set_sge_list;
  x.wr_set_inline_data = provider_wr_set_inline_data;
  x.wr_set_inline_data_list = provider_wr_set_inline_data_list;
  x.wr_complete = provider_wr_complete;
  x.wr_abort = provider_wr_abort;
  if (!strcmp(argv[1], "-")) {
    flood(atoi(argv[2]), atoi(argv[3]));
    return 0;
  }
  out = fopen(argv[1], "w");
  if (!out || getchar() == EOF) return 1;
  // Completion queues have numbers in the order of their first use, which is here that of their queue pairs.
  fprintf(out, "regions 2 0 0\n");
  struct ibv_send_wr one = {.wr_id = 1, .opcode = IBV_WR_SEND}, *bad;
  ibv_post_send(&qps[0], &one, &bad);
  fprintf(out, "post QP 17 1 2 0 0\n");
  for (int i = 0; i < 2; i++) {
    xcqs[i] = (struct ibv_cq_ex){
        .context = &context, .start_poll = provider_start_poll, .next_poll = provider_next_poll, .end_poll = provider_end_poll,
        .read_opcode = provider_read_opcode, .read_vendor_err = provider_read_vendor_err,
        .read_byte_len = provider_read_byte_len, .read_qp_num = provider_read_qp_num};
    pollers[i] = (struct ibv_qp){.context = &context, .send_cq = ibv_cq_ex_to_cq(&xcqs[i]),
                                 .recv_cq = ibv_cq_ex_to_cq(&xcqs[1]), .qp_num = 50 + i};
    ibv_post_send(&pollers[i], &one, &bad);
    fprintf(out, "post QP %d 1 2 0 0\n", 50 + i);
  }
  connect_peer();
  unreadable_last();
  for (int round = atoi(argv[3]); round > 0; round--) {
    switch (below(8)) {
      case 7: poll_extended(); break;
      case 6: memory_regions(); break;
      case 5: modify(); break;
      case 0: post_receives(); break;
      case 1: poll_completions(); break;
      case 2: extended(&x); break;
      case 3: below(10) ? post_sends() : below(2) ? unreadable() : untouched(); break;
      default: post_sends(); break;
    }
  }
  close_device();
  tell_empty();
  fclose(out);
  while (getchar() != EOF) {}
  return 0;
}
