// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Role;

/** Parses trace events of QEMU, and tells which end wrote them. */
final class QemuEventParser {
  private static final Map<String, QemuDecision> DECISIONS =
      Stream.of(
              QemuDecisions.ofRdma(),
              QemuDecisions.ofOthers(),
              QemuVersions.decisions(),
              QemuDecisions.ofMigration())
          .flatMap(List::stream)
          .collect(
              Collectors.toMap(
                  QemuDecision::event,
                  Function.identity(),
                  (one, _) -> {
                    throw new IllegalStateException("two decisions about " + one.event());
                  },
                  LinkedHashMap::new));

  private static final List<String> RDMA = List.of("qemu_rdma_", "rdma_");

  private static final Pattern MISS =
      Pattern.compile(QemuVersions.PLACE + " Wanted wrid " + QemuVersions.WRID + " .*");
  private static final Pattern SENT = Pattern.compile("CONTROL: sending (.*)\\.\\.");
  private static final Pattern RECEIVED = Pattern.compile("CONTROL: (.*) receiving\\.\\.\\.");
  private static final Pattern GIDS = Pattern.compile("(\\S+) Source GID: .*");

  private QemuEventParser() {}

  /** Whether the line is an event that QEMU may have written, with all its arguments. */
  static boolean isWhole(QemuLine line) {
    QemuDecision decision = DECISIONS.get(line.event());
    return decision != null && decision.text().matcher(line.text()).matches();
  }

  /** Whether an import makes anything of an event of this name, in this or another version. */
  static boolean reads(String event) {
    QemuDecision decision = DECISIONS.get(QemuVersions.inQemu72(event));
    return decision != null && decision.isRead();
  }

  /**
   * Whether an event is of QEMU's RDMA migration as its name says, but not known: a newer QEMU has
   * it.
   */
  static boolean isNewOfRdma(String event) {
    return RDMA.stream().anyMatch(event::startsWith)
        && !DECISIONS.containsKey(QemuVersions.inQemu72(event));
  }

  /** Whether the line is an event of QEMU's RDMA migration. */
  static boolean isOfRdma(QemuLine line) {
    return line.event().startsWith("qemu_rdma_")
        || (line.event().startsWith("rdma_") && DECISIONS.containsKey(line.event()));
  }

  /** Parses a trace event; empty when QEMU does not write such a line. */
  static Optional<QemuEvent> parse(QemuLine line) {
    QemuDecision decision = DECISIONS.get(line.event());
    if (decision == null) {
      return isOfTheRest(line.event()) ? Optional.of(new QemuEvent.Silent()) : Optional.empty();
    }
    Function<Matcher, @Nullable QemuEvent> reading = decision.reading();
    if (reading == null) {
      return Optional.of(new QemuEvent.Silent());
    }
    Matcher text = decision.text().matcher(line.text());
    try {
      return text.matches() ? Optional.ofNullable(reading.apply(text)) : Optional.empty();
    } catch (NumberFormatException e) {
      // A number that QEMU never writes.
      return Optional.empty();
    }
  }

  private static boolean isOfTheRest(String event) {
    return event.startsWith(QemuTraceText.OWN) || QemuVersions.isOfTheRest(event);
  }

  /**
   * The end that usually writes such a line: the other one only on the return path of a postcopy
   * migration, which is a second connection. Null when both do.
   */
  static @Nullable Role usualEnd(QemuLine line) {
    return switch (line.event()) {
      case "qemu_rdma_poll_recv" -> Role.SOURCE;
      case "qemu_rdma_fill" -> Role.DESTINATION;
      case "qemu_rdma_post_send_control" -> usualSender(SENT.matcher(line.text()));
      case "qemu_rdma_exchange_get_response_start" -> {
        Role sender = usualSender(RECEIVED.matcher(line.text()));
        yield sender == null ? null : sender.other();
      }
      default -> end(line);
    };
  }

  private static @Nullable Role usualSender(Matcher message) {
    ControlType type = message.matches() ? ControlType.named(message.group(1)) : null;
    return switch (type) {
      case READY -> Role.DESTINATION;
      case QEMU_FILE -> Role.SOURCE;
      case null, default -> sender(message.reset());
    };
  }

  /** The only end that writes such a line; null when both do. */
  static @Nullable Role end(QemuLine line) {
    Role byText =
        switch (line.event()) {
          case "qemu_rdma_block_for_wrid_miss" -> endOfWait(line.text());
          case "qemu_rdma_post_send_control" -> sender(SENT.matcher(line.text()));
          case "qemu_rdma_exchange_get_response_start" -> receiver(line.text());
          case "qemu_rdma_dump_gid" -> {
            Matcher gids = GIDS.matcher(line.text());
            yield gids.matches() ? QemuConsole.endOf(gids.group(1)) : null;
          }
          default -> null;
        };
    if (byText != null) {
      return byText;
    }
    QemuDecision decision = DECISIONS.get(line.event());
    if (decision != null) {
      return decision.end();
    }
    return QemuVersions.endOfTheRest(line.event());
  }

  /** Only a source waits for an RDMA WRITE. */
  private static @Nullable Role endOfWait(String text) {
    Matcher wanted = MISS.matcher(text);
    return wanted.matches() && wanted.group(1).equals("" + WorkRequestId.RDMA_WRITE)
        ? Role.SOURCE
        : null;
  }

  private static @Nullable Role receiver(String text) {
    Matcher received = RECEIVED.matcher(text);
    if (received.matches() && received.group(1).equals(ControlType.NONE.text())) {
      // The registration loop accepts any message.
      return Role.DESTINATION;
    }
    Role sender = sender(received.reset());
    return sender == null ? null : sender.other();
  }

  private static @Nullable Role sender(Matcher message) {
    ControlType type = message.matches() ? ControlType.named(message.group(1)) : null;
    return switch (type) {
      case RAM_BLOCKS_RESULT, REGISTER_RESULT, UNREGISTER_FINISHED -> Role.DESTINATION;
      case RAM_BLOCKS_REQUEST, COMPRESS, REGISTER_REQUEST, REGISTER_FINISHED, UNREGISTER_REQUEST ->
          Role.SOURCE;
      case null, default -> null;
    };
  }

  /** The decisions about the events of a version, for tests and documentation. */
  static Map<String, QemuDecision> decisions() {
    return DECISIONS;
  }
}
