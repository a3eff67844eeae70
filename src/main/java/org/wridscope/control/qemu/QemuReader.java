// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.qemu.RunningQemu;
import org.wridscope.guest.qemu.WaitingQemu;
import org.wridscope.qmp.MemoryBackend;
import org.wridscope.qmp.QemuDiscovery;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.QmpException;
import org.wridscope.qmp.RunState;

/** Asks a QEMU about itself; what does not change while it runs is asked once. */
final class QemuReader {
  private static final Logger LOG = LoggerFactory.getLogger(QemuReader.class);

  /** A line of {@code info ramblock}: name, page size with unit, offset, length in use, length. */
  private static final Pattern RAM_BLOCK =
      Pattern.compile("\\s*(\\S.*?)\\s+\\d+ \\w+\\s+0x\\p{XDigit}+\\s+0x(\\p{XDigit}+)\\s+0x.*");

  /** Devices may be plugged in meanwhile. */
  private static final Duration CHECKED_FOR = Duration.ofSeconds(30);

  /** More RAM blocks than any machine has. */
  private static final int MOST_BLOCKS = 1000;

  private final QemuMonitor monitor;
  private final String name;
  private final String version;
  private final OptionalLong process;
  private final List<MemoryBackend> backends;
  private final List<QemuState.Block> blocks;

  /** The last answer, whose checks hold until the guest or the migration changes. */
  private @Nullable QemuState last;

  private long checkedNanos;

  QemuReader(QemuMonitor monitor) throws IOException, InterruptedException {
    this.monitor = monitor;
    name = monitor.name().orElse("");
    version = monitor.version().toString();
    process = new QemuDiscovery().pidOf(monitor.qmp().address());
    backends = monitor.memoryBackends();
    blocks = blocks(human("info ramblock"));
  }

  /** What it says now. */
  QemuState read() throws IOException, InterruptedException {
    RunState run = monitor.status();
    String migration = monitor.migration().status();
    long now = System.nanoTime();
    QemuState before = last;
    Fitness take;
    Fitness fill;
    if (before != null
        && before.run().equals(run)
        && before.migration().equals(migration)
        && now - checkedNanos < CHECKED_FOR.toNanos()) {
      take = before.take();
      fill = before.fill();
    } else {
      take = Fitness.of(() -> RunningQemu.check(monitor));
      fill = Fitness.of(() -> WaitingQemu.check(monitor));
      checkedNanos = now;
    }
    var state =
        new QemuState(
            name,
            version,
            process,
            run,
            migration,
            backends,
            blocks,
            monitor.capabilities(),
            take,
            fill);
    last = state;
    return state;
  }

  /** The answer of the human monitor; empty if this QEMU refuses the command. */
  private String human(String line) throws IOException, InterruptedException {
    try {
      return monitor.humanMonitor(line);
    } catch (QmpException e) {
      if (e.kind() != QmpException.Kind.REFUSED) {
        throw e;
      }
      LOG.info("{} does not answer {}: {}", monitor.qmp().address(), line, e.getMessage());
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
