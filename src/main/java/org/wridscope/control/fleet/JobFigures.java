// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.wridscope.libvirt.VirtJob;
import org.wridscope.qmp.MigrationInfo;

/** libvirt's statistics of a migration as QEMU's, from which libvirt has them. */
final class JobFigures {
  private JobFigures() {}

  static MigrationInfo asQemu(VirtJob job) {
    boolean over = job.state() == VirtJob.State.COMPLETED;
    Optional<Duration> downtime = millis(job, "downtime");
    return new MigrationInfo(
        over ? "completed" : "active",
        millis(job, "time_elapsed"),
        over ? downtime : Optional.empty(),
        over ? Optional.empty() : downtime,
        millis(job, "setup_time"),
        job.figure("memory_total") > 0 ? Optional.of(ram(job)) : Optional.empty(),
        Optional.empty());
  }

  private static Optional<Duration> millis(VirtJob job, String name) {
    // More than a year is none: times become nanoseconds.
    return Optional.ofNullable(job.figures().get(name))
        .filter(millis -> millis >= 0 && millis < TimeUnit.DAYS.toMillis(365))
        .map(Duration::ofMillis);
  }

  private static MigrationInfo.Ram ram(VirtJob job) {
    return new MigrationInfo.Ram(
        job.figure("memory_processed"),
        job.figure("memory_remaining"),
        job.figure("memory_total"),
        job.figure("memory_bps") * 8 / 1e6,
        job.figure("memory_dirty_rate"),
        job.figure("memory_iteration"),
        job.figure("memory_page_size"),
        job.figure("memory_constant"),
        job.figure("memory_normal"));
  }
}
