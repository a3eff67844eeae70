// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;

/** The asynchronous events of {@code enum ibv_event_type}. */
final class AsyncEvents {
  private static final String SOURCE =
      "InfiniBand Architecture Specification volume 1, 11.6.3; rdma-core: enum ibv_event_type,"
          + " ibv_get_async_event(3), ibv_event_type_str(3)";
  private static final String SHARED_RECEIVE = "QEMU and Wridscope use no shared receive queue.";

  static final List<Meaning> ALL =
      List.of(
          event(
              0,
              "CQ_ERR",
              "CQ error",
              "A completion queue overflowed or failed. Completions are lost, and every queue pair"
                  + " that uses the queue fails.",
              "More requests outstanding than the completion queue has entries, or completions that"
                  + " nobody polls.",
              "The depths of send and receive queue against the entries of the completion queue."),
          event(
              1,
              "QP_FATAL",
              "local work queue catastrophic error",
              "A queue pair failed and entered the error state; the failure belongs to no"
                  + " completion that could be reported.",
              "Memory of the queue or of a buffer that the device could not access, or a fault of"
                  + " the device.",
              "The first failed completion at either end, then the kernel's log (dmesg)."),
          event(
              2,
              "QP_REQ_ERR",
              "invalid request local work queue error",
              "This end's device received an invalid request from the peer; the queue pair is in"
                  + " the error state.",
              "A message longer than the posted receive, or an operation that the queue pair does"
                  + " not allow.",
              "Status 9 (REM_INV_REQ_ERR) at the peer, and what it sent."),
          event(
              3,
              "QP_ACCESS_ERR",
              "local access violation work queue error",
              "The peer tried to write or read memory here that it may not access; the queue pair"
                  + " is in the error state.",
              "A remote key that is out of date, a wrong address, or a region without"
                  + " REMOTE_WRITE.",
              "Status 10 (REM_ACCESS_ERR) at the peer, and which memory was registered here."),
          event(
              4,
              "COMM_EST",
              "communication established",
              "The first message arrived before the last message of the connection's set-up."
                  + " Harmless: the connection manager is told with rdma_notify(3).",
              "A peer that begins to send at once.",
              ""),
          event(
              5,
              "SQ_DRAINED",
              "send queue drained",
              "All requests that were in progress have completed after the send queue was told to"
                  + " drain.",
              "A change of the queue pair to the state SQD.",
              ""),
          event(
              6,
              "PATH_MIG",
              "path migrated",
              "The connection continues on its alternate path.",
              "The first path failed, or the program asked for the change.",
              "Why the first path failed: port, cable and switch."),
          event(
              7,
              "PATH_MIG_ERR",
              "path migration request error",
              "The connection could not continue on its alternate path.",
              "The alternate path does not work, or the peer does not accept it.",
              "Addresses and ports of the alternate path at both ends."),
          event(
              8,
              "DEVICE_FATAL",
              "local catastrophic error",
              "The device failed. Everything that was created on it is unusable and can only be"
                  + " destroyed.",
              "A fault of hardware or firmware, a reset, or a device that was removed.",
              "The kernel's log (dmesg), and the firmware of the device."),
          event(
              9,
              "PORT_ACTIVE",
              "port active",
              "The link of a port became active.",
              "A cable, switch or subnet manager that works again.",
              ""),
          event(
              10,
              "PORT_ERR",
              "port error",
              "The link of a port went down. Connections over it fail after their retries unless it"
                  + " comes back soon.",
              "A cable, a switch, the network interface set down, or the subnet manager.",
              "ibv_devinfo, rdma link, and ip link on this host; the port of the switch."),
          event(
              11,
              "LID_CHANGE",
              "LID change",
              "The subnet manager gave a port another local identifier.",
              "A restart or a change of the subnet manager.",
              "Connections that began before: their path is out of date."),
          event(
              12,
              "PKEY_CHANGE",
              "P_Key change",
              "The partition table of a port changed.",
              "The subnet manager changed the partitions.",
              "Whether both ends still share a partition."),
          event(
              13,
              "SM_CHANGE",
              "SM change",
              "Another subnet manager is in charge of the port.",
              "A failover of the subnet manager.",
              ""),
          event(
              14,
              "SRQ_ERR",
              "SRQ catastrophic error",
              "A shared receive queue failed.",
              "A fault of the device or of the queue's memory.",
              SHARED_RECEIVE),
          event(
              15,
              "SRQ_LIMIT_REACHED",
              "SRQ limit reached",
              "A shared receive queue has fewer receives left than its limit.",
              "Receives are posted too slowly.",
              SHARED_RECEIVE),
          event(
              16,
              "QP_LAST_WQE_REACHED",
              "last WQE reached",
              "A queue pair in the error state will take no more receives from its shared receive"
                  + " queue.",
              "The queue pair is being torn down.",
              SHARED_RECEIVE),
          event(
              17,
              "CLIENT_REREGISTER",
              "client reregistration",
              "The subnet manager asks all clients of a port to subscribe again.",
              "A restart of the subnet manager.",
              ""),
          event(
              18,
              "GID_CHANGE",
              "GID table change",
              "The table of global identifiers of a port changed. Connections that use a GID that"
                  + " was removed fail.",
              "An IP address of the network interface was added or removed (RoCE), or a change by"
                  + " the subnet manager.",
              "ip address on this host, and the sgid of the session."),
          event(
              19,
              "WQ_FATAL",
              "WQ fatal",
              "A work queue of a queue pair with receive side scaling failed.",
              "A fault of the device or of the queue's memory.",
              "QEMU and Wridscope use no such work queues."),
          event(
              20,
              "DEVICE_SPEED_CHANGE",
              "device speed change",
              "The speed of one or more ports of the device changed.",
              "A change of configuration, or a link that trained at another speed.",
              "rdma link and ethtool on this host."));

  private AsyncEvents() {}

  private static Meaning event(
      int value, String name, String text, String means, String causes, String next) {
    return new Meaning(
        Meaning.Kind.ASYNC_EVENT,
        "IBV_EVENT_" + name,
        value,
        List.of(text),
        means,
        causes,
        next,
        SOURCE);
  }
}
