// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of captured packets: pcap with microseconds or nanoseconds, or pcapng, of either byte
 * order (draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng).
 */
final class CaptureFile {
  private static final int MICROSECONDS = 0xa1b2c3d4;
  private static final int NANOSECONDS = 0xa1b23c4d;
  private static final int SECTION = 0x0a0d0d0a;
  private static final int BYTE_ORDER = 0x1a2b3c4d;
  private static final int INTERFACE = 1;
  private static final int OLD_PACKET = 2;
  private static final int SIMPLE_PACKET = 3;
  private static final int STATISTICS = 5;
  private static final int PACKET = 6;

  private static final int OPTION_COMMENT = 1;
  private static final int OPTION_RESOLUTION = 9;
  private static final int OPTION_OFFSET = 14;
  private static final int OPTION_INTERFACE_DROPPED = 5;
  private static final int OPTION_SYSTEM_DROPPED = 7;

  /** No link has longer packets; that of tcpdump is the same. */
  private static final int MAX_PACKET = 1 << 18;

  private static final int MAX_BLOCK = 1 << 24;
  private static final int MAX_INTERFACES = 1 << 10;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  /** In the year 2242. */
  private static final long LAST_SECOND = 1L << 33;

  private static final BigInteger NANOS = BigInteger.valueOf(NANOS_PER_SECOND);

  private final InputStream in;
  private final List<Interface> interfaces = new ArrayList<>();
  private ByteOrder order = ByteOrder.BIG_ENDIAN;
  private long position;
  private long dropped;
  private @Nullable String damage;

  /**
   * An interface of a section.
   *
   * @param snapLength most bytes that are captured of a packet
   * @param perSecond units of its times
   * @param offset seconds to add to its times
   */
  private record Interface(int linkType, long snapLength, BigInteger perSecond, long offset) {}

  /** Receives packets, and what comments tell. */
  @FunctionalInterface
  interface Sink {
    void frame(Frame frame) throws IOException;

    /**
     * A program polled a completion.
     *
     * @param toldNanos when the packet passed whose comment tells it
     */
    default void polled(Polled what, long toldNanos) throws IOException {}
  }

  /** The data ends, or is not what it has to be; the message is a clause. */
  private static final class DamagedException extends Exception {
    private static final long serialVersionUID = 1L;

    DamagedException(String message) {
      super(message);
    }
  }

  private CaptureFile(InputStream in) {
    this.in = in;
  }

  /** Whether a file with this start, of at least four bytes, is one. */
  static boolean hasMagic(ByteBuffer start) {
    if (start.remaining() < Integer.BYTES) {
      return false;
    }
    int magic = start.getInt(start.position());
    return magic == SECTION || isPcap(magic) || isPcap(Integer.reverseBytes(magic));
  }

  private static boolean isPcap(int magic) {
    return magic == MICROSECONDS || magic == NANOSECONDS;
  }

  /**
   * Reads a file to its end, or to where it is damaged.
   *
   * @return the file, for what is not a packet
   */
  static CaptureFile read(Path file, Sink sink) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 20)) {
      var capture = new CaptureFile(in);
      try {
        int magic = capture.bytes(Integer.BYTES, "the beginning").getInt();
        if (magic == SECTION) {
          capture.readBlocks(sink);
        } else {
          capture.readPcap(magic, sink);
        }
      } catch (DamagedException e) {
        capture.damage = e.getMessage();
      }
      return capture;
    }
  }

  /** Packets that the capturing machine says it has lost. */
  long dropped() {
    return dropped;
  }

  /** Where and why reading ended before the end of the file, a clause; null if it did not. */
  @Nullable String damage() {
    return damage;
  }

  // ---------------------------------------------------------------------------------- bytes

  private ByteBuffer bytes(int length, String what) throws IOException, DamagedException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new DamagedException(
          "it ends at byte %d, within %s".formatted(position + bytes.length, what));
    }
    position += length;
    return ByteBuffer.wrap(bytes).order(order);
  }

  private boolean isAtEnd() throws IOException {
    in.mark(1);
    boolean end = in.read() < 0;
    in.reset();
    return end;
  }

  private void require(boolean valid, String what, long value) throws DamagedException {
    if (!valid) {
      throw new DamagedException(
          "before byte %d it has %s of %s".formatted(position, what, Long.toUnsignedString(value)));
    }
  }

  // ----------------------------------------------------------------------------------- pcap

  private void readPcap(int magic, Sink sink) throws IOException, DamagedException {
    boolean swapped = !isPcap(magic);
    order = swapped ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    long unit = (swapped ? Integer.reverseBytes(magic) : magic) == NANOSECONDS ? 1 : 1000;
    ByteBuffer head = bytes(20, "the head");
    // The upper bits tell about frame check sequences.
    int linkType = head.getInt(16) & 0xffff;
    while (!isAtEnd()) {
      ByteBuffer record = bytes(16, "the head of a packet");
      long seconds = Integer.toUnsignedLong(record.getInt());
      long nanos = Integer.toUnsignedLong(record.getInt()) * unit;
      long captured = Integer.toUnsignedLong(record.getInt());
      long length = Integer.toUnsignedLong(record.getInt());
      require(captured <= MAX_PACKET, "a packet length", captured);
      require(nanos < NANOS_PER_SECOND, "a part of a second", nanos);
      ByteBuffer data = bytes((int) captured, "a packet");
      deliver(sink, seconds * NANOS_PER_SECOND + nanos, linkType, data, length);
    }
  }

  private static void deliver(Sink sink, long nanos, int linkType, ByteBuffer data, long length)
      throws IOException {
    deliver(sink, nanos, linkType, data, length, 0);
  }

  private static void deliver(
      Sink sink, long nanos, int linkType, ByteBuffer data, long length, long postedNanos)
      throws IOException {
    sink.frame(
        new Frame(
            nanos,
            linkType,
            data.order(ByteOrder.BIG_ENDIAN),
            Math.max(length, data.remaining()),
            postedNanos));
  }

  // --------------------------------------------------------------------------------- pcapng

  private void readBlocks(Sink sink) throws IOException, DamagedException {
    section();
    while (!isAtEnd()) {
      ByteBuffer type = bytes(Integer.BYTES, "the head of a block");
      if (type.getInt(0) == SECTION) {
        section();
      } else {
        block(type.getInt(), sink);
      }
    }
  }

  /** Reads a section's head after its type, which is the same in both byte orders. */
  private void section() throws IOException, DamagedException {
    ByteBuffer head = bytes(8, "the head of a section");
    head.order(ByteOrder.BIG_ENDIAN);
    int mark = head.getInt(4);
    require(
        mark == BYTE_ORDER || Integer.reverseBytes(mark) == BYTE_ORDER, "a byte order mark", mark);
    order = mark == BYTE_ORDER ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    interfaces.clear();
    int length = head.order(order).getInt(0);
    require(length >= 28 && length <= MAX_BLOCK && length % 4 == 0, "a section length", length);
    bytes(length - 12, "the head of a section");
  }

  private void block(int type, Sink sink) throws IOException, DamagedException {
    int length = bytes(Integer.BYTES, "the head of a block").getInt();
    require(length >= 12 && length <= MAX_BLOCK && length % 4 == 0, "a block length", length);
    ByteBuffer body = bytes(length - 8, "a block");
    body.limit(body.limit() - Integer.BYTES);
    switch (type) {
      case INTERFACE -> addInterface(body);
      case PACKET -> packet(body, 4, sink);
      case OLD_PACKET -> packet(body, 2, sink);
      case SIMPLE_PACKET -> simplePacket(body, sink);
      case STATISTICS -> statistics(body, sink);
      default -> {
        // names, keys, comments
      }
    }
  }

  private void requireRoom(ByteBuffer body, int bytes) throws DamagedException {
    require(body.remaining() >= bytes, "a block with a body", body.remaining());
  }

  private void addInterface(ByteBuffer body) throws DamagedException {
    requireRoom(body, 8);
    require(interfaces.size() < MAX_INTERFACES, "a number of interfaces", interfaces.size() + 1L);
    int linkType = Short.toUnsignedInt(body.getShort());
    body.getShort();
    long snapLength = Integer.toUnsignedLong(body.getInt());
    BigInteger perSecond = BigInteger.valueOf(1_000_000);
    long offset = 0;
    for (Option option; (option = option(body)) != null; ) {
      if (option.code == OPTION_RESOLUTION && option.value.remaining() >= 1) {
        int resolution = option.value.get();
        perSecond = BigInteger.valueOf(resolution < 0 ? 2 : 10).pow(resolution & 0x7f);
      } else if (option.code == OPTION_OFFSET && option.value.remaining() >= Long.BYTES) {
        offset = Math.clamp(option.value.getLong(), -LAST_SECOND, LAST_SECOND);
      }
    }
    interfaces.add(new Interface(linkType, snapLength, perSecond, offset));
  }

  private record Option(int code, ByteBuffer value) {}

  /** The next option; null at their end. */
  private @Nullable Option option(ByteBuffer body) {
    if (body.remaining() < 4) {
      return null;
    }
    int code = Short.toUnsignedInt(body.getShort());
    int length = Short.toUnsignedInt(body.getShort());
    if (code == 0 || length > body.remaining()) {
      return null;
    }
    ByteBuffer value = body.slice(body.position(), length).order(order);
    body.position(Math.min(body.limit(), body.position() + (length + 3) / 4 * 4));
    return new Option(code, value);
  }

  /**
   * A block with a packet.
   *
   * @param numberBytes of the number of its interface, and what else is in its first four bytes
   */
  private void packet(ByteBuffer body, int numberBytes, Sink sink)
      throws IOException, DamagedException {
    requireRoom(body, 20);
    int first = body.getInt(0);
    int number = numberBytes == 4 ? first : Short.toUnsignedInt(body.getShort(0));
    long time = (long) body.getInt(4) << 32 | Integer.toUnsignedLong(body.getInt(8));
    long captured = Integer.toUnsignedLong(body.getInt(12));
    long length = Integer.toUnsignedLong(body.getInt(16));
    Interface from = from(number);
    require(captured <= Math.min(MAX_PACKET, body.remaining() - 20L), "a packet length", captured);
    long nanos = nanos(time, from);
    ByteBuffer data = body.slice(20, (int) captured);
    long posted = 0;
    body.position(Math.min(body.limit(), 20 + ((int) captured + 3) / 4 * 4));
    for (Option option; (option = option(body)) != null; ) {
      if (option.code == OPTION_COMMENT) {
        posted = Math.max(posted, PostComment.read(option.value, nanos));
        polled(option.value, nanos, sink);
      }
    }
    deliver(sink, nanos, from.linkType, data, length, posted);
  }

  private static void polled(ByteBuffer comment, long toldNanos, Sink sink) throws IOException {
    Polled polled = Polled.read(comment, toldNanos);
    if (polled != null) {
      sink.polled(polled, toldNanos);
    }
  }

  private void simplePacket(ByteBuffer body, Sink sink) throws IOException, DamagedException {
    requireRoom(body, 4);
    Interface from = from(0);
    long length = Integer.toUnsignedLong(body.getInt());
    long most = from.snapLength == 0 ? length : Math.min(length, from.snapLength);
    int captured = (int) Math.min(most, Math.min(MAX_PACKET, body.remaining()));
    // It has no time.
    deliver(sink, 0, from.linkType, body.slice(4, captured), length);
  }

  private Interface from(int number) throws DamagedException {
    require(
        number >= 0 && number < interfaces.size(),
        "a packet of an interface with the number",
        Integer.toUnsignedLong(number));
    return interfaces.get(number);
  }

  private static long nanos(long time, Interface from) {
    if (from.perSecond.equals(NANOS) && from.offset == 0 && time >= 0) {
      return Math.min(time, LAST_SECOND * NANOS_PER_SECOND);
    }
    return new BigInteger(Long.toUnsignedString(time))
        .multiply(NANOS)
        .divide(from.perSecond)
        .add(BigInteger.valueOf(from.offset).multiply(NANOS))
        .min(BigInteger.valueOf(LAST_SECOND).multiply(NANOS))
        .max(BigInteger.ZERO)
        .longValue();
  }

  private void statistics(ByteBuffer body, Sink sink) throws IOException, DamagedException {
    requireRoom(body, 12);
    body.position(12);
    for (Option option; (option = option(body)) != null; ) {
      if ((option.code == OPTION_INTERFACE_DROPPED || option.code == OPTION_SYSTEM_DROPPED)
          && option.value.remaining() >= Long.BYTES) {
        dropped += Math.clamp(option.value.getLong(), 0, 1L << 48);
      } else if (option.code == OPTION_COMMENT) {
        long time = (long) body.getInt(4) << 32 | Integer.toUnsignedLong(body.getInt(8));
        polled(option.value, nanos(time, from(body.getInt(0))), sink);
      }
    }
  }
}
