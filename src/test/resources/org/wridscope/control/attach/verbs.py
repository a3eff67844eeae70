# SPDX-License-Identifier: Apache-2.0
# Sends messages between two queue pairs of this process with pyverbs: DEVICE, how many.
import sys

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

context = Context(name=sys.argv[1])
pd = PD(context)
cq = CQ(context, 64)
mr = MR(pd, 4096, e.IBV_ACCESS_LOCAL_WRITE)
cap = QPCap(max_send_wr=16, max_recv_wr=16, max_send_sge=1, max_recv_sge=1)
first, second = (QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap)) for _ in range(2))
for own, peer in ((first, second), (second, first)):
    route = GlobalRoute(dgid=context.query_gid(1, 1), sgid_index=1)
    attr = QPAttr(port_num=1)
    attr.dest_qp_num = peer.qp_num
    attr.path_mtu = e.IBV_MTU_1024
    attr.max_rd_atomic = attr.max_dest_rd_atomic = 1
    attr.qp_access_flags = e.IBV_ACCESS_LOCAL_WRITE
    attr.min_rnr_timer = 12
    attr.timeout = 14
    attr.retry_cnt = attr.rnr_retry = 7
    attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
    own.to_rts(attr)
for i in range(int(sys.argv[2])):
    data = SGE(mr.buf, 100 + i, mr.lkey)
    second.post_recv(RecvWR(wr_id=2 * i, num_sge=1, sg=[SGE(mr.buf, 2048, mr.lkey)]))
    first.post_send(SendWR(wr_id=2 * i + 1, num_sge=1, sg=[data], send_flags=e.IBV_SEND_SIGNALED))
    left = 2
    while left:
        left -= cq.poll(2)[0]
