// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.files.JsonMembers;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.Place;
import org.wridscope.settings.ReleaseTime;
import org.wridscope.settings.Setting;
import org.wridscope.settings.SettingTable;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.units.Parse;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/** Reads scenarios; {@code docs/scenarios.md} describes the format. */
final class ScenarioReader {
  private static final int MAX_RUNS = 10_000;
  private static final int MAX_EVENTS = 1_000;

  /** Less than the engine and the device wait for a handler, which all sessions would wait for. */
  private static final Duration MAX_HANDLING = Duration.ofSeconds(5);

  /** Numbers have 24 bits (IBTA 3.9.2). */
  private static final int MAX_QUEUE_PAIR_NUMBER = (1 << 24) - 1;

  private static final long MAX_REQUESTS = 1L << 40;

  /** More than any run makes. */
  private static final long MAX_CHOICE = 1L << 40;

  private static final int MAX_OPTION = 1_000_000;

  private ScenarioReader() {}

  /**
   * Reads a scenario.
   *
   * @param name of the scenario
   * @param origin name of the file, for messages
   */
  static Scenario read(String name, String origin, String json) throws ScenarioException {
    try {
      return scenario(name, JsonMembers.parse(json));
    } catch (IllegalArgumentException e) {
      throw new ScenarioException("%s: %s".formatted(origin, e.getMessage()), e);
    }
  }

  private static Scenario scenario(String name, JsonMembers file) {
    String title = file.text("title");
    String about = file.text("about");
    String group = file.text("group", "");
    String look = file.text("look", "");
    JsonMembers guestMembers = file.object("guest");
    JsonMembers migration = file.object("migration");
    JsonMembers destinationMembers = file.object("destination");
    Settings settings = Defaults.LAB;
    for (Setting<?> setting : SettingTable.at(Place.SCENARIO)) {
      settings =
          read(
              setting,
              switch (setting.group()) {
                case GUEST -> guestMembers;
                case MIGRATION -> migration;
                case DESTINATION -> destinationMembers;
              },
              settings);
    }
    var guest = GuestSettings.Synthetic.of(settings);
    long destinationRam =
        GuestSetting.RAM.parse(
            guestMembers.at("ram-at-destination"),
            guestMembers.text("ram-at-destination", GuestSetting.RAM.text(settings)));
    guestMembers.requireNoOthers();
    var lab = new LabSettings(new MigrationSettings(guest, settings));
    List<ReleaseTime> releases = new ArrayList<>();
    if (migration.has("release")) {
      for (String time : migration.texts("release")) {
        releases.add(ReleaseTime.parse(migration.at("release"), time));
      }
    }
    if (releases.isEmpty()) {
      releases.add(ReleaseTime.ON_COMPLETION);
    }
    migration.requireNoOthers();

    int runs = (int) file.number("runs", 1, 1, MAX_RUNS);
    long seed = file.number("seed", 1, Long.MIN_VALUE, Long.MAX_VALUE);
    FaultScript source = script(file.object("source"));
    FaultScript destination = script(destinationMembers);
    List<Expectation> expected = expectations(file, "expect");
    List<Expectation> expectedShared = expectations(file, "expect-shared");
    Schedule schedule = schedule(file);
    if (expected.isEmpty()) {
      expected.add(Expectation.COMPLETED);
    }
    file.requireNoOthers();
    return new Scenario(
        name,
        title,
        about,
        group,
        look,
        lab,
        GuestSettings.Synthetic.incoming(destinationRam, guest.virtio().variant()),
        releases,
        runs,
        seed,
        source,
        destination,
        expected,
        expectedShared,
        schedule);
  }

  private static Schedule schedule(JsonMembers file) {
    long order = file.number("order", Schedule.IN_TURN, Long.MIN_VALUE, Long.MAX_VALUE);
    SortedMap<Long, Integer> choices = new TreeMap<>();
    for (JsonMembers choice : file.objects("choices")) {
      long number = choice.required("at", 0, MAX_CHOICE);
      int option = (int) choice.required("take", -MAX_OPTION, MAX_OPTION);
      // Only for whoever reads the file.
      String _ = choice.text("does", "");
      choice.requireNoOthers();
      if (choices.put(number, option) != null) {
        throw new IllegalArgumentException(
            "%s: choice %d is given twice.".formatted(choice.at("at"), number));
      }
    }
    return new Schedule(order, choices);
  }

  private static <T> Settings read(Setting<T> setting, JsonMembers members, Settings settings) {
    String name = setting.name();
    if (!members.has(name)) {
      return settings;
    }
    String text = setting.isFlag() ? Boolean.toString(members.flag(name)) : members.text(name);
    return settings.with(setting, members.at(name), text);
  }

  private static List<Expectation> expectations(JsonMembers file, String name) {
    List<Expectation> expected = new ArrayList<>();
    for (JsonMembers each : file.objects(name)) {
      expected.add(expectation(each));
    }
    return expected;
  }

  private static Expectation expectation(JsonMembers members) {
    Set<MigrationStatus> statuses = EnumSet.noneOf(MigrationStatus.class);
    for (String written : members.texts("status")) {
      statuses.add(status(members.at("status"), written));
    }
    String says = members.text("says", "");
    String virtio = members.text("virtio", "");
    String driver = members.text("driver", "");
    String sentAgain = members.text("sent-again", "");
    int queuePair = (int) members.number("queue-pair", 0, 1, MAX_QUEUE_PAIR_NUMBER);
    Expectation.Hang hang =
        !members.has("may-hang")
            ? Expectation.Hang.BY_ORDER
            : members.flag("may-hang") ? Expectation.Hang.ALLOWED : Expectation.Hang.FORBIDDEN;
    members.requireNoOthers();
    return new Expectation(statuses, says, virtio, driver, sentAgain, queuePair, hang);
  }

  private static MigrationStatus status(String place, String written) {
    List<String> ends = new ArrayList<>();
    for (MigrationStatus status : MigrationStatus.values()) {
      if (status.isEnd()) {
        if (status.qemuName().equals(written)) {
          return status;
        }
        ends.add(status.qemuName());
      }
    }
    throw new IllegalArgumentException(
        "%s: \"%s\" is not one of %s.".formatted(place, written, String.join(", ", ends)));
  }

  private static FaultScript script(JsonMembers members) {
    List<FaultRule> rules = new ArrayList<>();
    for (JsonMembers rule : members.objects("faults")) {
      rules.add(rule(rule));
    }
    long link = Parse.rate(members.at("link"), members.text("link", "0"));
    var limits =
        new DeviceLimits(
            limit(members, "max-qp-wr"),
            limit(members, "max-cqe"),
            limit(members, "memory-regions"));
    int ids = (int) members.number("queue-pair-ids", 1, 1, FaultPlan.MOST_IDS);
    boolean early = members.flag("free-numbers-early");
    members.requireNoOthers();
    return new FaultScript(rules, link, limits, ids, early);
  }

  private static int limit(JsonMembers members, String name) {
    return (int) members.number(name, 0, 1, Integer.MAX_VALUE);
  }

  private static FaultRule rule(JsonMembers members) {
    Fault fault = fault(members);
    FaultRule.Kind kind =
        members.has("of") ? members.word("of", FaultRule.Kind.class) : FaultRule.Kind.ANY;
    boolean fromRun = members.flag("from-run");
    boolean repeats = members.has("every") || members.has("share");
    var rule =
        new FaultRule(
            kind,
            members.number("from", 0, 0, MAX_REQUESTS),
            fromRun,
            members.number("every", 1, 1, MAX_REQUESTS),
            members.number("count", repeats ? FaultRule.UNLIMITED : 1, 1, MAX_REQUESTS),
            Parse.share(members.at("share"), members.text("share", "1")),
            fault,
            members.number("only-run", -1, 0, MAX_RUNS));
    members.requireNoOthers();
    return rule;
  }

  private static Fault fault(JsonMembers members) {
    return switch (members.word("fault", FaultName.class)) {
      case HOLD_COMPLETION ->
          new Fault.HoldCompletion(time(members).toNanos(), members.flag("until-receive"));
      case RETRANSMIT ->
          new Fault.Retransmit(
              time(members).toNanos(), (int) members.number("until-sends", 0, 1, MAX_RUNS));
      case DELAY -> new Fault.Delay(time(members).toNanos());
      case CUT -> Fault.CUT;
      case FATAL ->
          new Fault.Fatal(
              (int) members.number("events", 1, 1, MAX_EVENTS),
              members.has("time") ? handlingTime(members).toNanos() : 0);
      case EVENT -> new Fault.Event(event(members));
      case RECEIVER_NOT_READY ->
          new Fault.ReceiverNotReady((int) members.number("times", 1, 1, Integer.MAX_VALUE));
      case COMPLETE_WITH ->
          new Fault.Fail(
              members.word("status", WorkCompletionStatus.class),
              (int) members.number("vendor-error", 0, 0, Integer.MAX_VALUE));
    };
  }

  private static AsyncEventType event(JsonMembers members) {
    AsyncEventType type = members.word("event", AsyncEventType.class);
    if (type.consequence() == AsyncEventType.Consequence.FATAL) {
      throw new IllegalArgumentException(
          "%s: use the fault fatal or complete-with for what fails; this fault executes the request."
              .formatted(members.at("event")));
    }
    return type;
  }

  private static Duration handlingTime(JsonMembers members) {
    Duration time = time(members);
    if (time.compareTo(MAX_HANDLING) > 0) {
      throw new IllegalArgumentException(
          "%s: %s is out of range; write 0s to 5s."
              .formatted(members.at("time"), members.text("time").strip()));
    }
    return time;
  }

  private static Duration time(JsonMembers members) {
    return Parse.duration(members.at("time"), members.text("time"));
  }
}
