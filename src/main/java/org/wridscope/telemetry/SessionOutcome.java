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
    /** At this end, which says it. */
    HERE,
    /** At the peer, which told it. */
    PEER,
    /** This end lost its peer or its process, and does not know why: the other end may. */
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
