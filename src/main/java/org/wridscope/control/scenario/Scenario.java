// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.time.Duration;
import java.util.List;
import org.wridscope.control.CompletionQueues;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabFaults;
import org.wridscope.control.LabSettings;

/**
 * A migration within this process, with faults, and its expected result.
 *
 * @param name on the command line, for example {@code delayed-send-completion}
 * @param title a few words
 * @param about a sentence or two that say what happens and what to look at
 * @param lab guest and settings
 * @param destinationGuest the guest that the destination expects
 * @param runs number of runs, at least 1
 * @param seed of random faults
 * @param source faults of the source's device
 * @param destination faults of the destination's device
 * @param expected result of each run; the last one applies to all further runs
 * @param expectedShared the same for a shared completion queue; empty if it makes no difference
 */
public record Scenario(
    String name,
    String title,
    String about,
    LabSettings lab,
    GuestSettings destinationGuest,
    int runs,
    long seed,
    FaultScript source,
    FaultScript destination,
    List<Expectation> expected,
    List<Expectation> expectedShared) {

  public Scenario {
    expected = List.copyOf(expected);
    expectedShared = List.copyOf(expectedShared);
  }

  /** A run that takes longer counts as a hang. */
  public static final Duration PATIENCE = Duration.ofMinutes(2);

  /** RAM of the guest at the source. */
  public long ramBytes() {
    return lab.guest() instanceof GuestSettings.Synthetic guest ? guest.ramBytes() : 0;
  }

  /** The expected result of a run, counted from 0. */
  public Expectation expectation(int run) {
    boolean shared = lab.completionQueues() == CompletionQueues.SHARED && !expectedShared.isEmpty();
    List<Expectation> all = shared ? expectedShared : expected;
    return all.get(Math.min(run, all.size() - 1));
  }

  /** The faults of a run, counted from 0. */
  public LabFaults faults(int run) {
    return new LabFaults(
        name,
        destinationGuest,
        new ScriptedFaults(source, seed + run, run),
        // The complement gives other random numbers than the source's.
        new ScriptedFaults(destination, ~(seed + run), run));
  }

  /** A copy with another seed. */
  public Scenario withSeed(long other) {
    return with(lab, other);
  }

  /** A copy with other completion queues. */
  public Scenario with(CompletionQueues queues) {
    return with(lab.with(queues), seed);
  }

  private Scenario with(LabSettings otherLab, long otherSeed) {
    return new Scenario(
        name,
        title,
        about,
        otherLab,
        destinationGuest,
        runs,
        otherSeed,
        source,
        destination,
        expected,
        expectedShared);
  }
}
