// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.InquiryAnswer;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.InquiryQuestion;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.time.Automaton;
import org.wridscope.time.Scheduler;
import org.wridscope.time.Time;
import org.wridscope.verbs.soft.SoftFabric;

/**
 * A stranger that answers the inquiries of a lab's source in the place of its destination, under a
 * schedule. It listens at the port of a destination that was killed, or is on the path to one that
 * runs, and cuts the connection. It has the question, and not the {@linkplain
 * org.wridscope.protocol.MigrationSecret secret}. Only a schedule takes its steps.
 */
final class Liar implements Automaton {
  private final LocalSession destination;
  private final SoftFabric fabric;
  private final List<Lying> kinds = new ArrayList<>();
  private boolean lies;

  /**
   * @param kill ends the destination's process, and the guard that would answer for it
   * @param cut cuts the connection
   */
  Liar(LocalSession destination, SoftFabric fabric, Runnable kill, Runnable cut) {
    this.destination = destination;
    this.fabric = fabric;
    for (Outcome lie : List.of(Outcome.NOT_STARTED, Outcome.RUNNING)) {
      kinds.add(
          new Lying(
              lie,
              kill,
              "kills the destination and answers %s at its port",
              "Any user may listen on a free port, and give any answer."));
      kinds.add(
          new Lying(
              lie,
              cut,
              "cuts the connection and answers %s for the destination",
              "A host on the path may withhold every message, and give any answer."));
    }
  }

  private final class Lying extends Step {
    private final Outcome lie;
    private final Runnable deed;
    private final String what;
    private final String rule;

    Lying(Outcome lie, Runnable deed, String what, String rule) {
      this.lie = lie;
      this.deed = deed;
      this.what = what.formatted(lie);
      this.rule = rule;
    }

    @Override
    protected long take() {
      Time.affectsAll();
      lies = true;
      fabric.setImpostor(request -> answer(request, lie));
      deed.run();
      return 0;
    }

    @Override
    public String who() {
      return "stranger";
    }

    @Override
    public String what() {
      return what;
    }

    @Override
    public String rule() {
      return rule;
    }
  }

  /** Null if it is asked nothing. */
  private static byte @Nullable [] answer(byte[] request, Outcome lie) {
    try {
      ByteBuffer privateData = ByteBuffer.wrap(request);
      if (!Capabilities.decode(privateData).inquiry()) {
        return null;
      }
      return new InquiryAnswer(InquiryQuestion.decode(privateData).id(), lie).toBytes();
    } catch (ProtocolException e) {
      return null;
    }
  }

  @Override
  public void addSteps(List<? super Step> steps) {}

  @Override
  public void addOthers(List<? super Step> others) {
    if (!lies && destination.isKillable()) {
      others.addAll(kinds);
    }
  }

  @Override
  public long nextDue() {
    return Scheduler.NEVER;
  }
}
