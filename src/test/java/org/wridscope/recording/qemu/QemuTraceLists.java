// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The trace events of known versions of QEMU, one a line, with their formats. CONTRIBUTING.md,
 * "When a new QEMU appears", has the command that writes such a list.
 */
final class QemuTraceLists {
  static final List<String> VERSIONS = List.of("7.2", "10.0", "11.1");

  /**
   * A trace event of one version.
   *
   * @param format for {@code printf}, as C source
   */
  record Traced(String version, String name, String format) {
    boolean isOfRdma() {
      return name.startsWith("qemu_rdma_") || name.startsWith("rdma_");
    }

    @Override
    public String toString() {
      return version + " " + name + " " + format;
    }
  }

  static List<Traced> of(String version) {
    String file = "qemu-" + version + ".trace-events";
    try (InputStream in = QemuTraceLists.class.getResourceAsStream(file)) {
      assertThat(in).as(file).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.split(" ", 2))
          .map(parts -> new Traced(version, parts[0], parts[1]))
          .toList();
    } catch (IOException e) {
      throw new AssertionError(file, e);
    }
  }

  private QemuTraceLists() {}
}
