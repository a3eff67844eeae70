// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/**
 * Applies a script to a device. Its decisions depend only on the requests, counted over all queue
 * pairs of the device, and on the seed, never on time.
 */
final class ScriptedFaults implements FaultPlan {
  private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final FaultScript script;
  private final List<Active> rules = new ArrayList<>();

  /**
   * @param seed of random faults
   * @param run number of the run, from 0
   */
  ScriptedFaults(FaultScript script, long seed, long run) {
    this.script = script;
    var seeds = new SplittableRandom(seed);
    for (FaultRule rule : script.rules()) {
      SplittableRandom random = seeds.split();
      if (rule.onlyRun() < 0 || rule.onlyRun() == run) {
        rules.add(new Active(rule, rule.from() + (rule.fromRun() ? run : 0), random));
      }
    }
  }

  /** A rule and its counters; belongs to the device's thread. */
  private static final class Active {
    private final FaultRule rule;
    private final SplittableRandom random;
    private long next;
    private long seen;
    private long applied;

    Active(FaultRule rule, long from, SplittableRandom random) {
      this.rule = rule;
      this.random = random;
      next = from;
    }

    /** Counts a request; returns whether the fault applies to it. */
    boolean appliesTo(SendRequest.Opcode opcode) {
      if (!rule.kind().has(opcode) || applied == rule.count() || seen++ != next) {
        return false;
      }
      next += rule.every();
      boolean applies = rule.share() == 1 || random.nextDouble() < rule.share();
      applied += applies ? 1 : 0;
      return applies;
    }
  }

  @Override
  public Fault decide(
      int queuePairNumber, long ordinal, SendRequest.Opcode opcode, long workRequestId) {
    Fault fault = null;
    for (Active rule : rules) {
      // Every rule counts the request, even if an earlier one applies.
      if (rule.appliesTo(opcode) && fault == null) {
        fault = rule.rule.fault();
      }
    }
    return fault == null ? Fault.PROCEED : fault;
  }

  @Override
  public long wireNanos(int length) {
    long rate = script.linkBytesPerSecond();
    return rate == 0 ? 0 : (long) ((double) length * NANOS_PER_SECOND / rate);
  }

  @Override
  public int queuePairIds() {
    return script.queuePairIds();
  }

  @Override
  public boolean freesNumbersEarly() {
    return script.freesNumbersEarly();
  }

  @Override
  public DeviceCapabilities capabilities(DeviceCapabilities most) {
    return script.limits().of(most);
  }
}
