// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.Folder;
import org.wridscope.process.NamedPipe;
import org.wridscope.qmp.QemuDiscovery;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.recording.qemu.LiveImport;

/**
 * The trace log of a running QEMU, switched on into a pipe of this process. {@link #putBack} makes
 * everything as before.
 */
final class TraceSwitch {
  private static final Logger LOG = LoggerFactory.getLogger(TraceSwitch.class);

  private static final String STANDARD_ERROR = "/dev/stderr";
  private static final int STANDARD_ERROR_NUMBER = 2;
  private static final String NOTHING = "/dev/null";

  /** QEMU closes its former log when no thread uses it any more. */
  private static final Duration CLOSING = Duration.ofMillis(300);

  private static final Pattern WRITE_ONLY = Pattern.compile("flags:\\s+[0-7]*[15]");

  private static final Duration LOOK = Duration.ofMillis(10);

  private final ChangedTraces notes;
  private final ChangedTrace changed;
  private final NamedPipe pipe;
  private final boolean waits;
  private final Set<String> unknown;

  private TraceSwitch(
      ChangedTraces notes,
      ChangedTrace changed,
      NamedPipe pipe,
      boolean waits,
      Set<String> unknown) {
    this.notes = notes;
    this.changed = changed;
    this.pipe = pipe;
    this.waits = waits;
    this.unknown = unknown;
  }

  /**
   * Switches the trace log on.
   *
   * @throws IOException when that is not possible, with one sentence; everything is as before then
   */
  static TraceSwitch on(QemuMonitor monitor, ChangedTraces notes)
      throws IOException, InterruptedException {
    QmpAddress address = monitor.qmp().address();
    var discovery = new QemuDiscovery();
    OptionalLong pid = discovery.pidOf(address);
    Optional<ProcessHandle> process =
        pid.isPresent() ? ProcessHandle.of(pid.getAsLong()) : Optional.empty();
    if (process.isEmpty()) {
      throw new IOException(
          "The QEMU at %s has no process on this machine that this user may look into, and its log can be read only there; run Wridscope on its host, as the user of that QEMU or as root."
              .formatted(address));
    }
    var qemu = ChangedTrace.Running.of(process.get());
    putBackFormer(monitor, notes, qemu);
    var unknown = new TreeSet<String>();
    List<String> events = events(monitor, address, unknown);
    Map<Integer, String> before = descriptors(qemu.pid());
    NamedPipe pipe = NamedPipe.create(directory().resolve("trace"));
    var changed =
        new ChangedTrace(
            address,
            qemu,
            ChangedTrace.Running.of(ProcessHandle.current()),
            pipe.path(),
            discovery.logFileOf(qemu.pid()).map(Path::toString).orElse(STANDARD_ERROR),
            events);
    try {
      notes.put(changed);
      changed = redirect(monitor, notes, changed, before);
      boolean neverWaits = pipe.release(qemu.pid());
      for (String event : events) {
        monitor.setTraceEvent(event, true);
      }
      return new TraceSwitch(notes, changed, pipe, !neverWaits, unknown);
    } catch (IOException | InterruptedException | RuntimeException e) {
      new TraceSwitch(notes, changed, pipe, true, unknown).undo(monitor);
      throw e;
    }
  }

  /** Puts back what a process that was killed has left, which is not what was before. */
  private static void putBackFormer(
      QemuMonitor monitor, ChangedTraces notes, ChangedTrace.Running qemu)
      throws IOException, InterruptedException {
    for (ChangedTrace former : notes.all()) {
      if (former.qemu().equals(qemu)) {
        if (former.watcher().isAlive()) {
          throw new IOException(
              "The QEMU at %s is watched by process %d already; end that first."
                  .formatted(former.address(), former.watcher().pid()));
        }
        former.putBack(monitor);
        notes.remove(former);
        former.deletePipe();
      }
    }
  }

  /**
   * The events that are to be switched on.
   *
   * @param unknown takes those that look like ones of RDMA, but are not known here
   */
  private static List<String> events(QemuMonitor monitor, QmpAddress address, Set<String> unknown)
      throws IOException, InterruptedException {
    if (!monitor.logsTraceEvents()) {
      throw new IOException(
          "The QEMU at %s was built without the log back end for trace events, so there is nothing to watch."
              .formatted(address));
    }
    var events = new ArrayList<String>();
    for (String pattern : LiveImport.tracePatterns()) {
      monitor
          .traceEvents(pattern)
          .forEach((event, on) -> {
            if (LiveImport.isNew(event)) {
              unknown.add(event);
            } else if (!on && LiveImport.reads(event)) {
              events.add(event);
            }
          });
    }
    return events;
  }

  /** A new directory that only this user can enter. */
  private static Path directory() throws IOException {
    String runtime = System.getenv("XDG_RUNTIME_DIR");
    Path parent =
        Path.of(
            runtime == null || runtime.isEmpty() ? System.getProperty("java.io.tmpdir") : runtime);
    // QEMU's descriptors are named by real paths.
    return Files.createTempDirectory(parent, "wridscope-watch-").toRealPath();
  }

  /** Makes QEMU write its log to the pipe. */
  private static ChangedTrace redirect(
      QemuMonitor monitor, ChangedTraces notes, ChangedTrace changed, Map<Integer, String> before)
      throws IOException, InterruptedException {
    String refusal = monitor.logTo(changed.pipe().toString());
    if (!refusal.isEmpty()) {
      throw new IOException(
          "The QEMU at %s cannot open a pipe of this user (%s): run Wridscope as the user of that QEMU, and if AppArmor or SELinux confine it, allow it to write to %s."
              .formatted(changed.address(), refusal, changed.pipe().getParent()));
    }
    String closed = closedLog(changed.qemu().pid(), before);
    if (closed == null && changed.formerLog().equals(STANDARD_ERROR)) {
      // QEMU cannot open a socket again.
      closed =
          before.getOrDefault(STANDARD_ERROR_NUMBER, "").startsWith("socket:") ? NOTHING : null;
    }
    if (closed == null || closed.equals(changed.formerLog())) {
      return changed;
    }
    ChangedTrace known = changed.withFormerLog(closed);
    notes.put(known);
    return known;
  }

  /** The file that QEMU has closed because it writes its log to another one; null for none. */
  private static @Nullable String closedLog(long pid, Map<Integer, String> before)
      throws InterruptedException {
    long limit = System.nanoTime() + CLOSING.toNanos();
    while (!before.isEmpty() && System.nanoTime() < limit) {
      Map<Integer, String> now = descriptors(pid);
      for (Map.Entry<Integer, String> one : before.entrySet()) {
        if (one.getValue().startsWith("/") && !one.getValue().equals(now.get(one.getKey()))) {
          return one.getValue().replaceFirst(" \\(deleted\\)$", "");
        }
      }
      Thread.sleep(LOOK);
    }
    return null;
  }

  /**
   * The files to which a process may write its log, by their descriptors: those that it can only
   * write, and its standard error. Empty if this user may not see them.
   */
  private static Map<Integer, String> descriptors(long pid) {
    Map<Integer, String> found = new HashMap<>();
    Path folder = Path.of("/proc", Long.toString(pid));
    try {
      for (Path each : Folder.entries(folder.resolve("fd"))) {
        String number = String.valueOf(each.getFileName());
        try {
          if (number.equals("" + STANDARD_ERROR_NUMBER)
              || isWriteOnly(folder.resolve("fdinfo").resolve(number))) {
            found.put(Integer.valueOf(number), Files.readSymbolicLink(each).toString());
          }
        } catch (IOException e) {
          // It was closed meanwhile.
        }
      }
    } catch (IOException e) {
      LOG.debug("the files of process {}: {}", pid, e.getMessage());
    }
    return found;
  }

  /** See proc_pid_fdinfo(5): the flags of open(2) are octal. */
  private static boolean isWriteOnly(Path info) throws IOException {
    return Files.readAllLines(info, StandardCharsets.ISO_8859_1).stream()
        .anyMatch(line -> WRITE_ONLY.matcher(line).matches());
  }

  /** The pipe to which QEMU writes. */
  NamedPipe pipe() {
    return pipe;
  }

  /** Where QEMU's log went before, and will go again. */
  String formerLog() {
    return changed.formerLog();
  }

  /** Trace events of this QEMU's RDMA migration that are not known here; they stay off. */
  Set<String> unknown() {
    return unknown;
  }

  /** Whether QEMU would wait while the pipe is full. */
  boolean waits() {
    return waits;
  }

  /** Makes everything as before, and closes the pipe; logs what fails. */
  void undo(QemuMonitor monitor) throws InterruptedException {
    try {
      putBack(monitor);
      pipe.close();
    } catch (IOException e) {
      LOG.warn("the log of {} was not put back: {}", changed.address(), e.getMessage());
    }
  }

  /**
   * Makes everything as before; QEMU then closes the pipe.
   *
   * @throws IOException when QEMU refuses or does not answer, with one sentence; the note remains
   */
  void putBack(QemuMonitor monitor) throws IOException, InterruptedException {
    changed.putBack(monitor);
    forget();
  }

  /**
   * The same over a connection of its own, unless QEMU has ended.
   *
   * @throws IOException when QEMU refuses or does not answer, with one sentence; the note remains
   */
  void putBack() throws IOException, InterruptedException {
    if (changed.qemu().isAlive()) {
      changed.putBack();
    }
    forget();
  }

  private void forget() throws IOException {
    notes.remove(changed);
    changed.deletePipe();
  }
}
