// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.ProgramCounts.Registrations;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.text.Format;
import org.wridscope.verbs.OpcodeNames;
import org.wridscope.verbs.SendFlagNames;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The events of programs that are not ours, in words. Their wrids are decoded only if somebody said
 * what they mean, because only the program knows what it wrote into them.
 */
final class ProgramText {
  private ProgramText() {}

  private static String wrid(Event event, SessionTelemetry telemetry) {
    return "wr_id " + new ProgramNames(telemetry).wrid(event.wrid());
  }

  static String post(Event event, SessionTelemetry telemetry) {
    int flags = event.detail() >>> 8;
    String names = String.join(" ", SendFlagNames.of(flags));
    return "%s, %s%s%s"
        .formatted(
            OpcodeNames.ofRequest(event.detail() & 0xff),
            on(event, telemetry),
            bytes(event),
            flags == SendFlagNames.NOT_KNOWN
                ? ""
                : names.isEmpty() ? ", unsignaled" : ", " + names);
  }

  static String immediate(Event event, SessionTelemetry telemetry) {
    return "%s with 0x%08x".formatted(wrid(event, telemetry), event.length());
  }

  static String target(Event event, SessionTelemetry telemetry) {
    return "%s to %s, remote key %s"
        .formatted(
            wrid(event, telemetry), Format.address(event.argument()), Format.key(event.length()));
  }

  static String receive(Event event, SessionTelemetry telemetry) {
    return on(event, telemetry) + bytes(event) + " offered";
  }

  static String completion(Event event, SessionTelemetry telemetry) {
    WorkCompletionStatus status = WorkCompletionStatus.of(event.detail() & 0xff);
    String queue = ", completion queue " + (event.argument() >>> 32);
    return status == WorkCompletionStatus.SUCCESS
        ? "%s, %s%s%s: %s"
            .formatted(
                OpcodeNames.ofCompletion(event.detail() >>> 8),
                on(event, telemetry),
                received(event.detail() >>> 8) ? bytes(event) : "",
                queue,
                status.text())
        : "%s%s: %s, vendor error %s"
            .formatted(
                on(event, telemetry),
                queue,
                status.text(),
                event.length() == EventKind.VENDOR_ERROR_NOT_READ
                    ? "not read"
                    : "0x%x".formatted(event.length()));
  }

  /** Whether it is known how much was received. */
  private static boolean received(int operation) {
    return operation >= 128 && operation != OpcodeNames.RECEIVE_NOT_READ;
  }

  static String refused(Event event, SessionTelemetry telemetry) {
    return "%s%s, errno %d"
        .formatted(
            on(event, telemetry),
            event.argument() >>> 32 == 1 ? ", a receive" : "",
            event.detail());
  }

  static String unseen(Event event) {
    String count = Format.count(Integer.toUnsignedLong(event.length()));
    return switch (event.detail()) {
      case 0 -> count + " requests of a chain";
      case 1 ->
          count
              + " completions, at the end of a long batch or by ibv_start_poll without their queue"
              + " pair or operation";
      case 4 -> count + " more requests of that chain, which were refused and not posted";
      case 5 ->
          count
              + " posts and completions before all probes were in place; requests of before may"
              + " still complete";
      case Unseen.OF_PACKETS ->
          "flags of requests, and whether those without an acknowledgement have completed: all is"
              + " inferred from captured packets";
      default -> count + " posts and completions, which were lost while tracing";
    };
  }

  static String message(Event event, String text) {
    return "%s %s%s"
        .formatted(event.argument() >>> 32 == 1 ? "received" : "sent", text, bytes(event));
  }

  static String peer(Event event, String address) {
    return "%s to %s".formatted(QueueId.ofArgument(event.argument()).text(), address);
  }

  static String memory(Event event) {
    return "%s at %s, key %s"
        .formatted(
            Format.bytes(event.argument()),
            Format.address(event.wrid()),
            Format.key(event.length()));
  }

  static String regions(Event event) {
    return event.detail() < Registrations.ALL.ordinal()
        ? "what was registered before is not known"
        : "registered before: %s of %s"
            .formatted(
                Format.counted(Integer.toUnsignedLong(event.length()), "region"),
                Format.bytes(event.argument()));
  }

  static String regionRefused(Event event) {
    return "%s%s at %s: %s"
        .formatted(
            event.length() == 0 ? "" : "to deregister ",
            Format.bytes(event.argument()),
            Format.address(event.wrid()),
            event.detail() == 0 ? "errno not known" : QueuePairText.errno(event.detail()));
  }

  private static String on(Event event, SessionTelemetry telemetry) {
    return "%s, %s".formatted(wrid(event, telemetry), QueueId.ofArgument(event.argument()).text());
  }

  private static String bytes(Event event) {
    return ", " + Format.bytes(Integer.toUnsignedLong(event.length()));
  }
}
