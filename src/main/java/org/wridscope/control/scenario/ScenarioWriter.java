// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import com.google.gson.FormattingStyle;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.wridscope.control.GuestSettings;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.Group;
import org.wridscope.settings.Place;
import org.wridscope.settings.ReleaseTime;
import org.wridscope.settings.Setting;
import org.wridscope.settings.SettingTable;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.text.Format;
import org.wridscope.verbs.soft.Fault;

/**
 * Writes scenarios as {@link ScenarioReader} reads them: only what differs from its default, a line
 * for each member, and one for each object of an array.
 */
public final class ScenarioWriter {
  private static final Gson GSON =
      new GsonBuilder()
          .disableHtmlEscaping()
          .setFormattingStyle(FormattingStyle.COMPACT.withSpaceAfterSeparators(true))
          .create();

  private ScenarioWriter() {}

  /**
   * A scenario as the text of a file, without its name, which is that of the file.
   *
   * @throws IllegalArgumentException if no file can describe it, as one with a guest of a QEMU
   */
  public static String write(Scenario scenario) {
    return write(scenario, Map.of());
  }

  /**
   * A scenario as the text of a file, without its name, which is that of the file.
   *
   * @param does what its choices do, by their numbers, for whoever reads the file
   * @throws IllegalArgumentException if no file can describe it, as one with a guest of a QEMU
   */
  public static String write(Scenario scenario, Map<Long, String> does) {
    String json = layout(file(scenario, does));
    try {
      if (ScenarioReader.read(scenario.name(), scenario.name(), json).equals(scenario)) {
        return json;
      }
    } catch (ScenarioException e) {
      throw new IllegalArgumentException(e);
    }
    throw new IllegalArgumentException("a file cannot describe this scenario: " + scenario);
  }

  /** The members of an object that differ from their defaults. */
  private static final class Members {
    private final JsonObject object = new JsonObject();

    <T> Members put(String name, T value, T otherwise, Function<T, JsonElement> written) {
      return value.equals(otherwise) ? this : put(name, written.apply(value));
    }

    Members put(String name, JsonElement element) {
      object.add(name, element);
      return this;
    }

    Members put(String name, String text) {
      return put(name, text, "", JsonPrimitive::new);
    }

    Members put(String name, long number, long otherwise) {
      return put(name, number, otherwise, JsonPrimitive::new);
    }

    Members put(String name, boolean flag) {
      return put(name, flag, false, JsonPrimitive::new);
    }

    /** The settings of a group that a scenario can have. */
    Members putAll(Group group, Settings settings) {
      for (Setting<?> setting : SettingTable.at(Place.SCENARIO)) {
        if (setting.group() == group) {
          putSetting(setting, settings);
        }
      }
      return this;
    }

    private <T> void putSetting(Setting<T> setting, Settings settings) {
      put(
          setting.name(),
          settings.get(setting),
          Defaults.LAB.get(setting),
          value -> written(setting, value));
    }

    private static <T> JsonElement written(Setting<T> setting, T value) {
      String text = setting.text(value);
      return value instanceof Boolean flag
          ? new JsonPrimitive(flag)
          : text.matches("-?[0-9]+")
              ? new JsonPrimitive(Long.parseLong(text))
              : new JsonPrimitive(text);
    }

    Members put(String name, Members members) {
      return put(name, members.object, new JsonObject(), object -> object);
    }

    /** None, one without an array, or an array. */
    Members put(String name, List<? extends JsonElement> elements) {
      if (elements.isEmpty()) {
        return this;
      }
      return put(name, elements.size() == 1 ? elements.getFirst() : array(elements));
    }
  }

  private static JsonArray array(List<? extends JsonElement> elements) {
    var array = new JsonArray();
    elements.forEach(array::add);
    return array;
  }

  private static JsonElement size(long bytes) {
    return new JsonPrimitive(Format.exactBytes(bytes));
  }

  private static JsonElement rate(long bytesPerSecond) {
    return new JsonPrimitive(Format.exactRate(bytesPerSecond));
  }

  private static JsonElement time(long nanos) {
    return new JsonPrimitive(Format.exactDuration(nanos));
  }

  private static JsonElement word(Enum<?> word) {
    return new JsonPrimitive(word.name().toLowerCase(Locale.ROOT).replace('_', '-'));
  }

  // ---------------------------------------------------------------------------------- the members

  private static JsonObject file(Scenario scenario, Map<Long, String> does) {
    Members destination = script(scenario.destination());
    return new Members()
        .put("title", new JsonPrimitive(scenario.title()))
        .put("about", new JsonPrimitive(scenario.about()))
        .put("group", scenario.group())
        .put("look", scenario.look())
        .put("guest", guest(scenario))
        .put("migration", migration(scenario))
        .put("source", script(scenario.source()))
        .put(
            "destination",
            destination.putAll(Group.DESTINATION, scenario.lab().migration().settings()))
        .put("runs", scenario.runs(), 1)
        .put("seed", scenario.seed(), 1)
        .put("order", scenario.schedule().seed(), Schedule.IN_TURN)
        .put("choices", choices(scenario.schedule(), does))
        .put("expect", expectations(scenario.expected(), List.of(Expectation.COMPLETED)))
        .put("expect-shared", expectations(scenario.expectedShared(), List.of()))
        .object;
  }

  private static Members guest(Scenario scenario) {
    if (!(scenario.lab().guest() instanceof GuestSettings.Synthetic guest)
        || !(scenario.destinationGuest() instanceof GuestSettings.Synthetic arriving)) {
      throw new IllegalArgumentException("a file cannot describe the guest of " + scenario.name());
    }
    return new Members()
        .putAll(Group.GUEST, guest.with(Settings.USUAL))
        .put("ram-at-destination", arriving.ramBytes(), guest.ramBytes(), ScenarioWriter::size);
  }

  private static Members migration(Scenario scenario) {
    List<ReleaseTime> releases = scenario.releases();
    return new Members()
        .putAll(Group.MIGRATION, scenario.lab().migration().settings())
        .put(
            "release",
            releases.equals(List.of(ReleaseTime.ON_COMPLETION))
                ? List.of()
                : releases.stream().map(ScenarioWriter::word).toList());
  }

  private static List<JsonObject> choices(Schedule schedule, Map<Long, String> does) {
    return schedule.choices().entrySet().stream()
        .map(choice ->
            new Members()
                .put("at", new JsonPrimitive(choice.getKey()))
                .put("take", new JsonPrimitive(choice.getValue()))
                .put("does", does.getOrDefault(choice.getKey(), ""))
                .object)
        .toList();
  }

  private static List<JsonObject> expectations(
      List<Expectation> expected, List<Expectation> otherwise) {
    return expected.equals(otherwise)
        ? List.of()
        : expected.stream().map(ScenarioWriter::expectation).toList();
  }

  private static JsonObject expectation(Expectation expected) {
    return new Members()
        .put("status", statuses(expected.statuses()))
        .put("says", expected.says())
        .put("virtio", expected.virtio())
        .put("driver", expected.driver())
        .put("sent-again", expected.sentAgain())
        .put("queue-pair", expected.queuePair(), 0)
        .put(
            "may-hang",
            expected.hang(),
            Expectation.Hang.BY_ORDER,
            hang -> new JsonPrimitive(hang == Expectation.Hang.ALLOWED))
        .object;
  }

  private static JsonElement statuses(Set<MigrationStatus> statuses) {
    List<JsonPrimitive> names =
        Stream.of(MigrationStatus.values())
            .filter(statuses::contains)
            .map(status -> new JsonPrimitive(status.qemuName()))
            .toList();
    return names.size() == 1 ? names.getFirst() : array(names);
  }

  private static Members script(FaultScript script) {
    DeviceLimits limits = script.limits();
    return new Members()
        .put("link", script.linkBytesPerSecond(), 0L, ScenarioWriter::rate)
        .put("max-qp-wr", limits.workRequests(), 0)
        .put("max-cqe", limits.completions(), 0)
        .put("memory-regions", limits.memoryRegions(), 0)
        .put("queue-pair-ids", script.queuePairIds(), 1)
        .put("free-numbers-early", script.freesNumbersEarly())
        .put("faults", script.rules().stream().map(ScenarioWriter::rule).toList());
  }

  private static JsonObject rule(FaultRule rule) {
    boolean unlimited = rule.count() == FaultRule.UNLIMITED;
    boolean repeats = rule.every() != 1 || rule.share() != 1 || unlimited;
    Members members =
        fault(rule.fault())
            .put("of", rule.kind(), FaultRule.Kind.ANY, ScenarioWriter::word)
            .put("from", rule.from(), 0)
            .put("from-run", rule.fromRun());
    if (repeats && rule.share() == 1) {
      // Even if it is 1: with it, the rule has no limit.
      members.put("every", new JsonPrimitive(rule.every()));
    } else {
      members.put("every", rule.every(), 1);
    }
    return members
        .put("count", rule.count(), repeats ? FaultRule.UNLIMITED : 1)
        .put("share", rule.share(), 1.0, JsonPrimitive::new)
        .put("only-run", rule.onlyRun(), -1)
        .object;
  }

  private static Members fault(Fault fault) {
    return switch (fault) {
      case Fault.HoldCompletion(long nanos, boolean untilReceive) ->
          named(FaultName.HOLD_COMPLETION)
              .put("time", time(nanos))
              .put("until-receive", untilReceive);
      case Fault.Retransmit(long nanos, int untilSends) ->
          named(FaultName.RETRANSMIT).put("time", time(nanos)).put("until-sends", untilSends, 0);
      case Fault.Delay(long nanos) -> named(FaultName.DELAY).put("time", time(nanos));
      case Fault.Cut() -> named(FaultName.CUT);
      case Fault.Fatal(int events, long handlingNanos) ->
          named(FaultName.FATAL)
              .put("events", events, 1)
              .put("time", handlingNanos, 0L, ScenarioWriter::time);
      case Fault.Event(var type) -> named(FaultName.EVENT).put("event", word(type));
      case Fault.ReceiverNotReady(int times) ->
          named(FaultName.RECEIVER_NOT_READY).put("times", times, 1);
      case Fault.Fail(var status, int vendorError) ->
          named(FaultName.COMPLETE_WITH)
              .put("status", word(status))
              .put("vendor-error", vendorError, 0);
      case Fault.Proceed() -> throw new IllegalArgumentException("this is no fault: " + fault);
    };
  }

  private static Members named(FaultName name) {
    return new Members().put("fault", word(name));
  }

  // ----------------------------------------------------------------------------------- the layout

  private static String layout(JsonObject file) {
    return file.entrySet().stream()
        .map(member -> "  %s: %s".formatted(GSON.toJson(member.getKey()), value(member.getValue())))
        .collect(Collectors.joining(",\n", "{\n", "\n}\n"));
  }

  /** One line, or a line for each fault of an end. */
  private static String value(JsonElement value) {
    return value instanceof JsonObject members && members.get("faults") instanceof JsonArray
        ? members.entrySet().stream()
            .map(member -> GSON.toJson(member.getKey()) + ": " + lines(member.getValue()))
            .collect(Collectors.joining(", ", "{", "}"))
        : lines(value);
  }

  /** An array of objects as a line for each; anything else as one line. */
  private static String lines(JsonElement value) {
    return value instanceof JsonArray array && array.get(0).isJsonObject()
        ? array.asList().stream()
            .map(GSON::toJson)
            .collect(Collectors.joining(",\n    ", "[\n    ", "\n  ]"))
        : GSON.toJson(value);
  }
}
