// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The program with its command line, which migrates: in a process of its own, or on a thread. */
abstract class LocalProgram implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("listening on (rdma:\\S+)");
  private static final long START_SECONDS = 600;

  private final CompletableFuture<String> listening = new CompletableFuture<>();
  private final CountDownLatch outputEnded = new CountDownLatch(1);
  private final List<String> output = new ArrayList<>();

  /** Reads what it prints, on a thread. */
  final void read(String name, BufferedReader lines) {
    Thread.ofPlatform().daemon().name("output of " + name).start(() -> read(lines));
  }

  private void read(BufferedReader lines) {
    try (lines) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        synchronized (this) {
          output.add(line);
        }
        Matcher found = LISTENING.matcher(line);
        if (found.find()) {
          listening.complete(found.group(1));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      listening.completeExceptionally(new IOException("the program did not listen: " + output()));
      outputEnded.countDown();
    }
  }

  /** The address where it listens. */
  final String uri() throws Exception {
    return listening.get(START_SECONDS, TimeUnit.SECONDS);
  }

  final synchronized String output() {
    return String.join("\n", output);
  }

  /** Waits until it has ended, and with it all that writes to the same output. */
  final boolean awaitOutput(long nanos) throws InterruptedException {
    return outputEnded.await(nanos, TimeUnit.NANOSECONDS);
  }

  /**
   * Waits until it and its guards have ended.
   *
   * @return whether they have
   */
  abstract boolean await(Duration limit) throws InterruptedException;

  /** Runs something when it has ended. */
  abstract void onEnd(Runnable task);

  /** Ends it. */
  @Override
  public abstract void close();
}
