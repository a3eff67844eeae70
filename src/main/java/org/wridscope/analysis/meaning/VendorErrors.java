// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.ArrayList;
import java.util.List;

/**
 * Vendor errors of completions ({@code ibv_wc.vendor_err}) as far as they are public. They mean
 * something only together with the vendor.
 */
final class VendorErrors {
  private static final String NVIDIA = "mlx4 and mlx5 (NVIDIA, formerly Mellanox)";
  private static final String SYNDROME = NVIDIA + ", syndrome";
  private static final String SYNDROME_SOURCE =
      "rdma-core: MLX4_CQE_SYNDROME_* and MLX5_CQE_SYNDROME_* (providers/mlx4/cq.c,"
          + " providers/mlx5/mlx5dv.h)";

  private static final String BYTE = "mlx5 (NVIDIA, formerly Mellanox), vendor_err";

  /** The devices that they are of. */
  static final String DEVICES = "Wridscope's software device, " + NVIDIA;

  private final List<Meaning> written;

  private VendorErrors(List<Meaning> written) {
    this.written = written;
  }

  /**
   * Those that stand for a completion status.
   *
   * @param written meanings, with those of all statuses
   */
  static List<Meaning> of(List<Meaning> written) {
    return new VendorErrors(written).all();
  }

  private List<Meaning> all() {
    var all = new ArrayList<Meaning>();
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

  /** The syndrome of an error CQE, which the drivers translate into the status. */
  private Meaning syndrome(int value, String status) {
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
  private Meaning reported(int value, String status, String reports) {
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

  private Meaning meant(String status) {
    return written.stream()
        .filter(meaning -> meaning.name().equals("IBV_WC_" + status))
        .findFirst()
        .orElseThrow();
  }
}
