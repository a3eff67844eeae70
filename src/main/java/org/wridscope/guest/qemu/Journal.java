// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.wridscope.files.Durable;
import org.wridscope.files.Target;

/**
 * The journal of one QEMU that this program changes: a file that says how far it is and what must
 * be put back, for the case that this process and its guard die together. It is written before each
 * stage begins, as a whole or not at all, and is on the storage device when {@link #write} returns.
 * Thread-safe.
 */
public final class Journal {
  /** Of an entry as text. */
  static final int MOST_BYTES = 1 << 16;

  private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rw-------");

  private final Path file;
  private JournalEntry entry;
  private boolean removed;

  private Journal(Path file, JournalEntry entry) {
    this.file = file;
    this.entry = entry;
  }

  /**
   * Begins a journal.
   *
   * @param file in a directory of {@link Journals}; must not exist
   * @throws IOException if it cannot be written; one sentence. Nothing may be changed in the QEMU
   */
  static Journal begin(Path file, JournalEntry first) throws IOException {
    if (!read(JournalText.write(first)).equals(first)) {
      throw new IOException(
          "The journal of the QEMU cannot hold its settings, so that they could not be put back.");
    }
    var journal = new Journal(file, first);
    journal.write(first);
    return journal;
  }

  /**
   * Reads a journal of this or an earlier process.
   *
   * @throws NoSuchFileException if there is none: its migration has ended
   * @throws IOException if it is not one of this user and in its form; one sentence
   */
  public static Journal open(Path file) throws IOException {
    byte[] bytes;
    try {
      bytes = bytes(file);
    } catch (NoSuchFileException e) {
      throw new NoSuchFileException(
          file.toString(), null, "this journal is gone; the QEMU was put right meanwhile.");
    }
    if (bytes.length > MOST_BYTES) {
      throw new IOException("%s is too long for a journal of a QEMU.".formatted(file));
    }
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return new Journal(file, read(text));
    } catch (CharacterCodingException e) {
      throw new IOException("%s is not text in UTF-8.".formatted(file), e);
    } catch (IOException e) {
      throw new IOException("%s: %s".formatted(file, e.getMessage()), e);
    }
  }

  private static byte[] bytes(Path file) throws IOException {
    if (!Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isRegularFile()) {
      throw new IOException("%s is not a regular file.".formatted(file));
    }
    Journals.requireOwn(file);
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        InputStream in = Channels.newInputStream(channel)) {
      return in.readNBytes(MOST_BYTES + 1);
    }
  }

  private static JournalEntry read(String text) throws IOException {
    try {
      return JournalText.parse(text);
    } catch (RuntimeException e) {
      throw new IOException(
          "it is no journal of a QEMU: %s".formatted(String.valueOf(e.getMessage())), e);
    }
  }

  public Path file() {
    return file;
  }

  public synchronized JournalEntry entry() {
    return entry;
  }

  /**
   * Makes an entry durable.
   *
   * @throws IOException if that is not certain, so that the stage must not begin; one sentence
   */
  public synchronized void write(JournalEntry next) throws IOException {
    if (removed) {
      throw new IOException("The journal of the QEMU was removed before.");
    }
    try {
      Durable.replace(
          file,
          file.resolveSibling(file.getFileName() + ".part"),
          StandardCharsets.UTF_8.encode(JournalText.write(next)),
          OWN);
    } catch (IOException e) {
      throw new IOException(
          "The journal of the QEMU, %s, cannot be written (%s).".formatted(file, Target.reason(e)),
          e);
    }
    entry = next;
  }

  /** Whether it was {@linkplain #remove removed} here. */
  public synchronized boolean isRemoved() {
    return removed;
  }

  /**
   * Ends the journal, because nothing is left to be put back. Idempotent.
   *
   * @throws IOException if the file is still there; one sentence
   */
  public synchronized void remove() throws IOException {
    if (removed) {
      return;
    }
    try {
      Durable.delete(file);
      removed = true;
    } catch (IOException e) {
      throw new IOException(
          "The journal of the QEMU, %s, cannot be deleted (%s).".formatted(file, Target.reason(e)),
          e);
    }
  }
}
