// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.ArrayList;
import java.util.List;

/**
 * Vendor errors of completions ({@code ibv_wc.vendor_err}) as far as they are public. They mean
 * something only together with the vendor.
 */
final class VendorErrors {
  private static final String SOFT = "Wridscope's software device";
  private static final String SOFT_SOURCE = "Wridscope: the software device, its only author";

  private static final String NVIDIA = "mlx4 and mlx5 (NVIDIA, formerly Mellanox)";
  private static final String SYNDROME = NVIDIA + ", syndrome";
  private static final String SYNDROME_SOURCE =
      "rdma-core: MLX4_CQE_SYNDROME_* and MLX5_CQE_SYNDROME_* (providers/mlx4/cq.c,"
          + " providers/mlx5/mlx5dv.h)";

  private static final String BYTE = "mlx5 (NVIDIA, formerly Mellanox), vendor_err";

  static final List<Meaning> ALL = all();

  /** The devices that they are of. */
  static final String DEVICES = SOFT + ", " + NVIDIA;

  private VendorErrors() {}

  private static List<Meaning> all() {
    var all = new ArrayList<Meaning>();
    all.add(soft(1, "No memory region has that key.", "The key of the request."));
    all.add(
        soft(
            2,
            "The memory region belongs to another protection domain than the queue pair.",
            "Which domain registered it."));
    all.add(
        soft(
            3,
            "The memory region does not grant that access.",
            "The access flags of its registration."));
    all.add(
        soft(
            4,
            "The address range is not inside the memory region.",
            "Address and length of the request, and what was registered."));
    all.add(
        soft(5, "The memory of the region was freed.", "Who freed it before it was deregistered."));
    all.add(
        soft(
            6,
            "The message is longer than the receive.",
            "The length of the message and of the posted receive."));
    all.add(soft(7, "The peer's queue pair does not answer.", "Whether the peer still runs."));
    all.add(
        soft(
            8, "The peer had no receive posted in all retries.", "What the peer was waiting for."));
    all.add(
        soft(
            9,
            "The peer refused the request.",
            "The failed completion and the device events of the peer, which have the reason."));
    all.add(
        soft(
            10,
            "The fault plan of the scenario asks for a fault that the device cannot make over TCP.",
            "The scenario: run it in one process."));

    all.add(syndrome(0x01, "LOC_LEN_ERR"));
    all.add(syndrome(0x02, "LOC_QP_OP_ERR"));
    all.add(syndrome(0x04, "LOC_PROT_ERR"));
    all.add(syndrome(0x05, "WR_FLUSH_ERR"));
    all.add(syndrome(0x06, "MW_BIND_ERR"));
    all.add(syndrome(0x10, "BAD_RESP_ERR"));
    all.add(syndrome(0x11, "LOC_ACCESS_ERR"));
    all.add(syndrome(0x12, "REM_INV_REQ_ERR"));
    all.add(syndrome(0x13, "REM_ACCESS_ERR"));
    all.add(syndrome(0x14, "REM_OP_ERR"));
    all.add(syndrome(0x15, "RETRY_EXC_ERR"));
    all.add(syndrome(0x16, "RNR_RETRY_EXC_ERR"));
    all.add(syndrome(0x22, "REM_ABORT_ERR"));

    all.add(reported(0x51, "LOC_PROT_ERR", "openucx/ucx#9515, linux-rdma/perftest#173"));
    all.add(reported(0x52, "LOC_PROT_ERR", "openucx/ucx#6414"));
    all.add(reported(0x81, "RETRY_EXC_ERR", "openucx/ucx#5199 and #6000"));
    all.add(reported(0x88, "REM_ACCESS_ERR", "openucx/ucx#1569 and #5410"));
    all.add(reported(0x89, "REM_OP_ERR", "openucx/ucx#5472"));
    all.add(reported(0x8a, "REM_INV_REQ_ERR", "openucx/ucx#1770"));
    return List.copyOf(all);
  }

  private static Meaning soft(int value, String means, String next) {
    return new Meaning(
        Meaning.Kind.VENDOR_ERROR, SOFT, value, List.of(), means, "", next, SOFT_SOURCE);
  }

  /** The syndrome of an error CQE, which the drivers translate into the status. */
  private static Meaning syndrome(int value, String status) {
    Meaning meant = meant(status);
    return new Meaning(
        Meaning.Kind.VENDOR_ERROR,
        SYNDROME,
        value,
        List.of("synd %#x".formatted(value)),
        "The byte syndrome of an error completion, which the driver translates into status %d, %s. %s"
            .formatted(meant.value(), meant.name(), meant.means()),
        meant.causes(),
        meant.next(),
        SYNDROME_SOURCE);
  }

  /**
   * A byte that the vendor does not document, and the status together with which it is reported.
   */
  private static Meaning reported(int value, String status, String reports) {
    Meaning meant = meant(status);
    return new Meaning(
        Meaning.Kind.VENDOR_ERROR,
        BYTE,
        value,
        List.of("vend %#x".formatted(value), "syndrom %#x".formatted(value)),
        "The byte vendor_err_synd of an error completion, which rdma-core passes on. The vendor"
            + " publishes no table; in public reports it comes with status %d, %s."
                .formatted(meant.value(), meant.name()),
        meant.causes(),
        meant.next(),
        "rdma-core: struct mlx5_err_cqe (providers/mlx5/mlx5dv.h); reports on GitHub: " + reports);
  }

  private static Meaning meant(String status) {
    return CompletionStatuses.ALL.stream()
        .filter(meaning -> meaning.name().equals("IBV_WC_" + status))
        .findFirst()
        .orElseThrow();
  }
}
