// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.SessionOutcome.Origin;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.time.Time;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Determines why an endpoint failed, from failed completions, the device's asynchronous events and
 * the events of the connection. The first failure counts, since those that follow are its
 * consequences; only a flush is a consequence itself, and is replaced by what explains it.
 */
final class FailureMonitor {
  /** How long completions may come after the end of the connection. */
  private static final Duration LATE_COMPLETIONS = Duration.ofMillis(200);

  /** How long to wait for an event that tells why the queue pair is in the error state. */
  private static final Duration LATE_EVENTS = Duration.ofSeconds(1);

  private static final Duration SLICE = Duration.ofMillis(10);

  private final Endpoint endpoint;
  private final CompletionPolicy policy;
  private SessionTelemetry telemetry;
  private @Nullable MigrationException failure;

  /** Whether the failure is only that a request was flushed. */
  private boolean flushed;

  /** What else explains that the peer's access to memory failed; with a space before it. */
  private String advice = "";

  private boolean deviceFailed;
  private @Nullable ConnectionEvent ending;
  private long endedAt;

  FailureMonitor(Endpoint endpoint, CompletionPolicy policy, SessionTelemetry telemetry) {
    this.endpoint = endpoint;
    this.policy = policy;
    this.telemetry = telemetry;
  }

  /**
   * Adds a sentence to failures that follow from an access of the peer that this side did not
   * allow.
   *
   * @param sentence with a space before it; empty for none
   */
  void advise(String sentence) {
    advice = sentence;
  }

  void setTelemetry(SessionTelemetry telemetry) {
    this.telemetry = telemetry;
  }

  /** Whether a request, the queue pair or the device failed, after which nothing can succeed. */
  boolean hasFailed() {
    return failure != null;
  }

  /** Whether the connection has ended. */
  boolean disconnected() {
    return ending != null;
  }

  /** Notes a completion that failed. */
  void failed(WorkCompletion completion) {
    if (failure != null) {
      return;
    }
    WorkCompletionStatus status = completion.status();
    flushed = status == WorkCompletionStatus.WR_FLUSH_ERR;
    String what = WorkRequestId.describe(completion.workRequestId());
    failure =
        switch (status) {
          case WR_FLUSH_ERR ->
              new DisconnectedException(
                  "The connection was lost; see what the other side reports.", Origin.UNKNOWN);
          case RETRY_EXC_ERR ->
              new DisconnectedException(
                  "The peer no longer answers (%s: %s). Check its host and the link."
                      .formatted(what, status.text()),
                  Origin.HERE);
          case RNR_RETRY_EXC_ERR ->
              new MigrationException(
                  "The peer had no receive posted for %s (%s).".formatted(what, status.text()));
          case REM_ACCESS_ERR ->
              new MigrationException(
                  "The peer's device refused %s (%s): the peer gave a wrong key or address."
                      .formatted(what, status.text()));
          // The peer sent too much, or refused.
          case LOC_LEN_ERR, REM_INV_REQ_ERR, REM_OP_ERR, REM_INV_RD_REQ_ERR, REM_ABORT_ERR ->
              new MigrationException(ownError(completion, what));
          default -> new DeviceException(ownError(completion, what));
        };
  }

  private String ownError(WorkCompletion completion, String what) {
    WorkCompletionStatus status = completion.status();
    String error =
        "%s (status %d, vendor error %#x)"
            .formatted(status.text(), status.value(), completion.vendorError());
    return status == WorkCompletionStatus.LOC_PROT_ERR
            && telemetry.isMemoryGone(completion.workRequestId())
        ? "The %s deregistered the memory of %s before it had completed, and the device could not read it again: %s."
            .formatted(telemetry.role().text(), what, error)
        : "%s failed: %s.".formatted(what, error);
  }

  /** Takes the asynchronous events that the device has reported. */
  void takeAsyncEvents() {
    endpoint.watchReferences();
    AsyncEventInbox.Happened event;
    while ((event = endpoint.asyncEvents().poll()) != null) {
      telemetry.event(EventKind.ASYNC, event.type().ordinal(), 0, 0, event.queuePairNumber());
      String reason = event.failure(isInError(), endpoint.deviceName());
      if (reason != null && (failure == null || flushed)) {
        failure =
            switch (event.type()) {
              case QP_ACCESS_ERR -> new MigrationException(reason + advice, Origin.UNKNOWN);
              case QP_REQ_ERR -> new MigrationException(reason, Origin.UNKNOWN);
              default -> new DeviceException(reason);
            };
        deviceFailed = true;
        flushed = false;
      }
    }
  }

  private boolean isInError() {
    return endpoint.queuePair().state() == QueuePairState.ERROR;
  }

  /** Throws the failure if the device reported it by an asynchronous event. */
  void requireDevice() throws MigrationException {
    if (deviceFailed && failure != null) {
      throw failure;
    }
  }

  /**
   * Takes an event of the connection, the first of which is its end.
   *
   * @return whether there was one
   */
  boolean takeConnectionEvent(Duration timeout) throws IOException, InterruptedException {
    ConnectionEvent event = endpoint.connection().nextEvent(timeout);
    if (event == null) {
      return false;
    }
    telemetry.event(EventKind.CONNECTION, event.type().ordinal(), 0, 0, event.status());
    if (ending == null) {
      ending = event;
      endedAt = Time.nanos();
    }
    return true;
  }

  /**
   * Takes all events of the connection.
   *
   * @param what is being waited for
   * @throws DisconnectedException if the connection has ended, and long enough ago for all that the
   *     peer sent before, late acknowledgements, and an event that explains a failure of this
   *     side's queue pair to have been taken
   */
  void requireConnection(Wait what) throws IOException, InterruptedException {
    boolean knewOfEnd = disconnected();
    boolean more;
    do {
      more = takeConnectionEvent(Duration.ZERO);
    } while (more);
    if (knewOfEnd && Time.nanos() - endedAt >= patience().toNanos()) {
      throw disconnection(what);
    }
  }

  private Duration patience() {
    if (isInError()) {
      return LATE_EVENTS;
    }
    return endpoint.sendQueue().isOutstanding() ? LATE_COMPLETIONS : Duration.ZERO;
  }

  /**
   * The cause of a failure or of the end of the connection, as far as it is known without waiting;
   * null if there is none.
   *
   * @param what is wanted
   */
  @Nullable MigrationException end(Wait what) throws IOException, InterruptedException {
    boolean more;
    do {
      more = takeConnectionEvent(Duration.ZERO);
    } while (more);
    if (failure != null && !flushed) {
      return failure;
    }
    return flushed || disconnected() ? disconnection(what) : null;
  }

  /**
   * The cause of a {@linkplain #hasFailed failure}; after a flush, waits a moment for an event that
   * explains it.
   *
   * @param what is being waited for
   */
  MigrationException explain(Wait what) throws IOException, InterruptedException {
    long until = Time.nanos() + LATE_EVENTS.toNanos();
    takeAsyncEvents();
    // The peer's disconnect alone flushes nothing here, so it is not yet the reason.
    while (flushed && Time.nanos() < until) {
      takeConnectionEvent(SLICE);
      takeAsyncEvents();
    }
    if (failure == null || (flushed && disconnected())) {
      failure = disconnection(what);
    }
    flushed = false;
    return failure;
  }

  private MigrationException disconnection(Wait what) {
    ConnectionEvent.Type type = ending == null ? ConnectionEvent.Type.DISCONNECTED : ending.type();
    return switch (type) {
      case DEVICE_REMOVAL ->
          new DisconnectedException(
              "The RDMA device was removed while this side waited for %s.".formatted(what.text()),
              Origin.HERE);
      case UNREACHABLE ->
          new DisconnectedException(
              "The peer became unreachable while this side waited for %s; check its host and the link."
                  .formatted(what.text()),
              Origin.HERE);
      case DISCONNECTED, TIMEWAIT_EXIT ->
          // Its disconnect alone does not bring this side's queue pair into the error state.
          new DisconnectedException(
              "The peer disconnected while this side waited for %s; see what the other side reports.%s%s"
                  .formatted(what.text(), policy.loss(), isInError() ? advice : ""),
              Origin.UNKNOWN);
    };
  }
}
