// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.UserFolder;
import org.wridscope.guest.Handover;
import org.wridscope.guest.qemu.DestinationGuard;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.guest.qemu.Guards;
import org.wridscope.guest.qemu.QemuGuard;
import org.wridscope.guest.qemu.SourceGuard;
import org.wridscope.process.SharedSocket;
import org.wridscope.verbs.soft.SoftNetwork;

/** Starts guards as processes of this program. */
public final class GuardProcesses implements Guards {
  private static final Logger LOG = LoggerFactory.getLogger(GuardProcesses.class);

  private static final SecureRandom RANDOM = new SecureRandom();

  private final Path log;
  private @Nullable GuardProcess spare;

  /**
   * Guards without a process.
   *
   * @param log the file to which they write what they did
   */
  public GuardProcesses(Path log) {
    this.log = log;
  }

  /** Guards that write to {@code guard.log} in the state directory of this process's user. */
  public static GuardProcesses ofUser() {
    return new GuardProcesses(UserFolder.STATE.ofUser().resolve("guard.log"));
  }

  /** Guards of one QEMU, of which the first is the process that was started ahead of need here. */
  public GuardProcesses ofQemu() {
    var guards = new GuardProcesses(log);
    guards.spare = takeSpare();
    return guards;
  }

  @Override
  public synchronized void ready() {
    if (spare == null || !spare.isAlive()) {
      try {
        spare = GuardProcess.spawn(log);
      } catch (IOException e) {
        // The next attempt says so to the user.
        LOG.debug("no guard ahead of need: {}", e.getMessage());
      }
    }
  }

  @Override
  public SourceGuard guardSource(GuardedQemu qemu, GuardedSettings before) throws IOException {
    return new Source(guard(Note.of(Note.Kind.SOURCE, qemu, before)));
  }

  @Override
  public DestinationGuard guardDestination(GuardedQemu qemu, GuardedSettings before)
      throws IOException {
    return new Destination(guard(Note.of(Note.Kind.DESTINATION, qemu, before)));
  }

  private GuardProcess guard(Note first) throws IOException {
    GuardProcess guard = takeSpare();
    if (guard == null) {
      guard = GuardProcess.spawn(log);
    }
    guard.begin(first);
    return guard;
  }

  /** Null if there is none, or it has ended meanwhile. */
  private synchronized @Nullable GuardProcess takeSpare() {
    GuardProcess taken = spare;
    spare = null;
    return taken != null && taken.isAlive() ? taken : null;
  }

  @Override
  public void close() {
    GuardProcess unused = takeSpare();
    if (unused != null) {
      // It has no QEMU to put right, and ends.
      unused.takeOver();
    }
  }

  private abstract static class Told implements QemuGuard {
    final GuardProcess guard;

    Told(GuardProcess guard) {
      this.guard = guard;
    }

    @Override
    public void creating(Path socket) throws IOException {
      guard.tell(Note.creating(socket));
    }

    @Override
    public void takeOver() {
      guard.takeOver();
    }

    @Override
    public void close() {
      guard.close();
    }
  }

  private static final class Source extends Told implements SourceGuard {
    Source(GuardProcess guard) {
      super(guard);
    }

    @Override
    public int openUserfault() throws IOException {
      return guard.tell(Note.of(Note.Kind.OPEN_USERFAULT)).get(Note.DESCRIPTOR).getAsInt();
    }

    @Override
    public void closeUserfault() throws IOException {
      guard.tell(Note.of(Note.Kind.CLOSE_USERFAULT));
    }

    @Override
    public void stopping() throws IOException {
      guard.tell(Note.of(Note.Kind.STOPPING));
    }

    @Override
    public void resumed() throws IOException {
      guard.tell(Note.of(Note.Kind.RESUMED));
    }

    @Override
    public void handingOver(Handover handover) throws IOException {
      guard.tell(Note.of(Note.Kind.HANDING_OVER, handover));
    }

    @Override
    public void handedOver() throws IOException {
      guard.tell(Note.of(Note.Kind.HANDED_OVER));
    }

    @Override
    public void takenBack() throws IOException {
      guard.tell(Note.of(Note.Kind.TAKEN_BACK));
    }
  }

  private static final class Destination extends Told implements DestinationGuard {
    Destination(GuardProcess guard) {
      super(guard);
    }

    @Override
    public void connected(Handover handover) throws IOException {
      guard.tell(Note.of(Note.Kind.CONNECTED, handover));
      if (handover.device().equals(SoftNetwork.NAME)) {
        share(handover.destination());
      }
    }

    /**
     * Has the guard listen, too, so that nobody else can when this process ends. Without that it
     * listens when the port is free; a source believes only who has the secret, in either case.
     */
    private void share(InetSocketAddress listening) {
      String token = Long.toHexString(RANDOM.nextLong()) + Long.toHexString(RANDOM.nextLong());
      try {
        JsonObject answer = guard.tell(Note.listening(token));
        SharedSocket.send(
            answer.get(Note.INBOX).getAsString(),
            token.getBytes(StandardCharsets.US_ASCII),
            listening);
      } catch (IOException e) {
        LOG.warn("the guard of the QEMU does not listen with this process: {}", e.getMessage());
      }
    }

    @Override
    public void loading() throws IOException {
      guard.tell(Note.of(Note.Kind.LOADING));
    }

    @Override
    public void loaded() throws IOException {
      guard.tell(Note.of(Note.Kind.LOADED));
    }

    @Override
    public void switchingOver(boolean run) throws IOException {
      guard.tell(Note.switchingOver(run));
    }

    @Override
    public void running() throws IOException {
      guard.tell(Note.of(Note.Kind.RUNNING));
    }
  }
}
