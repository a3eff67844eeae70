// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Defaults;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Parse;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The options of a synthetic guest that runs and is to be migrated. */
final class SyntheticGuestOptions {
  private static final List<String> NAMES =
      List.of("--ram", "--dirty-rate", "--working-set", "--zero", "--seed");

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--ram",
      paramLabel = "SIZE",
      description = "RAM of the synthetic guest. Default: ${DEFAULT-VALUE}")
  private String ram;

  @Option(
      names = "--dirty-rate",
      paramLabel = "RATE",
      description =
          "How fast its workload writes to memory, 0 for an idle guest. Default: ${DEFAULT-VALUE}")
  private String dirtyRate;

  @Option(
      names = "--working-set",
      paramLabel = "SIZE",
      description = "The part of its RAM that it writes to. Default: a quarter of the RAM")
  private String workingSet = "";

  @Option(
      names = "--zero",
      paramLabel = "SHARE",
      description = "How much of its RAM is zero. Default: ${DEFAULT-VALUE}")
  private String zero;

  @Option(
      names = "--seed",
      paramLabel = "NUMBER",
      description = "What its memory and its workload are made from. Default: ${DEFAULT-VALUE}")
  private String seed;

  SyntheticGuestOptions(Defaults defaults) {
    ram = defaults.ram();
    dirtyRate = defaults.dirtyRate();
    zero = defaults.zeroShare();
    seed = defaults.seed();
  }

  /**
   * What they say.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  GuestSettings.Synthetic settings() {
    long ramBytes = Parse.ram("--ram", ram);
    return new GuestSettings.Synthetic(
        ramBytes,
        Parse.rate("--dirty-rate", dirtyRate),
        Parse.workingSet("--working-set", workingSet, ramBytes),
        Parse.share("--zero", zero),
        Parse.number("--seed", seed));
  }

  /**
   * Refuses those that were given beside an option that says which guest instead.
   *
   * @param other that option
   * @param why it decides about RAM and workload, a clause
   */
  void refuseWith(String other, String why) throws InputException {
    ParseResult given = command == null ? null : command.commandLine().getParseResult();
    for (String name : NAMES) {
      if (given != null && given.hasMatchedOption(name)) {
        throw new InputException("%s: leave it out with %s; %s.".formatted(name, other, why));
      }
    }
  }
}
