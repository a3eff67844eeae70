// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import org.wridscope.account.Account;
import org.wridscope.control.Session;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.MessageCounts;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;

/**
 * All counters at one moment, as columns of numbers: the metrics, the control messages sent and
 * received by type, and some single values.
 */
public final class Sample {
  private static final Metric[] METRICS = Metric.values();
  private static final ControlType[] TYPES = ControlType.values();

  static final int FIRST_SINGLE = METRICS.length + 2 * TYPES.length;
  private static final int LEFT_OUT = FIRST_SINGLE;
  private static final int STATUS = FIRST_SINGLE + 1;
  private static final int GUEST_RUNNING = FIRST_SINGLE + 2;
  private static final int WAIT = FIRST_SINGLE + 3;

  /** Number of columns that do not belong to a list. */
  static final int SINGLES = 4;

  static final int COLUMNS = FIRST_SINGLE + SINGLES;

  public final long[] values = new long[COLUMNS];
  public long nanos;

  public static int sentColumn(ControlType type) {
    return METRICS.length + type.ordinal();
  }

  public static int receivedColumn(ControlType type) {
    return METRICS.length + TYPES.length + type.ordinal();
  }

  /** The counters of an account; the other columns are 0. */
  public static Sample of(Account account) {
    var sample = new Sample();
    sample.setCounters(account);
    return sample;
  }

  public void setCounters(Account account) {
    setCounters(account.metrics(), account.sent(), account.received());
  }

  private void setCounters(Metrics metrics, MessageCounts sent, MessageCounts received) {
    setMetrics(metrics);
    for (ControlType type : TYPES) {
      values[sentColumn(type)] = sent.get(type);
      values[receivedColumn(type)] = received.get(type);
    }
  }

  /** Takes over time and values of another one. */
  public void become(Sample other) {
    nanos = other.nanos;
    System.arraycopy(other.values, 0, values, 0, values.length);
  }

  /** Fills the sample with the present values. */
  void take(Session session, long nowNanos) {
    SessionTelemetry telemetry = session.telemetry();
    nanos = nowNanos;
    setCounters(telemetry.metrics(), telemetry.messagesSent(), telemetry.messagesReceived());
    values[LEFT_OUT] = telemetry.eventsLeftOut();
    values[STATUS] = telemetry.status().ordinal();
    values[GUEST_RUNNING] = session.guestRunning() ? 1 : 0;
    Wait waitingFor = telemetry.waitingFor();
    values[WAIT] = waitingFor == null ? 0 : telemetry.waits().indexOf(waitingFor) + 1L;
  }

  void setMetrics(Metrics metrics) {
    for (Metric metric : METRICS) {
      values[metric.ordinal()] = metrics.get(metric);
    }
  }

  public long get(Metric metric) {
    return values[metric.ordinal()];
  }

  public void set(Metric metric, long value) {
    values[metric.ordinal()] = value;
  }

  public void metrics(Metrics into) {
    for (Metric metric : METRICS) {
      into.set(metric, values[metric.ordinal()]);
    }
  }

  public long sent(ControlType type) {
    return values[sentColumn(type)];
  }

  public long received(ControlType type) {
    return values[receivedColumn(type)];
  }

  /** How many events were skipped because the session's ring was full. */
  public long leftOut() {
    return values[LEFT_OUT];
  }

  MigrationStatus status(Dictionary dictionary) throws RecordingException {
    long number = values[STATUS];
    return dictionary.status(number < 0 ? Integer.MAX_VALUE : (int) Math.min(number, 1 << 30));
  }

  public boolean guestRunning() {
    return values[GUEST_RUNNING] != 0;
  }

  /** Number of the current wait, -1 for none. */
  public int wait(int waits) {
    long wait = values[WAIT] - 1;
    return wait >= 0 && wait < waits ? (int) wait : -1;
  }

  /** Sets the values that are not metrics, for a past moment. */
  public void setPast(MigrationStatus status, boolean guestRunning, int wait) {
    values[STATUS] = status.ordinal();
    values[GUEST_RUNNING] = guestRunning ? 1 : 0;
    values[WAIT] = wait + 1L;
  }
}
