// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.units.Parse;

/** How far a stepped run goes on: until something is about to happen, or has happened. */
public sealed interface Until {
  /** Nothing stops it. */
  Until END = new On((_, _, _, _) -> false, (_, _) -> false);

  /** A round has ended. */
  Until ROUND = new On((_, kind, _, _) -> kind == EventKind.ROUND_END, (_, _) -> false);

  /** The forms that {@link #parse} knows, each with what it means. */
  List<String> FORMS =
      List.of(
          "end                   the run has ended",
          "round                 a round has ended",
          "wait [END]            an end, source or destination, waits for something else",
          "completion WRID       the completion of a request was polled",
          "message TYPE          a control message can be executed, or was received: READY, ...",
          "request WRID          a request can be executed, or its completion was polled",
          "chunk BLOCK CHUNK     the same for an RDMA WRITE into a chunk, by their numbers",
          "queue send|receive    the same for any request of a queue");

  /** Conditions that many want, as {@link #parse} reads them. */
  List<String> SUGGESTIONS =
      Stream.concat(
              Stream.of(
                  "end", "round", "wait source", "wait destination", "queue send", "queue receive"),
              Stream.of(ControlType.values()).skip(1).map(type -> "message " + type.text()))
          .toList();

  /** Whether an event of an end is the one; see {@link EventKind} for its fields. */
  boolean hasHappened(Role role, EventKind kind, int detail, long wrid);

  /**
   * Whether a request is the one that its device can now execute.
   *
   * @param type of the control message that it sends; null for none
   */
  boolean isNext(long wrid, @Nullable ControlType type);

  /** An end begins to wait. */
  static Until wait(Role of) {
    return new On(
        (role, kind, _, _) -> role == of && kind == EventKind.WAIT_BEGIN, (_, _) -> false);
  }

  /** The completion of a request was polled. */
  static Until completion(long of) {
    return new On((_, kind, _, wrid) -> wrid == of && isCompletion(kind), (_, _) -> false);
  }

  /** A message can be executed, or was received. */
  static Until message(ControlType of) {
    return new On(
        (_, kind, detail, _) -> kind == EventKind.CONTROL_RECEIVED && detail == of.value(),
        (_, type) -> type == of);
  }

  /** A request can be executed, or its completion was polled. */
  static Until request(long of) {
    return new On((_, kind, _, wrid) -> wrid == of && isCompletion(kind), (wrid, _) -> wrid == of);
  }

  /** An RDMA WRITE into a chunk can be executed, or its completion was polled. */
  static Until chunk(int block, long chunk) {
    return request(WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk));
  }

  /** A request of the send queue can be executed, or its completion was polled. */
  static Until sendQueue() {
    return new On((_, kind, _, _) -> kind == EventKind.COMPLETION_SEND_QUEUE, (_, _) -> true);
  }

  /** A receive was posted, or its completion polled. */
  static Until receiveQueue() {
    return new On(
        (_, kind, _, _) ->
            kind == EventKind.COMPLETION_RECEIVE_QUEUE || kind == EventKind.POST_RECEIVE,
        (_, _) -> false);
  }

  /** A condition of two parts, either of which suffices. */
  record On(EventTest event, RequestTest request) implements Until {
    /** Tests an event. */
    @FunctionalInterface
    public interface EventTest {
      boolean test(Role role, EventKind kind, int detail, long wrid);
    }

    /** Tests a request that can be executed. */
    @FunctionalInterface
    public interface RequestTest {
      boolean test(long wrid, @Nullable ControlType type);
    }

    @Override
    public boolean hasHappened(Role role, EventKind kind, int detail, long wrid) {
      return event.test(role, kind, detail, wrid);
    }

    @Override
    public boolean isNext(long wrid, @Nullable ControlType type) {
      return request.test(wrid, type);
    }
  }

  private static boolean isCompletion(EventKind kind) {
    return kind == EventKind.COMPLETION_SEND_QUEUE || kind == EventKind.COMPLETION_RECEIVE_QUEUE;
  }

  /**
   * Parses one of the {@link #FORMS}.
   *
   * @throws IllegalArgumentException with one sentence
   */
  static Until parse(String text) {
    String[] words = text.strip().replace("\"", "").split("\\s+");
    String rest = String.join(" ", Arrays.asList(words).subList(1, words.length));
    switch (words[0]) {
      case "end" -> {
        return END;
      }
      case "round" -> {
        return ROUND;
      }
      case "wait" -> {
        return rest.isEmpty()
            ? new On((_, kind, _, _) -> kind == EventKind.WAIT_BEGIN, (_, _) -> false)
            : wait(role(rest));
      }
      case "completion" -> {
        return completion(Parse.number("completion", rest));
      }
      case "message" -> {
        return message(type(rest));
      }
      case "request" -> {
        return request(Parse.number("request", rest));
      }
      case "chunk" -> {
        if (words.length == 3) {
          return chunk(
              (int) Parse.number("chunk", words[1], 0, WorkRequestId.MAX_BLOCK),
              Parse.number("chunk", words[2], 0, WorkRequestId.MAX_CHUNK));
        }
      }
      case "queue" -> {
        if (rest.equals("send")) {
          return sendQueue();
        }
        if (rest.equals("receive")) {
          return receiveQueue();
        }
      }
      default -> {}
    }
    throw new IllegalArgumentException(
        "until: %s is none of: %s."
            .formatted(
                Parse.quoted(text),
                FORMS.stream()
                    .map(form -> form.substring(0, form.indexOf("  ")))
                    .collect(Collectors.joining("; "))));
  }

  private static Role role(String text) {
    return Stream.of(Role.values())
        .filter(role -> role.text().equals(text))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "wait: %s is not an end; write source or destination."
                    .formatted(Parse.quoted(text))));
  }

  private static ControlType type(String text) {
    String wanted = text.replaceAll("[-_ ]+", " ").toUpperCase(Locale.ROOT);
    return Stream.of(ControlType.values())
        .filter(type -> type.text().equals(wanted))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "message: %s is none of: %s."
                    .formatted(
                        Parse.quoted(text),
                        Stream.of(ControlType.values())
                            .skip(1)
                            .map(ControlType::text)
                            .collect(Collectors.joining(", ")))));
  }
}
