// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;

/** The events of {@code enum rdma_cm_event_type}. */
final class CmEvents {
  private static final String SOURCE = "rdma-core: enum rdma_cm_event_type, rdma_get_cm_event(3)";
  private static final String STATUS =
      "The status of the event: explain a negative one as an errno.";
  private static final String NO_MULTICAST = "QEMU and Wridscope use no multicast.";

  static final List<Meaning> ALL =
      List.of(
          event(
              0,
              "ADDR_RESOLVED",
              "The address of the peer was resolved, and a local device was chosen"
                  + " (rdma_resolve_addr(3)).",
              "",
              ""),
          event(
              1,
              "ADDR_ERROR",
              "The address of the peer could not be resolved in time.",
              "No host answers ARP or neighbour discovery at that address, or its network is not"
                  + " that of an RDMA device.",
              "ping the address; ip route get; rdma link. " + STATUS),
          event(2, "ROUTE_RESOLVED", "The route to the peer was resolved.", "", ""),
          event(
              3,
              "ROUTE_ERROR",
              "The route to the peer could not be resolved.",
              "No subnet manager (InfiniBand), or no path in the fabric.",
              "The subnet manager, and the state of both ports. " + STATUS),
          event(4, "CONNECT_REQUEST", "A peer asks the listener for a connection.", "", ""),
          event(
              5,
              "CONNECT_RESPONSE",
              "The peer accepted; reported only when the identifier has no queue pair.",
              "",
              ""),
          event(
              6,
              "CONNECT_ERROR",
              "The connection could not be established.",
              "The peer gave up meanwhile, or a queue pair could not change its state.",
              STATUS),
          event(
              7,
              "UNREACHABLE",
              "The peer did not answer the connection request, or can no longer be reached.",
              "Its host is down, a firewall drops the packets (UDP port 4791 for RoCE v2), or GID,"
                  + " VLAN or MTU of the two ends do not fit.",
              "Host and link of the peer, and the GIDs of both ends (devices)."),
          event(
              8,
              "REJECTED",
              "The connection request was rejected by the peer's connection manager or program.",
              "Nobody listens on that port (reason 8), the program refused (reason 28), or an old"
                  + " connection still exists (reason 10).",
              "The status of the event: explain \"reject NUMBER\"; on iWARP it is a negative"
                  + " errno."),
          event(9, "ESTABLISHED", "The connection is established.", "", ""),
          event(
              10,
              "DISCONNECTED",
              "The connection has ended: the peer disconnected, or its process ended.",
              "The end of a migration, or the end of the peer's program.",
              "The last messages and the log of the peer."),
          event(
              11,
              "DEVICE_REMOVAL",
              "The device of the connection was removed from this machine. The identifier must be"
                  + " destroyed.",
              "A hot-unplug, a driver that was unloaded or reset, or the removal of a soft-RoCE"
                  + " link.",
              "The kernel's log (dmesg), rdma link."),
          event(12, "MULTICAST_JOIN", "A multicast group was joined.", "", NO_MULTICAST),
          event(
              13,
              "MULTICAST_ERROR",
              "A multicast group could not be joined, or is no longer accessible.",
              "",
              NO_MULTICAST),
          event(
              14,
              "ADDR_CHANGE",
              "The network device of the identifier changed its hardware address.",
              "A failover of a bond.",
              "Whether the connection still works; a new one uses the new address."),
          event(
              15,
              "TIMEWAIT_EXIT",
              "The queue pair left the time-wait state after a disconnect; its number may be used"
                  + " again.",
              "The normal end of a connection.",
              ""));

  private CmEvents() {}

  private static Meaning event(int value, String name, String means, String causes, String next) {
    return new Meaning(
        Meaning.Kind.CM_EVENT,
        "RDMA_CM_EVENT_" + name,
        value,
        List.of(),
        means,
        causes,
        next,
        SOURCE);
  }
}
