// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Completion for fish, which picocli does not generate. */
final class FishCompletion {
  private FishCompletion() {}

  /** The script for a program, its commands and their options. */
  static String of(CommandLine program) {
    String name = program.getCommandName();
    var script = new StringBuilder("# Completions of %s for fish\n".formatted(name));
    options(script, name, "__fish_use_subcommand", program.getCommandSpec());
    program
        .getSubcommands()
        .forEach((command, line) -> {
          CommandSpec spec = line.getCommandSpec();
          script.append(
              "complete -c %s -n __fish_use_subcommand -a %s -d %s%n"
                  .formatted(name, command, quoted(first(spec.usageMessage().description()))));
          options(script, name, "__fish_seen_subcommand_from " + command, spec);
        });
    return script.toString();
  }

  private static void options(
      StringBuilder script, String name, String condition, CommandSpec spec) {
    for (OptionSpec option : spec.options()) {
      if (option.hidden()) {
        continue;
      }
      script.append("complete -c %s -n %s".formatted(name, quoted(condition)));
      for (String spelling : option.names()) {
        script.append(
            spelling.startsWith("--")
                ? " -l " + spelling.substring(2)
                : " -s " + spelling.substring(1));
      }
      if (option.arity().max() > 0) {
        script.append(" -r");
      }
      script.append(" -d ").append(quoted(first(option.description()))).append('\n');
    }
  }

  /** The first sentence. */
  private static String first(String... description) {
    String text = description.length == 0 ? "" : Ansi.OFF.string(description[0]);
    int end = text.indexOf(". ");
    return end < 0 ? text : text.substring(0, end);
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
