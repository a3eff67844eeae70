// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.verbs.DeviceCounter;

/**
 * What a session waits for.
 *
 * @param subject the value of a {@link ControlType} or the number of a queue pair, if the kind has
 *     one; otherwise 0
 * @param name of a machine, a host or an address, or a text, if the kind has one; otherwise empty
 */
public record Wait(Kind kind, long subject, String name) {
  /** Stands in a phrase for the subject or the name. */
  private static final String PLACE = "%s";

  private static final String SEPARATOR = "/";

  /** What stands in the place that a phrase has. */
  private enum Part {
    NONE,
    MESSAGE,
    QUEUE_PAIR,
    NAME,
    COUNTER
  }

  /** The kinds of waits. A recording has their names. */
  public enum Kind {
    /** The source may send its next message after it. */
    READY("the destination's READY"),
    /** The next message, which must have this type. */
    MESSAGE(Part.MESSAGE, "the peer's %s"),
    REGISTRATION_MESSAGE("the source's next registration message"),
    /** A log of QEMU does not tell which message. */
    ANY_MESSAGE("a message"),
    /** A log names a message that this Wridscope does not know. */
    UNKNOWN_MESSAGE("a message that is not known"),
    STREAM("the source's migration stream"),

    /** The completion of the SEND of a message with this type. */
    SEND(Part.MESSAGE, "the SEND of %s to complete"),
    /** A QEMU waits for each SEND. */
    ITS_SEND("its SEND to complete"),
    SEND_BUFFER("an earlier message to be sent"),
    LAST_SEND("the last message to be sent"),
    WRITES("RDMA writes to complete"),
    /** A log of QEMU does not tell which write. */
    ANY_WRITE("an RDMA WRITE to complete"),
    EARLIER_WRITE("an earlier write to the same chunk"),
    SEND_CONTEXT("a free send context"),
    BANDWIDTH("the bandwidth limit"),

    PREPARATION("the guest's RAM to be prepared"),
    GUEST_MEMORY("memory for the guest's RAM"),
    REGISTRATION("RAM to be registered"),
    DIGESTS("the digests of RAM"),
    /** The handler of an event of the queue pair with this number must return. */
    HANDLER(Part.QUEUE_PAIR, "the handler of an event of queue pair %s"),

    SOURCE("a source to connect"),
    INQUIRY("a source that may ask where the guest is"),
    SOURCE_TO_LEAVE("the source to disconnect"),
    DESTINATION_TO_LEAVE("the destination to load the guest and disconnect"),
    OUTCOME("the destination to say whether it started the guest"),
    PERMISSION("permission to switch over"),

    FILE_READ("the file to be read"),
    RAM_WRITTEN("RAM to be written to the file"),
    FILE_ON_DISK("the file to be on the disk"),
    GUEST_ON_DISK("the guest to be on the disk"),
    /** The disk is full; the name is what the system says. */
    SPACE_FOR_STATES(Part.NAME, "space on the disk for the guest's device states (%s)"),
    /** The disk is full; the name is what the system says. */
    SPACE_FOR_NAME(Part.NAME, "space on the disk for the name of the guest's file (%s)"),

    /** The name is the machine's; so in all kinds up to {@link #MACHINE_START}. */
    GUARD(Part.NAME, "the guard of %s"),
    MACHINE_ATTACH(Part.NAME, "%s to be attached"),
    MACHINE_SHARE(Part.NAME, "%s to share its RAM"),
    MACHINE_STOP(Part.NAME, "%s to stop its guest and save the states of its devices"),
    MACHINE_ACCEPT(Part.NAME, "%s to accept the guest"),
    MACHINE_LOAD(Part.NAME, "%s to load the guest"),
    MACHINE_START(Part.NAME, "%s to start the guest"),

    QEMU_ANSWER("an answer of QEMU"),
    /** The name is an address. */
    QEMU_CONNECT(Part.NAME, "QEMU to connect to %s"),
    QEMU_SOURCE("a source"),
    QEMU_LOAD("the destination to load the guest"),

    OTHER_MIGRATIONS("other migrations of its hosts"),
    /** The name is a host's. */
    HOST_CONNECTION(Part.NAME, "a connection to %s"),
    LIBVIRT_BEGIN("libvirt to begin the migration"),
    /** The name is a host's. */
    LIBVIRT_ANSWER(Part.NAME, "an answer of the libvirt of %s"),
    DOMAIN_PLACE("the hosts to say where the domain is"),

    /**
     * A program that is not ours. The name is what it waits for, in its own words, or another text
     * of its events, such as a peer's address.
     */
    OF_PROGRAM(Part.NAME, PLACE),
    /**
     * Nothing is waited for: a counter of a device, of which events tell. The subject is the port,
     * the name that of the device and of the counter, with a slash between them.
     */
    DEVICE_COUNTER(Part.COUNTER, PLACE),
    /** Of a newer Wridscope. */
    UNKNOWN("unknown wait");

    private final Part part;
    private final String phrase;

    Kind(String phrase) {
      this(Part.NONE, phrase);
    }

    Kind(Part part, String phrase) {
      this.part = part;
      this.phrase = phrase;
    }
  }

  /** A wait whose phrase names nothing. */
  public Wait(Kind kind) {
    this(kind, 0, "");
  }

  /** A wait for a message or for a queue pair. */
  public Wait(Kind kind, long subject) {
    this(kind, subject, "");
  }

  /** A wait whose phrase has a name. */
  public Wait(Kind kind, String name) {
    this(kind, 0, name);
  }

  /** Names a counter of a device. */
  public Wait(DeviceCounter counter) {
    this(Kind.DEVICE_COUNTER, counter.port(), counter.device() + SEPARATOR + counter.name());
  }

  /** A phrase for the user, such as {@code the destination's READY}. */
  public String text() {
    return switch (kind.part) {
      case NONE -> kind.phrase;
      case MESSAGE -> {
        ControlType type = subject == (int) subject ? ControlType.of((int) subject) : null;
        yield type == null ? Kind.UNKNOWN_MESSAGE.phrase : kind.phrase.replace(PLACE, type.text());
      }
      case QUEUE_PAIR -> kind.phrase.replace(PLACE, Long.toString(subject));
      case NAME -> kind.phrase.replace(PLACE, name);
      case COUNTER -> {
        DeviceCounter counter = counter();
        yield counter == null
            ? "unknown counter"
            : "%s of %s".formatted(counter.name(), counter.place());
      }
    };
  }

  /** The counter of a device that it names; null if it names none. */
  public @Nullable DeviceCounter counter() {
    String[] names = name.split(SEPARATOR, -1);
    return kind == Kind.DEVICE_COUNTER
            && names.length == 2
            && DeviceCounter.isName(names[0])
            && DeviceCounter.isName(names[1])
            && subject >= 0
            && subject <= DeviceCounter.MAX_PORT
        ? new DeviceCounter(names[0], (int) subject, names[1])
        : null;
  }
}
