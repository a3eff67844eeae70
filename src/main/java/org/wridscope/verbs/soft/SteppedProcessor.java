// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.wridscope.time.Automaton;
import org.wridscope.time.Scheduler;

/**
 * Executes the work requests of a device in steps that a schedule chooses. A request is executed in
 * one step and its acknowledgement arrives in another, so that whatever else happens may come
 * between them.
 */
final class SteppedProcessor implements DeviceProcessor, Automaton {
  private final Scheduler scheduler;
  private final Thread thread = Thread.currentThread();
  private final List<SoftQueuePair> queuePairs = new ArrayList<>();

  SteppedProcessor(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  @Override
  public Thread thread() {
    return thread;
  }

  /** Nothing has a defect that does not end the step of a queue pair. */
  @Override
  public void start(Consumer<Throwable> onDefect) {
    scheduler.add(this);
  }

  @Override
  public void add(SoftQueuePair queuePair) {
    queuePairs.add(queuePair);
  }

  @Override
  public void remove(SoftQueuePair queuePair) {
    queuePairs.remove(queuePair);
  }

  /** Nothing to be done: the schedule asks for steps itself. */
  @Override
  public void schedule(SoftQueuePair queuePair) {}

  @Override
  public void scheduleNow(SoftQueuePair queuePair) {}

  @Override
  public void handOver() {
    scheduler.handOver();
  }

  @Override
  public boolean stop(Duration limit) {
    scheduler.remove(this);
    return true;
  }

  @Override
  public void addSteps(List<? super Step> steps) {
    for (int i = 0; i < queuePairs.size(); i++) {
      queuePairs.get(i).addSteps(steps);
    }
  }

  @Override
  public void addOthers(List<? super Step> others) {
    queuePairs.forEach(queuePair -> queuePair.addOthers(others));
  }

  /** What its queue pairs have to do. */
  List<Outstanding> outstanding() {
    return queuePairs.stream().map(SoftQueuePair::outstanding).toList();
  }

  @Override
  public long nextDue() {
    long next = Scheduler.NEVER;
    for (SoftQueuePair queuePair : queuePairs) {
      next = Math.min(next, queuePair.nextDue());
    }
    return next;
  }
}
