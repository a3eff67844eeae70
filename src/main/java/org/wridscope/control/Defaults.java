// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

/**
 * The default values of options and form fields, in the form in which a user types them.
 *
 * @param ram of a synthetic guest
 * @param dirtyRate of its workload
 * @param zeroShare of its RAM
 * @param seed of its memory and its workload
 * @param bandwidth limit of the throughput, 0 for none
 * @param downtimeLimit how long the guest may be paused
 * @param timeout after which a migration fails, 0 for never
 */
public record Defaults(
    String ram,
    String dirtyRate,
    String zeroShare,
    String seed,
    String bandwidth,
    String downtimeLimit,
    String timeout) {

  /** RAM of a synthetic guest, the same at both ends. */
  public static final String RAM = "2GiB";

  /** A lab at full speed. */
  public static final Defaults LAB = new Defaults(RAM, "200MiB/s", "40%", "1", "0", "300ms", "60s");

  /** A lab in the window, slow enough to watch: both ends share this machine's memory bus. */
  public static final Defaults WATCHED_LAB =
      new Defaults("1GiB", "50MiB/s", LAB.zeroShare, LAB.seed, "128MiB/s", LAB.downtimeLimit, "0");

  /** A source or a destination; without a time limit, as in QEMU. */
  public static final Defaults SESSION =
      new Defaults(
          RAM, LAB.dirtyRate, LAB.zeroShare, LAB.seed, LAB.bandwidth, LAB.downtimeLimit, "0");
}
