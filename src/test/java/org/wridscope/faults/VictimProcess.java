// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.ChildJvm;
import org.wridscope.Signals;
import org.wridscope.control.SessionsOnDevice;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.rdma.RdmaUnderTest;

/** A {@link Victim} in its own process, to which signals are sent. */
final class VictimProcess implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("listening on (rdma:\\S+)");

  private static final long START_SECONDS = 600;

  /** How long the other end may take to notice that a process ended before it connected. */
  private static final Duration GONE = Duration.ofSeconds(60);

  private final Process process;
  private final CompletableFuture<String> listening = new CompletableFuture<>();
  private final CompletableFuture<Long> finished = new CompletableFuture<>();
  private final List<String> output = new ArrayList<>();
  private final Runnable trapped;
  private @Nullable End end;

  /**
   * @param uri where it listens, or the destination of a source
   * @param trap argument of {@link Victim}
   * @param trapped runs when the process has reached the message; {@link #release} lets it continue
   */
  VictimProcess(Setting setting, Role role, String uri, String trap, Runnable trapped)
      throws IOException {
    this.trapped = trapped;
    var command =
        new ArrayList<>(
            List.of(
                // A command started in the background may have been set to ignore signals.
                "env", "--default-signal=INT,HUP,TERM"));
    command.addAll(ChildJvm.command(Victim.class, "-Xmx128m", RdmaUnderTest.option()));
    command.addAll(
        List.of(
            setting.name(),
            trap,
            Step.text(role),
            uri,
            "--device",
            SessionsOnDevice.NAME,
            "--ram",
            Participant.RAM + "B"));
    if (role == Role.SOURCE) {
      command.addAll(
          List.of("--dirty-rate", "1MiB/s", "--virtio-requests", "100", "--zero", "0.5"));
    }
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Thread.ofPlatform().daemon().name("output of " + process.pid()).start(this::read);
  }

  private void read() {
    try (var lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        take(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      listening.completeExceptionally(new IOException("the process did not listen: " + output()));
      finished.complete(System.nanoTime());
    }
  }

  private void take(String line) {
    synchronized (this) {
      output.add(line);
      if (line.startsWith(Victim.END)) {
        end = End.parse(line.substring(Victim.END.length()));
      }
    }
    Matcher found = LISTENING.matcher(line);
    if (found.find()) {
      listening.complete(found.group(1));
    } else if (line.equals(Victim.TRAPPED)) {
      trapped.run();
    }
  }

  /** The address where it listens. */
  String uri() throws Exception {
    return listening.get(START_SECONDS, TimeUnit.SECONDS);
  }

  void signal(String name) {
    try {
      boolean _ = Signals.send(name, process.pid());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void release() {
    try {
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
    } catch (IOException e) {
      // The process has died, as intended.
    }
  }

  /** Waits until the process has ended; false when it takes longer. */
  boolean await(long seconds) throws InterruptedException {
    try {
      finished.get(seconds, TimeUnit.SECONDS);
      return process.waitFor(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether the process ended so long ago that waiting for its connection is pointless. */
  boolean isLongGone() {
    return finished.isDone() && System.nanoTime() - finished.join() > GONE.toNanos();
  }

  synchronized boolean hasPosted(ControlType type) {
    return output.contains(Victim.POST + type.name());
  }

  /** How its session ended; null when it did not report that. */
  synchronized @Nullable End end() {
    return end;
  }

  synchronized String output() {
    return String.join("\n", output);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
