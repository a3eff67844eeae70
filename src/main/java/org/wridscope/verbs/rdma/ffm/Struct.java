// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import org.wridscope.host.Processor;

/**
 * Offsets and sizes in bytes of the structures of libibverbs and librdmacm on x86-64 and aarch64.
 * They are part of the libraries' binary interface, which C programs have compiled in, and have not
 * changed since rdma-core 14 (2017). What follows a {@code pthread_mutex_t} depends on the
 * processor.
 */
public final class Struct {
  private Struct() {}

  /** {@code struct ibv_device}. */
  public static final class Device {
    public static final int NAME = 24;
    public static final int NAME_SIZE = 64;
    public static final int DEV_NAME = 88;
    public static final int DEV_PATH = 152;
    public static final int IBDEV_PATH = 408;
    public static final int PATH_SIZE = 256;

    private Device() {}
  }

  /** {@code struct ibv_context}; its operations are function pointers. */
  public static final class Context {
    public static final int DEVICE = 0;
    public static final int POLL_CQ = 96;
    public static final int REQ_NOTIFY_CQ = 104;
    public static final int POST_SRQ_RECV = 168;
    public static final int POST_SEND = 208;
    public static final int POST_RECV = 216;
    public static final int ASYNC_FD = 268;

    /** {@code verbs_context.sz}, how much of that structure the provider has, from its end. */
    public static final int EXTENDED_SIZE = -8;

    /** {@code verbs_context.create_qp_ex}. */
    public static final int CREATE_QP_EX = -56;

    /** {@code verbs_context.create_cq_ex}. */
    public static final int CREATE_CQ_EX = -120;

    /**
     * {@code ibv_context.abi_compat}: all ones if a {@code struct verbs_context} is around this
     * structure.
     */
    public static int abiCompat(Processor processor) {
      return 280 + processor.mutexSize();
    }

    /** What {@link #EXTENDED_SIZE} is at least if there is a member in front of the context. */
    public static int sizeWith(int member, Processor processor) {
      return size(processor) - member;
    }

    static int size(Processor processor) {
      return abiCompat(processor) + Long.BYTES;
    }

    private Context() {}
  }

  /** {@code struct ibv_device_attr}. */
  public static final class DeviceAttr {
    public static final int SIZE = 232;
    public static final int FW_VER = 0;
    public static final int FW_VER_SIZE = 64;

    /** In network byte order. */
    public static final int NODE_GUID = 64;

    public static final int MAX_MR_SIZE = 80;
    public static final int MAX_QP = 108;
    public static final int MAX_QP_WR = 112;
    public static final int MAX_CQE = 132;
    public static final int MAX_MR = 136;
    public static final int PHYS_PORT_CNT = 227;

    private DeviceAttr() {}
  }

  /** {@code struct ibv_port_attr}; SIZE leaves room, since the structure has grown at its end. */
  public static final class PortAttr {
    public static final int SIZE = 64;
    public static final int STATE = 0;
    public static final int ACTIVE_MTU = 8;
    public static final int GID_TBL_LEN = 12;
    public static final int MAX_MSG_SZ = 20;
    public static final int LID = 34;
    public static final int LINK_LAYER = 46;

    private PortAttr() {}
  }

  /** {@code struct ibv_gid_entry}. */
  public static final class GidEntry {
    public static final int SIZE = 32;
    public static final int GID = 0;
    public static final int PORT_NUM = 20;
    public static final int NDEV_IFINDEX = 28;

    private GidEntry() {}
  }

  /** {@code union ibv_gid}. */
  public static final class Gid {
    public static final int SIZE = 16;

    private Gid() {}
  }

  /** {@code struct ibv_pd}. */
  public static final class ProtectionDomain {
    public static final int HANDLE = 8;

    private ProtectionDomain() {}
  }

  /** {@code struct ibv_mr}. */
  public static final class MemoryRegion {
    public static final int CONTEXT = 0;
    public static final int ADDR = 16;
    public static final int LENGTH = 24;
    public static final int LKEY = 36;
    public static final int RKEY = 40;

    private MemoryRegion() {}
  }

  /** {@code struct ibv_comp_channel}. */
  public static final class CompletionChannel {
    public static final int FD = 8;

    private CompletionChannel() {}
  }

  /** {@code struct ibv_cq}. */
  public static final class CompletionQueue {
    public static final int CONTEXT = 0;
    public static final int CHANNEL = 8;
    public static final int CQE = 28;

    private CompletionQueue() {}
  }

  /** {@code struct ibv_wc}. */
  public static final class WorkCompletion {
    public static final int SIZE = 48;
    public static final int WR_ID = 0;
    public static final int STATUS = 8;
    public static final int OPCODE = 12;
    public static final int VENDOR_ERR = 16;
    public static final int BYTE_LEN = 20;
    public static final int QP_NUM = 28;

    private WorkCompletion() {}
  }

  /** {@code struct ibv_qp}. */
  public static final class QueuePair {
    public static final int CONTEXT = 0;
    public static final int SEND_CQ = 24;
    public static final int RECV_CQ = 32;
    public static final int QP_NUM = 52;
    public static final int QP_TYPE = 60;

    private QueuePair() {}
  }

  /**
   * Members of {@code struct ibv_qp_ex}, which begins with a {@code struct ibv_qp}: rdma-core 24 or
   * later.
   */
  public enum ExtendedQueuePair implements StructMember {
    WR_ID(0),
    WR_FLAGS(8),
    WR_ATOMIC_CMP_SWP(16),
    WR_ATOMIC_FETCH_ADD(24),
    WR_BIND_MW(32),
    WR_LOCAL_INV(40),
    WR_RDMA_READ(48),
    WR_RDMA_WRITE(56),
    WR_RDMA_WRITE_IMM(64),
    WR_SEND(72),
    WR_SEND_IMM(80),
    WR_SEND_INV(88),
    WR_SEND_TSO(96),
    WR_SET_INLINE_DATA(120),
    WR_SET_INLINE_DATA_LIST(128),
    WR_SET_SGE(136),
    WR_SET_SGE_LIST(144),
    WR_COMPLETE(160),
    WR_ABORT(168);

    private final int fromWrId;

    ExtendedQueuePair(int fromWrId) {
      this.fromWrId = fromWrId;
    }

    @Override
    public int offset(Processor processor) {
      return 128 + processor.mutexSize() + fromWrId;
    }
  }

  /**
   * Members of {@code struct ibv_cq_ex}, which begins like a {@code struct ibv_cq}: rdma-core 24 or
   * later.
   */
  public enum ExtendedCompletionQueue implements StructMember {
    /** The number of {@code enum ibv_wc_status}, 32 bits, and after it the wr_id. */
    STATUS(0),
    START_POLL(12),
    NEXT_POLL(20),
    END_POLL(28),
    READ_OPCODE(36),
    READ_VENDOR_ERR(44),
    READ_BYTE_LEN(52),
    READ_QP_NUM(68);

    private final int fromStatus;

    ExtendedCompletionQueue(int fromStatus) {
      this.fromStatus = fromStatus;
    }

    @Override
    public int offset(Processor processor) {
      return 92 + processor.mutexSize() + fromStatus;
    }
  }

  /** {@code struct ibv_cq_init_attr_ex}. */
  public static final class CompletionQueueInitAttr {
    public static final int SIZE = 56;
    public static final int CQE = 0;
    public static final int WC_FLAGS = 32;
    public static final int COMP_MASK = 40;
    public static final int FLAGS = 44;

    private CompletionQueueInitAttr() {}
  }

  /** {@code struct ibv_data_buf}. */
  public static final class DataBuffer {
    public static final int SIZE = 16;
    public static final int LENGTH = 8;

    private DataBuffer() {}
  }

  /** {@code struct ibv_qp_init_attr_ex}, which begins like {@link QueuePairInitAttr}. */
  public static final class ExtendedQueuePairInitAttr {
    public static final int SIZE = 136;
    public static final int COMP_MASK = 60;
    public static final int PD = 64;
    public static final int SEND_OPS_FLAGS = 128;

    private ExtendedQueuePairInitAttr() {}
  }

  /** {@code struct ibv_srq}. */
  public static final class SharedReceiveQueue {
    public static final int CONTEXT = 0;

    private SharedReceiveQueue() {}
  }

  /** {@code struct ibv_qp_init_attr}. */
  public static final class QueuePairInitAttr {
    public static final int SIZE = 64;
    public static final int SEND_CQ = 8;
    public static final int RECV_CQ = 16;
    public static final int MAX_SEND_WR = 32;
    public static final int MAX_RECV_WR = 36;
    public static final int MAX_SEND_SGE = 40;
    public static final int MAX_RECV_SGE = 44;
    public static final int MAX_INLINE_DATA = 48;
    public static final int QP_TYPE = 52;

    private QueuePairInitAttr() {}
  }

  /** {@code struct ibv_qp_attr}. */
  public static final class QueuePairAttr {
    public static final int SIZE = 144;
    public static final int QP_STATE = 0;
    public static final int PATH_MTU = 8;
    public static final int RQ_PSN = 20;
    public static final int SQ_PSN = 24;
    public static final int DEST_QP_NUM = 28;
    public static final int QP_ACCESS_FLAGS = 32;
    public static final int MAX_SEND_WR = 36;
    public static final int MAX_RECV_WR = 40;

    /** {@code ah_attr.grh.dgid}. */
    public static final int DGID = 56;

    /** {@code ah_attr.dlid}. */
    public static final int DLID = 80;

    /** {@code ah_attr.is_global}. */
    public static final int IS_GLOBAL = 85;

    public static final int MIN_RNR_TIMER = 128;
    public static final int PORT_NUM = 129;
    public static final int TIMEOUT = 130;
    public static final int RETRY_CNT = 131;
    public static final int RNR_RETRY = 132;

    private QueuePairAttr() {}
  }

  /** {@code struct ibv_sge}. */
  public static final class ScatterGatherElement {
    public static final int SIZE = 16;
    public static final int ADDR = 0;
    public static final int LENGTH = 8;
    public static final int LKEY = 12;

    private ScatterGatherElement() {}
  }

  /** {@code struct ibv_send_wr}. */
  public static final class SendRequest {
    public static final int SIZE = 128;
    public static final int WR_ID = 0;
    public static final int NEXT = 8;
    public static final int SG_LIST = 16;
    public static final int NUM_SGE = 24;
    public static final int OPCODE = 28;
    public static final int SEND_FLAGS = 32;
    public static final int REMOTE_ADDR = 40;
    public static final int RKEY = 48;

    /** {@code wr.atomic.rkey}; the remote address of atomics is that of the others. */
    public static final int ATOMIC_RKEY = 64;

    private SendRequest() {}
  }

  /** {@code struct ibv_recv_wr}. */
  public static final class ReceiveRequest {
    public static final int SIZE = 32;
    public static final int WR_ID = 0;
    public static final int NEXT = 8;
    public static final int SG_LIST = 16;
    public static final int NUM_SGE = 24;

    private ReceiveRequest() {}
  }

  /** {@code struct ibv_async_event}. */
  public static final class AsyncEvent {
    public static final int SIZE = 16;
    public static final int ELEMENT = 0;
    public static final int EVENT_TYPE = 8;

    private AsyncEvent() {}
  }

  /** {@code struct rdma_event_channel}. */
  public static final class EventChannel {
    public static final int FD = 0;

    private EventChannel() {}
  }

  /** {@code struct rdma_cm_id}. */
  public static final class ConnectionId {
    public static final int VERBS = 0;
    public static final int QP = 24;
    public static final int SRC_ADDR = 32;
    public static final int DST_ADDR = 160;
    public static final int SGID = 288;
    public static final int DGID = 304;
    public static final int PORT_NUM = 348;

    private ConnectionId() {}
  }

  /** {@code struct rdma_cm_event}. */
  public static final class ConnectionEvent {
    public static final int ID = 0;
    public static final int EVENT = 16;
    public static final int STATUS = 20;
    public static final int PRIVATE_DATA = 24;
    public static final int PRIVATE_DATA_LEN = 32;

    private ConnectionEvent() {}
  }

  /** {@code struct rdma_conn_param}. */
  public static final class ConnectionParam {
    public static final int SIZE = 24;
    public static final int PRIVATE_DATA = 0;
    public static final int PRIVATE_DATA_LEN = 8;
    public static final int RESPONDER_RESOURCES = 9;
    public static final int INITIATOR_DEPTH = 10;
    public static final int RETRY_COUNT = 12;
    public static final int RNR_RETRY_COUNT = 13;
    public static final int QP_NUM = 16;

    private ConnectionParam() {}
  }
}
