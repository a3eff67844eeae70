// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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

  private static final String BYTE = NVIDIA + ", vendor_err";
  private static final String MEASURED =
      "unionxic/rdma-fault-characterization (measured, ConnectX-5 and 6)";
  private static final String NO_LOCAL_WRITE =
      " There the region had no LOCAL_WRITE, and the answer to an RDMA READ was to be written to it.";
  private static final String INVALID_LKEY = " There the local key was one that does not exist.";
  private static final String TOO_LONG =
      " There an element of the request was longer than its memory region.";

  /** The devices that they are of. */
  static final String DEVICES = "Wridscope's software device, " + NVIDIA;

  /** The syndromes of an error CQE, and the status that the driver makes of each. */
  private static final Map<Integer, String> STATUS_OF = statuses();

  /** The vendor errors that are reported, and the status with which each is. */
  private static final Map<Integer, String> REPORTED_WITH =
      Map.ofEntries(
          Map.entry(0x33, "LOC_PROT_ERR"),
          Map.entry(0x51, "LOC_PROT_ERR"),
          Map.entry(0x52, "LOC_PROT_ERR"),
          Map.entry(0x53, "LOC_PROT_ERR"),
          Map.entry(0x56, "LOC_PROT_ERR"),
          Map.entry(0x68, "LOC_QP_OP_ERR"),
          Map.entry(0x81, "RETRY_EXC_ERR"),
          Map.entry(0x87, "RNR_RETRY_EXC_ERR"),
          Map.entry(0x88, "REM_ACCESS_ERR"),
          Map.entry(0x89, "REM_OP_ERR"),
          Map.entry(0x8a, "REM_INV_REQ_ERR"),
          Map.entry(0xf5, "WR_FLUSH_ERR"),
          Map.entry(0xf9, "WR_FLUSH_ERR"));

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

  private static Map<Integer, String> statuses() {
    var statuses = new TreeMap<Integer, String>();
    statuses.put(0x01, "LOC_LEN_ERR");
    statuses.put(0x02, "LOC_QP_OP_ERR");
    statuses.put(0x04, "LOC_PROT_ERR");
    statuses.put(0x05, "WR_FLUSH_ERR");
    statuses.put(0x06, "MW_BIND_ERR");
    statuses.put(0x10, "BAD_RESP_ERR");
    statuses.put(0x11, "LOC_ACCESS_ERR");
    statuses.put(0x12, "REM_INV_REQ_ERR");
    statuses.put(0x13, "REM_ACCESS_ERR");
    statuses.put(0x14, "REM_OP_ERR");
    statuses.put(0x15, "RETRY_EXC_ERR");
    statuses.put(0x16, "RNR_RETRY_EXC_ERR");
    statuses.put(0x22, "REM_ABORT_ERR");
    return Collections.unmodifiableMap(statuses);
  }

  private List<Meaning> all() {
    var all = new ArrayList<Meaning>();
    STATUS_OF.forEach((value, status) -> all.add(syndrome(value, status)));

    all.add(reported(0x33, NO_LOCAL_WRITE, MEASURED));
    all.add(reported(0x51, "", "openucx/ucx#9515, linux-rdma/perftest#173"));
    all.add(reported(0x52, INVALID_LKEY, "openucx/ucx#6414; " + MEASURED));
    all.add(reported(0x53, TOO_LONG, "Juniper/warp17#81; " + MEASURED));
    all.add(reported(0x56, "", "linux-nvme, February 2022 (a fault of the IOMMU)"));
    all.add(reported(0x68, "", "openucx/ucx#3618"));
    all.add(reported(0x81, "", "openucx/ucx#5199 and #6000; " + MEASURED));
    all.add(reported(0x87, "", MEASURED));
    all.add(reported(0x88, "", "openucx/ucx#1569 and #5410; " + MEASURED));
    all.add(reported(0x89, "", "openucx/ucx#5472"));
    all.add(reported(0x8a, "", "openucx/ucx#1770; " + MEASURED));
    all.add(reported(0xf5, "", MEASURED));
    all.add(reported(0xf9, "", "accelio/accelio#181, NVIDIA/nccl#1405"));
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
        SYNDROME_SOURCE,
        meant.weight());
  }

  /**
   * A byte that the vendor does not document, and the status together with which it is reported.
   *
   * @param detail what was found out about the cause, with a leading space; may be empty
   */
  private Meaning reported(int value, String detail, String reports) {
    Meaning meant = meant(Objects.requireNonNull(REPORTED_WITH.get(value)));
    return new Meaning(
        Meaning.Kind.VENDOR_ERROR,
        BYTE,
        value,
        List.of("vend %#x".formatted(value), "syndrom %#x".formatted(value)),
        "The vendor's byte of an error completion, which rdma-core passes on. The vendor"
            + " publishes no table; in public reports it comes with status %d, %s."
                .formatted(meant.value(), meant.name())
            + detail,
        meant.causes(),
        meant.next(),
        "rdma-core: struct mlx4_err_cqe and mlx5_err_cqe (providers/mlx4/cq.c, providers/mlx5/mlx5dv.h); reports on GitHub: "
            + reports,
        meant.weight());
  }

  /**
   * The status of a syndrome of an error CQE.
   *
   * @return the name behind {@code IBV_WC_}; empty when the driver makes GENERAL_ERR of it
   */
  static Optional<String> statusOf(int syndrome) {
    return Optional.ofNullable(STATUS_OF.get(syndrome));
  }

  /**
   * The public meaning of a vendor error of NVIDIA's devices.
   *
   * @param status that of the same completion, which has to be the one that the error comes with;
   *     null when it is not known
   */
  static Optional<Meaning> reported(long value, @Nullable Meaning status) {
    return Meanings.numbered(Meaning.Kind.VENDOR_ERROR, value)
        .filter(VendorErrors::isReported)
        .filter(
            _ -> status == null || status.name().equals("IBV_WC_" + REPORTED_WITH.get((int) value)))
        .findFirst();
  }

  /** Whether it is the entry of a driver's syndrome, and not of a vendor_err. */
  static boolean isSyndrome(Meaning meaning) {
    return meaning.name().equals(SYNDROME);
  }

  /** Whether it is the entry of a vendor_err of NVIDIA's devices. */
  static boolean isReported(Meaning meaning) {
    return meaning.name().equals(BYTE);
  }

  private Meaning meant(String status) {
    return written.stream()
        .filter(meaning -> meaning.name().equals("IBV_WC_" + status))
        .findFirst()
        .orElseThrow();
  }
}
