// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/**
 * How a session ended.
 *
 * @param reason what happened and what to do; one or more sentences
 * @param guest where the guest is, and what else follows; empty if the reason says it
 * @param origin where the failure began, if it is one
 */
public record SessionOutcome(String reason, String guest, Origin origin) {
  /** Where a failure began, as far as this end knows. */
  public enum Origin {
    /** At this end or on the link; this end says what it knows of it. */
    HERE,
    /** At the peer, which told it. */
    PEER,
    /** Not known at this end, which refers to the other one. */
    UNKNOWN,
    /** It completed: where the guest is comes first. */
    NONE,
    /** At this end, which gave up at a limit that the user set: of time, or of rounds. */
    LIMIT;

    /** Whether this end knows the cause and says it. */
    public boolean isHere() {
      return this == HERE || this == LIMIT;
    }
  }

  /** One whose reason is all, and which began here if it is a failure. */
  public SessionOutcome(String sentence) {
    this(sentence, "", Origin.HERE);
  }

  /**
   * One of a session that completed.
   *
   * @param guest where the guest is
   * @param rest what else is known
   */
  public static SessionOutcome completed(String guest, String rest) {
    return new SessionOutcome(rest, guest, Origin.NONE);
  }

  /** The same, and another sentence at its end. */
  public SessionOutcome with(String sentence) {
    return origin == Origin.NONE
        ? new SessionOutcome((reason + " " + sentence).strip(), guest, origin)
        : new SessionOutcome(reason, (guest + " " + sentence).strip(), origin);
  }

  /** The same after the guest has gone from where it was at the end, if that is told. */
  public SessionOutcome since(String sentence) {
    return guest.isEmpty() ? with(sentence) : new SessionOutcome(reason, sentence, origin);
  }

  /** All of it, for the user. */
  public String sentence() {
    return (origin == Origin.NONE ? guest + " " + reason : reason + " " + guest).strip();
  }
}
