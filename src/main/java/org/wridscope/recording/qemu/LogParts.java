// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Explanation;
import org.wridscope.analysis.meaning.Explanation.Weight;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.recording.file.RecordingException;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/**
 * Divides a text into the consoles of both ends, and into the starts of a QEMU: a mail may quote
 * both consoles one after another, and libvirt appends each start of a domain to one file.
 */
final class LogParts {
  /** Further ones count as part of the last one. */
  private static final int MOST = 256;

  private static final String HOW_TO_SPLIT =
      "Put the lines of each end into a file of its own, or write a line \"source:\" or"
          + " \"destination:\" before those of each end.";

  /** All lines as one log. */
  private final LogFacts all = new LogFacts();

  private final List<Part> parts = new ArrayList<>();

  /** By the process that printed them, if that is shown. */
  private final Map<String, Part> byProcess = new HashMap<>();

  private Part present = new Part("");

  /** How often only a sentence showed that the lines of the other end begin. */
  private int doubtful;

  LogParts() {
    parts.add(present);
  }

  /** Lines of one QEMU. */
  private static final class Part {
    private final String process;
    private final LogFacts facts = new LogFacts();
    private final LineSet lines = new LineSet();

    /** Whether libvirt says that it starts. */
    private boolean start;

    private boolean command;
    private boolean greeted;

    /** Whether it has anything but what stands at the beginning. */
    private boolean spoken;

    /** Whether it has printed what a destination prints last. */
    private boolean over;

    Part(String process) {
      this.process = process;
    }

    @Nullable Role end() {
      return facts.end();
    }
  }

  /** Adds the next line. */
  void add(QemuLine line, long number) {
    all.add(line);
    String text = QemuConsole.message(line.isEvent() ? line.before() : line.text());
    String process = QemuConsole.process(line.isEvent() ? line.before() : line.text());
    if (!process.isEmpty() && !process.equals(present.process)) {
      present = byProcess.computeIfAbsent(process, this::begin);
    } else if (parts.size() < MOST && begins(line, text)) {
      present = begin("");
    }
    note(line, text);
    present.facts.add(line);
    present.lines.add(number);
  }

  private Part begin(String process) {
    if (parts.size() >= MOST) {
      return present;
    }
    var part = new Part(process);
    parts.add(part);
    return part;
  }

  /** Whether the line is the first one of another QEMU. */
  private boolean begins(QemuLine line, String text) {
    if (line.isEvent()) {
      return false;
    }
    boolean begun = present.spoken || present.greeted || present.command;
    if (QemuConsole.heading(text) != null) {
      return present.lines.isAny();
    }
    if (QemuConsole.isStart(text)) {
      return begun || present.start;
    }
    if (QemuConsole.isCommandLine(text)) {
      return begun;
    }
    if (QemuConsole.isGreeting(text)) {
      return present.spoken || present.greeted;
    }
    String said = QemuConsole.withoutPrompt(text);
    if (present.facts.isTraced() || !QemuConsole.mayBeSaid(said)) {
      return false;
    }
    Explanation explanation = Meanings.ofLine(said);
    if (explanation.weight() == Weight.NOTICE) {
      return false;
    }
    Role known = present.facts.printedEnd();
    boolean other = explanation.end() != null && known != null && explanation.end() != known;
    if (present.over) {
      return other || QemuConsole.isComplaint(said);
    }
    if (other) {
      doubtful++;
    }
    return other;
  }

  private void note(QemuLine line, String text) {
    if (line.isEvent()) {
      present.spoken = true;
    } else if (QemuConsole.isStart(text)) {
      present.start = true;
    } else if (QemuConsole.isCommandLine(text)) {
      present.command = true;
    } else if (QemuConsole.isGreeting(text)) {
      present.greeted = true;
    } else {
      present.spoken |= QemuConsole.isComplaint(QemuConsole.withoutPrompt(text));
      present.over |= text.contains("load of migration failed");
    }
  }

  /** Whether the rest of the file need not be read. */
  boolean isKnown() {
    return all.isKnown();
  }

  /** See {@link QemuLog#of}. */
  List<QemuLog> logs(Path file) throws RecordingException {
    if (!all.isOfRdma()) {
      if (all.isOfQemu()) {
        throw new RecordingException(
            "%s is the console of a QEMU, and shows no migration over RDMA.%s"
                .formatted(
                    file,
                    all.hasError()
                        ? " %s './wridscope explain %s' says what its lines mean."
                            .formatted(all.says(), file)
                        : ""));
      }
      return List.of();
    }
    List<Part> shown = parts.stream().filter(part -> part.facts.isOfRdma()).toList();
    List<Part> starts = parts.stream().filter(part -> part.start).toList();
    if (starts.size() > 1 && shown.getLast().start) {
      return List.of(lastStart(file, shown.getLast(), starts.size()));
    }
    boolean both =
        Arrays.stream(Role.values())
            .allMatch(role -> shown.stream().anyMatch(part -> part.end() == role));
    if (!both) {
      Role end =
          shown.stream().map(Part::end).filter(Objects::nonNull).findFirst().orElse(all.end());
      return List.of(log(file, all, all.end() == null ? end : all.end(), LineSet.ALL, List.of()));
    }
    if (doubtful > 1) {
      throw new RecordingException(
          "%s has lines of a source and of a destination that cannot be told apart. %s"
              .formatted(file, HOW_TO_SPLIT));
    }
    return List.of(ofBoth(file, Role.SOURCE, shown), ofBoth(file, Role.DESTINATION, shown));
  }

  private static QemuLog lastStart(Path file, Part last, int starts) {
    return log(
        file,
        last.facts,
        last.end(),
        last.lines,
        List.of(
            "The log has %s of a QEMU; the last one with a migration over RDMA, from line %d on, is shown."
                .formatted(Format.counted(starts, "start"), last.lines.first())));
  }

  private static QemuLog ofBoth(Path file, Role role, List<Part> shown) {
    List<Part> mine = shown.stream().filter(part -> part.end() == role).toList();
    LineSet lines = LineSet.union(mine.stream().map(part -> part.lines).toList());
    var notes = new ArrayList<String>();
    notes.add(
        "The text has the consoles of both ends; the %s's are its lines %s."
            .formatted(role.text(), lines.text()));
    long others = shown.stream().filter(part -> part.end() == null).count();
    if (others > 0 && role == Role.SOURCE) {
      notes.add(
          "Lines of which it is not known which end printed them are not shown. " + HOW_TO_SPLIT);
    }
    Part first =
        mine.stream()
            .filter(part -> !part.facts.uri().equals("rdma:"))
            .findFirst()
            .orElse(mine.getFirst());
    return log(file, first.facts, role, lines, notes);
  }

  private static QemuLog log(
      Path file, LogFacts facts, @Nullable Role end, LineSet lines, List<String> notes) {
    return new QemuLog(
        file,
        end,
        facts.device(),
        facts.tracesRoute(),
        facts.uri(),
        facts.beganAt(),
        facts.isTraced(),
        facts.says(),
        notes,
        lines);
  }
}
