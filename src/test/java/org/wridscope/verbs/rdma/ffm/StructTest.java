// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemoryLayout;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Computes the layout of the structures like a C compiler, from the order of their fields in
 * infiniband/verbs.h and rdma/rdma_cma.h.
 */
final class StructTest {
  private static final MemoryLayout POINTER = ADDRESS;
  private static final MemoryLayout U64 = JAVA_LONG;
  private static final MemoryLayout U32 = JAVA_INT;
  private static final MemoryLayout U16 = JAVA_SHORT;
  private static final MemoryLayout U8 = JAVA_BYTE;

  private static MemoryLayout array(long count, MemoryLayout element) {
    return MemoryLayout.sequenceLayout(count, element);
  }

  /** A structure of C: each field at the next multiple of its alignment. */
  private static final class Layout {
    private final Map<String, Long> offsets = new HashMap<>();
    private long end;
    private long alignment = 1;

    Layout field(String name, MemoryLayout type) {
      alignment = Math.max(alignment, type.byteAlignment());
      end = Math.ceilDiv(end, type.byteAlignment()) * type.byteAlignment();
      offsets.put(name, end);
      end += type.byteSize();
      return this;
    }

    Layout fields(MemoryLayout type, String... names) {
      for (String name : names) {
        field(name, type);
      }
      return this;
    }

    long size() {
      return Math.ceilDiv(end, alignment) * alignment;
    }

    Layout has(String name, int offset) {
      assertThat((long) offset).as(name).isEqualTo(offsets.get(name));
      return this;
    }
  }

  @Test
  void context() {
    new Layout()
        .field("device", POINTER)
        .fields(POINTER, "query_device_ex", "query_port", "alloc_pd", "dealloc_pd")
        .fields(POINTER, "reg_mr", "rereg_mr", "dereg_mr", "alloc_mw", "bind_mw")
        .fields(POINTER, "dealloc_mw", "create_cq", "poll_cq", "req_notify_cq", "cq_event")
        .fields(POINTER, "resize_cq", "destroy_cq", "create_srq", "modify_srq", "query_srq")
        .fields(POINTER, "destroy_srq", "post_srq_recv", "create_qp", "query_qp", "modify_qp")
        .fields(POINTER, "destroy_qp", "post_send", "post_recv", "create_ah", "destroy_ah")
        .fields(POINTER, "attach_mcast", "detach_mcast", "async_event")
        .fields(U32, "cmd_fd", "async_fd", "num_comp_vectors")
        .has("device", Struct.Context.DEVICE)
        .has("poll_cq", Struct.Context.POLL_CQ)
        .has("req_notify_cq", Struct.Context.REQ_NOTIFY_CQ)
        .has("post_send", Struct.Context.POST_SEND)
        .has("post_recv", Struct.Context.POST_RECV)
        .has("async_fd", Struct.Context.ASYNC_FD);
  }

  @Test
  void deviceAttributes() {
    Layout layout =
        new Layout()
            .field("fw_ver", array(64, U8))
            .fields(U64, "node_guid", "sys_image_guid", "max_mr_size", "page_size_cap")
            .fields(U32, "vendor_id", "vendor_part_id", "hw_ver", "max_qp", "max_qp_wr")
            .fields(U32, "device_cap_flags", "max_sge", "max_sge_rd", "max_cq", "max_cqe")
            .fields(U32, "max_mr", "max_pd", "max_qp_rd_atom", "max_ee_rd_atom")
            .fields(U32, "max_res_rd_atom", "max_qp_init_rd_atom", "max_ee_init_rd_atom")
            .fields(U32, "atomic_cap", "max_ee", "max_rdd", "max_mw", "max_raw_ipv6_qp")
            .fields(U32, "max_raw_ethy_qp", "max_mcast_grp", "max_mcast_qp_attach")
            .fields(U32, "max_total_mcast_qp_attach", "max_ah", "max_fmr", "max_map_per_fmr")
            .fields(U32, "max_srq", "max_srq_wr", "max_srq_sge")
            .fields(U16, "max_pkeys")
            .fields(U8, "local_ca_ack_delay", "phys_port_cnt")
            .has("fw_ver", Struct.DeviceAttr.FW_VER)
            .has("node_guid", Struct.DeviceAttr.NODE_GUID)
            .has("max_mr_size", Struct.DeviceAttr.MAX_MR_SIZE)
            .has("max_qp", Struct.DeviceAttr.MAX_QP)
            .has("max_qp_wr", Struct.DeviceAttr.MAX_QP_WR)
            .has("max_cqe", Struct.DeviceAttr.MAX_CQE)
            .has("max_mr", Struct.DeviceAttr.MAX_MR)
            .has("phys_port_cnt", Struct.DeviceAttr.PHYS_PORT_CNT);
    assertThat(layout.size()).isEqualTo(Struct.DeviceAttr.SIZE);
  }

  @Test
  void portAttributes() {
    Layout layout =
        new Layout()
            .fields(U32, "state", "max_mtu", "active_mtu", "gid_tbl_len", "port_cap_flags")
            .fields(U32, "max_msg_sz", "bad_pkey_cntr", "qkey_viol_cntr")
            .fields(U16, "pkey_tbl_len", "lid", "sm_lid")
            .fields(U8, "lmc", "max_vl_num", "sm_sl", "subnet_timeout", "init_type_reply")
            .fields(U8, "active_width", "active_speed", "phys_state", "link_layer", "flags")
            .field("port_cap_flags2", U16)
            .field("active_speed_ex", U32)
            .has("state", Struct.PortAttr.STATE)
            .has("active_mtu", Struct.PortAttr.ACTIVE_MTU)
            .has("gid_tbl_len", Struct.PortAttr.GID_TBL_LEN)
            .has("max_msg_sz", Struct.PortAttr.MAX_MSG_SZ)
            .has("lid", Struct.PortAttr.LID)
            .has("link_layer", Struct.PortAttr.LINK_LAYER);
    assertThat((long) Struct.PortAttr.SIZE).isGreaterThanOrEqualTo(layout.size());
  }

  @Test
  void objects() {
    new Layout()
        .fields(POINTER, "alloc", "free")
        .fields(U32, "node_type", "transport_type")
        .fields(array(64, U8), "name", "dev_name")
        .fields(array(256, U8), "dev_path", "ibdev_path")
        .has("dev_path", Struct.Device.DEV_PATH)
        .has("ibdev_path", Struct.Device.IBDEV_PATH)
        .has("name", Struct.Device.NAME)
        .has("dev_name", Struct.Device.DEV_NAME);
    new Layout()
        .field("context", POINTER)
        .field("handle", U32)
        .has("handle", Struct.ProtectionDomain.HANDLE);
    new Layout()
        .fields(POINTER, "context", "pd", "addr")
        .field("length", U64)
        .fields(U32, "handle", "lkey", "rkey")
        .has("addr", Struct.MemoryRegion.ADDR)
        .has("length", Struct.MemoryRegion.LENGTH)
        .has("lkey", Struct.MemoryRegion.LKEY)
        .has("rkey", Struct.MemoryRegion.RKEY);
    new Layout()
        .field("context", POINTER)
        .fields(U32, "fd", "refcnt")
        .has("fd", Struct.CompletionChannel.FD);
    new Layout()
        .fields(POINTER, "context", "channel", "cq_context")
        .fields(U32, "handle", "cqe")
        .has("context", Struct.CompletionQueue.CONTEXT)
        .has("channel", Struct.CompletionQueue.CHANNEL)
        .has("cqe", Struct.CompletionQueue.CQE);
    new Layout()
        .fields(POINTER, "context", "qp_context", "pd", "send_cq", "recv_cq", "srq")
        .fields(U32, "handle", "qp_num", "state", "qp_type")
        .has("context", Struct.QueuePair.CONTEXT)
        .has("send_cq", Struct.QueuePair.SEND_CQ)
        .has("recv_cq", Struct.QueuePair.RECV_CQ)
        .has("qp_num", Struct.QueuePair.QP_NUM)
        .has("qp_type", Struct.QueuePair.QP_TYPE);
  }

  @Test
  void queuePairAttributes() {
    Layout initial =
        new Layout()
            .fields(POINTER, "qp_context", "send_cq", "recv_cq", "srq")
            .fields(U32, "max_send_wr", "max_recv_wr", "max_send_sge", "max_recv_sge")
            .fields(U32, "max_inline_data", "qp_type", "sq_sig_all")
            .has("send_cq", Struct.QueuePairInitAttr.SEND_CQ)
            .has("recv_cq", Struct.QueuePairInitAttr.RECV_CQ)
            .has("max_send_wr", Struct.QueuePairInitAttr.MAX_SEND_WR)
            .has("max_recv_wr", Struct.QueuePairInitAttr.MAX_RECV_WR)
            .has("max_send_sge", Struct.QueuePairInitAttr.MAX_SEND_SGE)
            .has("max_recv_sge", Struct.QueuePairInitAttr.MAX_RECV_SGE)
            .has("max_inline_data", Struct.QueuePairInitAttr.MAX_INLINE_DATA)
            .has("qp_type", Struct.QueuePairInitAttr.QP_TYPE);
    assertThat(initial.size()).isEqualTo(Struct.QueuePairInitAttr.SIZE);

    // struct ibv_ah_attr, which begins with a struct ibv_global_route of 24 bytes.
    Layout address =
        new Layout()
            .field("grh", MemoryLayout.structLayout(array(3, U64)))
            .field("dlid", U16)
            .fields(U8, "sl", "src_path_bits", "static_rate", "is_global", "port_num");
    MemoryLayout addressHandle = MemoryLayout.structLayout(array(address.size() / 8, U64));
    Layout attributes =
        new Layout()
            .fields(U32, "qp_state", "cur_qp_state", "path_mtu", "path_mig_state", "qkey")
            .fields(U32, "rq_psn", "sq_psn", "dest_qp_num", "qp_access_flags")
            .fields(U32, "max_send_wr", "max_recv_wr", "max_send_sge", "max_recv_sge")
            .field("max_inline_data", U32)
            .fields(addressHandle, "ah_attr", "alt_ah_attr")
            .fields(U16, "pkey_index", "alt_pkey_index")
            .fields(U8, "en_sqd_async_notify", "sq_draining", "max_rd_atomic")
            .fields(U8, "max_dest_rd_atomic", "min_rnr_timer", "port_num", "timeout")
            .fields(U8, "retry_cnt", "rnr_retry", "alt_port_num", "alt_timeout")
            .field("rate_limit", U32)
            .has("qp_state", Struct.QueuePairAttr.QP_STATE)
            .has("path_mtu", Struct.QueuePairAttr.PATH_MTU)
            .has("rq_psn", Struct.QueuePairAttr.RQ_PSN)
            .has("sq_psn", Struct.QueuePairAttr.SQ_PSN)
            .has("dest_qp_num", Struct.QueuePairAttr.DEST_QP_NUM)
            .has("qp_access_flags", Struct.QueuePairAttr.QP_ACCESS_FLAGS)
            .has("max_send_wr", Struct.QueuePairAttr.MAX_SEND_WR)
            .has("max_recv_wr", Struct.QueuePairAttr.MAX_RECV_WR)
            .has("ah_attr", Struct.QueuePairAttr.DGID)
            .has("min_rnr_timer", Struct.QueuePairAttr.MIN_RNR_TIMER)
            .has("port_num", Struct.QueuePairAttr.PORT_NUM)
            .has("timeout", Struct.QueuePairAttr.TIMEOUT)
            .has("retry_cnt", Struct.QueuePairAttr.RETRY_CNT)
            .has("rnr_retry", Struct.QueuePairAttr.RNR_RETRY);
    assertThat(attributes.size()).isEqualTo(Struct.QueuePairAttr.SIZE);
    int begin = Struct.QueuePairAttr.DGID;
    address
        .has("dlid", Struct.QueuePairAttr.DLID - begin)
        .has("is_global", Struct.QueuePairAttr.IS_GLOBAL - begin);
  }

  @Test
  void workRequestsAndCompletions() {
    Layout element =
        new Layout()
            .field("addr", U64)
            .fields(U32, "length", "lkey")
            .has("addr", Struct.ScatterGatherElement.ADDR)
            .has("length", Struct.ScatterGatherElement.LENGTH)
            .has("lkey", Struct.ScatterGatherElement.LKEY);
    assertThat(element.size()).isEqualTo(Struct.ScatterGatherElement.SIZE);
    Layout send =
        new Layout()
            .field("wr_id", U64)
            .fields(POINTER, "next", "sg_list")
            .fields(U32, "num_sge", "opcode", "send_flags", "imm_data")
            .field("remote_addr", U64)
            .field("rkey", U32)
            .has("wr_id", Struct.SendRequest.WR_ID)
            .has("sg_list", Struct.SendRequest.SG_LIST)
            .has("num_sge", Struct.SendRequest.NUM_SGE)
            .has("opcode", Struct.SendRequest.OPCODE)
            .has("send_flags", Struct.SendRequest.SEND_FLAGS)
            .has("remote_addr", Struct.SendRequest.REMOTE_ADDR)
            .has("rkey", Struct.SendRequest.RKEY);
    assertThat(send.size()).isLessThan(Struct.SendRequest.SIZE);
    Layout receive =
        new Layout()
            .field("wr_id", U64)
            .fields(POINTER, "next", "sg_list")
            .field("num_sge", U32)
            .has("wr_id", Struct.ReceiveRequest.WR_ID)
            .has("sg_list", Struct.ReceiveRequest.SG_LIST)
            .has("num_sge", Struct.ReceiveRequest.NUM_SGE);
    assertThat(receive.size()).isEqualTo(Struct.ReceiveRequest.SIZE);
    Layout completion =
        new Layout()
            .field("wr_id", U64)
            .fields(U32, "status", "opcode", "vendor_err", "byte_len", "imm_data", "qp_num")
            .fields(U32, "src_qp", "wc_flags")
            .fields(U16, "pkey_index", "slid")
            .fields(U8, "sl", "dlid_path_bits")
            .has("wr_id", Struct.WorkCompletion.WR_ID)
            .has("status", Struct.WorkCompletion.STATUS)
            .has("opcode", Struct.WorkCompletion.OPCODE)
            .has("vendor_err", Struct.WorkCompletion.VENDOR_ERR)
            .has("byte_len", Struct.WorkCompletion.BYTE_LEN)
            .has("qp_num", Struct.WorkCompletion.QP_NUM);
    assertThat(completion.size()).isEqualTo(Struct.WorkCompletion.SIZE);
    Layout event =
        new Layout()
            .field("element", U64)
            .field("event_type", U32)
            .has("element", Struct.AsyncEvent.ELEMENT)
            .has("event_type", Struct.AsyncEvent.EVENT_TYPE);
    assertThat(event.size()).isEqualTo(Struct.AsyncEvent.SIZE);
  }

  @Test
  void connectionManager() {
    // struct sockaddr_storage is 128 bytes, aligned like a long.
    MemoryLayout storage = MemoryLayout.structLayout(array(16, JAVA_LONG));
    new Layout()
        .fields(POINTER, "verbs", "channel", "context", "qp")
        .fields(storage, "src_addr", "dst_addr")
        // struct rdma_ib_addr: two unions with a 64-bit member, and the partition key.
        .fields(MemoryLayout.structLayout(array(2, U64)), "sgid", "dgid")
        .field("pkey", MemoryLayout.structLayout(U64))
        // struct rdma_route: path records and their number; then port space and port.
        .field("path_rec", POINTER)
        .field("num_paths", MemoryLayout.structLayout(U64))
        .field("ps", U32)
        .field("port_num", U8)
        .has("sgid", Struct.ConnectionId.SGID)
        .has("dgid", Struct.ConnectionId.DGID)
        .has("port_num", Struct.ConnectionId.PORT_NUM)
        .has("verbs", Struct.ConnectionId.VERBS)
        .has("qp", Struct.ConnectionId.QP)
        .has("src_addr", Struct.ConnectionId.SRC_ADDR)
        .has("dst_addr", Struct.ConnectionId.DST_ADDR);
    Layout parameters =
        new Layout()
            .field("private_data", POINTER)
            .fields(U8, "private_data_len", "responder_resources", "initiator_depth")
            .fields(U8, "flow_control", "retry_count", "rnr_retry_count", "srq")
            .field("qp_num", U32)
            .has("private_data", Struct.ConnectionParam.PRIVATE_DATA)
            .has("private_data_len", Struct.ConnectionParam.PRIVATE_DATA_LEN)
            .has("responder_resources", Struct.ConnectionParam.RESPONDER_RESOURCES)
            .has("initiator_depth", Struct.ConnectionParam.INITIATOR_DEPTH)
            .has("retry_count", Struct.ConnectionParam.RETRY_COUNT)
            .has("rnr_retry_count", Struct.ConnectionParam.RNR_RETRY_COUNT);
    assertThat(parameters.size()).isEqualTo(Struct.ConnectionParam.SIZE);
    new Layout()
        .fields(POINTER, "id", "listen_id")
        .fields(U32, "event", "status")
        .field("private_data", POINTER)
        .field("private_data_len", U8)
        .has("id", Struct.ConnectionEvent.ID)
        .has("event", Struct.ConnectionEvent.EVENT)
        .has("status", Struct.ConnectionEvent.STATUS)
        .has("private_data", Struct.ConnectionEvent.PRIVATE_DATA)
        .has("private_data_len", Struct.ConnectionEvent.PRIVATE_DATA_LEN);
  }
}
