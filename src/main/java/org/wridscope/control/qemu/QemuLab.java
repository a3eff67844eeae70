// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.Folder;
import org.wridscope.host.Processor;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;

/**
 * Two QEMUs on this machine: a guest that counts runs in the first one, and the second one waits
 * for it. Both share their RAM in files, so that a migration by this program's engine can take and
 * fill it. Not thread-safe.
 */
public final class QemuLab implements AutoCloseable {
  /** That of the machines: this machine's, or another one if there is no guest for that. */
  static final Processor PROCESSOR =
      Processor.HERE == Processor.OTHER ? Processor.X86_64 : Processor.HERE;

  /** The QEMU that has them. */
  public static final String PROGRAM = PROCESSOR.qemu();

  /** Debian's package with it. */
  public static final String PACKAGE = PROCESSOR.qemuPackage();

  private static final Logger LOG = LoggerFactory.getLogger(QemuLab.class);

  /** The firmware takes a second, and long where this machine itself is emulated. */
  private static final Duration BOOT = Duration.ofMinutes(3);

  private static final Duration CONNECT = Duration.ofSeconds(60);
  private static final long SLICE_MILLIS = 20;
  private static final String SOURCE = "source";
  private static final String DESTINATION = "destination";

  private final CounterGuest guest;
  private final boolean keep;
  private final Path program;
  private final Path folder;
  private @Nullable LabQemu source;
  private @Nullable LabQemu destination;
  private boolean started;

  /**
   * Creates the folder of the QEMUs; starts nothing.
   *
   * @param program a {@link #PROGRAM}
   * @param keep whether both QEMUs continue after this lab, and after this process
   */
  public QemuLab(Path program, CounterGuest guest, boolean keep) throws IOException {
    this.program = program;
    this.guest = guest;
    this.keep = keep;
    folder = Folder.inMemory("wridscope-qemu-", 0);
  }

  /**
   * Starts both QEMUs, and waits until the guest counts.
   *
   * @throws IOException if a QEMU ends at once, or the guest does not count in time; one sentence
   */
  public void start() throws IOException, InterruptedException {
    List<String> machine = guest.boot(PROCESSOR, folder.resolve("guest.img"));
    source = LabQemu.start(program, folder, SOURCE, machine, guest.ramBytes(), keep, List.of());
    destination =
        LabQemu.start(
            program,
            folder,
            DESTINATION,
            machine,
            guest.ramBytes(),
            keep,
            List.of("-incoming", "defer"));
    long begin = System.nanoTime();
    while (!destination.listens() || source.written().isEmpty()) {
      source.requireAlive();
      destination.requireAlive();
      if (System.nanoTime() - begin >= BOOT.toNanos()) {
        throw new IOException(
            "The guest did not begin to count within %d s; try again when the machine has less to do."
                .formatted(BOOT.toSeconds()));
      }
      Thread.sleep(SLICE_MILLIS);
    }
    started = true;
  }

  /** The program, in one of the folders of {@code PATH}; empty if it is not installed. */
  public static Optional<Path> program(String path) {
    return program(PROGRAM, path);
  }

  static Optional<Path> program(String name, String path) {
    return Stream.of(path.split(File.pathSeparator))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Whether both QEMUs were started, and the guest counted. */
  public boolean isStarted() {
    return started;
  }

  /** Whether both QEMUs continue after this lab. */
  public boolean isKept() {
    return keep;
  }

  /** Where the QEMU accepts QMP in which the guest runs first; known before the start. */
  public QmpAddress sourceAddress() {
    return LabQemu.address(folder, SOURCE);
  }

  /** Where the QEMU that waits accepts QMP; known before the start. */
  public QmpAddress destinationAddress() {
    return LabQemu.address(folder, DESTINATION);
  }

  /** The QEMU in which the guest runs first; after {@link #start}. */
  public LabQemu source() {
    return started(source);
  }

  /** The QEMU that waits; after {@link #start}. */
  public LabQemu destination() {
    return started(destination);
  }

  private static LabQemu started(@Nullable LabQemu qemu) {
    if (qemu == null) {
      throw new IllegalStateException("the QEMUs were not started");
    }
    return qemu;
  }

  /** Where the guest counts now; waits until that is seen. After {@link #start}. */
  public Counting counting() throws IOException, InterruptedException {
    return Counting.observe(source(), destination());
  }

  /** Begins to watch the guest, which must be busy. After {@link #start}. */
  public CounterWatch watch() throws IOException, InterruptedException {
    return new CounterWatch(source().ram(), destination().ram(), source().processor());
  }

  /** Migrates the guest by QEMU's own engine. After {@link #start}. */
  public void migrate(QemuMigration migration) throws IOException, InterruptedException {
    try (Qmp from = Qmp.connect(sourceAddress(), CONNECT);
        Qmp to = Qmp.connect(destinationAddress(), CONNECT)) {
      var _ = migration.run(new QemuMonitor(from), new QemuMonitor(to));
    }
  }

  /** Ends the output of both serial ports, whose files would grow without end. */
  public void silence() throws IOException, InterruptedException {
    source().silence();
    destination().silence();
  }

  /** The shell command that ends both QEMUs and deletes their files. */
  public String endCommand() {
    return "kill %d %d; rm -rf %s".formatted(source().pid(), destination().pid(), folder);
  }

  /** Ends both QEMUs and deletes their files, unless they are to be kept. */
  @Override
  public void close() {
    if (keep && started) {
      return;
    }
    end(source);
    end(destination);
    try {
      Folder.delete(folder);
    } catch (NoSuchFileException e) {
      LOG.debug("the folder {} is deleted already", folder);
    } catch (IOException e) {
      LOG.warn("the folder {} of the lab cannot be deleted: {}", folder, e.getMessage());
    }
  }

  private static void end(@Nullable LabQemu qemu) {
    if (qemu != null) {
      qemu.close();
    }
  }
}
