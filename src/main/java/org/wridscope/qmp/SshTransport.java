// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.text.Legible;

/**
 * A unix-domain socket of another machine, forwarded by a child process ssh to a socket in a
 * directory that only this user can enter. No question is asked: a key or an agent must let the
 * user in.
 */
final class SshTransport implements Transport {
  private static final Logger LOG = LoggerFactory.getLogger(SshTransport.class);

  /**
   * Runs its arguments but the first as a command, and ends it when a line comes. When standard
   * input ends without one, this program was killed: then the directory that the first argument
   * names is removed, too.
   */
  private static final String UNTIL_INPUT_ENDS =
      """
      directory=$1
      shift
      exec 3<&0
      "$@" 3<&- </dev/null &
      command=$!
      { read -r line <&3 || rm -rf "$directory"; kill "$command"; } >/dev/null 2>&1 &
      watch=$!
      exec 3<&-
      wait "$command"
      status=$?
      kill "$watch" 2>/dev/null
      exit "$status"
      """;

  private static final Duration POLL = Duration.ofMillis(20);

  /** Limit for the end of ssh when the connection is closed. */
  private static final Duration END = Duration.ofSeconds(2);

  private final QmpAddress.Ssh address;
  private final String program;
  private final Path directory;
  private final SocketTransport forwarded;

  /** Null before it was started. Guarded by this. */
  private @Nullable Process ssh;

  /** Guarded by this. */
  private boolean closed;

  SshTransport(QmpAddress.Ssh address) throws IOException {
    this(address, "ssh");
  }

  /**
   * @param program that takes ssh's options
   */
  SshTransport(QmpAddress.Ssh address, String program) throws IOException {
    this.address = address;
    this.program = program;
    // Readable by this user only, as are all directories made so.
    directory = Files.createTempDirectory("wridscope-ssh");
    forwarded = SocketTransport.unix(socket());
  }

  private Path socket() {
    return directory.resolve("qmp");
  }

  private Path log() {
    return directory.resolve("log");
  }

  /** The command that forwards the socket. */
  private List<String> command() {
    var command = new ArrayList<>(List.of("sh", "-c", UNTIL_INPUT_ENDS, "sh"));
    command.addAll(List.of(directory.toString(), program, "-N", "-T"));
    // A connection of its own: a shared one would outlive this forwarding.
    command.addAll(List.of("-S", "none", "-a", "-x"));
    command.addAll(List.of("-o", "BatchMode=yes", "-o", "ExitOnForwardFailure=yes"));
    command.addAll(List.of("-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"));
    command.addAll(List.of("-L", socket() + ":" + address.path()));
    command.addAll(List.of("--", address.destination()));
    return command;
  }

  @Override
  public void open() throws IOException, InterruptedException {
    Process started = start();
    while (!Files.exists(socket())) {
      if (started.waitFor(POLL.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new ConnectException("ssh ended with status " + started.exitValue());
      }
    }
    forwarded.open();
  }

  private synchronized Process start() throws IOException {
    if (closed) {
      throw new ConnectException("the connection was closed here");
    }
    ssh =
        new ProcessBuilder(command())
            .redirectErrorStream(true)
            .redirectOutput(log().toFile())
            .start();
    return ssh;
  }

  @Override
  public int read(byte[] into) throws IOException {
    return forwarded.read(into);
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    forwarded.write(bytes);
  }

  @Override
  public boolean isMixed() {
    return false;
  }

  @Override
  public String report() {
    try (var log = Files.newBufferedReader(log())) {
      String last = log.lines().filter(line -> !line.isBlank()).reduce("", (_, line) -> line);
      return Legible.of(last, 200);
    } catch (IOException | UncheckedIOException e) {
      return "";
    }
  }

  @Override
  public void close() {
    Process started;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      started = ssh;
    }
    forwarded.close();
    try {
      if (started != null) {
        end(started);
      }
      Files.deleteIfExists(socket());
      Files.deleteIfExists(log());
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      LOG.debug("closing {}: {}", address, e.getMessage());
    }
  }

  private static void end(Process started) {
    try (OutputStream commands = started.getOutputStream()) {
      commands.write('\n');
    } catch (IOException e) {
      // It has ended by itself.
    }
    try {
      if (!started.waitFor(END.toNanos(), TimeUnit.NANOSECONDS)) {
        // The shell ends when its command has.
        started.descendants().forEach(ProcessHandle::destroyForcibly);
        if (!started.waitFor(END.toNanos(), TimeUnit.NANOSECONDS)) {
          started.destroyForcibly();
        }
      }
    } catch (InterruptedException e) {
      started.descendants().forEach(ProcessHandle::destroyForcibly);
      Thread.currentThread().interrupt();
    }
  }
}
