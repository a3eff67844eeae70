// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Waits;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.verbs.AsyncEventType;

/** Says which events of its queue pair reached a source, and whether destroying it waited. */
public final class QueuePairEvents {
  private final SessionTelemetry telemetry;
  private final Requests requests;
  private final long number;

  private QueuePairEvents(SessionTelemetry telemetry) {
    this.telemetry = telemetry;
    requests = new Requests(telemetry).readAll();
    number = telemetry.metrics().get(Metric.QUEUE_PAIR_NUMBER);
  }

  /**
   * A sentence from what a source recorded that has ended; null if it recorded nothing.
   *
   * @param former the source that ended before it on the same device, if any
   */
  public static @Nullable String sentence(
      SessionTelemetry source, @Nullable SessionTelemetry former) {
    if (source.role() != Role.SOURCE || !source.monitored()) {
      return null;
    }
    var events = new QueuePairEvents(source);
    boolean again =
        former != null && former.metrics().get(Metric.QUEUE_PAIR_NUMBER) == events.number;
    return events.sentence(again);
  }

  private String sentence(boolean again) {
    long waited = waitedNanos();
    return "Queue pair %d%s: %s reached the source%s."
        .formatted(
            number,
            again ? ", a number used again" : "",
            arrived(again),
            waited < 0
                ? ""
                : "; destroying the queue pair waited %s until its handler had returned"
                    .formatted(Format.duration(waited)));
  }

  /** The events of the queue pair that reached the session. */
  private String arrived(boolean again) {
    List<Event> own =
        requests.milestones().stream()
            .filter(event -> event.kind() == EventKind.ASYNC && event.argument() == number)
            .toList();
    return own.isEmpty()
        ? again ? "no event, neither its own nor one of the former queue pair," : "no event"
        : "%s (%s)"
            .formatted(
                Format.counted(own.size(), "event"),
                own.stream()
                    .map(event -> String.valueOf(AsyncEventType.of(event.detail())))
                    .distinct()
                    .collect(Collectors.joining(", ")));
  }

  /** How long destroying the queue pair waited for the handler of an event; -1 if it did not. */
  private long waitedNanos() {
    Waits waits = requests.waits();
    for (long wait = waits.end() - 1; wait >= waits.first(); wait--) {
      boolean handler = telemetry.waits().get(waits.phrase(wait)).kind() == Wait.Kind.HANDLER;
      if (handler && !waits.isOpen(wait)) {
        return waits.endedNanos(wait) - waits.beganNanos(wait);
      }
    }
    return -1;
  }
}
