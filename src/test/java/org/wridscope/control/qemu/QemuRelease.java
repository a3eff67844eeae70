// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.host.Processor;

/**
 * A QEMU of a PC with which tests are run: that of this machine, or one of another release.
 *
 * @param version for example {@code 10.0}
 * @param program the path of its {@code qemu-system-x86_64}
 */
public record QemuRelease(String version, String program) implements Serializable {
  /**
   * The folders with the QEMUs of other releases, separated as in {@code PATH}. {@code ./check} and
   * {@code lab/nightly} set it; see {@code release_qemu} in {@code lab/releases.sh}.
   */
  private static final String OTHERS = "WRIDSCOPE_QEMUS";

  private static final String PROGRAM = Processor.X86_64.qemu();
  private static final Pattern VERSION =
      Pattern.compile("QEMU emulator version (\\d+\\.\\d+)\\..*");

  /** The QEMU of this machine, if it has one. */
  public static Optional<QemuRelease> installed() {
    return QemuLab.program(PROGRAM, System.getenv().getOrDefault("PATH", "")).map(QemuRelease::of);
  }

  /** The QEMU of this machine, if it has one, and those of other releases. */
  public static List<QemuRelease> all() {
    var all = new ArrayList<QemuRelease>(installed().stream().toList());
    String others = System.getenv().getOrDefault(OTHERS, "");
    for (String folder : others.split(File.pathSeparator)) {
      if (!folder.isEmpty()) {
        QemuRelease other = of(Path.of(folder, PROGRAM));
        if (all.stream().noneMatch(known -> known.version.equals(other.version))) {
          all.add(other);
        }
      }
    }
    return all;
  }

  private static QemuRelease of(Path program) {
    try {
      Process process = new ProcessBuilder(program.toString(), "--version").start();
      try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
        String line = lines.readLine();
        Matcher version = VERSION.matcher(line == null ? "" : line);
        if (!version.matches()) {
          throw new IOException("%s --version says: %s".formatted(program, line));
        }
        return new QemuRelease(version.group(1), program.toString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The folder of the program. */
  public String folder() {
    return String.valueOf(Path.of(program).getParent());
  }

  /** For {@code PATH}, so that this QEMU is found first. */
  public String first() {
    return folder() + File.pathSeparator + System.getenv().getOrDefault("PATH", "");
  }

  /** The number by which releases are compared, for example 10. */
  public int major() {
    return Integer.parseInt(version.substring(0, version.indexOf('.')));
  }

  /**
   * The type of machine that both have, and the older one calls its own.
   *
   * @param family {@code pc} or {@code q35}
   */
  public String machine(String family, QemuRelease other) {
    QemuRelease older = major() <= other.major() ? this : other;
    return "%s-%s".formatted(family.equals("pc") ? "pc-i440fx" : "pc-" + family, older.version);
  }

  @Override
  public String toString() {
    return version;
  }
}
