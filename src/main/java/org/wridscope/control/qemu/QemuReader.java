// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.qmp.MemoryBackend;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.QemuDiscovery;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpException;
import org.wridscope.qmp.RunState;

/** Asks a QEMU about itself; what does not change while it runs is asked once. */
final class QemuReader {
  private static final Logger LOG = LoggerFactory.getLogger(QemuReader.class);

  /** A line of {@code info ramblock}: name, page size with unit, offset, length in use, length. */
  private static final Pattern RAM_BLOCK =
      Pattern.compile("\\s*(\\S.*?)\\s+\\d+ \\w+\\s+0x\\p{XDigit}+\\s+0x(\\p{XDigit}+)\\s+0x.*");

  /** More RAM blocks than any machine has. */
  private static final int MOST_BLOCKS = 1000;

  private final QmpAddress address;
  private final QemuMonitor monitor;
  private final String name;
  private final String version;
  private final OptionalLong process;
  private final List<MemoryBackend> backends;
  private final List<QemuState.Block> blocks;
  private final String devices;

  QemuReader(QemuMonitor monitor) throws IOException, InterruptedException {
    this.monitor = monitor;
    address = monitor.qmp().address();
    name = monitor.name().orElse("");
    version = monitor.version().toString();
    process = new QemuDiscovery().pidOf(address);
    backends = monitor.memoryBackends();
    blocks = blocks(human("info ramblock"));
    devices = human("info qtree");
  }

  /** What it says now. */
  QemuState read() throws IOException, InterruptedException {
    RunState run = monitor.status();
    MigrationInfo migration = monitor.migration();
    return new QemuState(
        name,
        version,
        process,
        run,
        migration.status(),
        backends,
        blocks,
        monitor.capabilities(),
        Fitness.toTake(address, run.status(), migration.isInProgress(), process, backends, devices),
        Fitness.toFill(
            address, run.status(), !migration.status().equals("none"), process, backends));
  }

  /** The answer of the human monitor; empty if this QEMU refuses the command. */
  private String human(String line) throws IOException, InterruptedException {
    try {
      return monitor.humanMonitor(line);
    } catch (QmpException e) {
      if (e.kind() != QmpException.Kind.REFUSED) {
        throw e;
      }
      LOG.info("{} does not answer {}: {}", address, line, e.getMessage());
      return "";
    }
  }

  /** The RAM blocks in the table of {@code info ramblock}. */
  static List<QemuState.Block> blocks(String table) {
    var blocks = new ArrayList<QemuState.Block>();
    for (String line : table.split("\r?\n")) {
      Matcher columns = RAM_BLOCK.matcher(line);
      if (columns.matches() && blocks.size() < MOST_BLOCKS) {
        try {
          blocks.add(new QemuState.Block(columns.group(1), Long.parseLong(columns.group(2), 16)));
        } catch (NumberFormatException e) {
          LOG.info("a RAM block of {} bytes (hexadecimal) is left out", columns.group(2));
        }
      }
    }
    return blocks;
  }
}
