// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Commands that start JVMs with the classes of this one. Loading and verifying them takes a third
 * of such a process's time, and half a minute on an emulated processor, so that an archive of them
 * is used: the one that {@code lab/softroce} gave to this JVM, or the one of a whole run of the
 * tests, which the first that needs it makes meanwhile.
 */
public final class ChildJvm {
  /** A property: the folder of the archive, empty for none; {@code ./check} empties the folder. */
  private static final String FOLDER = "wridscope.test.archive";

  /** For making the archive. */
  private static final long LIMIT_SECONDS = 180;

  private static final String ARCHIVE = "-XX:SharedArchiveFile=";
  private static final String NAME = "classes.jsa";

  private static @Nullable Classes classes;

  private ChildJvm() {}

  /**
   * The words of a command, to which arguments can be added.
   *
   * @param options of the JVM, such as {@code -Xmx64m}
   */
  public static List<String> command(Class<?> main, String... options) {
    Classes classes = classes();
    var command = new ArrayList<String>();
    command.add(java());
    command.addAll(List.of(options));
    command.addAll(common());
    command.addAll(classes.archive());
    command.addAll(List.of("-cp", classes.path()));
    command.add(main.getName());
    return command;
  }

  /**
   * The classes of this JVM.
   *
   * @param archive the option with which a JVM with this class path uses the archive; none as long
   *     as it is being made
   * @param path in jars where an archive needs them
   */
  public record Classes(List<String> archive, String path) {}

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static List<String> common() {
    return List.of(
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        // What runs for seconds is rarely worth being compiled.
        "-XX:CompileThresholdScaling=3",
        "-Xlog:disable",
        "-Dwridscope.practice=false",
        "--enable-native-access=ALL-UNNAMED");
  }

  /** The classes for the next child. */
  public static synchronized Classes classes() {
    if (classes == null) {
      String own = System.getProperty("java.class.path");
      String folder = System.getProperty(FOLDER, "");
      List<String> given =
          ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
              .filter(option -> option.startsWith(ARCHIVE))
              .toList();
      if (!given.isEmpty() || folder.isEmpty()) {
        classes = new Classes(given, own);
      } else if (Files.exists(Path.of(folder, NAME))) {
        classes =
            new Classes(List.of(ARCHIVE + Path.of(folder, NAME)), inJars(Path.of(folder), own));
      } else {
        makeOnce(Path.of(folder), own);
        return new Classes(List.of(), own);
      }
    }
    return classes;
  }

  /** Only one of all JVMs makes the archive, and no test waits for that. */
  private static void makeOnce(Path folder, String own) {
    try {
      Files.createDirectories(folder.getParent());
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException e) {
      return;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofPlatform().daemon().name("archive").start(() -> make(folder, own));
  }

  private static void make(Path folder, String own) {
    try {
      for (String entry : own.split(":")) {
        if (Files.isDirectory(Path.of(entry))) {
          pack(Path.of(entry), jar(folder, entry));
        }
      }
      dump(folder.resolve(NAME), inJars(folder, own));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path jar(Path folder, String entry) {
    return folder.resolve(Path.of(entry).getFileName() + ".jar");
  }

  /** An archive needs jars instead of folders. */
  private static String inJars(Path folder, String classPath) {
    return Arrays.stream(classPath.split(":"))
        .map(entry -> Files.isDirectory(Path.of(entry)) ? jar(folder, entry).toString() : entry)
        .collect(Collectors.joining(":"));
  }

  private static void pack(Path folder, Path jar) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        var zip = new ZipOutputStream(file);
        Stream<Path> files = Files.walk(folder)) {
      zip.setLevel(Deflater.BEST_SPEED);
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        zip.putNextEntry(new ZipEntry(folder.relativize(each).toString()));
        Files.copy(each, zip);
      }
    }
  }

  private static void dump(Path archive, String classPath) throws IOException {
    Path written = archive.resolveSibling("new.jsa");
    var command = new ArrayList<>(List.of(java(), "-XX:ArchiveClassesAtExit=" + written));
    command.addAll(common());
    command.addAll(List.of("-cp", classPath, Archived.class.getName()));
    Path output = archive.resolveSibling("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || !Files.exists(written)) {
        throw new IOException("no archive of classes was made: " + Files.readString(output));
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    } finally {
      process.destroyForcibly();
    }
    Files.move(written, archive, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Does what children do: migrates a QEMU if one is installed, and shows a migration. */
  static final class Archived {
    private Archived() {}

    public static void main(String[] arguments) {
      System.setProperty("glass.platform", "Unseen");
      System.setProperty("prism.order", "sw");
      Rehearsal.main(arguments);
    }
  }
}
