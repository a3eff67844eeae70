// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.wridscope.verbs.rdma.ffm.NativeFunction.POINTER;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.rdma.ffm.NativeFunction.Failure;

/** Functions of libibverbs; see the manual page of each. */
public final class Ibverbs {
  private static final SymbolLookup LIBRARY = RdmaLibraries.open(RdmaLibraries.VERBS);

  public static final NativeFunction GET_DEVICE_LIST = pointer("ibv_get_device_list", POINTER);
  public static final NativeFunction FREE_DEVICE_LIST =
      function(Failure.NEVER, null, "ibv_free_device_list", POINTER);
  public static final NativeFunction OPEN_DEVICE = pointer("ibv_open_device", POINTER);
  public static final NativeFunction CLOSE_DEVICE = status("ibv_close_device", POINTER);
  public static final NativeFunction QUERY_DEVICE = status("ibv_query_device", POINTER, POINTER);
  public static final NativeFunction QUERY_PORT =
      status("ibv_query_port", POINTER, JAVA_BYTE, POINTER);

  /** The function behind {@code ibv_query_gid_table(3)}; since rdma-core 32. */
  public static final NativeFunction QUERY_GID_TABLE =
      function(
          Failure.NEGATIVE,
          JAVA_LONG,
          "_ibv_query_gid_table",
          POINTER,
          POINTER,
          JAVA_LONG,
          JAVA_INT,
          JAVA_LONG);

  public static final NativeFunction ALLOC_PD = pointer("ibv_alloc_pd", POINTER);
  public static final NativeFunction DEALLOC_PD = status("ibv_dealloc_pd", POINTER);
  public static final NativeFunction REG_MR =
      pointer("ibv_reg_mr", POINTER, POINTER, POINTER, JAVA_INT);
  public static final NativeFunction DEREG_MR = status("ibv_dereg_mr", POINTER);
  public static final NativeFunction REG_MR_IOVA =
      pointer("ibv_reg_mr_iova", POINTER, POINTER, POINTER, JAVA_LONG, JAVA_INT);

  /** What the macros of both others call if the access flags are not constant. */
  public static final NativeFunction REG_MR_IOVA2 =
      pointer("ibv_reg_mr_iova2", POINTER, POINTER, POINTER, JAVA_LONG, JAVA_INT);

  public static final NativeFunction REG_DMABUF_MR =
      pointer("ibv_reg_dmabuf_mr", POINTER, JAVA_LONG, POINTER, JAVA_LONG, JAVA_INT, JAVA_INT);
  public static final NativeFunction REREG_MR =
      function(
          Failure.NEGATIVE,
          JAVA_INT,
          "ibv_rereg_mr",
          POINTER,
          JAVA_INT,
          POINTER,
          POINTER,
          POINTER,
          JAVA_INT);

  /** Through which providers register memory; their results are error numbers. */
  public static final NativeFunction CMD_REG_MR =
      status("ibv_cmd_reg_mr", POINTER, POINTER, POINTER, JAVA_LONG, JAVA_INT, POINTER, POINTER);

  public static final NativeFunction CMD_REG_DMABUF_MR =
      status("ibv_cmd_reg_dmabuf_mr", POINTER, JAVA_LONG, POINTER, JAVA_LONG, JAVA_INT, JAVA_INT);

  public static final NativeFunction CREATE_COMP_CHANNEL =
      pointer("ibv_create_comp_channel", POINTER);
  public static final NativeFunction DESTROY_COMP_CHANNEL =
      status("ibv_destroy_comp_channel", POINTER);
  public static final NativeFunction CREATE_CQ =
      pointer("ibv_create_cq", POINTER, JAVA_INT, POINTER, POINTER, JAVA_INT);
  public static final NativeFunction DESTROY_CQ = status("ibv_destroy_cq", POINTER);
  public static final NativeFunction GET_CQ_EVENT =
      status("ibv_get_cq_event", POINTER, POINTER, POINTER);
  public static final NativeFunction ACK_CQ_EVENTS =
      function(Failure.NEVER, null, "ibv_ack_cq_events", POINTER, JAVA_INT);

  public static final NativeFunction QUERY_QP =
      status("ibv_query_qp", POINTER, POINTER, JAVA_INT, POINTER);
  public static final NativeFunction MODIFY_QP =
      status("ibv_modify_qp", POINTER, POINTER, JAVA_INT);
  public static final NativeFunction QP_TO_QP_EX = pointer("ibv_qp_to_qp_ex", POINTER);
  public static final NativeFunction DESTROY_QP = status("ibv_destroy_qp", POINTER);

  public static final NativeFunction GET_ASYNC_EVENT =
      status("ibv_get_async_event", POINTER, POINTER);
  public static final NativeFunction ACK_ASYNC_EVENT =
      function(Failure.NEVER, null, "ibv_ack_async_event", POINTER);

  private Ibverbs() {}

  private static NativeFunction pointer(String name, MemoryLayout... parameters) {
    return function(Failure.NULL, POINTER, name, parameters);
  }

  private static NativeFunction status(String name, MemoryLayout... parameters) {
    return function(Failure.NOT_ZERO, JAVA_INT, name, parameters);
  }

  private static NativeFunction function(
      Failure failure, @Nullable MemoryLayout result, String name, MemoryLayout... parameters) {
    return new NativeFunction(LIBRARY, failure, result, name, parameters);
  }
}
