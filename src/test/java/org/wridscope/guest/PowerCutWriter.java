// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.guest.qemu.Journal;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.JournalEntry.Role;
import org.wridscope.guest.qemu.JournalEntry.Stage;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.qmp.QmpAddress;

/**
 * Writes journals and captured guests to a directory without end, for {@code lab/powercut}, and
 * prints a line after each promise that a file is on the storage device: {@code journal NAME
 * NUMBER}, {@code removed NAME}, {@code capture NAME SHA256}; and {@code deleting NAME} before it
 * deletes one. While the file {@code hold} in the second directory has the kind of a promise in it,
 * such as {@code removed}, or {@code begun} for the first of a journal, it creates {@code held}
 * there after the next one of that kind, and waits until {@code hold} is gone: no later fsync
 * writes then what this one forgot.
 */
public final class PowerCutWriter {
  private static final int CAPTURE_BYTES = 1 << 18;
  private static final int CAPTURES = 8;

  /** Of a journal. */
  private static final int ENTRIES = 10;

  private final Path folder;
  private final Path control;
  private final ArrayDeque<Path> captures = new ArrayDeque<>();
  private final Random random = new Random(1);

  private PowerCutWriter(Path folder, Path control) {
    this.folder = folder;
    this.control = control;
  }

  public static void main(String[] arguments) throws Exception {
    var writer = new PowerCutWriter(Path.of(arguments[0]), Path.of(arguments[1]));
    for (int i = 1; true; i++) {
      writer.journal(i);
      writer.capture(i);
    }
  }

  private void say(String what, Path file, Object value) throws Exception {
    say(what, what, file, value);
  }

  private void say(String what, String kind, Path file, Object value) throws Exception {
    System.out.println(what + " " + folder.relativize(file) + " " + value);
    System.out.flush();
    Path hold = control.resolve("hold");
    if (Files.exists(hold) && Files.readString(hold).strip().equals(kind)) {
      Files.createFile(control.resolve("held"));
      while (Files.exists(hold)) {
        Thread.sleep(1);
      }
    }
  }

  private void journal(int i) throws Exception {
    var qemu =
        new GuardedQemu(new ProcessIdentity(i, i), QmpAddress.parse("unix:/run/qmp"), "", "vm");
    // Sometimes the first one of a user.
    var journals = new Journals(folder.resolve("state" + i / 4).resolve(Journals.NAME));
    Journal journal =
        journals.begin(
            JournalEntry.first(Role.SOURCE, Journals.boot(), qemu, List.of(), numbered(0)));
    say("journal", i % 4 == 0 ? "first" : "begun", journal.file(), 0);
    for (int number = 1; number < ENTRIES; number++) {
      JournalEntry now = journal.entry();
      journal.write(
          new JournalEntry(
              number < ENTRIES / 2 ? Stage.LEAVING : Stage.HANDING_OVER,
              now.since(),
              now.boot(),
              qemu,
              List.of(),
              numbered(number),
              true,
              null,
              null,
              null));
      say("journal", journal.file(), number);
    }
    say("deleting", journal.file(), "");
    journal.remove();
    say("removed", journal.file(), "");
  }

  /** The number is the value of a parameter. */
  private static GuardedSettings numbered(int number) {
    var parameters = new JsonObject();
    parameters.add("downtime-limit", new JsonPrimitive(number));
    return new GuardedSettings(Map.of(), parameters, false);
  }

  private void capture(int i) throws Exception {
    if (captures.size() == CAPTURES) {
      say("deleting", captures.getFirst(), "");
      Files.delete(captures.removeFirst());
    }
    byte[] content = new byte[CAPTURE_BYTES];
    random.nextBytes(content);
    Path file = folder.resolve("guest" + i + ".mig");
    try (PartFile part = PartFile.create(Output.of("file", file, FileKind.STREAM))) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        part.write(bytes, bytes.position());
      }
      part.commit();
    }
    captures.add(file);
    say(
        "capture",
        file,
        HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content)));
  }
}
