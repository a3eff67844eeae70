// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.QueueId;
import org.wridscope.text.Format;
import org.wridscope.verbs.OpcodeNames;
import org.wridscope.verbs.SendFlagNames;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The events of programs that are not ours, in words. Their wrids are never decoded, because only
 * the program knows what it wrote into them.
 */
final class ProgramText {
  private ProgramText() {}

  /** A wrid as the program posted it. */
  static String wrid(long wrid) {
    return "wr_id 0x" + Long.toHexString(wrid);
  }

  static String post(Event event) {
    String flags = String.join(" ", SendFlagNames.of(event.detail() >>> 8));
    return "%s, %s%s, %s"
        .formatted(
            OpcodeNames.ofRequest(event.detail() & 0xff),
            on(event),
            bytes(event),
            flags.isEmpty() ? "unsignaled" : flags);
  }

  static String target(Event event) {
    return "%s to %s, remote key %s"
        .formatted(
            wrid(event.wrid()), Format.address(event.argument()), Format.key(event.length()));
  }

  static String receive(Event event) {
    return on(event) + bytes(event) + " offered";
  }

  static String completion(Event event) {
    WorkCompletionStatus status = WorkCompletionStatus.of(event.detail() & 0xff);
    String queue = ", completion queue " + (event.argument() >>> 32);
    return status == WorkCompletionStatus.SUCCESS
        ? "%s, %s%s%s: %s"
            .formatted(
                OpcodeNames.ofCompletion(event.detail() >>> 8),
                on(event),
                event.detail() >>> 8 >= 128 ? bytes(event) : "",
                queue,
                status.text())
        : "%s%s: %s, vendor error 0x%x".formatted(on(event), queue, status.text(), event.length());
  }

  static String refused(Event event) {
    return "%s%s, errno %d"
        .formatted(on(event), event.argument() >>> 32 == 1 ? ", a receive" : "", event.detail());
  }

  static String unseen(Event event) {
    String count = Format.count(Integer.toUnsignedLong(event.length()));
    return switch (event.detail()) {
      case 0 -> count + " requests at the end of a long chain";
      case 1 -> count + " completions at the end of a long batch";
      default -> count + " posts and completions, which bpftrace lost";
    };
  }

  static String message(Event event, String text) {
    return "%s %s%s"
        .formatted(event.argument() >>> 32 == 1 ? "received" : "sent", text, bytes(event));
  }

  static String memory(Event event) {
    return "%s at %s, key %s"
        .formatted(
            Format.bytes(event.argument()),
            Format.address(event.wrid()),
            Format.key(event.length()));
  }

  private static String on(Event event) {
    return "%s, %s".formatted(wrid(event.wrid()), QueueId.ofArgument(event.argument()).text());
  }

  private static String bytes(Event event) {
    return ", " + Format.bytes(Integer.toUnsignedLong(event.length()));
  }
}
