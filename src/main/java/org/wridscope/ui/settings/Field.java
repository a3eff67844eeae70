// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** A text field of a form, in the order in which dialogs show them. */
public enum Field {
  URI(
      "URI",
      "rdma:HOST:PORT",
      "Where the destination listens: rdma:HOST:PORT, with a port from 1 to 65535. A host is a"
          + " name, an IPv4 address, or an IPv6 address in brackets."),
  DEVICE(
      "Device",
      "automatic: the device that has the address",
      "The RDMA device to use, by its name, or the software device. Default: the device that"
          + " has the address."),
  ALLOW(
      "Allow",
      "anyone who can reach the port, or networks such as 10.9.0.0/24",
      "Addresses from which a source may connect: addresses or networks such as 10.9.0.0/24,"
          + " separated by commas. Default: any."),
  RAM(
      "RAM",
      "such as 2GiB",
      "RAM of the guest: a size such as 512MiB or 2GiB, a multiple of 4KiB up to 16TiB. The"
          + " destination needs the same."),
  FILE(
      "Image file",
      "a file that becomes the guest's RAM",
      "A file whose content becomes the guest's RAM. It is only read."),
  OUT(
      "Write to",
      "a new file for the RAM that arrives",
      "A file that gets the RAM that arrives. An existing file is replaced only after you have"
          + " agreed."),
  CAPTURE(
      "Capture in",
      "a new file for the guest that arrives",
      "A file that gets the guest that arrives, with its RAM and the state of its devices, so"
          + " that it can be restored."),
  RESTORE(
      "Restore from",
      "a file that a guest was captured in",
      "A file that a guest was captured in, or that QEMU saved."),
  DIRTY_RATE(
      "Dirty rate",
      "such as 200MiB/s; 0 for an idle guest",
      "How fast the guest writes to its RAM: a rate such as 200MiB/s, up to 1TiB/s; 0 for a"
          + " guest that writes nothing."),
  WORKING_SET(
      "Working set",
      "a quarter of the RAM",
      "The part of its RAM that the guest writes to: a size up to its RAM. Default: a quarter"
          + " of the RAM."),
  ZERO_SHARE(
      "Zero share",
      "such as 40%",
      "The share of RAM that is zero when the guest starts: 0% to 100%."),
  SEED(
      "Seed",
      "a whole number",
      "A whole number. The same seed gives the same content of RAM and the same places of"
          + " writes."),
  VIRTIO_FAULT(
      "Virtio fault",
      "none",
      "What the guest's virtio devices do wrong when they are stopped or recreated. Default:"
          + " nothing."),
  VIRTIO_POLICY(
      "Virtio policy",
      "the whole state of a queue is carried over",
      "Which state of a virtqueue is read from a device that is stopped, and given to the one"
          + " that continues. Default: all of it."),
  BALLOON(
      "Balloon",
      "none, or RAM that it takes, such as 256MiB",
      "RAM that a balloon takes from the guest while it is migrated: a size in steps of 1MiB."
          + " Default: none."),
  DIRTY_LOG(
      "Dirty log",
      "auto: the best that this machine allows",
      "How the pages are found that the guest writes. Default: the best way that this machine"
          + " allows."),
  THROTTLE(
      "Throttle",
      "off, or the share of time the guest is held back, such as 30%",
      "The share of time for which the guest is held back so that it converges, such as 30%."
          + " Default: off."),
  BANDWIDTH(
      "Bandwidth limit",
      "none",
      "The most that is sent per second: a rate such as 128MiB/s. 0 or empty for no limit. It"
          + " can be changed during the migration."),
  DOWNTIME_LIMIT(
      "Downtime limit",
      "such as 300ms",
      "How long the guest may be paused: 1ms to 2000s, such as 300ms. The switch-over begins"
          + " when the rest can be sent within it."),
  CONNECTIONS(
      "Connections",
      "one, without QEMU's multifd",
      "The number of connections of QEMU's multifd: 0 to 255. 0 or empty for one connection"
          + " without it."),
  AT_ONCE(
      "At once",
      "most migrations of a host at a time",
      "How many migrations a host has at a time: 1 to 255. The others wait."),
  TIMEOUT(
      "Timeout",
      "never",
      "After this time, such as 60s, the migration is given up and the guest stays at the"
          + " source. 0 or empty for never.");

  /** Those that name a file. */
  static final Set<Field> OF_FILES =
      Collections.unmodifiableSet(EnumSet.of(FILE, OUT, CAPTURE, RESTORE));

  private final String label;
  private final String prompt;
  private final String hint;

  Field(String label, String prompt, String hint) {
    this.label = label;
    this.prompt = prompt;
    this.hint = hint;
  }

  public String label() {
    return label;
  }

  /** The meaning of an empty field, or an example. */
  public String prompt() {
    return prompt;
  }

  /** Sentences that say what it is, its unit and its range. */
  public String hint() {
    return hint;
  }
}
