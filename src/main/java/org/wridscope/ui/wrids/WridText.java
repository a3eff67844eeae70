// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.Set;
import java.util.stream.Collectors;
import org.wridscope.analysis.Anomaly;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Marks;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.RequestKind;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Waits;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.text.Format;
import org.wridscope.verbs.OpcodeNames;

/** Requests and waits in words. */
final class WridText {
  private WridText() {}

  /** A short label beside a request: what it carries. */
  static String label(WorkRequests requests, long id) {
    if (requests.ofProgram(id)) {
      String operation =
          requests.queue() == QueueType.RECEIVE
              ? "recv"
              : OpcodeNames.ofRequest(requests.opcode(id));
      return operation + " " + requests.programWrid(id);
    }
    long wrid = requests.wrid(id);
    return switch (requests.kind(id)) {
      case WRITE -> WorkRequestId.block(wrid) + "/" + WorkRequestId.chunk(wrid);
      case SEND ->
          requests.controlType(id) == 0 ? "SEND" : EventText.control(requests.controlType(id));
      case READ, ATOMIC, OTHER -> requests.kind(id).text();
      case RECEIVE -> "recv %s".formatted(WorkRequestId.type(wrid) - WorkRequestId.CONTROL_RECEIVE);
    };
  }

  /** A request in one line. */
  static String line(Requests requests, QueueType queue, long id, long origin) {
    WorkRequests of = requests.of(queue);
    SessionTelemetry telemetry = requests.telemetry();
    var line =
        new StringBuilder(
            of.ofProgram(id)
                ? RequestFacts.of(requests, queue, id).text()
                : EventText.work(of.wrid(id), telemetry));
    if (of.kind(id) == RequestKind.SEND && of.controlType(id) != 0) {
      line.append(" (").append(EventText.control(of.controlType(id))).append(')');
    }
    if (!of.isPostKnown(id)) {
      line.append(
          ", completed %s; its post is not recorded"
              .formatted(Format.moment(of.endedNanos(id) - origin)));
    } else if (of.isOpen(id)) {
      line.append(posted(of, id, origin));
      line.append(", ").append(of.openText());
    } else {
      line.append(posted(of, id, origin));
      String took = Format.duration(of.endedNanos(id) - of.postedNanos(id));
      line.append(
          of.coveredBy(id) == WorkRequests.NONE
              ? ", completed after %s".formatted(took)
              : ", covered after %s".formatted(took));
    }
    if (of.failed(id)) {
      line.append(": ")
          .append(of.status(id).text())
          .append(" (")
          .append(Meanings.of(of.status(id)).title())
          .append(')');
    }
    if (of.dropped(id)) {
      line.append(", its completion was dropped");
    } else if (of.met(id)) {
      line.append(", its completion was handled by another wait, harmless");
    } else if (of.overtook(id)) {
      line.append(", its completion overtook another");
    }
    return line.toString();
  }

  private static String posted(WorkRequests of, long id, long origin) {
    return ", posted %s".formatted(Format.moment(of.postedNanos(id) - origin));
  }

  /** A wait in one line. */
  static String wait(Requests requests, long wait) {
    Waits waits = requests.waits();
    String phrase = EventText.wait(waits.phrase(wait), requests.telemetry());
    return waits.isOpen(wait)
        ? "waits for %s".formatted(phrase)
        : "waited for %s, %s"
            .formatted(phrase, Format.duration(waits.endedNanos(wait) - waits.beganNanos(wait)));
  }

  /**
   * How many requests there are, and how many of them are out of order, met by another wait,
   * dropped or failed.
   */
  static String count(Requests requests) {
    Marks marks = requests.marks();
    var text = new StringBuilder();
    long all = requests.sends().end() + requests.receives().end();
    text.append(Format.counted(all, "request"));
    add(
        text,
        marks.count(Marks.Kind.RECEIVE_OVERTOOK_SEND) + marks.count(Marks.Kind.OUT_OF_ORDER),
        "out of order");
    add(text, marks.count(Marks.Kind.MET), "handled by another wait, harmless");
    add(text, marks.count(Marks.Kind.DROPPED), "dropped");
    add(
        text,
        marks.count(Marks.Kind.MEMORY_GONE) + marks.count(Marks.Kind.MEMORY_REUSED),
        "released too early");
    add(text, marks.count(Marks.Kind.SENT_AGAIN), "sent again");
    add(text, marks.count(Marks.Kind.REFUSED), "answered with a NAK");
    add(text, marks.count(Marks.Kind.FAILED), "failed");
    add(text, requests.missed(), "events missing");
    return text.toString();
  }

  /** What is unusual, in a phrase. */
  static String anomaly(Requests requests, Anomaly anomaly) {
    return switch (anomaly.kind()) {
      case FAILED -> failed(requests, anomaly);
      case OUT_OF_ORDER -> "a completion out of order";
      case DROPPED -> "a completion that was dropped";
      case RELEASED_TOO_EARLY -> "memory that was released too early";
      case SENT_AGAIN -> "a request that was sent again or refused";
      case LONG_WAIT -> "a long wait: %s".formatted(wait(requests, anomaly.id()));
      case NEVER_COMPLETED -> "a request that never completed";
      case NOBODY_POSTED -> "a completion of a request whose post is not recorded";
    };
  }

  private static String failed(Requests requests, Anomaly anomaly) {
    QueueType queue = anomaly.queue();
    return queue == null || !requests.of(queue).has(anomaly.id())
        ? "a failed completion"
        : "a failed completion: %s".formatted(requests.of(queue).status(anomaly.id()).text());
  }

  private static void add(StringBuilder text, long count, String what) {
    if (count > 0) {
      text.append(", ").append(Format.count(count)).append(' ').append(what);
    }
  }

  /**
   * How the operations of a program are drawn, as the beginning of a legend.
   *
   * @param kinds that it posts to send queues
   * @param lines whether each request is drawn
   */
  static String operations(Set<RequestKind> kinds, boolean lines) {
    if (kinds.isEmpty()) {
      return "";
    }
    if (!lines) {
      String names = kinds.stream().map(RequestKind::text).collect(Collectors.joining(", "));
      return "bars: %s%s    "
          .formatted(names, kinds.size() > 1 ? ", which are told apart when you zoom in" : "");
    }
    return kinds.stream()
        .map(kind -> "%c %s    ".formatted(sign(kind), kind.text()))
        .collect(Collectors.joining());
  }

  /** Like what {@link Shapes#head} draws. */
  private static char sign(RequestKind kind) {
    return switch (kind) {
      case WRITE, RECEIVE -> '│';
      case SEND -> '■';
      case READ -> '▲';
      case ATOMIC -> '◆';
      case OTHER -> '┬';
    };
  }
}
