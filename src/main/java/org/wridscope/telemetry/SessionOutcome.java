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
    UNKNOWN
  }

  /** One whose reason is all, and which began here if it is a failure. */
  public SessionOutcome(String sentence) {
    this(sentence, "", Origin.HERE);
  }

  /** The same, and what became of the guest later. */
  public SessionOutcome with(String sentence) {
    return new SessionOutcome(reason, guest.isEmpty() ? sentence : guest + " " + sentence, origin);
  }

  /** All of it, for the user. */
  public String sentence() {
    return guest.isEmpty() ? reason : reason + " " + guest;
  }
}
