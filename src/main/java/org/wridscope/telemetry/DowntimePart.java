// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/** A part of the downtime of a source's guest, in the order in which they follow each other. */
public enum DowntimePart {
  /** The guest and its devices stop. */
  PAUSE("pause"),
  /** What the guest has written is sent for the last time. */
  LAST_PAGES("last pages"),
  /** The states of its devices are sent. */
  DEVICE_STATE("device state"),
  /** The destination loads them. */
  LOAD("load"),
  /** The destination starts the guest. */
  RESUME("resume");

  private final String text;

  DowntimePart(String text) {
    this.text = text;
  }

  /** A few words in lower case, which reports have as the name of a member. */
  public String text() {
    return text;
  }

  /** The {@link #text}, as Gson names the members of a map. */
  @Override
  public String toString() {
    return text;
  }
}
