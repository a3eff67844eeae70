// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.time.Duration;
import java.util.List;
import org.wridscope.control.CompletionQueues;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabFaults;
import org.wridscope.control.LabSettings;

/**
 * A migration within this process in which something happens, and what is to come of it.
 *
 * @param name as the command line takes it, such as {@code delayed-send-completion}
 * @param title for people, a few words
 * @param about what happens and what there is to see, a sentence or two
 * @param lab guest and settings
 * @param destinationGuest the guest that the destination has room for
 * @param runs how many times it is run, 1 or more
 * @param seed of what happens at random
 * @param source what the source's device does
 * @param destination what the destination's device does
 * @param expected of each run; the last one of the other runs, too
 * @param expectedShared the same with one completion queue for sends and receives; empty when that
 *     is no matter
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

  /** How long any scenario may take before it counts as one that hangs. */
  public static final Duration PATIENCE = Duration.ofMinutes(2);

  /** RAM of the guest at the source. */
  public long ramBytes() {
    return lab.guest() instanceof GuestSettings.Synthetic guest ? guest.ramBytes() : 0;
  }

  /** What is to come of a run, from 0. */
  public Expectation expectation(int run) {
    boolean shared = lab.completionQueues() == CompletionQueues.SHARED && !expectedShared.isEmpty();
    List<Expectation> all = shared ? expectedShared : expected;
    return all.get(Math.min(run, all.size() - 1));
  }

  /** What happens in a run, from 0. */
  public LabFaults faults(int run) {
    return new LabFaults(
        name,
        destinationGuest,
        new ScriptedFaults(source, seed + run, run),
        // Another stream of random numbers than the source's.
        new ScriptedFaults(destination, ~(seed + run), run));
  }

  /** The same with another seed. */
  public Scenario withSeed(long other) {
    return with(lab, other);
  }

  /** The same with other completion queues. */
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
