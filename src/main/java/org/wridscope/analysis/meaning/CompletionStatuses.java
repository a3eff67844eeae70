// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;
import java.util.stream.Stream;
import org.wridscope.verbs.WorkCompletionStatus;

/** The completion statuses of {@code enum ibv_wc_status}. */
final class CompletionStatuses {
  private static final String SOURCE =
      "InfiniBand Architecture Specification volume 1, 11.6.2; rdma-core: enum ibv_wc_status,"
          + " ibv_poll_cq(3), ibv_wc_status_str(3)";
  private static final String DATAGRAM =
      "Belongs to the reliable datagram service, which no current device implements.";
  private static final String UNUSED = "A defect of the device or its driver.";
  private static final String CHECK_DRIVER =
      "Firmware and driver of the device, and the kernel's log (dmesg).";

  static final List<Meaning> ALL =
      List.of(
          status(
              0,
              "SUCCESS",
              "success",
              "The work request completed. For an RDMA WRITE this says that the peer's device has"
                  + " acknowledged it, not that the peer's program has seen it.",
              "",
              ""),
          status(
              1,
              "LOC_LEN_ERR",
              "local length error",
              "A message does not fit: a SEND or RDMA WRITE is longer than the port's largest"
                  + " message, or a message arrived that is longer than the posted receive.",
              "Both ends disagree about the size of a message or a buffer.",
              "The length of the request here; for a receive, what the peer sent. The sender of a"
                  + " message that was too long sees status 9 (REM_INV_REQ_ERR)."),
          status(
              2,
              "LOC_QP_OP_ERR",
              "local QP operation error",
              "The device found the queue pair itself inconsistent while it executed the request.",
              "An operation that the queue pair's type does not allow, more inline data or elements"
                  + " than it was created for, or a defect of the driver.",
              "The operation and flags of the request, and the capabilities that"
                  + " ibv_create_qp(3) returned. "
                  + CHECK_DRIVER),
          status(
              3,
              "LOC_EEC_OP_ERR",
              "local EE context operation error",
              "An end-to-end context was inconsistent. " + DATAGRAM,
              UNUSED,
              CHECK_DRIVER),
          status(
              4,
              "LOC_PROT_ERR",
              "local protection error",
              "The local buffer of the request is not covered by a valid memory region: the key is"
                  + " unknown, belongs to another protection domain, or the range exceeds its"
                  + " region.",
              "Memory that was deregistered before the request completed, a retransmission that"
                  + " reads released memory, a wrong local key, or unmapped pages of an on-demand"
                  + " region.",
              "Local key, address and length of the request, and when its region was"
                  + " deregistered. Memory may be released only after the completion."),
          status(
              5,
              "WR_FLUSH_ERR",
              "Work Request Flushed Error",
              "The queue pair entered the error state while the request was outstanding, so the"
                  + " request was returned without being executed, or without its result being"
                  + " known.",
              "It only follows from something else: another request that failed before, a"
                  + " disconnect, or a queue pair that was moved to the error state.",
              "The first completion at either end with another status, and connection and device"
                  + " events just before it."),
          status(
              6,
              "MW_BIND_ERR",
              "memory management operation error",
              "Binding a memory window, or registering memory with a fast work request, failed.",
              "Missing permission on the region, or a window that belongs to another domain.",
              "The access flags of the region. QEMU and Wridscope use no memory windows."),
          status(
              7,
              "BAD_RESP_ERR",
              "bad response error",
              "The peer's device answered with a packet that the transport does not allow here.",
              "Incompatible firmware at both ends, or a defect of a device.",
              "The firmware versions of both devices. " + CHECK_DRIVER),
          status(
              8,
              "LOC_ACCESS_ERR",
              "local access error",
              "A protection error occurred here while the device wrote the data of an incoming RDMA"
                  + " WRITE with immediate data.",
              "A region without permission for local or remote writes.",
              "The access flags of the region: REMOTE_WRITE also needs LOCAL_WRITE."),
          status(
              9,
              "REM_INV_REQ_ERR",
              "remote invalid request error",
              "The peer's device received a request that it considers invalid: a message longer"
                  + " than its receive, an operation that its queue pair does not allow, or too"
                  + " many outstanding reads.",
              "A receive that is too small, a queue pair without permission for remote writes, or"
                  + " responder_resources of 0.",
              "Status 1 (LOC_LEN_ERR) and the event IBV_EVENT_QP_REQ_ERR at the peer, and the"
                  + " access flags of its queue pair."),
          status(
              10,
              "REM_ACCESS_ERR",
              "remote access error",
              "The peer's device denied an RDMA WRITE or READ: its memory key is unknown, the range"
                  + " exceeds the region, or the region does not allow the access.",
              "A key that is out of date because the peer deregistered the memory, a wrong remote"
                  + " address, or a region without REMOTE_WRITE.",
              "Remote key, address and length of the request against what the peer registered"
                  + " (REGISTER RESULT or RAM BLOCKS RESULT), and IBV_EVENT_QP_ACCESS_ERR there."),
          status(
              11,
              "REM_OP_ERR",
              "remote operation error",
              "The peer's device could not finish the operation although the request was valid.",
              "The peer's receive failed with an error of its own, or its memory could not be"
                  + " accessed.",
              "The completions and device events of the peer: the cause is there, not here."),
          status(
              12,
              "RETRY_EXC_ERR",
              "transport retry counter exceeded",
              "The device sent the request, repeated it as often as retry_cnt allows, each time"
                  + " after the local ACK timeout (4.096 us x 2^timeout), and got no"
                  + " acknowledgement.",
              "The peer's process, host or link is gone; its queue pair was destroyed or is in the"
                  + " error state; packets are lost because of a wrong MTU, VLAN, GID index or"
                  + " priority flow control; or a firewall drops UDP port 4791 (RoCE v2).",
              "Whether the peer still runs and what it reports; then the port's error counters"
                  + " (rdma statistic show, ethtool -S), GID and MTU at both ends, and"
                  + " ib_write_bw between the same two addresses."),
          status(
              13,
              "RNR_RETRY_EXC_ERR",
              "RNR retry counter exceeded",
              "The peer's device had no receive posted for a SEND, said so (RNR NAK) as often as"
                  + " rnr_retry allows, and the request was given up. With rnr_retry 7 it is"
                  + " repeated forever.",
              "The peer posts receives too late or too few, or its program hangs.",
              "What the peer waits for, and how many receives it posts ahead; then rnr_retry_count"
                  + " of rdma_connect(3) and min_rnr_timer of ibv_modify_qp(3)."),
          status(
              14,
              "LOC_RDD_VIOL_ERR",
              "local RDD violation error",
              "The reliable datagram domains of queue pair and context differ. " + DATAGRAM,
              UNUSED,
              CHECK_DRIVER),
          status(
              15,
              "REM_INV_RD_REQ_ERR",
              "remote invalid RD request",
              "The peer rejected a reliable datagram request. " + DATAGRAM,
              UNUSED,
              CHECK_DRIVER),
          status(
              16,
              "REM_ABORT_ERR",
              "aborted error",
              "The responder aborted the operation; specified for datagram and unreliable connected"
                  + " queue pairs with a shared receive queue.",
              "The peer destroyed what the request needs, or a defect of its device.",
              "The device events of the peer. " + CHECK_DRIVER),
          status(
              17,
              "INV_EECN_ERR",
              "invalid EE context number",
              "The number of an end-to-end context is invalid. " + DATAGRAM,
              UNUSED,
              CHECK_DRIVER),
          status(
              18,
              "INV_EEC_STATE_ERR",
              "invalid EE context state",
              "An end-to-end context is in the wrong state. " + DATAGRAM,
              UNUSED,
              CHECK_DRIVER),
          status(
              19,
              "FATAL_ERR",
              "fatal error",
              "The device failed in a way that it cannot recover from.",
              "A fault of hardware or firmware, or a device that was reset or removed.",
              "IBV_EVENT_DEVICE_FATAL. " + CHECK_DRIVER),
          status(
              20,
              "RESP_TIMEOUT_ERR",
              "response timeout error",
              "The device did not get a response to the operation in time.",
              "A peer or a switch that is overloaded, or a link that loses packets.",
              "The same as for status 12 (RETRY_EXC_ERR)."),
          status(
              21,
              "GENERAL_ERR",
              "general error",
              "An error of the device for which there is no other status. Drivers also use it for"
                  + " codes that they do not know.",
              "Depends on the device.",
              "The vendor error of the completion (explain --vendor). " + CHECK_DRIVER),
          status(
              22,
              "TM_ERR",
              "TM error",
              "Matching tags failed on a shared receive queue with tag matching.",
              "A tag operation in the wrong order.",
              "ibv_create_srq_ex(3). QEMU and Wridscope use no tag matching."),
          status(
              23,
              "TM_RNDV_INCOMPLETE",
              "TM software rendezvous",
              "A message with tag matching needs the program to complete its rendezvous.",
              "The device could not read the rest of the message by itself.",
              "ibv_create_srq_ex(3). QEMU and Wridscope use no tag matching."));

  private CompletionStatuses() {}

  /**
   * @param text as {@code ibv_wc_status_str(3)} prints it
   */
  private static Meaning status(
      int value, String name, String text, String means, String causes, String next) {
    return new Meaning(
        Meaning.Kind.COMPLETION_STATUS,
        "IBV_WC_" + name,
        value,
        Stream.concat(Stream.of(text), ours(value)).distinct().toList(),
        means,
        causes,
        next,
        SOURCE);
  }

  private static Stream<String> ours(int value) {
    return Stream.of(WorkCompletionStatus.values())
        .filter(status -> status.value() == value)
        .map(WorkCompletionStatus::text);
  }
}
