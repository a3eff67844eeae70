// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;
import org.wridscope.wire.Syndrome;

/** What negative acknowledgements on the wire mean, by the syndrome of their header (AETH). */
final class Acknowledgements {
  private static final String SOURCE =
      "InfiniBand Architecture Specification volume 1, 9.7.5.2 (acknowledgement syndromes) and"
          + " 9.9.2; Linux: drivers/infiniband/sw/rxe/rxe_hdr.h";

  static final List<Meaning> ALL =
      List.of(
          answer(
              0x20,
              "RNR_NAK",
              "The receiver was not ready: no receive was posted for a SEND, or for an RDMA WRITE"
                  + " with immediate data. The five lower bits say how long the requester waits"
                  + " before it sends the request again; after rnr_retry attempts the request"
                  + " completes with IBV_WC_RNR_RETRY_EXC_ERR, with rnr_retry 7 never.",
              "The peer posts receives too late or too few, or its program hangs.",
              "What the peer waits for, and how many receives it posts ahead; then rnr_retry_count"
                  + " of rdma_connect(3) and min_rnr_timer of ibv_modify_qp(3)."),
          answer(
              0x40,
              "RSVD",
              "The specification reserves this syndrome; requesters ignore the packet or treat it"
                  + " as an error.",
              "A defect of the device that sent it, or a packet that was damaged.",
              "The invariant CRC of the packet; firmware and driver of the device that sent it."),
          answer(
              0x60,
              "NAK_PSN_SEQ_ERROR",
              "The responder got a packet with a higher sequence number than the one it expects, so"
                  + " packets before it were lost or reordered. It names the number that it"
                  + " expects, and the requester sends everything from there again; nothing fails"
                  + " unless that happens more than retry_cnt times.",
              "A switch or a port that drops packets because priority flow control is missing or"
                  + " does not cover this traffic; paths of different length; a damaged link.",
              "Discards and pause frames of both ports and of the switch between them (ethtool -S,"
                  + " rdma statistic: out_of_sequence, packet_seq_err), and whether DSCP or VLAN"
                  + " priority of the traffic is the one that is lossless."),
          answer(
              0x61,
              "NAK_INVALID_REQ",
              "The responder found the request invalid: a message longer than the receive, an"
                  + " operation that its queue pair does not allow, a length that does not fit, or"
                  + " too many RDMA READs at once. The request completes with"
                  + " IBV_WC_REM_INV_REQ_ERR, and both queue pairs enter the error state.",
              "A receive buffer that is too small, or ends that disagree about"
                  + " max_dest_rd_atomic or qp_access_flags.",
              "Length of the message against the receive that it met, and the attributes of the"
                  + " responder's queue pair (ibv_query_qp(3), rdma resource show qp)."),
          answer(
              0x62,
              "NAK_REM_ACC_ERR",
              "The responder refused the access to its memory: no registration has this remote key,"
                  + " the range exceeds it, or it does not allow the access. The request completes"
                  + " with IBV_WC_REM_ACCESS_ERR, and both queue pairs enter the error state.",
              "A key that is out of date because the responder deregistered the memory, a wrong"
                  + " remote address, or a region without REMOTE_WRITE.",
              "Remote key, address and length of the request against what the responder registered"
                  + " (REGISTER RESULT or RAM BLOCKS RESULT)."),
          answer(
              0x63,
              "NAK_REM_OP_ERR",
              "The responder could not finish the operation although the request was valid. The"
                  + " request completes with IBV_WC_REM_OP_ERR, and both queue pairs enter the"
                  + " error state.",
              "A receive of the responder that failed with an error of its own, or memory that"
                  + " could not be accessed.",
              "Completions, device events and the kernel's log (dmesg) of the responder: the cause"
                  + " is there, not here."));

  private Acknowledgements() {}

  private static Meaning answer(int value, String name, String means, String causes, String next) {
    return new Meaning(
        Meaning.Kind.ACKNOWLEDGEMENT,
        "AETH_" + name,
        value,
        List.of(new Syndrome(value).answer().text()),
        means,
        causes,
        next,
        SOURCE);
  }
}
