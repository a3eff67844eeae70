// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.UnpackedFile;
import org.wridscope.files.UserFiles;
import org.wridscope.recording.file.BlockType;
import org.wridscope.recording.file.RecordingException;
import org.wridscope.recording.file.RecordingFormat;
import org.wridscope.recording.file.RecordingReader;
import org.wridscope.recording.file.RecordingReader.Block;
import org.wridscope.recording.file.RecordingWriter;
import org.wridscope.recording.file.SessionIndex;
import org.wridscope.recording.packets.CaptureImporter;
import org.wridscope.recording.programs.ProgramLog;
import org.wridscope.recording.programs.ProgramLogImporter;
import org.wridscope.recording.qemu.QemuLog;
import org.wridscope.recording.qemu.QemuLogImporter;
import org.wridscope.recording.qemu.UnknownEndException;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;
import org.wridscope.wire.Capture;

/**
 * An open recording: a file of ours, a trace log of QEMU, the log of a program, or captured
 * packets. Its sessions can be moved to any moment.
 */
public final class Recording implements AutoCloseable {
  private final Path file;
  private final RecordingReader reader;
  private final List<RecordedSession> sessions;
  private final List<String> notes;

  private Recording(
      Path file, RecordingReader reader, List<RecordedSession> sessions, List<String> notes) {
    this.file = file;
    this.reader = reader;
    this.sessions = List.copyOf(sessions);
    this.notes = List.copyOf(notes);
  }

  /**
   * Opens a file of any kind and reads it completely, which takes a while if it is large.
   *
   * @param field its name in the user interface, for messages
   * @throws IOException when it is not a recording, or a damaged one; the message is a sentence for
   *     the user
   * @throws IllegalArgumentException when it does not exist or cannot be read; likewise
   */
  public static Recording open(String field, Path file) throws IOException {
    return open(field, file, null);
  }

  /**
   * Opens a file of any kind and reads it completely, which takes a while if it is large.
   *
   * @param field its name in the user interface, for messages
   * @param end which end wrote it, for a trace log whose events do not show that; null when not
   *     known
   * @throws UnknownEndException when neither the log nor the caller says which end wrote it
   * @throws IOException when it is not a recording, or a damaged one; the message is a sentence for
   *     the user
   * @throws IllegalArgumentException when it does not exist or cannot be read; likewise
   */
  public static Recording open(String field, Path file, @Nullable Role end) throws IOException {
    UserFiles.inputLength(field, file);
    try (UnpackedFile unpacked = UnpackedFile.of(field, file, Recording::mayBegin)) {
      Recording recording = open(file, unpacked.path(), end);
      String damage = unpacked.damage();
      return damage == null
          ? recording
          : recording.with("The file is incomplete: %s.".formatted(damage));
    }
  }

  /** Whether a file may be one that can be opened: a log has no byte of 0. */
  private static boolean mayBegin(byte[] start) {
    ByteBuffer head = ByteBuffer.wrap(start);
    if (RecordingFormat.hasMagic(head.duplicate()) || Capture.hasMagic(head.duplicate())) {
      return true;
    }
    for (byte each : start) {
      if (each == 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Opens a file.
   *
   * @param content what is in it, another file if it is packed
   */
  private static Recording open(Path file, Path content, @Nullable Role end) throws IOException {
    try (FileChannel channel = FileChannel.open(content, StandardOpenOption.READ)) {
      if (RecordingFormat.hasMagic(start(channel))) {
        return open(file, FileChannel.open(content, StandardOpenOption.READ));
      }
      if (Capture.hasMagic(start(channel))) {
        return open(file, converted(file, into -> CaptureImporter.convert(content, into)));
      }
    }
    Optional<ProgramLog> own = ProgramLog.of(content);
    if (own.isPresent()) {
      return open(file, converted(file, into -> ProgramLogImporter.convert(own.get(), into)));
    }
    List<QemuLog> logs = QemuLog.of(content);
    if (logs.isEmpty()) {
      throw new RecordingException(
          "%s is neither a recording nor a capture of packets, nor a trace log or console of QEMU, nor a log as in docs/import.md; \"wridscope explain FILE\" explains lines of any log."
              .formatted(file));
    }
    if (logs.getFirst().end() == null && end == null) {
      throw new UnknownEndException(logs.getFirst(), file);
    }
    return open(file, converted(file, into -> QemuLogImporter.convert(logs, end, into)));
  }

  /**
   * Opens files that belong together. If they are two trace logs, and only one of them shows which
   * end wrote it, the other one is that of the other end.
   *
   * @param field their name in the user interface, for messages
   * @param ends which end wrote a trace log, as far as it does not show that and somebody knows
   * @param refusals receives a sentence for each file that cannot be opened, if another one can;
   *     null if they are of use together only
   * @return the recordings, in the order of the files
   * @throws UnknownEndException when it is not known which end wrote a log
   * @throws IOException when a file cannot be opened, or none of them; then none is open
   * @throws IllegalArgumentException likewise
   */
  public static List<Recording> openAll(
      String field, List<Path> files, Map<Path, Role> ends, @Nullable List<String> refusals)
      throws IOException {
    var opened = new TreeMap<Integer, Recording>();
    int refused = 0;
    boolean done = false;
    try {
      UnknownEndException unknown = null;
      for (int i = 0; i < files.size(); i++) {
        try {
          opened.put(i, open(field, files.get(i), ends.get(files.get(i))));
        } catch (UnknownEndException e) {
          unknown = unknown == null ? e : unknown;
        } catch (IOException | IllegalArgumentException e) {
          refused++;
          if (refusals == null || refused == files.size()) {
            throw e;
          }
          refusals.add(String.valueOf(e.getMessage()));
        }
      }
      if (unknown != null) {
        if (files.size() != 2 || opened.size() != 1) {
          throw unknown;
        }
        List<RecordedSession> other = opened.firstEntry().getValue().sessions();
        if (other.size() != 1) {
          throw unknown;
        }
        int index = 1 - opened.firstKey();
        opened.put(index, open(field, files.get(index), other.getFirst().role().other()));
      }
      done = true;
      return List.copyOf(opened.values());
    } finally {
      if (!done) {
        for (Recording each : opened.values()) {
          each.close();
        }
      }
    }
  }

  /** Writes a log as a recording. */
  @FunctionalInterface
  private interface Conversion {
    void into(RecordingWriter writer) throws IOException;
  }

  /** Converts a log into a recording, which is deleted when it is closed. */
  private static FileChannel converted(Path file, Conversion conversion) throws IOException {
    Path made = Files.createTempFile("wridscope-", ".wrs");
    FileChannel channel =
        FileChannel.open(
            made,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
    try {
      conversion.into(new RecordingWriter(channel));
      return channel;
    } catch (RecordingException e) {
      channel.close();
      throw new RecordingException("%s cannot be opened. %s".formatted(file, e.getMessage()), e);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Takes ownership of the channel. */
  private static Recording open(Path file, FileChannel channel) throws IOException {
    var reader = new RecordingReader(channel);
    try {
      return read(file, reader);
    } catch (RecordingException e) {
      reader.close();
      throw new RecordingException("%s cannot be opened. %s".formatted(file, e.getMessage()), e);
    } catch (IOException | RuntimeException e) {
      reader.close();
      throw e;
    }
  }

  private static Recording read(Path file, RecordingReader reader) throws IOException {
    reader.requireHead();
    var indexes = new TreeMap<Integer, SessionIndex>();
    var notes = new ArrayList<String>();
    long at = RecordingFormat.HEAD_BYTES;
    long unknown = 0;
    Block block;
    while ((block = reader.block(at)) != null) {
      at = block.end();
      BlockType type = block.type();
      if (type == null) {
        unknown++;
      } else if (type == BlockType.SESSION && !indexes.containsKey(block.session())) {
        if (indexes.size() == RecordingFormat.MAX_SESSIONS) {
          throw RecordingException.of(
              "number of sessions", indexes.size() + 1, "at most " + RecordingFormat.MAX_SESSIONS);
        }
        indexes.put(block.session(), new SessionIndex(reader, block.payload()));
      } else {
        SessionIndex index = indexes.get(block.session());
        if (index == null) {
          throw RecordingException.of(
              "session of a block", block.session(), "one that was begun before");
        }
        index.add(type, block);
        long chunks = indexes.values().stream().mapToLong(i -> i.names().chunks()).sum();
        if (chunks > RecordingFormat.MAX_CHUNKS) {
          throw RecordingException.of(
              "number of chunks of RAM", chunks, "at most " + RecordingFormat.MAX_CHUNKS);
        }
      }
    }
    if (at < reader.size()) {
      notes.add(
          "The file is incomplete: its last %s, from byte %d on, are not a whole block and were ignored."
              .formatted(Format.bytes(reader.size() - at), at));
    }
    if (unknown > 0) {
      notes.add(
          "%d blocks are of types that only a newer version knows; they were ignored."
              .formatted(unknown));
    }
    if (indexes.isEmpty()) {
      throw new RecordingException("It holds no session.");
    }
    var sessions = new ArrayList<RecordedSession>();
    for (SessionIndex index : indexes.values()) {
      addNotes(index, indexes.size() > 1, notes);
      sessions.add(new RecordedSession(Legible.of(String.valueOf(file.getFileName())), index));
    }
    return new Recording(file, reader, sessions, notes);
  }

  private static void addNotes(SessionIndex index, boolean several, List<String> notes) {
    String prefix = several ? index.head().name() + ": " : "";
    index.names().notes().forEach(note -> notes.add(prefix + note));
    if (index.leftOut() > 0) {
      notes.add(
          prefix
              + "%s events are missing because the recorder was too slow or started too late."
                  .formatted(Format.count(index.leftOut())));
    }
    if (index.unknownEvents() > 0) {
      notes.add(
          prefix
              + "%s events are of kinds that only a newer version knows; they were ignored."
                  .formatted(Format.count(index.unknownEvents())));
    }
    if (index.hasOlderEvents()) {
      notes.add(
          prefix
              + "Some events are older than others that were recorded before them; they are shown"
              + " at the time of those.");
    }
    if (index.end() == null) {
      notes.add(prefix + "The recording is incomplete: the end of the session was not recorded.");
    }
  }

  private static ByteBuffer start(FileChannel channel) throws IOException {
    var start = ByteBuffer.allocate(RecordingFormat.HEAD_BYTES);
    channel.read(start, 0);
    return start.flip();
  }

  private Recording with(String note) {
    var all = new ArrayList<>(List.of(note));
    all.addAll(notes);
    return new Recording(file, reader, sessions, all);
  }

  public Path file() {
    return file;
  }

  /** One or more sessions, in the order of recording, each positioned at its end. */
  public List<RecordedSession> sessions() {
    return sessions;
  }

  /** What is missing or was not understood, one sentence each. */
  public List<String> notes() {
    return notes;
  }

  /** Closes the file; its sessions keep their positions. */
  @Override
  public void close() throws IOException {
    sessions.forEach(session -> session.telemetry().log().leaveBudget());
    reader.close();
  }
}
