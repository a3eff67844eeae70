// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.IOException;
import java.time.Duration;
import org.wridscope.text.Format;

/**
 * What a {@link CounterGuest} has written at both ends, and where it goes on counting.
 *
 * @param left the last number that it completed at the source
 * @param last the last number at both ends
 * @param isGapless whether both ends together have every number once, in order
 * @param atSource whether it counts at the source now
 * @param atDestination whether it counts at the destination now
 */
public record Counting(
    long left, long last, boolean isGapless, boolean atSource, boolean atDestination) {
  /** A guest that runs counts a hundred times a second. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final long SLICE_MILLIS = 50;

  /** Waits until the guest counts, and for one slice of time more. */
  static Counting observe(LabQemu source, LabQemu destination)
      throws IOException, InterruptedException {
    int here = source.written().length();
    int there = destination.written().length();
    long begin = System.nanoTime();
    String left;
    String right;
    do {
      Thread.sleep(SLICE_MILLIS);
      left = source.written();
      right = destination.written();
    } while (left.length() == here
        && right.length() == there
        && System.nanoTime() - begin < PATIENCE.toNanos());
    return of(left, right, left.length() > here, right.length() > there);
  }

  /**
   * @param left what the guest wrote at the source
   * @param right what it wrote at the destination, which may begin in the middle of a line
   */
  static Counting of(String left, String right, boolean atSource, boolean atDestination) {
    String all = left + right;
    String[] lines = all.substring(0, all.lastIndexOf('\n') + 1).split("\n", -1);
    long number = 0;
    boolean isGapless = true;
    // What follows the last newline is no line.
    for (int i = 0; i < lines.length - 1; i++) {
      number++;
      isGapless &= lines[i].equals(Long.toString(number));
    }
    long completed = left.chars().filter(c -> c == '\n').count();
    return new Counting(completed, number, isGapless, atSource, atDestination);
  }

  /** Whether the guest has moved, lost nothing, and runs at the destination only. */
  public boolean hasMoved() {
    return isGapless && atDestination && !atSource && last > left;
  }

  /** Whether the guest has lost nothing, and runs at the source only. */
  public boolean hasStayed() {
    return isGapless && atSource && !atDestination;
  }

  /**
   * One sentence, or two.
   *
   * @param source the QEMU at the source, for example {@code QEMU 4711}
   */
  public String sentence(String source, String destination) {
    String where =
        atSource && atDestination
            ? "The guest counts in both QEMUs, which must never happen: in %s and in %s."
                .formatted(source, destination)
            : atDestination
                ? "The guest counted to %s in %s and continues from %s in %s, where it is at %s."
                    .formatted(
                        Format.count(left),
                        source,
                        Format.count(left + 1),
                        destination,
                        Format.count(last))
                : atSource
                    ? "The guest keeps counting in %s, where it is at %s."
                        .formatted(source, Format.count(last))
                    : "The guest counts in neither QEMU: it was at %s in %s."
                        .formatted(Format.count(left), source);
    return isGapless ? where : where + " It did not write every number once.";
  }
}
