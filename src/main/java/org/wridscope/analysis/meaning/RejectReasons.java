// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;

/** Why a connection request was rejected: {@code enum ib_cm_rej_reason} of the kernel. */
final class RejectReasons {
  private static final String SOURCE =
      "InfiniBand Architecture Specification volume 1, 12.6.7.2; Linux: enum ib_cm_rej_reason"
          + " (include/rdma/ib_cm.h), ibcm_reject_msg(); the status of RDMA_CM_EVENT_REJECTED";
  private static final String PATH =
      "The path that the connection request names does not suit the peer.";
  private static final String CHECK_PATH =
      "Addresses, GIDs and MTU of both ends, and the subnet manager (InfiniBand).";
  private static final String ALTERNATE =
      "The alternate path that the connection request names does not suit the peer.";
  private static final String NO_ALTERNATE = "QEMU and Wridscope request no alternate path.";
  private static final String PEER_MANAGER = "A defect or a restart of the peer's kernel.";

  static final List<Meaning> ALL =
      List.of(
          reason(
              1,
              "NO_QP",
              "no QP",
              "The peer has no queue pair left.",
              "The limit of the device or of a container.",
              "rdma resource show qp at the peer."),
          reason(2, "NO_EEC", "no EEC", "The peer has no end-to-end context left.", "", ""),
          reason(
              3,
              "NO_RESOURCES",
              "no resources",
              "The peer lacks another resource for the connection.",
              "Memory, or a limit of the device.",
              "The kernel's log (dmesg) and rdma resource show at the peer."),
          reason(
              4,
              "TIMEOUT",
              "timeout",
              "The peer gave the exchange up because an answer came too late.",
              "A host or a network that is overloaded.",
              "Load and packet loss between the hosts."),
          reason(
              5,
              "UNSUPPORTED",
              "unsupported",
              "The peer does not support the request.",
              "A peer with an old connection manager.",
              "Kernel versions of both hosts."),
          reason(
              6,
              "INVALID_COMM_ID",
              "invalid comm ID",
              "The message names a connection that the peer does not know.",
              PEER_MANAGER,
              "Connect again."),
          reason(
              7,
              "INVALID_COMM_INSTANCE",
              "invalid comm instance",
              "The message names an instance of a connection that the peer does not know.",
              PEER_MANAGER,
              "Connect again."),
          reason(
              8,
              "INVALID_SERVICE_ID",
              "invalid service ID",
              "Nobody listens at that address and port.",
              "The destination was not started, has ended, already has its connection, or listens"
                  + " on another port or device.",
              "The destination: its URI, and rdma resource show cm_id there."),
          reason(
              9,
              "INVALID_TRANSPORT_TYPE",
              "invalid transport type",
              "The peer does not support the transport service that was requested.",
              "",
              "The type of the queue pair; QEMU and Wridscope use reliable connections."),
          reason(
              10,
              "STALE_CONN",
              "stale conn",
              "The peer believes that the queue pair number of the request is still connected.",
              "An earlier connection with the same queue pair number whose end the peer has not"
                  + " noticed, for example after a crash.",
              "Wait some seconds and connect again; rdma resource show qp at the peer."),
          reason(
              11,
              "RDC_NOT_EXIST",
              "RDC not exist",
              "There is no reliable datagram channel.",
              "",
              ""),
          reason(12, "INVALID_GID", "invalid GID", PATH, "", CHECK_PATH),
          reason(13, "INVALID_LID", "invalid LID", PATH, "", CHECK_PATH),
          reason(14, "INVALID_SL", "invalid SL", PATH, "", CHECK_PATH),
          reason(15, "INVALID_TRAFFIC_CLASS", "invalid traffic class", PATH, "", CHECK_PATH),
          reason(16, "INVALID_HOP_LIMIT", "invalid hop limit", PATH, "", CHECK_PATH),
          reason(17, "INVALID_PACKET_RATE", "invalid packet rate", PATH, "", CHECK_PATH),
          reason(18, "INVALID_ALT_GID", "invalid alt GID", ALTERNATE, "", NO_ALTERNATE),
          reason(19, "INVALID_ALT_LID", "invalid alt LID", ALTERNATE, "", NO_ALTERNATE),
          reason(20, "INVALID_ALT_SL", "invalid alt SL", ALTERNATE, "", NO_ALTERNATE),
          reason(
              21,
              "INVALID_ALT_TRAFFIC_CLASS",
              "invalid alt traffic class",
              ALTERNATE,
              "",
              NO_ALTERNATE),
          reason(22, "INVALID_ALT_HOP_LIMIT", "invalid alt hop limit", ALTERNATE, "", NO_ALTERNATE),
          reason(
              23,
              "INVALID_ALT_PACKET_RATE",
              "invalid alt packet rate",
              ALTERNATE,
              "",
              NO_ALTERNATE),
          reason(
              24,
              "PORT_CM_REDIRECT",
              "port CM redirect",
              "The connection manager of another port is responsible.",
              "",
              CHECK_PATH),
          reason(
              25,
              "PORT_REDIRECT",
              "port redirect",
              "The connection must go to another port of the peer.",
              "",
              CHECK_PATH),
          reason(
              26,
              "INVALID_MTU",
              "invalid MTU",
              "The peer does not support the MTU of the path.",
              "Ports with different MTUs.",
              "active_mtu of both ports (devices, ibv_devinfo), and the MTU of the network"
                  + " interfaces."),
          reason(
              27,
              "INSUFFICIENT_RESP_RESOURCES",
              "insufficient resp resources",
              "The peer cannot serve as many RDMA READs at once as were requested.",
              "responder_resources or initiator_depth above the limit of the device.",
              "max_qp_rd_atom of ibv_devinfo -v at both ends."),
          reason(
              28,
              "CONSUMER_DEFINED",
              "consumer defined",
              "The program of the peer rejected the request (rdma_reject(3)); private data may say"
                  + " why.",
              "It accepts no further connection, not this address, or not the version or the"
                  + " capabilities of this end.",
              "The log of the peer's program."),
          reason(
              29,
              "INVALID_RNR_RETRY",
              "invalid RNR retry",
              "The peer does not accept the number of receiver-not-ready retries.",
              "rnr_retry_count above 7.",
              "rdma_connect(3)."),
          reason(
              30,
              "DUPLICATE_LOCAL_COMM_ID",
              "duplicate local comm ID",
              "The request has the identifier of a connection that exists.",
              PEER_MANAGER,
              "Connect again."),
          reason(
              31,
              "INVALID_CLASS_VERSION",
              "invalid class version",
              "The peer's connection manager has another protocol version.",
              "",
              "Kernel versions of both hosts."),
          reason(32, "INVALID_FLOW_LABEL", "invalid flow label", PATH, "", CHECK_PATH),
          reason(
              33, "INVALID_ALT_FLOW_LABEL", "invalid alt flow label", ALTERNATE, "", NO_ALTERNATE),
          reason(
              35,
              "VENDOR_OPTION_NOT_SUPPORTED",
              "vendor option is not supported",
              "The peer does not support an enhanced connection option of the vendor.",
              "Devices of different vendors.",
              "rdma_reject_ece(3)."));

  private RejectReasons() {}

  private static Meaning reason(
      int value, String name, String text, String means, String causes, String next) {
    return new Meaning(
        Meaning.Kind.REJECT_REASON,
        "IB_CM_REJ_" + name,
        value,
        List.of(text),
        means,
        causes,
        next,
        SOURCE);
  }
}
