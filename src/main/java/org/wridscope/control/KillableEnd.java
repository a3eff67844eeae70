// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.List;
import org.wridscope.time.Automaton;
import org.wridscope.time.Scheduler;
import org.wridscope.time.Time;

/**
 * The process of a lab's end under a schedule, which may be killed at any choice as long as the end
 * has not ended. It does nothing by itself.
 */
final class KillableEnd implements Automaton {
  private final LocalSession session;
  private final Runnable vanish;
  private final Step killing = new Killing();

  /**
   * @param vanish lets the end's device vanish
   */
  KillableEnd(LocalSession session, Runnable vanish) {
    this.session = session;
    this.vanish = vanish;
  }

  /** Ends the session as SIGKILL does, and its guard, too: neither answers an inquiry any more. */
  void kill() {
    session.kill();
    vanish.run();
  }

  private final class Killing extends Step {
    @Override
    protected long take() {
      Time.affectsAll();
      kill();
      return 0;
    }

    @Override
    public String who() {
      return session.name() + " process";
    }

    @Override
    public String what() {
      return "is killed";
    }

    @Override
    public String rule() {
      return "A process may end at any time, and its host too. Its connections break, and what it"
          + " had is gone.";
    }
  }

  @Override
  public void addSteps(List<? super Step> steps) {}

  @Override
  public void addOthers(List<? super Step> others) {
    if (session.isKillable()) {
      others.add(killing);
    }
  }

  @Override
  public long nextDue() {
    return Scheduler.NEVER;
  }
}
