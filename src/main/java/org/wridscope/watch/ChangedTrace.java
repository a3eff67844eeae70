// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.text.Legible;

/**
 * What was changed in a QEMU so that its trace log can be watched, and what was before.
 *
 * @param address where it accepts QMP
 * @param qemu its process
 * @param watcher the process that watches it
 * @param pipe to which it writes its log
 * @param formerLog the file of its log before
 * @param events that are on and were off before
 */
record ChangedTrace(
    QmpAddress address,
    Running qemu,
    Running watcher,
    Path pipe,
    String formerLog,
    List<String> events) {
  private static final Gson GSON = new Gson();
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

  /**
   * A process that may have ended.
   *
   * @param start milliseconds since 1970, 0 if not known; tells it from a later one with its id
   */
  record Running(long pid, long start) {
    static Running of(ProcessHandle process) {
      return new Running(
          process.pid(), process.info().startInstant().map(Instant::toEpochMilli).orElse(0L));
    }

    boolean isAlive() {
      return ProcessHandle.of(pid)
          .filter(process -> process.isAlive() && of(process).equals(this))
          .isPresent();
    }
  }

  /** The same in JSON. */
  private record Stored(
      @Nullable String address,
      @Nullable Running qemu,
      @Nullable Running watcher,
      @Nullable String pipe,
      @Nullable String formerLog,
      @Nullable List<String> events) {}

  ChangedTrace {
    events = List.copyOf(events);
  }

  ChangedTrace withFormerLog(String log) {
    return new ChangedTrace(address, qemu, watcher, pipe, log, events);
  }

  /**
   * Puts everything back.
   *
   * @throws IOException when QEMU refuses or does not answer; one sentence
   */
  void putBack(QemuMonitor monitor) throws IOException, InterruptedException {
    for (String event : events) {
      monitor.setTraceEvent(event, false);
    }
    String refusal = monitor.logTo(formerLog);
    if (!refusal.isEmpty()) {
      throw new IOException(
          "QEMU cannot open its former log %s: %s".formatted(Legible.of(formerLog), refusal));
    }
  }

  /**
   * The same over a connection of its own.
   *
   * @throws IOException when QEMU refuses or does not answer; one sentence
   */
  void putBack() throws IOException, InterruptedException {
    try (Qmp qmp = Qmp.connect(address, CONNECT_LIMIT)) {
      putBack(new QemuMonitor(qmp));
    }
  }

  /** Deletes the pipe and its directory. */
  void deletePipe() throws IOException {
    Files.deleteIfExists(pipe);
    Path directory = pipe.getParent();
    if (directory != null) {
      Files.deleteIfExists(directory);
    }
  }

  String toJson() {
    return GSON.toJson(
        new Stored(address.toString(), qemu, watcher, pipe.toString(), formerLog, events));
  }

  /**
   * @throws IOException when the text is no such note
   */
  static ChangedTrace ofJson(String text) throws IOException {
    try {
      Stored stored = GSON.fromJson(text, Stored.class);
      if (stored == null
          || stored.address == null
          || stored.qemu == null
          || stored.watcher == null
          || stored.pipe == null
          || stored.formerLog == null
          || stored.events == null) {
        throw new IOException("a member is missing");
      }
      return new ChangedTrace(
          QmpAddress.parse(stored.address),
          stored.qemu,
          stored.watcher,
          Path.of(stored.pipe),
          stored.formerLog,
          stored.events);
    } catch (JsonParseException | InvalidPathException e) {
      throw new IOException(e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new IOException("its address is not valid", e);
    }
  }
}
