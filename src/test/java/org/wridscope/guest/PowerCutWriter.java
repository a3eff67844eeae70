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
 * deletes one.
 */
public final class PowerCutWriter {
  private static final int CAPTURE_BYTES = 1 << 18;
  private static final int CAPTURES = 8;

  /** Of a journal. */
  private static final int ENTRIES = 10;

  private final Path folder;
  private final Journals journals;
  private final ArrayDeque<Path> captures = new ArrayDeque<>();
  private final Random random = new Random(1);

  private PowerCutWriter(Path folder) {
    this.folder = folder;
    journals = new Journals(folder.resolve(Journals.NAME));
  }

  public static void main(String[] arguments) throws Exception {
    var writer = new PowerCutWriter(Path.of(arguments[0]));
    for (int i = 1; true; i++) {
      writer.journal(i);
      writer.capture(i);
    }
  }

  /** Most cuts then come when no later fsync has written what this one forgot. */
  private static void say(String what, Path file, Object value) throws InterruptedException {
    System.out.println(what + " " + file.getFileName() + " " + value);
    System.out.flush();
    Thread.sleep(20);
  }

  private void journal(int i) throws Exception {
    var qemu =
        new GuardedQemu(new ProcessIdentity(i, i), QmpAddress.parse("unix:/run/qmp"), "", "vm");
    Journal journal =
        journals.begin(
            JournalEntry.first(Role.SOURCE, Journals.boot(), qemu, List.of(), numbered(0)));
    say("journal", journal.file(), 0);
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
