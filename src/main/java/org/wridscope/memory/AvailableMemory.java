// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.text.Format;

/**
 * How much memory this process can be given before the kernel has to kill a process: what the
 * machine has, and what its control group and those above it may still have.
 *
 * @param bytes not negative
 * @param place what sets this limit, for a sentence
 */
public record AvailableMemory(long bytes, String place) {
  private static final Pattern ESCAPE = Pattern.compile("\\\\([0-7]{3})");

  /**
   * Names of files of a control group.
   *
   * @param limits each in bytes
   * @param used bytes in use, with the pages of files
   * @param files of the file {@code memory.stat}: pages of files that can be given back
   */
  private record Version(List<String> limits, String used, List<String> files) {
    static final Version ONE =
        new Version(
            List.of("memory.limit_in_bytes"),
            "memory.usage_in_bytes",
            List.of("total_active_file ", "total_inactive_file "));
    static final Version TWO =
        new Version(
            List.of("memory.max", "memory.high"),
            "memory.current",
            List.of("active_file ", "inactive_file ", "slab_reclaimable "));
  }

  /** Bytes available; {@link Long#MAX_VALUE} if the system does not tell. */
  public static long bytesHere() {
    return least(Path.of("/")).map(AvailableMemory::bytes).orElse(Long.MAX_VALUE);
  }

  /**
   * The smallest of all limits; empty if the system tells of none.
   *
   * @param root directory that has {@code proc} and {@code sys}
   */
  public static Optional<AvailableMemory> least(Path root) {
    var all = new ArrayList<AvailableMemory>();
    Path meminfo = root.resolve("proc/meminfo");
    number(meminfo, "MemAvailable:")
        .ifPresent(available ->
            all.add(
                new AvailableMemory(
                    (available + number(meminfo, "SwapFree:").orElse(0)) * 1024, "this machine")));
    for (String line : lines(root.resolve("proc/self/cgroup"))) {
      // Number, controllers and path, see cgroups(7).
      String[] fields = line.split(":", 3);
      if (fields.length == 3 && fields[1].isEmpty()) {
        addGroups(root, fields[2], "cgroup2", "", Version.TWO, all);
      } else if (fields.length == 3 && List.of(fields[1].split(",")).contains("memory")) {
        addGroups(root, fields[2], "cgroup", "memory", Version.ONE, all);
      }
    }
    return all.stream().min(Comparator.comparingLong(AvailableMemory::bytes));
  }

  /** What is available, and where, for example {@code 3 GiB (this machine)}. */
  public String text() {
    return "%s (%s)".formatted(Format.bytes(bytes), place);
  }

  /**
   * Adds the limits of a control group and of those above it, where they are mounted.
   *
   * @param path of the group, from the root of its hierarchy
   * @param option that the mount has; empty for any
   */
  private static void addGroups(
      Path root,
      String path,
      String type,
      String option,
      Version version,
      List<AvailableMemory> all) {
    for (String line : lines(root.resolve("proc/self/mountinfo"))) {
      // See proc_pid_mountinfo(5): after the hyphen come type, source and options.
      String[] halves = line.split(" - ", 2);
      String[] mount = halves[0].split(" ");
      String[] system = halves.length == 2 ? halves[1].split(" ") : new String[0];
      if (mount.length < 5
          || system.length < 3
          || !system[0].equals(type)
          || !(option.isEmpty() || List.of(system[2].split(",")).contains(option))) {
        continue;
      }
      Path top = root.resolve(unescaped(mount[4]).replaceFirst("^/+", ""));
      Path group = top.resolve(below(unescaped(mount[3]), path)).normalize();
      for (Path at = group; at != null && at.startsWith(top); at = at.getParent()) {
        addGroup(root, at, version, all);
      }
      return;
    }
  }

  /** The path of a group below that which is mounted; empty if it is not below it. */
  private static String below(String mounted, String path) {
    String above = mounted.equals("/") ? "" : mounted;
    boolean visible = path.startsWith(above + "/") && !path.contains("/..");
    return visible ? path.substring(above.length()).replaceFirst("^/+", "") : "";
  }

  private static void addGroup(Path root, Path group, Version version, List<AvailableMemory> all) {
    OptionalLong used = number(group.resolve(version.used), "");
    if (used.isEmpty()) {
      return;
    }
    long files =
        version.files.stream()
            .mapToLong(label -> number(group.resolve("memory.stat"), label).orElse(0))
            .sum();
    for (String name : version.limits) {
      OptionalLong limit = number(group.resolve(name), "");
      if (limit.isPresent()) {
        all.add(
            new AvailableMemory(
                Math.max(0, limit.getAsLong() - Math.max(0, used.getAsLong() - files)),
                "%s of the control group /%s".formatted(name, root.relativize(group))));
      }
    }
  }

  /**
   * The number after a label at the start of a line; empty if there is none, or one of more than 18
   * digits, which means no limit in a control group of version 1.
   */
  private static OptionalLong number(Path file, String label) {
    for (String line : lines(file)) {
      if (line.startsWith(label)) {
        String digits = line.substring(label.length()).strip().split(" ", 2)[0];
        return digits.matches("\\d{1,18}")
            ? OptionalLong.of(Long.parseLong(digits))
            : OptionalLong.empty();
      }
    }
    return OptionalLong.empty();
  }

  /** None if there is no such file. */
  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      // Not every system has these files.
      return List.of();
    }
  }

  /** A path as mountinfo writes it. */
  private static String unescaped(String text) {
    return ESCAPE
        .matcher(text)
        .replaceAll(match ->
            Matcher.quoteReplacement(Character.toString(Integer.parseInt(match.group(1), 8))));
  }
}
