// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.wridscope.guest.GuestException;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.stream.Checkpoint;
import org.wridscope.stream.MachineStreamReader;
import org.wridscope.text.Format;

/**
 * Has a QEMU migrate into a socket of this process without the RAM that it shares: once while its
 * guest runs, up to the list of RAM blocks, and once to the end, for which QEMU stops its guest.
 */
final class SavedState {
  /** More than the device states of any machine; limits the memory that a QEMU can make us take. */
  private static final int MAX_REST = 256 << 20;

  private static final int PIECE = 64 << 10;

  /**
   * The least that is not "no limit": QEMU counts tenths of a second, and up to 8.1 it then sends a
   * page in each. Later ones count only what has left their buffers, so that little RAM is sent at
   * once.
   */
  private static final long SLOW = 10;

  /** No limit, as in QEMU, where 0 is not accepted by every version. */
  private static final long FAST = 1L << 40;

  /** After the first round, QEMU stops the guest and sends what is left, however much it is. */
  private static final long ANY_DOWNTIME_MILLIS = 600_000;

  private final QemuProcess process;
  private final QemuMonitor monitor;
  private final RestoredSettings settings;
  private final SourceGuard guard;
  private final Duration patience;

  /**
   * @param patience how long QEMU may send nothing
   */
  SavedState(
      QemuProcess process,
      QemuMonitor monitor,
      RestoredSettings settings,
      SourceGuard guard,
      Duration patience) {
    this.process = process;
    this.monitor = monitor;
    this.settings = settings;
    this.guard = guard;
    this.patience = patience;
  }

  /** What is done with the beginning of a stream. */
  @FunctionalInterface
  interface Use {
    void take(MachineStreamReader.Beginning beginning) throws IOException;
  }

  /**
   * Reads what precedes the RAM in the stream. If QEMU has sent all RAM before it is cancelled, the
   * guest stands still from then on until that: QEMU waits with the rest, and so neither completes
   * nor, with its lock held, writes what nobody reads.
   *
   * @param runs whether the guest runs; if it is stopped, the caller continues it
   * @param use called while QEMU cancels the migration, for which it takes up to 100 ms
   * @throws GuestException if the migration has completed, or the guest is not as it was
   */
  void beginning(boolean runs, Use use, Checkpoint checkpoint) throws IOException {
    settings.setLimits(SLOW, 0);
    try (var events = new MigrationEvents(monitor.qmp(), () -> {});
        QemuStream stream = migrate(events, checkpoint)) {
      MachineStreamReader.Beginning beginning =
          reading(
              events,
              stream,
              () ->
                  new MachineStreamReader(stream.input(patience, checkpoint), (_, _, _) -> {})
                      .readBeginning());
      Ask.command(monitor::migrateCancel);
      if (!events.hasEnded()) {
        Ask.command(monitor::wakeCancelled);
      }
      use.take(beginning);
      events.awaitEnd(patience, process + " did not cancel its migration", checkpoint);
      requireAsBefore(events.status(), runs);
    }
  }

  /** QEMU itself continues the guest of a migration that has not completed. */
  private void requireAsBefore(String end, boolean ran) throws IOException {
    String state = Ask.query(monitor::status).status();
    if (state.equals("postmigrate") || state.equals("finish-migrate")) {
      throw new GuestException(
          "%s %s, after which its guest has the state %s. %s"
              .formatted(
                  process,
                  end.equals("completed")
                      ? "has completed a migration that was to be cancelled"
                      : "has cancelled a migration late",
                  state,
                  ran
                      ? "Its guest is continued; migrate again."
                      : "It stays paused; migrate again after cont and stop."));
    }
  }

  /** What follows the RAM in the stream. */
  record Rest(MachineStreamReader.Beginning beginning, ByteArrayOutputStream bytes) {}

  /**
   * Reads all of the stream. The guest stands still after that, and its disks are released.
   *
   * @param stopped called once, on any thread, when the guest stands still
   * @param sink gets the pages that QEMU does not share
   */
  Rest whole(Runnable stopped, MachineStreamReader.Sink sink, Checkpoint checkpoint)
      throws IOException {
    settings.allowSwitchOver();
    settings.setLimits(FAST, ANY_DOWNTIME_MILLIS);
    var once = new Once(stopped);
    try (var events = new MigrationEvents(monitor.qmp(), once);
        QemuStream stream = migrate(events, checkpoint)) {
      Rest rest =
          reading(
              events,
              stream,
              () -> {
                InputStream in = stream.input(patience, checkpoint);
                var reader = new MachineStreamReader(in, sink);
                MachineStreamReader.Beginning beginning = reader.readBeginning();
                reader.readRam();
                return new Rest(beginning, rest(in));
              });
      events.awaitEnd(patience, process + " did not complete its migration", checkpoint);
      if (!events.status().equals("completed")) {
        throw failed();
      }
      // A guest that was paused before is not stopped again.
      once.run();
      return rest;
    }
  }

  private static ByteArrayOutputStream rest(InputStream in) throws IOException {
    var rest = new ByteArrayOutputStream();
    byte[] piece = new byte[PIECE];
    int length;
    while ((length = in.read(piece)) >= 0) {
      if (rest.size() + length > MAX_REST) {
        throw new GuestException(
            "QEMU has more than %s of device states; they seem endless"
                .formatted(Format.bytes(MAX_REST)));
      }
      rest.write(piece, 0, length);
    }
    return rest;
  }

  /** Calls something the first time only. */
  private static final class Once implements Runnable {
    private final AtomicBoolean called = new AtomicBoolean();
    private final Runnable target;

    Once(Runnable target) {
      this.target = target;
    }

    @Override
    public void run() {
      if (!called.getAndSet(true)) {
        target.run();
      }
    }
  }

  private QemuStream migrate(MigrationEvents events, Checkpoint checkpoint) throws IOException {
    try (var socket = PrivateSocket.create(guard)) {
      socket.listen(process.user());
      Ask.command(() -> monitor.migrate(socket.uri()));
      return socket.accept(
          patience,
          () -> {
            checkpoint.pass();
            if (events.hasEnded()) {
              throw failed();
            }
            requireOpen();
          });
    }
  }

  private void requireOpen() throws GuestException {
    if (!monitor.qmp().isOpen()) {
      throw new GuestException(
          process.isAlive()
              ? process + " has closed its QMP connection"
              : process + " has ended; see what it printed");
    }
  }

  @FunctionalInterface
  private interface Reading<T> {
    T read() throws IOException;
  }

  /** Explains a stream that ends too early by what QEMU says about it. */
  private <T> T reading(MigrationEvents events, QemuStream stream, Reading<T> reading)
      throws IOException {
    try {
      return reading.read();
    } catch (ProtocolException e) {
      if (!stream.hasEnded()) {
        throw e;
      }
      var deadline = new Deadline(Duration.ofSeconds(2));
      while (monitor.qmp().isOpen() && !events.hasEnded() && !deadline.isOver()) {
        deadline.pause("QEMU's migration did not end");
      }
      requireOpen();
      throw events.status().equals("failed") ? failed() : e;
    }
  }

  private GuestException failed() throws IOException {
    String reason =
        Ask.query(monitor::migration).errorDesc().orElse("it gives no reason; see what it printed");
    return new GuestException("%s cannot migrate its guest: %s".formatted(process, reason));
  }

  /**
   * Ends a migration that has not ended. Does nothing if there is none.
   *
   * @param now the connection to QEMU, which may be another one by now
   */
  void cancel(QemuMonitor now) throws IOException {
    var deadline = new Deadline(patience);
    boolean asked = false;
    while (isInProgress(now)) {
      if (!asked) {
        Ask.regardless(now::migrateCancel);
        Ask.regardless(now::wakeCancelled);
        asked = true;
      }
      deadline.check("QEMU did not cancel its migration");
      Ask.regardless(() -> Thread.sleep(Duration.ofMillis(5)));
    }
  }

  private static boolean isInProgress(QemuMonitor now) throws IOException {
    var inProgress = new boolean[1];
    Ask.regardless(() -> inProgress[0] = now.migration().isInProgress());
    return inProgress[0];
  }
}
