// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.wridscope.files.Durable;
import org.wridscope.files.Folder;
import org.wridscope.files.Target;
import org.wridscope.files.UserFolder;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.qmp.QmpAddress;

/**
 * The journals of a user, in a directory that only this user can enter. A QEMU has one journal at
 * most, whose name has its process in it.
 *
 * @param folder may not exist
 */
public record Journals(Path folder) {
  /** Of the directory, in that of the user's state. */
  public static final String NAME = "journal";

  private static final String SUFFIX = ".json";

  /** More are not read. */
  private static final int MOST = 1000;

  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private static final String LOCK = ".lock";

  /** Those of this process's user. */
  public static Journals ofUser() {
    return new Journals(UserFolder.STATE.ofUser().resolve(NAME));
  }

  /**
   * What is in the directory.
   *
   * @param journals those that can be read
   * @param unreadable a sentence about each of the others
   */
  public record Listing(List<Journal> journals, List<String> unreadable) {}

  /** The kernel's id of this boot. */
  public static String boot() throws IOException {
    return Files.readString(BOOT_ID, StandardCharsets.US_ASCII).strip();
  }

  /**
   * Begins the journal of a QEMU that runs.
   *
   * @throws IOException if it has one already, or it cannot be written; one sentence
   */
  public Journal begin(JournalEntry first) throws IOException {
    prepareFolder();
    var begun = new Journal[1];
    lock()
        .during(() -> {
          requireNone(first.qemu());
          begun[0] = Journal.begin(file(first.qemu()), first);
        });
    return begun[0];
  }

  /**
   * Checks that a QEMU has no journal.
   *
   * @throws IOException if it has one; one sentence
   */
  public void requireNone(GuardedQemu qemu) throws IOException {
    Path file = file(qemu);
    JournalEntry earlier;
    try {
      earlier = Journal.open(file).entry();
    } catch (NoSuchFileException e) {
      return;
    }
    // Of an earlier boot, it is about another process.
    if (earlier.boot().equals(boot())) {
      throw new IOException(isOwned(earlier) ? owned(earlier) : left(earlier));
    }
  }

  /** That an earlier process left a QEMU changed; one sentence. */
  public static String left(JournalEntry entry) {
    return "An earlier Wridscope ended before it could put QEMU %d (%s) right; do that with: %s"
        .formatted(entry.qemu().pid(), entry.qemu().qmp(), command(entry.qemu().qmp()));
  }

  /** The shell command that restores a QEMU. */
  public static String command(QmpAddress qmp) {
    return "./wridscope recover --qemu '%s'".formatted(qmp.toString().replace("'", "'\\''"));
  }

  /** A sentence about each QEMU that an earlier process left changed, for a program that starts. */
  public List<String> sentences() {
    try {
      Listing left = left();
      List<String> sentences =
          new ArrayList<>(
              left.journals().stream().map(Journal::entry).map(Journals::left).toList());
      sentences.addAll(left.unreadable());
      return sentences;
    } catch (IOException e) {
      return List.of("Journals of QEMUs cannot be read: " + e.getMessage());
    }
  }

  /**
   * Takes a journal over that no process owns, so that no other process restores the same QEMU.
   *
   * @throws IOException if another one does; one sentence
   */
  public void take(Journal journal) throws IOException {
    lock()
        .during(() -> {
          JournalEntry now = Journal.open(journal.file()).entry();
          if (isOwned(now)) {
            throw new IOException(owned(now));
          }
          journal.write(now.withOwners(List.of(ProcessIdentity.of(ProcessHandle.current().pid()))));
        });
  }

  /** Why no other process may restore a QEMU now; one sentence. */
  public static String owned(JournalEntry entry) {
    return "Process %s of Wridscope still migrates the guest of QEMU %d or puts it right; wait for its end."
        .formatted(
            String.join(" or ", entry.owners().stream().map(owner -> "" + owner.pid()).toList()),
            entry.qemu().pid());
  }

  /** Whether a process runs that restores the QEMU. */
  public static boolean isOwned(JournalEntry entry) throws IOException {
    if (!entry.boot().equals(boot())) {
      return false;
    }
    for (ProcessIdentity owner : entry.owners()) {
      if (owner.isAlive()) {
        return true;
      }
    }
    return false;
  }

  /** Whether the QEMU of a journal still runs: the same process in the same boot. */
  public static boolean isRunning(JournalEntry entry) throws IOException {
    return entry.boot().equals(boot()) && entry.qemu().isAlive();
  }

  /** The journals that no process owns, and what cannot be read. Changes nothing. */
  public Listing left() throws IOException {
    Listing all = all();
    var left = new ArrayList<Journal>();
    for (Journal journal : all.journals()) {
      if (!isOwned(journal.entry())) {
        left.add(journal);
      }
    }
    return new Listing(List.copyOf(left), all.unreadable());
  }

  /** All journals. */
  public Listing all() throws IOException {
    var journals = new ArrayList<Journal>();
    var unreadable = new ArrayList<String>();
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return new Listing(List.of(), List.of());
    }
    requireFolder();
    for (Path file : Folder.entries(folder, "qemu-*" + SUFFIX)) {
      if (journals.size() + unreadable.size() >= MOST) {
        unreadable.add("%s has more than %d journals.".formatted(folder, MOST));
        break;
      }
      try {
        journals.add(Journal.open(file));
      } catch (NoSuchFileException e) {
        // Its migration has ended meanwhile.
      } catch (IOException e) {
        unreadable.add(String.valueOf(e.getMessage()));
      }
    }
    return new Listing(List.copyOf(journals), List.copyOf(unreadable));
  }

  /** The journal of the QEMU process at an address, or of an earlier one there. */
  public Optional<Journal> at(QmpAddress qmp) throws IOException {
    List<Journal> there =
        all().journals().stream()
            .filter(journal -> journal.entry().qemu().qmp().equals(qmp))
            .toList();
    for (Journal journal : there) {
      if (isRunning(journal.entry())) {
        return Optional.of(journal);
      }
    }
    return there.stream().findFirst();
  }

  private Path file(GuardedQemu qemu) {
    return folder.resolve("qemu-%d-%d%s".formatted(qemu.pid(), qemu.start(), SUFFIX));
  }

  private void prepareFolder() throws IOException {
    try {
      Durable.createDirectory(folder, PosixFilePermissions.fromString("rwx------"));
    } catch (IOException e) {
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        throw new IOException(
            "The directory of journals, %s, cannot be created (%s); without it, a QEMU could not be put right after a crash."
                .formatted(folder, Target.reason(e)),
            e);
      }
    }
    requireFolder();
  }

  private void requireFolder() throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException("%s is not a directory.".formatted(folder));
    }
    requireOwn(folder);
  }

  /** Refuses what belongs to another user, or what others may write. */
  static void requireOwn(Path path) throws IOException {
    PosixFileAttributes attributes =
        Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    String self = Files.getOwner(Path.of("/proc/self")).getName();
    Set<PosixFilePermission> permissions = attributes.permissions();
    if (!attributes.owner().getName().equals(self)) {
      throw new IOException(
          "%s belongs to %s; it is not used.".formatted(path, attributes.owner().getName()));
    }
    if (permissions.contains(PosixFilePermission.GROUP_WRITE)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException(
          "Others than %s may write to %s; it is not used.".formatted(self, path));
    }
  }

  private JournalLock lock() {
    return new JournalLock(folder.resolve(LOCK), JournalLock.PATIENCE);
  }
}
