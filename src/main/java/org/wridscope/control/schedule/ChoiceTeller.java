// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.text.Format;
import org.wridscope.time.Chooser;
import org.wridscope.time.Option;
import org.wridscope.time.Scheduler;

/** Chooses as a schedule says, and notes in words what its choices do. */
public final class ChoiceTeller implements Chooser {
  /** A sentence names so many choices. */
  static final int MOST_NAMED = 8;

  private final Schedule schedule;
  private final ScheduleChooser chooser;
  private final SortedMap<Long, String> texts = new TreeMap<>();
  private Supplier<List<Session>> sessions = List::of;

  public ChoiceTeller(Schedule schedule) {
    this.schedule = schedule;
    chooser = new ScheduleChooser(schedule);
  }

  /**
   * What the choices of a scenario's schedule do in its first run, by their numbers; found out by
   * running it.
   */
  public static SortedMap<Long, String> tell(
      Supplier<? extends SessionManager> managers, Scenario scenario)
      throws IOException, InterruptedException {
    var teller = new ChoiceTeller(scenario.schedule());
    ScheduledRun _ =
        ScheduledRun.of(
            teller,
            teller.chooser,
            () -> {
              SessionManager manager = managers.get();
              teller.name(manager::sessions);
              return manager;
            },
            scenario);
    return teller.texts();
  }

  /** From now on, ends and requests are named as these sessions know them. */
  public void name(Supplier<List<Session>> known) {
    sessions = known;
  }

  @Override
  public int choose(List<Option> options) {
    return choose(options, List::of);
  }

  @Override
  public int choose(List<Option> options, Supplier<? extends List<Option>> others) {
    long number = chooser.made();
    int chosen = chooser.choose(options, others);
    if (schedule.choices().containsKey(number)) {
      texts.put(number, text(chosen < 0 ? others.get().get(~chosen) : options.get(chosen)));
    }
    return chosen;
  }

  @Override
  public String told() {
    return sentence(schedule, texts);
  }

  private String text(Option option) {
    return text(option, sessions.get());
  }

  /**
   * What an option does, a phrase; only for a thread of the schedule.
   *
   * @param all sessions that were started, in the order of starting
   */
  static String text(Option option, List<Session> all) {
    Scheduler scheduler = Scheduler.current();
    if (scheduler == null) {
      throw new IllegalStateException("this thread belongs to no schedule");
    }
    // Those of runs before have the same devices.
    List<Session> present = all.subList(Math.max(0, all.size() - 2), all.size());
    Standing.Possibility told = new StandingText(present, scheduler).possibility(option, false);
    boolean ofAnEnd = told.who().startsWith("source") || told.who().startsWith("destination");
    return (ofAnEnd ? "the " : "") + told.who() + " " + told.what();
  }

  /** How many choices were made so far. */
  public long made() {
    return chooser.made();
  }

  /** What the choices did, by their numbers: {@code the source's device receives ...}. */
  public SortedMap<Long, String> texts() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(texts));
  }

  /** Tells an order that is not in turn, in one or two sentences; empty if it is. */
  public static String sentence(Schedule schedule, Map<Long, String> texts) {
    String order =
        schedule.seed() == Schedule.IN_TURN
            ? ""
            : "The order of events is the random one of seed %d.".formatted(schedule.seed());
    int differing = schedule.choices().size();
    if (differing == 0) {
      return order;
    }
    String named =
        schedule.choices().entrySet().stream()
            .limit(MOST_NAMED)
            .map(choice ->
                "at choice %d, %s"
                    .formatted(
                        choice.getKey(),
                        texts.getOrDefault(
                            choice.getKey(), "option %d is taken".formatted(choice.getValue()))))
            .collect(Collectors.joining("; "));
    return "%sThe schedule differs from %s in %s: %s%s."
        .formatted(
            order.isEmpty() ? "" : order + " ",
            order.isEmpty() ? "turns" : "that",
            Format.counted(differing, "choice"),
            named,
            differing > MOST_NAMED
                ? "; and %s more".formatted(Format.count(differing - MOST_NAMED))
                : "");
  }
}
