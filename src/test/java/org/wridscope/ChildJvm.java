// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Commands that start JVMs with the classes of this one. Loading and verifying them takes a third
 * of such a process's time, and half a minute on an emulated processor, so that an archive of them
 * is used: the one that {@code lab/softroce} gave to this JVM, or the one of a whole run of the
 * tests, which the first that needs it makes.
 */
public final class ChildJvm {
  /** A property: the folder of the archive, empty for none; {@code ./check} empties the folder. */
  private static final String FOLDER = "wridscope.test.archive";

  /** For making the archive. */
  private static final long LIMIT_SECONDS = 180;

  private static final String ARCHIVE = "-XX:SharedArchiveFile=";

  private static @Nullable Classes classes;

  private ChildJvm() {}

  /**
   * The words of a command, to which arguments can be added.
   *
   * @param options of the JVM, such as {@code -Xmx64m}
   */
  public static List<String> command(Class<?> main, String... options) {
    var command = new ArrayList<String>();
    command.add(java());
    command.addAll(List.of(options));
    command.addAll(common());
    command.addAll(archive());
    command.addAll(List.of("-cp", classPath()));
    command.add(main.getName());
    return command;
  }

  /** The classes of this JVM, in jars where an archive needs them. */
  public static String classPath() {
    return classes().path();
  }

  /** The option with which a JVM with this class path uses the archive, if there is one. */
  public static List<String> archive() {
    return classes().archive();
  }

  private record Classes(List<String> archive, String path) {}

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

  private static synchronized Classes classes() {
    if (classes == null) {
      String own = System.getProperty("java.class.path");
      String folder = System.getProperty(FOLDER, "");
      List<String> given =
          ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
              .filter(option -> option.startsWith(ARCHIVE))
              .toList();
      try {
        classes =
            given.isEmpty() && !folder.isEmpty()
                ? made(Files.createDirectories(Path.of(folder)), own)
                : new Classes(given, own);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return classes;
  }

  /** An archive needs jars instead of folders. */
  private static Classes made(Path folder, String own) throws IOException {
    Path archive = folder.resolve("classes.jsa");
    var path = new ArrayList<String>();
    try (var lock =
            FileChannel.open(
                folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = lock.lock()) {
      for (String entry : own.split(":")) {
        Path jar = folder.resolve(Path.of(entry).getFileName() + ".jar");
        boolean packed = Files.isDirectory(Path.of(entry));
        if (packed && !Files.exists(archive)) {
          pack(Path.of(entry), jar);
        }
        path.add(packed ? jar.toString() : entry);
      }
      if (!Files.exists(archive)) {
        dump(archive, String.join(":", path));
      }
    }
    return new Classes(List.of(ARCHIVE + archive), String.join(":", path));
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
