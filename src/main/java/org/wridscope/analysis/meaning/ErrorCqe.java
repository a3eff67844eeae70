// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.analysis.meaning.Explanation.Weight;
import org.wridscope.analysis.meaning.Meaning.Kind;

/**
 * The last 16 bytes of an error completion of mlx5, as its drivers print them: by libmlx5 as four
 * words, by the kernel as bytes behind the offset 00000030, by DPDK the same with the characters
 * behind them.
 */
final class ErrorCqe {
  private static final String SOURCE =
      "rdma-core: struct mlx5_err_cqe, enum MLX5_CQE_* (providers/mlx5/mlx5dv.h), dump_cqe()"
          + " (providers/mlx5/cq.c); Linux: struct mlx5_err_cqe (include/linux/mlx5/device.h)";

  private static final Pattern ROW =
      Pattern.compile(
          "(?i)(?:^|[\\s:])(?:(?:0x)?0*([0-9a-f]{1,8}):\\s*)?"
              + "((?:[0-9a-f]{8}\\s+){3}[0-9a-f]{8}|(?:[0-9a-f]{2}\\s+){15}[0-9a-f]{2})"
              + "(?:\\s*\\|.*|\\s{2,}\\S{1,16})?\\s*$");

  private static final String NOT_LAST =
      "A row of a dump. Of an error completion of mlx5 the last row, 00000030, has the status.";
  private static final String NO_ERROR =
      "A row of a dump. As the last row of a completion of mlx5 it has no error.";

  private static final int REQUESTER = 0xd;
  private static final int RESPONDER = 0xe;
  private static final Map<Integer, String> OPERATIONS =
      Map.ofEntries(
          Map.entry(0x00, "NOP"),
          Map.entry(0x01, "SEND with invalidate"),
          Map.entry(0x08, "RDMA WRITE"),
          Map.entry(0x09, "RDMA WRITE with immediate"),
          Map.entry(0x0a, "SEND"),
          Map.entry(0x0b, "SEND with immediate"),
          Map.entry(0x0e, "TSO"),
          Map.entry(0x10, "RDMA READ"),
          Map.entry(0x11, "atomic compare and swap"),
          Map.entry(0x12, "atomic fetch and add"),
          Map.entry(0x18, "bind of a memory window"),
          Map.entry(0x19, "fast registration"),
          Map.entry(0x1b, "local invalidate"),
          Map.entry(0x25, "UMR"));

  private final byte[] bytes;

  private ErrorCqe(byte[] bytes) {
    this.bytes = bytes;
  }

  /** What the row of a dump says; empty when the line is no such row, or not the last one. */
  static Optional<Explanation> in(String line, Words words) {
    if (words.all().stream().filter(ErrorCqe::mayBeDumped).count() < 4) {
      return Optional.empty();
    }
    Matcher row = ROW.matcher(line);
    if (!row.find()) {
      return Optional.empty();
    }
    String offset = row.group(1);
    byte[] bytes = HexFormat.of().parseHex(row.group(2).replaceAll("\\s", ""));
    var cqe = new ErrorCqe(bytes);
    boolean last = offset == null || Integer.parseUnsignedInt(offset, 16) % 64 == 48;
    if (last && cqe.isError()) {
      return Optional.of(cqe.explained());
    }
    return offset == null
        ? Optional.empty()
        : Optional.of(
            new Explanation(List.of(), List.of(last ? NO_ERROR : NOT_LAST), Weight.NOTICE));
  }

  /** A word, or a byte. */
  private static boolean mayBeDumped(String word) {
    return word.length() == 8 || word.length() == 2;
  }

  private int at(int index) {
    return bytes[index - 48] & 0xff;
  }

  private int opcode() {
    return at(63) >> 4;
  }

  private boolean isError() {
    return (opcode() == REQUESTER || opcode() == RESPONDER)
        && at(48) == 0
        && at(49) == 0
        && at(50) == 0
        && at(55) != 0;
  }

  private Explanation explained() {
    int syndrome = at(55);
    int vendor = at(54);
    String status = VendorErrors.statusOf(syndrome).orElse("GENERAL_ERR");
    Meaning meant =
        Meanings.all().stream()
            .filter(meaning -> meaning.name().equals("IBV_WC_" + status))
            .findFirst()
            .orElseThrow();
    String what =
        opcode() == REQUESTER
            ? "the requester's: a %s from its send queue"
                .formatted(OPERATIONS.getOrDefault(at(56), "request %#04x".formatted(at(56))))
            : "the responder's: a receive, or a request of the peer that this end answers";
    var cqe =
        new Meaning(
            Kind.ERROR_CQE,
            "mlx5, syndrome 0x%02x, vendor error 0x%02x, queue pair 0x%06x"
                .formatted(syndrome, vendor, queuePair()),
            syndrome,
            List.of(),
            ("A completion with an error, as the driver dumps it. It is %s. Syndrome 0x%02x is status"
                    + " %d, %s. Vendor error 0x%02x, hardware syndrome 0x%02x; queue pair 0x%06x, WQE"
                    + " counter 0x%04x.")
                .formatted(
                    what,
                    syndrome,
                    meant.value(),
                    meant.name(),
                    vendor,
                    at(52),
                    queuePair(),
                    (at(60) << 8) | at(61)),
            "",
            "The queue pair of that number (rdma resource show qp), and its request with that"
                + " counter, modulo the size of the queue.",
            SOURCE,
            meant.weight());
    var meanings = new ArrayList<Meaning>(List.of(cqe, meant));
    VendorErrors.reported(vendor, meant).ifPresent(meanings::add);
    return new Explanation(meanings, List.of(), meant.weight());
  }

  private int queuePair() {
    return (at(57) << 16) | (at(58) << 8) | at(59);
  }
}
