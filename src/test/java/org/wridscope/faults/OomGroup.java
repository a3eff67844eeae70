// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.wridscope.TimeLimit;

/**
 * A control group whose processes Linux's out-of-memory killer ends together ({@code
 * memory.oom.group}, Documentation/admin-guide/cgroup-v2.rst), as it does with a service or a
 * container.
 */
final class OomGroup {
  /** A directory of cgroup2 below which groups have the memory controller; {@code lab/vm/oom}. */
  private static final @Nullable String PARENT = System.getenv("WRIDSCOPE_OOM_GROUPS");

  /** What a program and its guard need is a third of it. */
  private static final String LIMIT = "768M";

  private static final AtomicInteger MADE = new AtomicInteger();

  private final Path group;

  private OomGroup(Path group) {
    this.group = group;
  }

  /** Makes one; null where this test run has no place for groups. */
  static @Nullable OomGroup create() throws IOException {
    if (PARENT == null) {
      return null;
    }
    Path group =
        Files.createDirectory(
            Path.of(PARENT)
                .resolve("%d-%d".formatted(ProcessHandle.current().pid(), MADE.incrementAndGet())));
    Files.writeString(group.resolve("memory.max"), LIMIT);
    Files.writeString(group.resolve("memory.oom.group"), "1");
    return new OomGroup(group);
  }

  /** A command that joins the group, with all processes that it starts. */
  List<String> within(List<String> command) {
    var joined =
        new ArrayList<>(
            List.of("sh", "-c", "echo $$ >\"$0\" && exec \"$@\"", "" + processesFile()));
    joined.addAll(command);
    return joined;
  }

  private Path processesFile() {
    return group.resolve("cgroup.procs");
  }

  /** Has a process of the group take more memory than there is, until all of them are killed. */
  void exhaust() throws IOException, InterruptedException {
    // One line without an end.
    Process hungry =
        new ProcessBuilder(within(List.of("tail", "-n1", "/dev/zero")))
            .redirectErrorStream(true)
            .start();
    if (!hungry.waitFor(2, TimeUnit.MINUTES)) {
      throw new IOException("the group has more memory than " + LIMIT);
    }
    var limit = new TimeLimit(Duration.ofMinutes(1));
    while (!Files.readString(processesFile()).isEmpty()) {
      limit.glance("the end of the processes in " + group);
    }
    if (!Files.readString(group.resolve("memory.events")).contains("oom_group_kill 1")) {
      throw new IOException("the processes were not killed for want of memory: " + group);
    }
  }

  /** Removes it once its processes have ended. */
  void delete() throws InterruptedException {
    var limit = new TimeLimit();
    // Refused also while a process is a zombie.
    while (!group.toFile().delete()) {
      limit.glance("the end of the processes in " + group);
    }
  }
}
