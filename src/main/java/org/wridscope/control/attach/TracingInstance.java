// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.Folder;

/**
 * A trace of our own, so that nothing of the user's tracing is touched: a directory in {@code
 * instances}, and events in a group with the same name, which has the number of our process.
 */
final class TracingInstance {
  private static final Logger LOG = LoggerFactory.getLogger(TracingInstance.class);

  private static final Pattern NAME = Pattern.compile("wridscope_(\\d{1,18})_\\d+");
  private static final String TRIGGER = "/trigger";
  private static final String ACTIVE = "[active]";

  /** A trigger that uses variables of others is removed before them. */
  private static final String USES_OTHERS = ":onmatch(";

  /** Options that decide what lines look like; a new instance takes them over from the user. */
  private static final Map<String, Boolean> OPTIONS =
      Map.ofEntries(
          Map.entry("context-info", true),
          Map.entry("irq-info", true),
          Map.entry("markers", true),
          Map.entry("overwrite", true),
          Map.entry("event-fork", true),
          Map.entry("record-tgid", false),
          Map.entry("annotate", false),
          Map.entry("verbose", false),
          Map.entry("latency-format", false),
          Map.entry("raw", false),
          Map.entry("hex", false),
          Map.entry("bin", false),
          Map.entry("fields", false));

  /** Of the buffer of each processor. */
  private static final int BUFFER_KIB = 4096;

  private final Tracefs tracefs;
  private final String name;

  private TracingInstance(Tracefs tracefs, String name) {
    this.tracefs = tracefs;
    this.name = name;
  }

  /** Makes one. */
  static TracingInstance create(Tracefs tracefs) throws IOException {
    for (int number = 1; ; number++) {
      String name = "wridscope_%d_%d".formatted(ProcessHandle.current().pid(), number);
      try {
        Files.createDirectory(tracefs.resolve("instances/" + name));
        return new TracingInstance(tracefs, name);
      } catch (FileAlreadyExistsException e) {
        // another attachment of this process
      }
    }
  }

  /** Removes those of processes that were killed; their probes still slow down every program. */
  static void removeLeftover() {
    try {
      Optional<Tracefs> tracefs = Tracefs.mounted();
      if (tracefs.isPresent()) {
        removeLeftover(tracefs.get());
      }
    } catch (IOException e) {
      LOG.warn("what was left behind cannot be looked for: {}", e.getMessage());
    }
  }

  private static void removeLeftover(Tracefs tracefs) throws IOException {
    for (String name : tracefs.directories("instances")) {
      Matcher of = NAME.matcher(name);
      if (of.matches()
          && ProcessHandle.of(Long.parseLong(of.group(1)))
              .filter(ProcessHandle::isAlive)
              .isEmpty()) {
        LOG.info("{} was left behind by a Wridscope that was killed", name);
        new TracingInstance(tracefs, name).remove();
      }
    }
  }

  /** The name of the group of its events, and of its synthetic event. */
  String name() {
    return name;
  }

  /** The file of lines, each of which is read once. */
  Path pipe() {
    return tracefs.resolve(file("trace_pipe"));
  }

  private String file(String inside) {
    return "instances/%s/%s".formatted(name, inside);
  }

  private String event(String event) {
    return file("events/%s/%s".formatted(name, event));
  }

  /** Makes the events; nothing is traced yet. */
  void define(UprobeEvents events) throws IOException {
    for (Map.Entry<String, Boolean> option : OPTIONS.entrySet()) {
      String file = file("options/" + option.getKey());
      if (Files.exists(tracefs.resolve(file))) {
        tracefs.write(file, option.getValue() ? "1" : "0");
      }
    }
    // The clock of System.nanoTime().
    tracefs.write(file("trace_clock"), "mono");
    tracefs.write(file("buffer_size_kb"), Integer.toString(BUFFER_KIB));
    for (String definition : events.definitions()) {
      tracefs.write(Tracefs.UPROBES, definition);
    }
    tracefs.write(Tracefs.SYNTHETIC, events.synthetic());
    for (Map.Entry<String, String> trigger : events.triggers().entrySet()) {
      tracefs.write(event(trigger.getKey()) + TRIGGER, trigger.getValue());
    }
  }

  /** Traces only the threads of a process, and those that they start. */
  void follow(long pid) throws IOException {
    Set<String> followed = new HashSet<>();
    boolean more = true;
    while (more) {
      // A thread that begins is followed if the one that starts it is.
      more = false;
      for (Path task : Folder.entries(Path.of("/proc/" + pid + "/task"))) {
        String thread = task.getFileName().toString();
        if (followed.add(thread)) {
          more = true;
          tracefs.write(file("set_event_pid"), thread);
        }
      }
    }
  }

  /** Places the probes and begins to trace. */
  void enable(UprobeEvents events) throws IOException {
    String condition = events.condition();
    String synthetic = file("events/synthetic/" + name);
    if (!condition.isEmpty()) {
      tracefs.write(synthetic + "/filter", condition);
      for (String event : events.printed()) {
        if (UprobeEvents.isFiltered(event)) {
          tracefs.write(event(event) + "/filter", condition);
        }
      }
    }
    tracefs.write(file("events/task/task_newtask/enable"), "1");
    tracefs.write(synthetic + "/enable", "1");
    for (String event : events.printed()) {
      tracefs.write(event(event) + "/enable", "1");
    }
  }

  /** Writes a line into the trace. */
  void mark(String text) throws IOException {
    tracefs.write(file("trace_marker"), text);
  }

  /** Writes the last line. Whoever reads the trace reads it, or that there is nothing more. */
  void end(String text) throws IOException {
    try {
      mark(text);
    } finally {
      tracefs.write(file("tracing_on"), "0");
    }
  }

  /** Removes the probes; what they saw can still be read. */
  void disable() throws IOException {
    removeTriggers();
    tracefs.write(file("events/enable"), "0");
  }

  /**
   * Removes everything. What cannot be removed is logged, and removed by a later attachment when
   * this process has ended.
   */
  void remove() {
    attempt(this::disable);
    attempt(() -> {
      Pattern own = Pattern.compile("[pr]\\d*:(%s/\\S+) .*".formatted(name));
      for (String line : tracefs.lines(Tracefs.UPROBES)) {
        Matcher of = own.matcher(line);
        if (of.matches()) {
          tracefs.write(Tracefs.UPROBES, "-:" + of.group(1));
        }
      }
    });
    attempt(() -> {
      for (String line : tracefs.lines(Tracefs.SYNTHETIC)) {
        if (line.split("\\s", 2)[0].equals(name)) {
          tracefs.write(Tracefs.SYNTHETIC, "!" + name);
        }
      }
    });
    attempt(() -> Files.delete(tracefs.resolve(file(""))));
  }

  private void removeTriggers() throws IOException {
    Map<Boolean, List<String[]>> triggers =
        Map.of(true, new ArrayList<>(), false, new ArrayList<>());
    for (String event : tracefs.directories(file("events/" + name))) {
      for (String line : tracefs.lines(event(event) + TRIGGER)) {
        if (line.startsWith("hist:")) {
          String trigger = line.replace(ACTIVE, "").strip();
          triggers
              .getOrDefault(line.contains(USES_OTHERS), new ArrayList<>())
              .add(new String[] {event, trigger});
        }
      }
    }
    for (boolean uses : List.of(true, false)) {
      for (String[] each : triggers.getOrDefault(uses, List.of())) {
        tracefs.write(event(each[0]) + TRIGGER, "!" + each[1]);
      }
    }
  }

  /** Something to try, whether or not it succeeds. */
  @FunctionalInterface
  private interface Attempt {
    void run() throws IOException;
  }

  private void attempt(Attempt removal) {
    try {
      removal.run();
    } catch (IOException e) {
      LOG.warn("a part of the trace {} could not be removed: {}", name, e.getMessage());
    }
  }
}
