// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.wridscope.verbs.rdma.ffm.NativeFunction.POINTER;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.rdma.ffm.NativeFunction.Failure;

/** Functions of librdmacm; see the manual page of each. */
public final class Rdmacm {
  private static final SymbolLookup LIBRARY = RdmaLibraries.open(RdmaLibraries.CONNECTION_MANAGER);

  public static final NativeFunction GET_DEVICES = pointer("rdma_get_devices", POINTER);
  public static final NativeFunction FREE_DEVICES = nothing("rdma_free_devices", POINTER);

  public static final NativeFunction CREATE_EVENT_CHANNEL = pointer("rdma_create_event_channel");
  public static final NativeFunction DESTROY_EVENT_CHANNEL =
      nothing("rdma_destroy_event_channel", POINTER);
  public static final NativeFunction GET_CM_EVENT = status("rdma_get_cm_event", POINTER, POINTER);
  public static final NativeFunction ACK_CM_EVENT = status("rdma_ack_cm_event", POINTER);

  public static final NativeFunction CREATE_ID =
      status("rdma_create_id", POINTER, POINTER, POINTER, JAVA_INT);
  public static final NativeFunction MIGRATE_ID = status("rdma_migrate_id", POINTER, POINTER);
  public static final NativeFunction DESTROY_ID = status("rdma_destroy_id", POINTER);
  public static final NativeFunction SET_OPTION =
      status("rdma_set_option", POINTER, JAVA_INT, JAVA_INT, POINTER, POINTER);

  public static final NativeFunction BIND_ADDR = status("rdma_bind_addr", POINTER, POINTER);
  public static final NativeFunction LISTEN = status("rdma_listen", POINTER, JAVA_INT);
  public static final NativeFunction RESOLVE_ADDR =
      status("rdma_resolve_addr", POINTER, POINTER, POINTER, JAVA_INT);
  public static final NativeFunction RESOLVE_ROUTE =
      status("rdma_resolve_route", POINTER, JAVA_INT);

  public static final NativeFunction CREATE_QP =
      status("rdma_create_qp", POINTER, POINTER, POINTER);

  public static final NativeFunction INIT_QP_ATTR =
      status("rdma_init_qp_attr", POINTER, POINTER, POINTER);

  public static final NativeFunction CONNECT = status("rdma_connect", POINTER, POINTER);
  public static final NativeFunction ACCEPT = status("rdma_accept", POINTER, POINTER);
  public static final NativeFunction REJECT = status("rdma_reject", POINTER, POINTER, JAVA_BYTE);
  public static final NativeFunction NOTIFY = status("rdma_notify", POINTER, JAVA_INT);
  public static final NativeFunction DISCONNECT = status("rdma_disconnect", POINTER);

  private Rdmacm() {}

  private static NativeFunction pointer(String name, MemoryLayout... parameters) {
    return function(Failure.NULL, POINTER, name, parameters);
  }

  private static NativeFunction status(String name, MemoryLayout... parameters) {
    return function(Failure.NOT_ZERO, JAVA_INT, name, parameters);
  }

  private static NativeFunction nothing(String name, MemoryLayout... parameters) {
    return function(Failure.NEVER, null, name, parameters);
  }

  private static NativeFunction function(
      Failure failure, @Nullable MemoryLayout result, String name, MemoryLayout... parameters) {
    return new NativeFunction(LIBRARY, failure, result, name, parameters);
  }
}
