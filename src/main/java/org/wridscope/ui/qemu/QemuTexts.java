// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.qemu;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.wridscope.control.qemu.Fitness;
import org.wridscope.control.qemu.QemuConnection;
import org.wridscope.control.qemu.QemuState;
import org.wridscope.qmp.MemoryBackend;
import org.wridscope.text.Format;

/** What the window says about a connected QEMU. */
final class QemuTexts {
  /** A machine has dozens of small blocks; more than these would hide the large ones. */
  private static final int BLOCKS = 4;

  private QemuTexts() {}

  /** Where it is and what it is, a phrase. */
  static String place(QemuConnection qemu) {
    QemuState state = qemu.state();
    if (state == null) {
      return qemu.address().toString();
    }
    String process =
        state.process().isPresent() ? "  ·  process %s".formatted(state.process().getAsLong()) : "";
    return "%s  ·  QEMU %s%s".formatted(qemu.address(), state.version(), process);
  }

  /** Its RAM blocks, the largest first. */
  static String ram(QemuState state) {
    if (state.blocks().isEmpty()) {
      return state.ramBytes() == 0 ? "not told by QEMU" : Format.bytes(state.ramBytes());
    }
    List<QemuState.Block> blocks =
        state.blocks().stream()
            .sorted((one, other) -> Long.compare(other.length(), one.length()))
            .toList();
    List<String> largest =
        blocks.stream().map(block -> block.name() + " " + Format.bytes(block.length())).toList();
    return "%s in %s: %s"
        .formatted(
            Format.bytes(state.ramBytes()),
            Format.counted(blocks.size(), "block"),
            Format.listed(largest, BLOCKS));
  }

  /** Its memory back ends. */
  static String backends(QemuState state) {
    return state.backends().isEmpty()
        ? "none: QEMU allocated the RAM itself"
        : state.backends().stream().map(QemuTexts::backend).collect(Collectors.joining(", "));
  }

  private static String backend(MemoryBackend backend) {
    String type = backend.type().replace("memory-backend-", "");
    return "%s %s (%s%s%s)"
        .formatted(
            backend.id(),
            Format.bytes(backend.size()),
            type.isEmpty() ? "" : type + ", ",
            backend.share() ? "shared" : "private",
            backend.memPath() == null ? "" : ", " + backend.memPath());
  }

  /** The migration capabilities that are on. */
  static String capabilities(QemuState state) {
    String on =
        state.capabilities().entrySet().stream()
            .filter(Map.Entry::getValue)
            .map(Map.Entry::getKey)
            .sorted()
            .collect(Collectors.joining(", "));
    return on.isEmpty() ? "all off" : on;
  }

  /** All migration capabilities, a line each. */
  static String allCapabilities(QemuState state) {
    return state.capabilities().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> entry.getKey() + ": " + (entry.getValue() ? "on" : "off"))
        .collect(Collectors.joining("\n"));
  }

  /** An answer, with the reason if it is no. */
  static String answer(Fitness fitness) {
    return fitness.possible() ? "yes" : "no. %s".formatted(fitness.reason());
  }
}
