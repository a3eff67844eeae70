// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.time.Instant;
import java.util.function.IntToLongFunction;
import org.wridscope.account.Account;
import org.wridscope.control.Session;
import org.wridscope.figures.Observation;
import org.wridscope.telemetry.Role;

/**
 * The identity of a recorded session.
 *
 * @param program the program that ran it: {@link #WRIDSCOPE}, {@link #QEMU}, {@link #OTHER}, {@link
 *     #LOG}, {@link #WIRE} or {@link #WIRE_PROGRAMS}
 * @param startNanos when the session was created, on the recording's clock
 * @param clockNanos the time on the recording's clock at {@code wallClock}
 */
public record SessionHead(
    Role role,
    String program,
    String name,
    String uri,
    String device,
    String deviceReason,
    long startNanos,
    long clockNanos,
    Instant wallClock) {
  public static final String WRIDSCOPE = "wridscope";
  public static final String QEMU = "qemu";

  /** A program that is not ours, to which Wridscope was attached. */
  public static final String OTHER = "other";

  /** A program that is not ours, and wrote its log itself. */
  public static final String LOG = "log";

  /** An end of a migration, inferred from captured packets. */
  public static final String WIRE = "wire";

  /** Queue pairs of programs that are not ours, inferred from captured packets. */
  public static final String WIRE_PROGRAMS = "wire programs";

  private static final int NANOS_PER_SECOND = 1_000_000_000;

  /** In the year 2242: nanoseconds since 1970 fit into 64 bits. */
  private static final long LAST_SECOND = 1L << 33;

  private static final int MAX_SHORT_TEXT = 1 << 10;

  /** Whether it is an end of a migration, rather than a program that is not ours. */
  public boolean migrates() {
    return switch (program) {
      case OTHER, LOG, WIRE_PROGRAMS -> false;
      default -> true;
    };
  }

  /** How it was known what the session did. */
  public Observation observation() {
    return switch (program) {
      case OTHER, LOG -> Observation.PROGRAM;
      case WIRE, WIRE_PROGRAMS -> Observation.PACKETS;
      case QEMU -> Observation.LOG;
      default -> device.equals(Session.QEMU_ENGINE) ? Observation.QMP : Observation.ENGINE;
    };
  }

  /**
   * An account of its events.
   *
   * @param lengths the length in bytes of a RAM block, {@link Account#UNKNOWN_LENGTH} if it is not
   *     known
   */
  public Account account(IntToLongFunction lengths) {
    return new Account(role, lengths, observation() == Observation.ENGINE);
  }

  void encode(ByteSink into) {
    into.u8(role.ordinal());
    into.text(program);
    into.text(name);
    into.text(uri);
    into.text(device);
    into.text(deviceReason);
    into.signed(startNanos);
    into.signed(clockNanos);
    into.signed(wallClock.getEpochSecond());
    into.number(wallClock.getNano());
    Dictionary.encode(into);
  }

  /** Decodes the head, but not the dictionary that follows it. */
  static SessionHead decode(ByteSource source) throws RecordingException {
    int role = source.u8("role");
    if (role >= Role.values().length) {
      throw RecordingException.of("role", role, "0 for a source, 1 for a destination");
    }
    return new SessionHead(
        Role.values()[role],
        source.text(MAX_SHORT_TEXT, "program"),
        source.text(MAX_SHORT_TEXT, "session's name"),
        source.text(MAX_SHORT_TEXT, "session's URI"),
        source.text(MAX_SHORT_TEXT, "device's name"),
        source.text(MAX_SHORT_TEXT, "reason for the device"),
        source.signed("start of the session"),
        source.signed("time of the clock"),
        wallClock(source.signed("wall clock"), source.atMost(NANOS_PER_SECOND - 1, "wall clock")));
  }

  private static Instant wallClock(long second, int nano) throws RecordingException {
    if (second < 0 || second > LAST_SECOND) {
      throw RecordingException.of("wall clock", second, "0 to " + LAST_SECOND);
    }
    return Instant.ofEpochSecond(second, nano);
  }
}
