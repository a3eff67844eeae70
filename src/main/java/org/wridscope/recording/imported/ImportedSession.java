// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.imported;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.account.Account;
import org.wridscope.account.Posts;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.file.ImportTarget;
import org.wridscope.recording.file.Sample;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.Wait;
import org.wridscope.telemetry.WirePacket;

/**
 * A session that is imported from a foreign log: its clock, which the log drives, its waits, and
 * the account of its events.
 */
public final class ImportedSession {
  private final ImportTarget target;
  private final long sampleNanos;
  private final Account account;
  private final Sample sample = new Sample();
  private final Map<Wait, Integer> waits = new HashMap<>();

  private MigrationStatus status = MigrationStatus.NONE;
  private long now;
  private long sampledAt;
  private long lastEvent;
  private boolean changed = true;
  private @Nullable Wait waitingFor;
  private long waitingSince;
  private boolean connected;
  private @Nullable ImportedRam ram;

  /**
   * @param role the end that it is of
   * @param nanos when it begins
   * @param sampleNanos the shortest time from one sample of the counters and chunks to the next
   */
  public ImportedSession(ImportTarget target, Role role, long nanos, long sampleNanos) {
    this.target = target;
    this.sampleNanos = sampleNanos;
    account = new Account(role, this::length, false);
    now = nanos;
    sampledAt = nanos;
    lastEvent = nanos;
  }

  // ---------------------------------------------------------------------------------- the clock

  public long now() {
    return now;
  }

  /** The time of the newest event. */
  public long lastEvent() {
    return lastEvent;
  }

  /** Advances the clock; ignores a time before the present one. */
  public void advance(long nanos) throws IOException {
    // Lines of several threads may be out of order by some microseconds.
    long before = now;
    now = Math.max(now, nanos);
    if (changed && before - sampledAt >= sampleNanos && now > before) {
      sample(before);
    }
  }

  /** Sets the clock for an event whose meaning became clear only later. */
  public void goTo(long nanos) {
    now = nanos;
  }

  // -------------------------------------------------------------------------------- the counters

  public long get(Metric metric) {
    return account.metrics().get(metric);
  }

  public void set(Metric metric, long value) {
    account.metrics().set(metric, value);
    changed = true;
  }

  public void add(Metric metric, long amount) {
    set(metric, get(metric) + amount);
  }

  private long length(int block) {
    return ram != null && ram.exists(block, 0) ? ram.length(block) : Account.UNKNOWN_LENGTH;
  }

  // ------------------------------------------------------------------- what no line tells as such

  /** The wrid of the oldest RDMA WRITE that no completion has covered, or {@link Posts#NONE}. */
  long oldestWrite() {
    return account.oldestWrite();
  }

  /** See {@link Account#settle}. */
  public void completeAll(boolean arrived) {
    account.settle(arrived);
    changed = true;
  }

  /** See {@link Account#allKeysKnown}. */
  public void allKeysKnown() {
    account.allKeysKnown();
    changed = true;
  }

  /** See {@link Account#allArrived}. */
  void allArrived(boolean pinned) {
    account.allArrived(pinned);
    changed = true;
  }

  // ---------------------------------------------------------------------------------- the events

  public void event(EventKind kind, int detail, int length, long wrid, long argument)
      throws IOException {
    account.event(now, kind, detail, length, wrid, argument);
    target.event(now, kind, detail, length, wrid, argument);
    connected = kind == EventKind.ESTABLISHED || (connected && kind != EventKind.DISCONNECTING);
    lastEvent = now;
    changed = true;
  }

  public void sent(ControlType type, long wrid) throws IOException {
    event(EventKind.CONTROL_SENT, type.value(), 0, wrid, 0);
  }

  /** A message was sent whose header is known. */
  public void sent(ControlHeader header, long wrid) throws IOException {
    event(EventKind.CONTROL_SENT, header.type().value(), header.length(), wrid, header.repeat());
  }

  public void received(ControlType type, long wrid) throws IOException {
    event(EventKind.CONTROL_RECEIVED, type.value(), 0, wrid, 0);
  }

  /** A message was received whose header is known. */
  public void received(ControlHeader header, long wrid) throws IOException {
    event(
        EventKind.CONTROL_RECEIVED, header.type().value(), header.length(), wrid, header.repeat());
  }

  /** A captured packet shows what a request or a queue pair met on the wire. */
  public void met(EventKind kind, WirePacket packet) throws IOException {
    event(kind, packet.detail(), packet.psn(), packet.wrid(), packet.argument());
  }

  /** Whether a connection was established that was not closed. */
  public boolean isConnected() {
    return connected;
  }

  public MigrationStatus status() {
    return status;
  }

  public void enter(MigrationStatus entered) throws IOException {
    status = entered;
    event(EventKind.STATUS, entered.ordinal(), 0, 0, 0);
  }

  /** Starts a wait, which ends the previous one. */
  public void beginWait(Wait wait, long wrid) throws IOException {
    endWait();
    waitingFor = wait;
    waitingSince = now;
    event(EventKind.WAIT_BEGIN, number(wait), 0, wrid, 0);
  }

  public void endWait() throws IOException {
    Wait ended = waitingFor;
    if (ended != null) {
      event(EventKind.WAIT_END, number(ended), 0, 0, now - waitingSince);
      waitingFor = null;
    }
  }

  /** Whether the present wait is of this kind. */
  public boolean isWaiting(Wait.Kind kind) {
    return waitingFor != null && waitingFor.kind() == kind;
  }

  /**
   * The present wait took a completion that it did not wait for.
   *
   * @param kind whether that does harm: {@link EventKind#COMPLETION_MET} or {@link
   *     EventKind#COMPLETION_DROPPED}
   * @param unseen what it waits for, if the log does not show when it began
   * @param wanted the type of the wrid that it waits for
   */
  public void missed(EventKind kind, Wait.Kind unseen, long wrid, long wanted) throws IOException {
    event(kind, number(waitingFor == null ? new Wait(unseen) : waitingFor), 0, wrid, wanted);
  }

  /** The number of a text of a program. */
  public int phrase(String text) {
    return number(new Wait(Wait.Kind.OF_PROGRAM, text));
  }

  private int number(Wait wait) {
    Integer known = waits.get(wait);
    if (known != null) {
      return known;
    }
    target.wait(wait);
    waits.put(wait, waits.size());
    return waits.size() - 1;
  }

  /** Records that device and connection are known. */
  public void opened(Banner banner) throws IOException {
    target.opened(banner);
    event(EventKind.DEVICE_OPENED, 0, 0, 0, 0);
  }

  /** Records the counters with which the session begins. */
  public void begin() throws IOException {
    sample(now);
  }

  // ----------------------------------------------------------------------------------- the names

  public void phase(Phase.Kind kind) {
    target.phase(new Phase(kind, now));
  }

  public void round(long round) {
    target.phase(new Phase(Phase.Kind.ROUND, round, now));
  }

  /** Adds a sentence for the user. */
  public void note(String sentence) {
    target.note(sentence);
  }

  void remoteAddresses(long[] addresses) {
    target.remoteAddresses(now, addresses);
  }

  /** Records that the RAM blocks are known from now on. */
  public void blocks(ImportedRam known) throws IOException {
    ram = known;
    account.setBlocks(known.tables());
    target.blocks(now, known.tables());
    sample(now);
  }

  // --------------------------------------------------------------------------------- the samples

  /** Takes a sample if a counter has changed since the last one. */
  public void settle() throws IOException {
    if (changed) {
      sample(now);
    }
  }

  /**
   * Ends the session.
   *
   * @param outcome a sentence, null when it is not known
   */
  public void finish(@Nullable String outcome) throws IOException {
    finishWith(outcome == null ? null : new SessionOutcome(outcome));
  }

  /**
   * Ends the session.
   *
   * @param outcome null when it is not known
   */
  public void finishWith(@Nullable SessionOutcome outcome) throws IOException {
    sample(now);
    target.finish(outcome);
  }

  private void sample(long at) throws IOException {
    sampledAt = at;
    changed = false;
    sample.nanos = at;
    sample.setCounters(account);
    // It is not known whether the guest runs.
    sample.setPast(status, false, waitingFor == null ? -1 : number(waitingFor));
    target.sample(sample, status);
  }
}
