// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.control.Session;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;
import org.wridscope.time.Option;
import org.wridscope.time.Scheduler;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.soft.DeviceStep;
import org.wridscope.verbs.soft.Outstanding;
import org.wridscope.verbs.soft.PendingCompletion;
import org.wridscope.verbs.soft.PostedRequest;

/**
 * Describes what a run under a schedule stands before, in the words of the field. Only for a thread
 * of the schedule, while nobody goes on.
 */
final class StandingText {
  /** Where a control header has its type. */
  private static final int TYPE_AT = 4;

  private final List<Session> sessions;
  private final List<Outstanding> outstanding;

  StandingText(List<Session> sessions, Scheduler scheduler) {
    this.sessions = List.copyOf(sessions);
    outstanding = Outstanding.of(scheduler);
  }

  /** The ends, the source first. */
  List<Standing.End> ends() {
    List<Standing.End> ends = new ArrayList<>();
    for (Role role : Role.values()) {
      for (Session session : sessions) {
        if (session.role() == role) {
          ends.add(end(session));
        }
      }
    }
    return ends;
  }

  private Standing.End end(Session session) {
    List<String> posted = new ArrayList<>();
    List<String> unacknowledged = new ArrayList<>();
    for (Outstanding each : outstanding) {
      if (each.device().equals(session.device())) {
        each.posted().forEach(request -> posted.add(name(request, session)));
        each.unacknowledged().forEach(request -> unacknowledged.add(name(request, session)));
      }
    }
    return new Standing.End(
        session.role(),
        session.status(),
        session.telemetry().waitingFor(),
        posted,
        unacknowledged,
        completed(session));
  }

  private List<String> completed(Session session) {
    return outstanding.stream()
        .filter(each -> each.device().equals(session.device()))
        .flatMap(each -> each.completed().stream())
        .map(completion -> name(completion, session))
        .toList();
  }

  Standing.Possibility possibility(Option option, boolean rare) {
    if (option instanceof DeviceStep step) {
      Session session = ofDevice(step.who());
      PostedRequest request = step.request();
      String named = request == null || session == null ? "" : name(request, session);
      return new Standing.Possibility(
          session == null ? step.who() : role(session) + "'s device",
          named.isEmpty() ? step.what() : step.what(named),
          step.rule(),
          rare);
    }
    Session session = ofThread(option.who());
    return new Standing.Possibility(
        session == null ? withoutLab(option.who()) : role(session),
        session == null ? option.what() : option.what() + reason(session),
        option.rule(),
        rare);
  }

  /** What a session waits for, and what there is for it to poll. */
  private String reason(Session session) {
    Wait waits = session.telemetry().waitingFor();
    List<String> completed = completed(session);
    List<String> reasons = new ArrayList<>();
    if (waits != null) {
      reasons.add("waits for " + waits.text());
    }
    if (!completed.isEmpty()) {
      reasons.add("to poll: " + completed.getFirst() + more(completed.size() - 1));
    }
    return reasons.isEmpty() ? "" : " (%s)".formatted(String.join("; ", reasons));
  }

  private static String more(int count) {
    return count == 0 ? "" : " and %d more".formatted(count);
  }

  private @Nullable Session ofDevice(String device) {
    return sessions.stream()
        .filter(session -> session.device().equals(device))
        .findFirst()
        .orElse(null);
  }

  private @Nullable Session ofThread(String thread) {
    return sessions.stream()
        .filter(session -> session.name().equals(thread))
        .findFirst()
        .orElse(null);
  }

  /** The name of a helping thread of an end, such as {@code source digest}. */
  private String withoutLab(String thread) {
    for (Session session : sessions) {
      if (thread.startsWith(session.name() + " ")) {
        return role(session) + thread.substring(session.name().length());
      }
      if (thread.startsWith(session.device() + "-")) {
        return role(session) + "'s " + thread.substring(session.device().length() + 1);
      }
    }
    return thread;
  }

  private static String role(Session session) {
    return session.role().text();
  }

  private static String name(PendingCompletion completion, Session session) {
    boolean ok = completion.status() == WorkCompletionStatus.SUCCESS;
    return name(completion.request(), session) + (ok ? "" : " " + completion.status().text());
  }

  private static String name(PostedRequest request, Session session) {
    long wrid = request.workRequestId();
    String work = EventText.work(wrid, session.telemetry());
    ControlType type = type(request);
    return type == null ? work : "%s (%s)".formatted(work, type.text());
  }

  /** The type of the control message in the memory of a request; null for none. */
  static @Nullable ControlType type(PostedRequest request) {
    if (WorkRequestId.type(request.workRequestId()) == WorkRequestId.RDMA_WRITE
        || request.start().length < ControlHeader.BYTES) {
      return null;
    }
    ControlType type = ControlType.of(ByteBuffer.wrap(request.start()).getInt(TYPE_AT));
    return type == ControlType.NONE ? null : type;
  }
}
