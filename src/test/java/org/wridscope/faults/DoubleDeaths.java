// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.wridscope.faults.KillEnd.State;
import org.wridscope.faults.LyingRelay.Conduct;
import org.wridscope.guest.OtherEnd;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Role;

/**
 * Kills programs and their guards together, in the middle of a migration from QEMU to QEMU, and
 * then restores the QEMUs as {@code recover} does. Arguments: how often each case is tried, and
 * which cases; all without. For {@code lab/nightly}.
 */
public final class DoubleDeaths {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** The guest writes to more. */
  private static final long LEAST_SAVED = 4 << 20;

  private DoubleDeaths() {}

  public static void main(String[] arguments) throws Exception {
    int times = Integer.parseInt(arguments[0]);
    int wrong = 0;
    List<Case> cases =
        arguments.length > 1
            ? Arrays.stream(arguments).skip(1).map(Case::valueOf).toList()
            : List.of(Case.values());
    for (Case each : cases) {
      int right = 0;
      for (int i = 0; i < times; i++) {
        List<String> problems = run(each);
        if (problems.isEmpty()) {
          right++;
        } else {
          problems.forEach(problem -> System.out.println(each + ": " + problem));
        }
      }
      wrong += times - right;
      System.out.printf(Locale.ROOT, "%s: %d of %d right%n", each, right, times);
    }
    System.exit(wrong == 0 ? 0 : 1);
  }

  /** The ends whose program and guard are killed. */
  enum Dead {
    SOURCE,
    DESTINATION,
    BOTH
  }

  /** Where the guest must run after all. */
  enum Fate {
    HERE,
    THERE
  }

  /**
   * A message that is lost at the moment of the deaths, and what must become of the guest. Before
   * REGISTER REQUEST the settings of both QEMUs are changed, and the guest runs at the source. At
   * LOADED it is stopped there and loaded at the destination. At SWITCH OVER the source has noted
   * that it hands it over, and at RUNNING it was started at the destination.
   */
  enum Case {
    SOURCE_AT_THE_FIRST_KEYS(ControlType.REGISTER_REQUEST, Dead.SOURCE, Fate.HERE),
    SOURCE_AT_LOADED(ControlType.LOADED, Dead.SOURCE, Fate.HERE),
    SOURCE_AT_SWITCH_OVER(ControlType.SWITCH_OVER, Dead.SOURCE, Fate.HERE),
    SOURCE_AT_RUNNING(ControlType.RUNNING, Dead.SOURCE, Fate.THERE),
    DESTINATION_AT_THE_FIRST_KEYS(ControlType.REGISTER_REQUEST, Dead.DESTINATION, Fate.HERE),
    DESTINATION_AT_LOADED(ControlType.LOADED, Dead.DESTINATION, Fate.HERE),
    DESTINATION_AT_SWITCH_OVER(ControlType.SWITCH_OVER, Dead.DESTINATION, Fate.HERE),
    DESTINATION_AT_RUNNING(ControlType.RUNNING, Dead.DESTINATION, Fate.THERE),
    BOTH_AT_THE_FIRST_KEYS(ControlType.REGISTER_REQUEST, Dead.BOTH, Fate.HERE),
    BOTH_AT_LOADED(ControlType.LOADED, Dead.BOTH, Fate.HERE),
    BOTH_AT_SWITCH_OVER(ControlType.SWITCH_OVER, Dead.BOTH, Fate.HERE),
    BOTH_AT_RUNNING(ControlType.RUNNING, Dead.BOTH, Fate.THERE);

    private final ControlType at;
    private final Dead dead;
    private final Fate fate;

    Case(ControlType at, Dead dead, Fate fate) {
      this.at = at;
      this.dead = dead;
      this.fate = fate;
    }

    boolean kills(Role role) {
      return dead == Dead.BOTH || dead.name().equals(role.name());
    }
  }

  /**
   * Runs one.
   *
   * @return what is not as it must be; empty if everything is
   */
  static List<String> run(Case what) throws Exception {
    KillSetting setting = KillSetting.TCP;
    try (var there = new LocalEnd(setting, CountingQemu.PROGRAM, Role.DESTINATION, setting.uri())) {
      var source = new LocalEnd[1];
      Set<String> secrets = ConcurrentHashMap.newKeySet();
      Runnable deaths =
          () -> {
            secrets.addAll(source[0].secrets());
            secrets.addAll(there.secrets());
            if (what.kills(Role.SOURCE)) {
              source[0].killWithGuards();
            }
            if (what.kills(Role.DESTINATION)) {
              there.killWithGuards();
            }
          };
      try (var relay = new LyingRelay(LiarTest.address(there), what.at, Conduct.HONEST, deaths);
          var here = new LocalEnd(setting, CountingQemu.PROGRAM, Role.SOURCE, relay.uri())) {
        source[0] = here;
        List<String> problems = judge(what, here, there);
        if (secrets.isEmpty() && what.at != ControlType.REGISTER_REQUEST) {
          problems.add("no journal has a secret");
        }
        if (here.tells(secrets) || there.tells(secrets)) {
          problems.add("the secret is in an output or a log");
        }
        return problems;
      }
    }
  }

  private static List<String> judge(Case what, LocalEnd here, LocalEnd there) throws Exception {
    var problems = new ArrayList<String>();
    if (!here.await(LIMIT)) {
      problems.add("the source does not end");
    }
    var said = new StringBuilder();
    // A source that asks waits for the answer of 'recover' at the destination.
    boolean asks = what.at == ControlType.SWITCH_OVER || what.at == ControlType.RUNNING;
    try (Program asking = asks || what.kills(Role.SOURCE) ? here.recover() : null) {
      if (what.kills(Role.DESTINATION)) {
        recover(there, null, said);
        if (there.state().alive() && !there.state().runs() && !there.journals().isEmpty()) {
          recover(there, OtherEnd.GUEST_RUNS, said);
        }
      }
      if (asking != null) {
        if (!asking.await(LIMIT)) {
          problems.add("recover at the source does not end");
        }
        said.append(asking.output()).append('\n');
      }
    }
    if (asks && !here.journals().isEmpty()) {
      // A destination that lives answers for 20 s only; after that the operator says how it is.
      State other = there.state();
      if (other.runs() || !other.alive()) {
        recover(here, other.runs() ? OtherEnd.GUEST_RUNS : OtherEnd.GUEST_ENDED, said);
      }
    }
    State source = here.state();
    State destination = there.state();
    if (source.runs() == destination.runs()) {
      problems.add(source.runs() ? "two guests" : "no guest");
    } else if (source.runs() != (what.fate == Fate.HERE)) {
      problems.add("the guest runs at the other end");
    }
    problems.addAll(source.leftovers());
    problems.addAll(here.journals().stream().map(file -> "journal " + file).toList());
    if (what.kills(Role.DESTINATION)) {
      problems.addAll(destination.leftovers());
      problems.addAll(there.journals().stream().map(file -> "journal " + file).toList());
    }
    if (problems.isEmpty()) {
      long saved = what.fate == Fate.HERE ? here.save() : there.save();
      if (saved < LEAST_SAVED) {
        problems.add("QEMU saves only %d bytes of its guest".formatted(saved));
      }
    }
    if (!problems.isEmpty()) {
      problems.add("%s / %s / %s".formatted(said, here.output(), there.output()));
    }
    return problems;
  }

  private static void recover(LocalEnd end, @Nullable OtherEnd otherEnd, StringBuilder said)
      throws InterruptedException {
    try {
      said.append(end.recoverHere(otherEnd)).append('\n');
    } catch (IOException e) {
      said.append(e.getMessage()).append('\n');
    }
  }
}
