// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.wridscope.recording.qemu.QemuTraceEvent.Writing;

/** The table of QEMU's trace events is complete. */
final class QemuTraceEventTest {
  /** Names of trace events in QEMU 2.0 that 7.2 has under another name. */
  private static final Map<String, String> RENAMED =
      Map.of(
          "qemu_dma_accept_incoming_migration", "qemu_rdma_accept_incoming_migration",
          "qemu_dma_accept_incoming_migration_accepted",
              "qemu_rdma_accept_incoming_migration_accepted");

  /** Trace events of QEMU 2.0 that 7.2 no longer has. */
  private static final Set<String> GONE = Set.of("qemu_rdma_cleanup_waiting_for_disconnect");

  private static List<String> namesInQemu20() throws IOException {
    String file = "qemu-2.0-rdma-events.txt";
    try (InputStream in = QemuTraceEventTest.class.getResourceAsStream(file)) {
      assertThat(in).as(file).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static List<String> known() {
    return Stream.of(QemuTraceEvent.values()).map(QemuTraceEvent::qemuName).toList();
  }

  /** {@link QemuDecisionsTest} compares the decisions with QEMU 7.2. */
  @Test
  void everyEventThatCanBeRead_isInTheTable() {
    assertThat(known())
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(
            QemuDecisions.ofRdma().stream().map(QemuDecision::event).toList());
  }

  @Test
  void everyEventOfQemu20_isInTheTable_renamedOrGone() throws Exception {
    List<String> old = namesInQemu20();
    assertThat(old).hasSize(59).containsAll(RENAMED.keySet()).containsAll(GONE);
    assertThat(
            old.stream()
                .filter(name -> !GONE.contains(name))
                .map(name -> RENAMED.getOrDefault(name, name)))
        .isSubsetOf(known());
  }

  @Test
  void whatIsDerivedOrNeverWritten_saysWhy() {
    assertThat(QemuTraceEvent.values())
        .filteredOn(event -> event.writing() != Writing.RECORDED)
        .allSatisfy(event -> assertThat(event.remark()).as(event.qemuName()).isNotBlank());
  }
}
