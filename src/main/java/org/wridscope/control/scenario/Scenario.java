// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabFaults;
import org.wridscope.control.LabSettings;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.ReleaseTime;

/**
 * A migration within this process, with faults, and its expected result.
 *
 * @param name on the command line, for example {@code delayed-send-completion}
 * @param title a few words
 * @param about a sentence or two that say what happens
 * @param group what it is about, a word or two; empty for none
 * @param look sentences that say where to see it in the window; empty for none
 * @param lab guest and settings
 * @param destinationGuest the guest that the destination expects
 * @param releases when the engines release what a request needs, in each run; the last one applies
 *     to all further runs
 * @param runs number of runs, at least 1
 * @param seed of random faults
 * @param source faults of the source's device
 * @param destination faults of the destination's device
 * @param expected result of each run; the last one applies to all further runs
 * @param expectedShared the same for a shared completion queue; empty if the migration then ends
 *     the same way, or hangs. In another order than in turn it may hang in any case, unless that is
 *     forbidden
 * @param schedule the order of events, where it runs under a scheduler
 */
public record Scenario(
    String name,
    String title,
    String about,
    String group,
    String look,
    LabSettings lab,
    GuestSettings destinationGuest,
    List<ReleaseTime> releases,
    int runs,
    long seed,
    FaultScript source,
    FaultScript destination,
    List<Expectation> expected,
    List<Expectation> expectedShared,
    Schedule schedule) {

  public Scenario {
    releases = List.copyOf(releases);
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
    boolean shared = lab.get(MigrationSetting.COMPLETION_QUEUES) == CompletionQueues.SHARED;
    List<Expectation> all = shared && !expectedShared.isEmpty() ? expectedShared : expected;
    Expectation one = all.get(Math.min(run, all.size() - 1));
    return shared && (expectedShared.isEmpty() || !schedule.isInTurn()) ? one.orHang() : one;
  }

  /** A copy that may end in any way, as long as the invariants hold. */
  public Scenario withAnyEnd() {
    return expecting(Expectation::orAnyEnd);
  }

  /** A copy that expects no hang, in any order. */
  public Scenario withoutHang() {
    return expecting(each -> each.with(Expectation.Hang.FORBIDDEN));
  }

  private Scenario expecting(UnaryOperator<Expectation> change) {
    return with(
        lab,
        releases,
        seed,
        schedule,
        source,
        destination,
        expected.stream().map(change).toList(),
        expectedShared.stream().map(change).toList());
  }

  /** The faults of a run, counted from 0. */
  public LabFaults faults(int run) {
    return new LabFaults(
        name,
        destinationGuest,
        releases.get(Math.min(run, releases.size() - 1)),
        new ScriptedFaults(source, seed + run, run),
        // The complement gives other random numbers than the source's.
        new ScriptedFaults(destination, ~(seed + run), run));
  }

  /** A copy with another seed. */
  public Scenario withSeed(long other) {
    return with(lab, releases, other, schedule);
  }

  /** A copy of which neither events nor history are kept. */
  public Scenario unmonitored() {
    return with(lab.unmonitored(), releases, seed, schedule);
  }

  /** A copy with another order of events. */
  public Scenario with(Schedule other) {
    return with(lab, releases, seed, other);
  }

  /** How many fault rules its devices have. */
  public int rules() {
    return source.rules().size() + destination.rules().size();
  }

  /**
   * A copy without a fault rule.
   *
   * @param index counted from 0, those of the source first
   */
  public Scenario withoutRule(int index) {
    int ofSource = source.rules().size();
    return with(
        lab,
        releases,
        seed,
        schedule,
        index < ofSource ? source.without(index) : source,
        index < ofSource ? destination : destination.without(index - ofSource));
  }

  /** Whether neither device has faults or limits, and none is taken as a choice. */
  public boolean isWithoutFaults() {
    return source.equals(FaultScript.NONE)
        && destination.equals(FaultScript.NONE)
        && !schedule.hasRare();
  }

  /** A copy that is described otherwise. */
  public Scenario titled(String otherTitle, String otherAbout) {
    return new Scenario(
        name,
        otherTitle,
        otherAbout,
        group,
        look,
        lab,
        destinationGuest,
        releases,
        runs,
        seed,
        source,
        destination,
        expected,
        expectedShared,
        schedule);
  }

  /** A copy with other completion queues. */
  public Scenario with(CompletionQueues queues) {
    return with(lab.with(MigrationSetting.COMPLETION_QUEUES, queues), releases, seed, schedule);
  }

  /** A copy whose engines release what a request needs at another time, in all runs. */
  public Scenario with(ReleaseTime release) {
    return with(lab, List.of(release), seed, schedule);
  }

  private Scenario with(
      LabSettings otherLab, List<ReleaseTime> otherReleases, long otherSeed, Schedule other) {
    return with(otherLab, otherReleases, otherSeed, other, source, destination);
  }

  private Scenario with(
      LabSettings otherLab,
      List<ReleaseTime> otherReleases,
      long otherSeed,
      Schedule otherSchedule,
      FaultScript otherSource,
      FaultScript otherDestination) {
    return with(
        otherLab,
        otherReleases,
        otherSeed,
        otherSchedule,
        otherSource,
        otherDestination,
        expected,
        expectedShared);
  }

  private Scenario with(
      LabSettings otherLab,
      List<ReleaseTime> otherReleases,
      long otherSeed,
      Schedule otherSchedule,
      FaultScript otherSource,
      FaultScript otherDestination,
      List<Expectation> otherExpected,
      List<Expectation> otherExpectedShared) {
    return new Scenario(
        name,
        title,
        about,
        group,
        look,
        otherLab,
        destinationGuest,
        otherReleases,
        runs,
        otherSeed,
        otherSource,
        otherDestination,
        otherExpected,
        otherExpectedShared,
        otherSchedule);
  }
}
