// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import org.wridscope.protocol.ProtocolException;

/**
 * The commands of a migration stream: {@code enum qemu_vm_cmd} of QEMU 11.1, migration/savevm.h.
 * One is accepted, {@link #SWITCHOVER_START}; the others are sent by capabilities that must be off.
 * A command of a newer QEMU is entered here.
 */
enum StreamCommand {
  INVALID(0, "no QEMU sends it, so the stream is damaged"),
  OPEN_RETURN_PATH(1, Advice.RETURN_PATH),
  PING(2, Advice.RETURN_PATH),
  POSTCOPY_ADVISE(3, Advice.POSTCOPY),
  POSTCOPY_LISTEN(4, Advice.POSTCOPY),
  POSTCOPY_RUN(5, Advice.POSTCOPY),
  POSTCOPY_RAM_DISCARD(6, Advice.POSTCOPY),
  PACKAGED(7, Advice.POSTCOPY),
  ENABLE_COLO(8, "switch the capability x-colo off at the source"),
  POSTCOPY_RESUME(9, Advice.POSTCOPY),
  RECV_BITMAP(10, Advice.POSTCOPY),

  /**
   * The guest has been stopped, and the rest follows. Machine types from 10.0 on send it once,
   * between the last PART of {@code ram} and its END. It says nothing that another reader than QEMU
   * needs, and QEMU loads a stream without it.
   */
  SWITCHOVER_START(11, Advice.ELSEWHERE);

  /** Newest QEMU whose commands are listed here. */
  private static final String NEWEST = "11.1";

  private static final String FIELD = "command in the migration stream";

  private final int number;
  private final String advice;

  /** What follows "it must be absent". */
  private static final class Advice {
    static final String RETURN_PATH =
        "switch the capabilities return-path, postcopy-ram and switchover-ack off at the source";

    /** With dirty-bitmaps, too, QEMU prepares for post-copy ({@code migrate_postcopy}). */
    static final String POSTCOPY =
        "switch the capabilities postcopy-ram and dirty-bitmaps off at the source";

    static final String ELSEWHERE = "QEMU sends it once, directly before the END of the ram section";

    static final String UNKNOWN =
        "no QEMU up to %s sends such a command; use a newer Wridscope, or an older machine type at the source"
            .formatted(NEWEST);
  }

  StreamCommand(int number, String advice) {
    this.number = number;
    this.advice = advice;
  }

  /**
   * Reads a command after its tag.
   *
   * @throws ProtocolException unless it is a correct {@link #SWITCHOVER_START}
   */
  static void requireSwitchoverStart(StreamInput in) throws IOException {
    int command = in.be16(FIELD);
    if (command != SWITCHOVER_START.number) {
      throw refusal(command);
    }
    int length = in.be16("length of the command " + SWITCHOVER_START);
    if (length != 0) {
      throw ProtocolException.of("length of the command " + SWITCHOVER_START, length, "0");
    }
  }

  /** Reads the number of a command after its tag, where none may come; says why. */
  static ProtocolException refused(StreamInput in) throws IOException {
    return refusal(in.be16(FIELD));
  }

  private static ProtocolException refusal(int number) {
    for (StreamCommand command : values()) {
      if (command.number == number) {
        return ProtocolException.of(
            FIELD,
            "%d (%s)".formatted(number, command),
            "absent%s: %s"
                .formatted(command == SWITCHOVER_START ? " here" : "", command.advice));
      }
    }
    return ProtocolException.of(
        FIELD, "%d (unknown)".formatted(number), "absent: " + Advice.UNKNOWN);
  }
}
