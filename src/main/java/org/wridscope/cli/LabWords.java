// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Names that the commands of {@code lab} had before: options, such as {@code --explore NUMBER}. */
final class LabWords {
  static final String LAB = "lab";

  /** The command for each, and whether a value follows. */
  private static final Map<String, Boolean> WITH_VALUE =
      Map.of(
          "list", false,
          "explore", true,
          "exhaustive", true,
          "step", false,
          "qemu", false,
          "soak", true);

  private LabWords() {}

  /** The arguments with the names of today. */
  static String[] ofToday(String[] arguments) {
    if (arguments.length < 2 || !arguments[0].equals(LAB)) {
      return arguments;
    }
    List<String> rest = new ArrayList<>(Arrays.asList(arguments).subList(1, arguments.length));
    if (rest.getFirst().equals("run") || WITH_VALUE.containsKey(rest.getFirst())) {
      return arguments;
    }
    for (int i = 0; i < rest.size(); i++) {
      String[] option = rest.get(i).split("=", 2);
      String command = option[0].startsWith("--") ? option[0].substring(2) : "";
      Boolean value = WITH_VALUE.get(command);
      if (value == null || (!value && option.length > 1)) {
        continue;
      }
      List<String> words = new ArrayList<>(List.of(LAB, command));
      rest.remove(i);
      if (value && option.length > 1) {
        words.add(option[1]);
      } else if (value && i < rest.size()) {
        words.add(rest.remove(i));
      }
      words.addAll(rest);
      return words.toArray(String[]::new);
    }
    return arguments;
  }
}
