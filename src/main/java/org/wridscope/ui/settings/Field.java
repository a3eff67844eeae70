// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.wridscope.ui.Texts;

/** A text field of a form, in the order in which dialogs show them. */
public enum Field {
  URI(
      Texts.of("URI"),
      "rdma:HOST:PORT",
      Texts.of(
          "Where the destination listens: rdma:HOST:PORT, with a port from 1 to 65535. A host is a"
              + " name, an IPv4 address, or an IPv6 address in brackets.")),
  DEVICE(
      Texts.of("Device"),
      Texts.of("automatic: the device that has the address"),
      Texts.of(
          "The RDMA device to use, by its name, or the software device. Default: the device that"
              + " has the address.")),
  ALLOW(
      Texts.of("Allow"),
      Texts.of("anyone who can reach the port, or networks such as 10.9.0.0/24"),
      Texts.of(
          "Addresses from which a source may connect: addresses or networks such as 10.9.0.0/24,"
              + " separated by commas. Default: any.")),
  RAM(
      Texts.of("RAM"),
      Texts.of("such as 2GiB"),
      Texts.of(
          "RAM of the guest: a size such as 512MiB or 2GiB, a multiple of 4KiB up to 16TiB. The"
              + " destination needs the same.")),
  FILE(
      Texts.of("Image file"),
      Texts.of("a file that becomes the guest's RAM"),
      Texts.of("A file whose content becomes the guest's RAM. It is only read.")),
  OUT(
      Texts.of("Write to"),
      Texts.of("a new file for the RAM that arrives"),
      Texts.of(
          "A file that gets the RAM that arrives. An existing file is replaced only after you have"
              + " agreed.")),
  CAPTURE(
      Texts.of("Capture in"),
      Texts.of("a new file for the guest that arrives"),
      Texts.of(
          "A file that gets the guest that arrives, with its RAM and the state of its devices, so"
              + " that it can be restored.")),
  RESTORE(
      Texts.of("Restore from"),
      Texts.of("a file that a guest was captured in"),
      Texts.of("A file that a guest was captured in, or that QEMU saved.")),
  DIRTY_RATE(
      Texts.of("Dirty rate"),
      Texts.of("such as 200MiB/s; 0 for an idle guest"),
      Texts.of(
          "How fast the guest writes to its RAM: a rate such as 200MiB/s, up to 1TiB/s; 0 for a"
              + " guest that writes nothing.")),
  WORKING_SET(
      Texts.of("Working set"),
      Texts.of("a quarter of the RAM"),
      Texts.of(
          "The part of its RAM that the guest writes to: a size up to its RAM. Default: a quarter"
              + " of the RAM.")),
  ZERO_SHARE(
      Texts.of("Zero share"),
      Texts.of("such as 40%"),
      Texts.of("The share of RAM that is zero when the guest starts: 0% to 100%.")),
  SEED(
      Texts.of("Seed"),
      Texts.of("a whole number"),
      Texts.of(
          "A whole number. The same seed gives the same content of RAM and the same places of"
              + " writes.")),
  VIRTIO_FAULT(
      Texts.of("Virtio fault"),
      Texts.of("none"),
      Texts.of(
          "What the guest's virtio devices do wrong when they are stopped or recreated. Default:"
              + " nothing.")),
  VIRTIO_POLICY(
      Texts.of("Virtio policy"),
      Texts.of("the whole state of a queue is carried over"),
      Texts.of(
          "Which state of a virtqueue is read from a device that is stopped, and given to the one"
              + " that continues. Default: all of it.")),
  BALLOON(
      Texts.of("Balloon"),
      Texts.of("none, or RAM that it takes, such as 256MiB"),
      Texts.of(
          "RAM that a balloon takes from the guest while it is migrated: a size in steps of 1MiB."
              + " Default: none.")),
  DIRTY_LOG(
      Texts.of("Dirty log"),
      Texts.of("auto: the best that this machine allows"),
      Texts.of(
          "How the pages are found that the guest writes. Default: the best way that this machine"
              + " allows.")),
  THROTTLE(
      Texts.of("Throttle"),
      Texts.of("off, or the share of time the guest is held back, such as 30%"),
      Texts.of(
          "The share of time for which the guest is held back so that it converges, such as 30%."
              + " Default: off.")),
  BANDWIDTH(
      Texts.of("Bandwidth limit"),
      Texts.of("none"),
      Texts.of(
          "The most that is sent per second: a rate such as 128MiB/s. 0 or empty for no limit. It"
              + " can be changed during the migration.")),
  DOWNTIME_LIMIT(
      Texts.of("Downtime limit"),
      Texts.of("such as 300ms"),
      Texts.of(
          "How long the guest may be paused: 1ms to 2000s, such as 300ms. The switch-over begins"
              + " when the rest can be sent within it.")),
  CONNECTIONS(
      Texts.of("Connections"),
      Texts.of("one, without QEMU's multifd"),
      Texts.of(
          "The number of connections of QEMU's multifd: 0 to 255. 0 or empty for one connection"
              + " without it.")),
  AT_ONCE(
      Texts.of("At once"),
      Texts.of("most migrations of a host at a time"),
      Texts.of("How many migrations a host has at a time: 1 to 255. The others wait.")),
  TIMEOUT(
      Texts.of("Timeout"),
      Texts.of("never"),
      Texts.of(
          "After this time, such as 60s, the migration is given up and the guest stays at the"
              + " source. 0 or empty for never."));

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
