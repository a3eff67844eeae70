// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.Folder;
import org.wridscope.files.Target;
import org.wridscope.guest.GuestException;
import org.wridscope.qmp.QemuDiscovery;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpException;
import org.wridscope.text.Legible;

/** The process of a QEMU on this machine. */
final class QemuProcess {
  /** Bytes of its messages that are read for an explanation. */
  private static final int TAIL = 4096;

  private static final int STDERR = 2;

  private final GuardedQemu identity;
  private final UserPrincipal user;
  private final long messagesBefore;

  private QemuProcess(GuardedQemu identity, UserPrincipal user) {
    this.identity = identity;
    this.user = user;
    messagesBefore = messagesLength();
  }

  /**
   * A QEMU that runs now.
   *
   * @throws GuestException if it does not run on this machine, or may not be looked at
   */
  static QemuProcess of(long pid, QmpAddress address) throws GuestException {
    try {
      return new QemuProcess(GuardedQemu.of(pid, address), Files.getOwner(proc(pid, "")));
    } catch (IOException e) {
      throw new GuestException(
          "The process of the QEMU at %s cannot be examined (%s); it may have ended."
              .formatted(address, Target.reason(e)),
          e);
    }
  }

  private static Path proc(long pid, String name) {
    return Path.of("/proc", Long.toString(pid), name);
  }

  GuardedQemu identity() {
    return identity;
  }

  /** The same with what it tells of itself; an old QEMU may not answer. */
  GuardedQemu identity(QemuMonitor monitor) throws IOException {
    return identity.called(told(monitor::uuid).orElse(""), told(monitor::name).orElse(""));
  }

  private static Optional<String> told(Ask.Query<Optional<String>> question) throws IOException {
    try {
      return Ask.query(question);
    } catch (QmpException e) {
      if (e.kind() != QmpException.Kind.REFUSED) {
        throw e;
      }
      return Optional.empty();
    }
  }

  long pid() {
    return identity.pid();
  }

  UserPrincipal user() {
    return user;
  }

  /**
   * Connects to it again.
   *
   * @throws GuestException if it has ended, whoever listens at its address now
   */
  Qmp connect(Duration limit) throws IOException {
    var connected = new Qmp[1];
    if (isAlive()) {
      Ask.regardless(() -> connected[0] = Qmp.connect(identity.qmp(), limit));
      if (isAlive() && new QemuDiscovery().pidOf(identity.qmp()).orElse(0) == pid()) {
        return connected[0];
      }
      connected[0].close();
    }
    throw new GuestException(this + " has ended");
  }

  boolean isAlive() {
    try {
      return identity.isAlive();
    } catch (IOException e) {
      return true;
    }
  }

  /** The arguments it was started with; empty if they may not be read. */
  List<String> arguments() {
    try {
      byte[] line = Files.readAllBytes(proc(pid(), "cmdline"));
      return Arrays.asList(new String(line, StandardCharsets.ISO_8859_1).split("\0"));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Paths that its file descriptors lead to; empty if they may not be read. */
  List<String> descriptors() {
    try {
      return Folder.entries(proc(pid(), "fd")).stream()
          .map(QemuProcess::target)
          .flatMap(Optional::stream)
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  private static Optional<String> target(Path link) {
    try {
      return Optional.of(Files.readSymbolicLink(link).toString());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private Path messages() {
    return proc(pid(), "fd/" + STDERR);
  }

  private long messagesLength() {
    try {
      return Files.isRegularFile(messages()) ? Files.size(messages()) : -1;
    } catch (IOException e) {
      return -1;
    }
  }

  /**
   * A reader of the messages that it prints from now on, which remains useful after its end; it
   * finds nothing unless they go to a file that this process may read.
   */
  Messages follow() {
    try {
      return messagesBefore < 0
          ? new Messages(null, 0)
          : new Messages(new RandomAccessFile(messages().toFile(), "r"), messagesLength());
    } catch (IOException e) {
      return new Messages(null, 0);
    }
  }

  /** What a QEMU printed since some moment. */
  static final class Messages implements AutoCloseable {
    private final @Nullable RandomAccessFile file;
    private final long from;

    private Messages(@Nullable RandomAccessFile file, long from) {
      this.file = file;
      this.from = Math.max(0, from);
    }

    /** The last line; empty if there is none. */
    Optional<String> last() {
      if (file == null) {
        return Optional.empty();
      }
      try {
        long begin = Math.max(from, file.length() - TAIL);
        byte[] tail = new byte[(int) Math.max(0, Math.min(TAIL, file.length() - begin))];
        file.seek(begin);
        file.readFully(tail);
        return new String(tail, StandardCharsets.UTF_8)
            .lines()
            .map(Legible::of)
            .filter(line -> !line.isBlank())
            .reduce((_, last) -> last);
      } catch (IOException e) {
        return Optional.empty();
      }
    }

    @Override
    public void close() {
      try {
        if (file != null) {
          file.close();
        }
      } catch (IOException e) {
        // It was only read.
      }
    }
  }

  /**
   * Waits for its end.
   *
   * @return whether it has ended
   */
  boolean awaitEnd(Duration limit) throws InterruptedException {
    Optional<ProcessHandle> handle = handle();
    if (handle.isEmpty()) {
      return true;
    }
    try {
      handle.get().onExit().get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return !isAlive();
    }
    return true;
  }

  /** Kills it. */
  void kill() {
    handle().ifPresent(ProcessHandle::destroyForcibly);
  }

  private Optional<ProcessHandle> handle() {
    return isAlive() ? ProcessHandle.of(pid()) : Optional.empty();
  }

  /** For a sentence, for example {@code QEMU 4711}. */
  @Override
  public String toString() {
    return "QEMU " + pid();
  }
}
