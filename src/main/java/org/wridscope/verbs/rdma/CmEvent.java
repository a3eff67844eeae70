// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * An event of the connection manager; see {@code rdma_get_cm_event(3)}.
 *
 * @param id the address of the identifier that the event names
 * @param status a negative error number or a reason code of the transport
 * @param privateData private data of the peer
 */
@SuppressWarnings("ArrayRecordComponent") // read once, by the thread that took the event
record CmEvent(Type type, long id, int status, byte[] privateData) {

  /** In the order of {@code enum rdma_cm_event_type}. */
  enum Type {
    ADDR_RESOLVED,
    ADDR_ERROR,
    ROUTE_RESOLVED,
    ROUTE_ERROR,
    CONNECT_REQUEST,
    CONNECT_RESPONSE,
    CONNECT_ERROR,
    UNREACHABLE,
    REJECTED,
    ESTABLISHED,
    DISCONNECTED,
    DEVICE_REMOVAL,
    MULTICAST_JOIN,
    MULTICAST_ERROR,
    ADDR_CHANGE,
    TIMEWAIT_EXIT
  }

  private static final Type[] TYPES = Type.values();

  /** Copies the event at an address. The event is not acknowledged yet. */
  static CmEvent read(long event) {
    int type = Memory.getInt(event + Struct.ConnectionEvent.EVENT);
    if (type < 0 || type >= TYPES.length) {
      throw new IllegalStateException("an event of the unknown type " + type);
    }
    long privateData = Memory.getLong(event + Struct.ConnectionEvent.PRIVATE_DATA);
    int length = Memory.getUnsignedByte(event + Struct.ConnectionEvent.PRIVATE_DATA_LEN);
    return new CmEvent(
        TYPES[type],
        Memory.getLong(event + Struct.ConnectionEvent.ID),
        Memory.getInt(event + Struct.ConnectionEvent.STATUS),
        carriesPrivateData(TYPES[type]) && privateData != 0
            ? Memory.getBytes(privateData, length)
            : new byte[0]);
  }

  private static boolean carriesPrivateData(Type type) {
    return switch (type) {
      case CONNECT_REQUEST, CONNECT_RESPONSE, REJECTED, ESTABLISHED -> true;
      default -> false;
    };
  }
}
