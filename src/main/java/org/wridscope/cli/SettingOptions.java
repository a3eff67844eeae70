// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Place;
import org.wridscope.settings.Setting;
import org.wridscope.settings.SettingTable;
import org.wridscope.settings.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/** The options of a command that are settings: those of the table that can be given there. */
@Command
final class SettingOptions {
  private final List<Setting<?>> settings;
  private final Settings defaults;
  private @Nullable CommandSpec command;

  /**
   * @param defaults what is used where nothing is given
   * @param places of the command
   */
  SettingOptions(Settings defaults, Place... places) {
    this(defaults, SettingTable.at(places).toArray(Setting<?>[]::new));
  }

  /**
   * @param defaults what is used where nothing is given
   * @param settings which of them are options
   */
  SettingOptions(Settings defaults, Setting<?>... settings) {
    this.defaults = defaults;
    this.settings = Stream.of(settings).filter(Setting::isOption).toList();
  }

  /** Adds the options to the command that has them. */
  @Spec(Spec.Target.MIXEE)
  void addTo(CommandSpec spec) {
    command = spec;
    for (Setting<?> setting : settings) {
      OptionSpec.Builder option =
          OptionSpec.builder(setting.option())
              .description(setting.help(defaults).replace("%", "%%"));
      spec.addOption(
          setting.isFlag()
              ? option.type(boolean.class).build()
              : option.type(String.class).paramLabel(setting.placeholder()).build());
    }
  }

  /**
   * What was given.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  Settings read() {
    Settings read = defaults;
    for (Setting<?> setting : settings) {
      if (isGiven(setting)) {
        read = read.with(setting, setting.option(), text(setting));
      }
    }
    return read;
  }

  private String text(Setting<?> setting) {
    Object value = spec().findOption(setting.option()).getValue();
    return value == null ? "" : value.toString();
  }

  /**
   * What was given about how a source migrates.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  Settings readMigration() throws InputException {
    Settings read = read();
    if (read.get(MigrationSetting.UNREGISTER) && read.get(MigrationSetting.PIN_ALL)) {
      throw new InputException(
          "--unregister: leave it out with --pin-all, which keeps all RAM registered until the"
              + " end.");
    }
    return read;
  }

  boolean isGiven(Setting<?> setting) {
    return spec().commandLine().getParseResult().hasMatchedOption(setting.option());
  }

  /** Those that were given, in the order of the help. */
  List<Setting<?>> given() {
    return settings.stream().filter(this::isGiven).toList();
  }

  /** A setting that was given; null if it was not. */
  <T> @Nullable T given(Setting<T> setting) {
    return isGiven(setting) ? read().get(setting) : null;
  }

  /** A scenario with the completion queues that were given. */
  Scenario withQueues(Scenario scenario) {
    CompletionQueues queues = given(MigrationSetting.COMPLETION_QUEUES);
    return queues == null ? scenario : scenario.with(queues);
  }

  /**
   * A scenario with the seed and the completion queues that were given.
   *
   * @param scheduled whether the seed is also that of the schedule
   */
  Scenario applyTo(Scenario scenario, boolean scheduled) {
    Long seed = given(GuestSetting.SEED);
    Scenario wanted = seed == null ? scenario : scenario.withSeed(seed);
    return withQueues(seed == null || !scheduled ? wanted : wanted.with(Schedule.of(seed)));
  }

  private CommandSpec spec() {
    if (command == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    return command;
  }
}
