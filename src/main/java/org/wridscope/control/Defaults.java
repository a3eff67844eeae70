// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

/**
 * What is taken where the user says nothing, as a user would write it; {@link Parse} reads it. The
 * command line and the window both have it from here.
 *
 * @param ram of a synthetic guest
 * @param dirtyRate of its workload
 * @param zeroShare of its RAM
 * @param seed of its memory and its workload
 * @param bandwidth limit of the throughput, 0 for none
 * @param downtimeLimit how long the guest may stand still
 * @param timeout after which a migration is given up, 0 for never
 */
public record Defaults(
    String ram,
    String dirtyRate,
    String zeroShare,
    String seed,
    String bandwidth,
    String downtimeLimit,
    String timeout) {

  /** RAM of a synthetic guest, the same at both ends unless they say otherwise. */
  public static final String RAM = "2GiB";

  /** A lab as fast as it goes. */
  public static final Defaults LAB = new Defaults(RAM, "200MiB/s", "40%", "1", "0", "300ms", "60s");

  /** A lab slow enough to be watched: both ends share this machine's memory bus. */
  public static final Defaults WATCHED_LAB =
      new Defaults("1GiB", "50MiB/s", LAB.zeroShare, LAB.seed, "128MiB/s", LAB.downtimeLimit, "0");

  /** One end of a migration; without a deadline, as QEMU has it. */
  public static final Defaults SESSION =
      new Defaults(
          RAM, LAB.dirtyRate, LAB.zeroShare, LAB.seed, LAB.bandwidth, LAB.downtimeLimit, "0");
}
