// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import org.wridscope.text.Legible;

/**
 * What probes have seen: a time, a process, a thread, and further numbers; those of a {@link
 * Kind#NAME} are followed by a text.
 */
final class TraceLine {
  /** What a line tells, with how many numbers. */
  enum Kind {
    /**
     * A queue pair that is used for the first time. Context, number, send queue's and receive
     * queue's completion queue.
     */
    QUEUE_PAIR(7),
    /**
     * A request to a send queue. Context, queue pair, wr_id, opcode, flags, elements, length,
     * remote address, remote key, errno.
     */
    POST(13),
    /** A receive. Context, queue pair, wr_id, elements, length, errno. */
    RECEIVE(9),
    /** A receive of a shared receive queue. Context, queue, wr_id, elements, length, errno. */
    SHARED_RECEIVE(9),
    /**
     * A completion. Context, completion queue, wr_id, status, opcode, vendor error, bytes, queue
     * pair.
     */
    COMPLETION(11),
    /**
     * A completion of an extended completion queue. Context, completion queue, wr_id, status, which
     * of the others the program has read (see {@link ProbeRecord#OPCODE_READ} and the next ones),
     * opcode, vendor error, bytes, queue pair.
     */
    POLLED(12),
    /**
     * A request of the extended interface, begun but not posted. Context, queue pair, wr_id,
     * opcode, flags, remote address, remote key.
     */
    EXTENDED(10),
    /** Data of the request of a queue pair that was begun last. Context, queue pair, length. */
    DATA(6),
    /** What was begun on a queue pair is posted, or refused. Context, queue pair, errno. */
    COMPLETE(6),
    /** What was begun on a queue pair is given up. Context, queue pair. */
    ABORT(5),
    /** Not read. 0 for requests, 1 for completions, 2 for requests that were refused; how many. */
    MORE(5),
    /** A process that is seen for the first time. */
    NAME(3),
    /**
     * A queue pair is connected through librdmacm. Context, queue pair, and the first 32 bytes of
     * the peer's {@code struct sockaddr_storage}.
     */
    PEER(9),
    /**
     * A queue pair is modified, or that is refused. Context, queue pair, result, mask, state, path
     * MTU, port, timeout, retries, RNR retries, minimum RNR timer, access flags, destination queue
     * pair, packet sequence numbers of the send and of the receive queue, whether the destination
     * has a GID, its LID, its GID in two words of memory.
     */
    MODIFY(22),
    /** Memory is registered. Context, address, length, local key. */
    REGISTER(7),
    /**
     * A registration is refused. Context, address, length, errno, which is 0 if it is not known.
     */
    REGISTER_REFUSED(7),
    /** Memory is deregistered. Context, address, length, local key. */
    DEREGISTER(7),
    /** A deregistration is refused. Context, address, length, errno. */
    DEREGISTER_REFUSED(7),
    /** A device is closed, and with it all that is registered there. Context. */
    CLOSE(4),
    /** A region of which the memory of the program could not be read. */
    REGION_UNREAD(3);

    private final int numbers;

    Kind(int numbers) {
      this.numbers = numbers;
    }
  }

  private static final int MAX_TEXT = 64;

  private final Kind kind;
  private final long[] numbers;
  private final String text;

  private TraceLine(Kind kind, long[] numbers, String text) {
    if (numbers.length != kind.numbers) {
      throw new IllegalArgumentException("%d numbers of a %s".formatted(numbers.length, kind));
    }
    this.kind = kind;
    this.numbers = numbers;
    this.text = text;
  }

  /** A line of any kind but {@link Kind#NAME}. */
  static TraceLine of(Kind kind, long... numbers) {
    return new TraceLine(kind, numbers, "");
  }

  /** A process that is seen for the first time, with the name of a thread, which ends with a 0. */
  static TraceLine named(long nanos, long pid, long thread, String name) {
    int end = name.indexOf('\0');
    return new TraceLine(
        Kind.NAME, new long[] {nanos, pid, thread}, end < 0 ? name : name.substring(0, end));
  }

  /** What it tells. */
  Kind kind() {
    return kind;
  }

  /** When it happened, on the clock of {@link System#nanoTime()}. */
  long nanos() {
    return numbers[0];
  }

  long pid() {
    return numbers[1];
  }

  long number(int index) {
    return numbers[index];
  }

  /** The name, legible. */
  String text() {
    return Legible.of(text, MAX_TEXT);
  }

  /** A number that has 32 bits in C. */
  int integer(int index) {
    return (int) numbers[index];
  }
}
