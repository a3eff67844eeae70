// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.guard.Recovery;
import org.wridscope.files.UserFolder;
import org.wridscope.guest.OtherEnd;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.telemetry.Role;

/** An end on this machine. */
final class LocalEnd implements KillEnd {
  private static final Pattern SECRET = Pattern.compile("\"secret\": \"([0-9a-f]{32})\"");

  private final Path folder;
  private final Path temporary;
  private final CountingQemu qemu;
  private final LocalProgram program;

  /** Opened by the guest's stop and by the end of the program. */
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** See {@link KillEnds#start}. */
  LocalEnd(KillSetting setting, String command, Role role, String uri)
      throws IOException, InterruptedException {
    this(setting, command, role, uri, true, List.of());
  }

  /**
   * An end that is not killed, whose program is a thread of this process. It has this process's
   * journals and temporary files.
   *
   * @param command that starts the QEMU
   * @param more arguments of Wridscope
   */
  static LocalEnd inThread(
      KillSetting setting, String command, Role role, String uri, String... more)
      throws IOException, InterruptedException {
    return new LocalEnd(setting, command, role, uri, false, List.of(more));
  }

  private LocalEnd(
      KillSetting setting,
      String command,
      Role role,
      String uri,
      boolean inProcess,
      List<String> more)
      throws IOException, InterruptedException {
    folder = Files.createTempDirectory(KillSetting.folder(), "kill");
    try {
      temporary = Files.createDirectory(folder.resolve("tmp"));
      qemu = new CountingQemu(command, folder.resolve("qemu"), role == Role.DESTINATION);
      try {
        qemu.onStop(stopped::countDown);
        List<String> arguments = new ArrayList<>(setting.arguments(role, uri, qemu.socket()));
        arguments.addAll(more);
        program =
            inProcess ? new Program(folder, temporary, arguments) : new ThreadProgram(arguments);
      } catch (IOException | RuntimeException e) {
        qemu.close();
        throw e;
      }
      program.onEnd(stopped::countDown);
    } catch (IOException | InterruptedException | RuntimeException e) {
      delete();
      throw e;
    }
  }

  @Override
  public String uri() throws Exception {
    return program.uri();
  }

  @Override
  public void awaitStop(Duration limit) throws InterruptedException {
    boolean _ = stopped.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  private Program process() {
    return (Program) program;
  }

  @Override
  public boolean kill() {
    return process().kill();
  }

  /** Kills the program and its guards at once. */
  void killWithGuards() {
    process().killWithGuards();
  }

  /** Begins to restore the QEMU, by the command {@code recover}. */
  Program recover() throws IOException {
    return new Program(folder, temporary, List.of("recover", "--qemu", "unix:" + qemu.socket()));
  }

  /**
   * Restores the QEMU in this process, as that command does.
   *
   * @param otherEnd what is said of the other end, null for nothing
   */
  Recovery.Result recoverHere(@Nullable OtherEnd otherEnd)
      throws IOException, InterruptedException {
    return Recovery.of(folder.resolve("wridscope/guard.log"))
        .recover(new QmpAddress.Unix(qemu.socket()), otherEnd);
  }

  /** What is left of journals. */
  List<Path> journals() throws IOException {
    Path journals = folder.resolve("wridscope/journal");
    if (!Files.exists(journals)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(journals)) {
      return files.filter(file -> file.toString().endsWith(".json")).toList();
    }
  }

  /** The secrets in journals, as hexadecimal digits. */
  List<String> secrets() {
    try {
      var found = new ArrayList<String>();
      for (Path journal : journals()) {
        SECRET.matcher(Files.readString(journal)).results().forEach(r -> found.add(r.group(1)));
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether one of these secrets is in an output, or in a file other than a journal. */
  boolean tells(Collection<String> secrets) throws IOException {
    var texts = new ArrayList<>(List.of(output()));
    try (Stream<Path> files = Files.walk(folder.resolve("wridscope"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!file.startsWith(folder.resolve("wridscope").resolve(Journals.NAME))) {
          texts.add(Files.readString(file, StandardCharsets.ISO_8859_1));
        }
      }
    }
    for (String secret : secrets) {
      long high = Long.parseUnsignedLong(secret.substring(0, 16), 16);
      for (String form : List.of(secret.substring(0, 16), Long.toString(high))) {
        if (texts.stream().anyMatch(text -> text.toLowerCase(Locale.ROOT).contains(form))) {
          return true;
        }
      }
    }
    return false;
  }

  /** Bytes that QEMU saves of its guest; see {@link CountingQemu#save}. */
  long save() throws IOException, InterruptedException {
    return qemu.save();
  }

  @Override
  public void stopIfUntouched() throws IOException, InterruptedException {
    if (qemu.isUntouched()) {
      process().stop();
    }
  }

  @Override
  public boolean await(Duration limit) throws InterruptedException {
    return program.await(limit);
  }

  @Override
  public String output() {
    return "%s %s".formatted(program.output(), qemu.messages()).strip();
  }

  @Override
  public State state() throws IOException, InterruptedException {
    List<String> left = new ArrayList<>(qemu.leftovers());
    try (Stream<Path> files = Files.walk(temporary)) {
      files.skip(1).map(Path::toString).forEach(left::add);
    }
    return new State(qemu.isAlive(), qemu.runs(), qemu.count(), left);
  }

  @Override
  public void close() {
    program.close();
    qemu.close();
    delete();
    if (program instanceof ThreadProgram) {
      // The next command of this process would tell of them.
      deleteNotes("journal");
      deleteNotes("guarded");
    }
  }

  /** Deletes what the program and its guard have noted of the QEMU. */
  private void deleteNotes(String name) {
    Path notes = UserFolder.STATE.ofUser().resolve(name);
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(notes, "qemu-%d-*".formatted(qemu.pid()))) {
      for (Path file : files) {
        Files.delete(file);
      }
    } catch (NoSuchFileException e) {
      // nothing was noted
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void delete() {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      System.err.println(e);
    }
  }
}
