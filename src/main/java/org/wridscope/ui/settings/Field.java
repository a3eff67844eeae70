// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

/** A text field of a form, in the order in which dialogs show them. */
public enum Field {
  URI("URI", "rdma:HOST:PORT"),
  DEVICE("Device", "automatic: the device that has the address"),
  ALLOW("Allow", "everybody who can reach the port, or such as 10.9.0.0/24"),
  RAM("RAM", "such as 2GiB"),
  FILE("Image file", "a file that becomes the guest's RAM"),
  OUT("Write to", "a new file for the RAM that arrives"),
  CAPTURE("Capture in", "a new file for the guest that arrives"),
  RESTORE("Restore from", "a file that a guest was captured in"),
  DIRTY_RATE("Dirty rate", "such as 200MiB/s; 0 for an idle guest"),
  WORKING_SET("Working set", "a quarter of the RAM"),
  ZERO_SHARE("Zero share", "such as 40%"),
  SEED("Seed", "a whole number"),
  VIRTIO_FAULT("Virtio fault", "none"),
  VIRTIO_POLICY("Virtio policy", "the whole state of a queue is carried over"),
  BALLOON("Balloon", "none, or RAM that it takes, such as 256MiB"),
  DIRTY_LOG("Dirty log", "auto: the best that this machine allows"),
  THROTTLE("Throttle", "off, or the share of time the guest stands still, such as 30%"),
  BANDWIDTH("Bandwidth limit", "none"),
  DOWNTIME_LIMIT("Downtime limit", "such as 300ms"),
  CONNECTIONS("Connections", "one, without QEMU's multifd"),
  AT_ONCE("At once", "most migrations of a host at a time"),
  TIMEOUT("Timeout", "never");

  private final String label;
  private final String prompt;

  Field(String label, String prompt) {
    this.label = label;
    this.prompt = prompt;
  }

  public String label() {
    return label;
  }

  /** The meaning of an empty field, or an example. */
  public String prompt() {
    return prompt;
  }
}
