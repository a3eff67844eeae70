// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * How a virtual machine starts the program.
 *
 * @param java the virtual machine
 * @param options of the virtual machine
 */
public record ProgramLaunch(Path java, List<String> options, String classPath) {

  /**
   * This program as it was started, but without a cache.
   *
   * @throws IllegalArgumentException if it does not run from a jar
   */
  public static ProgramLaunch ofThisProgram() {
    String classPath = System.getProperty("java.class.path");
    if (!classPath.endsWith(".jar") || classPath.contains(File.pathSeparator)) {
      throw new IllegalArgumentException(
          "--start: this program does not run from its jar, and there is a cache only for a jar;"
              + " use ./wridscope or an installed one.");
    }
    List<String> options =
        asStarted().options.stream()
            .filter(option ->
                !option.startsWith("-Xlog")
                    && !option.contains("AOT")
                    && !option.contains("Archive"))
            .toList();
    return new ProgramLaunch(virtualMachine(), options, classPath);
  }

  /** This program as it was started, with a cache if it has one. */
  public static ProgramLaunch asStarted() {
    return new ProgramLaunch(
        virtualMachine(),
        ManagementFactory.getRuntimeMXBean().getInputArguments(),
        System.getProperty("java.class.path"));
  }

  private static Path virtualMachine() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /**
   * The same with the cache beside the jar, without which the virtual machine then does not start.
   *
   * @throws IllegalArgumentException if there is no cache
   */
  public ProgramLaunch cached() {
    Path cache = Path.of(classPath.replaceFirst("\\.jar$", ".aot"));
    if (!Files.isReadable(cache)) {
      throw new IllegalArgumentException(
          "--start: there is no cache %s; 'packaging/aot-cache %s %s %s' makes it."
              .formatted(cache, java, classPath, cache));
    }
    return with(List.of("-XX:AOTCache=" + cache, "-XX:AOTMode=on"));
  }

  ProgramLaunch with(List<String> more) {
    return new ProgramLaunch(
        java, Stream.concat(options.stream(), more.stream()).toList(), classPath);
  }

  List<String> command(String main, String... arguments) {
    var command = new ArrayList<String>();
    command.add(java.toString());
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(List.of(arguments));
    return command;
  }
}
