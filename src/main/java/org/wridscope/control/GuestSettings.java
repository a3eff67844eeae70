// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Which guest a session has. */
public sealed interface GuestSettings {

  /**
   * A synthetic guest.
   *
   * @param ramBytes RAM of its largest block, {@code pc.ram}; a positive multiple of 4096
   * @param dirtyRate bytes a second that its workload writes, 0 for an idle guest
   * @param workingSet bytes of {@code pc.ram} that the workload writes to, a multiple of 4096 up to
   *     {@code ramBytes}; 0 for a quarter of it
   * @param zeroShare share of the RAM that is zero, 0 to 1
   * @param seed what its memory and its workload are made from
   */
  record Synthetic(long ramBytes, long dirtyRate, long workingSet, double zeroShare, long seed)
      implements GuestSettings {}

  /**
   * A file as the RAM of one block.
   *
   * @param file what a source maps; null for a destination
   * @param out where a destination leaves what it received; null for a source
   * @param ramBytes length of the file
   */
  record Image(@Nullable Path file, @Nullable Path out, long ramBytes) implements GuestSettings {}
}
