// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import java.util.Map;

/**
 * libvirt's statistics of the job of a domain, such as its migration.
 *
 * @param state what the job does
 * @param figures the numbers that libvirt tells, under its names: {@code memory_remaining}, for
 *     example, in bytes
 */
public record VirtJob(State state, Map<String, Long> figures) {

  /** libvirt's {@code virDomainJobType}. */
  public enum State {
    NONE,
    RUNNING,
    COMPLETED,
    FAILED,
    CANCELLED
  }

  public VirtJob {
    figures = Map.copyOf(figures);
  }

  /** A figure; 0 if libvirt does not tell it. */
  public long figure(String name) {
    return figures.getOrDefault(name, 0L);
  }
}
