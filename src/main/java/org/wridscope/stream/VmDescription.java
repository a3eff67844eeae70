// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import org.wridscope.protocol.ProtocolException;

/** The description of the machine at the end of a stream, which shows that it is complete. */
public final class VmDescription {
  /** EOF, the tag, and a length. */
  private static final int HEADER = 2 + Integer.BYTES;

  private VmDescription() {}

  /**
   * Whether a stream in a file ends with a complete description, directly after the EOF of its
   * sections.
   *
   * @param from position of the first byte after the {@code ram} section
   */
  public static boolean isAtEnd(FileChannel file, long from) throws IOException {
    long length = Math.min(file.size() - from, HEADER + StreamFormat.MAX_VM_DESCRIPTION);
    return isAtEnd(read(file, file.size() - length, (int) Math.max(0, length)));
  }

  /** Whether a stream whose last bytes these are ends with a complete description. */
  public static boolean isAtEnd(byte[] end) throws IOException {
    if (end.length == 0 || end[end.length - 1] != '}') {
      return false;
    }
    for (int i = 0; i + HEADER < end.length; i++) {
      if (isFrom(i, end) && isJson(Arrays.copyOfRange(end, i + HEADER, end.length))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Number of bytes of a stream up to its EOF, which is the last byte if no description follows.
   * Takes for one what has the length of one, so the result is rather too small.
   */
  static int toEof(byte[] stream) {
    int first = Math.max(0, stream.length - HEADER - StreamFormat.MAX_VM_DESCRIPTION);
    for (int i = first; i + HEADER < stream.length; i++) {
      if (isFrom(i, stream)) {
        return i + 1;
      }
    }
    return stream.length;
  }

  /** Whether an EOF is there, and a description after it that may end with the bytes. */
  private static boolean isFrom(int eof, byte[] end) {
    return end[eof] == StreamFormat.EOF
        && end[eof + 1] == StreamFormat.VMDESCRIPTION
        && ByteBuffer.wrap(end).getInt(eof + 2) == end.length - eof - HEADER;
  }

  /**
   * Number of bytes up to EOF of a stream in a file, which is complete.
   *
   * @param from position of the first byte after the {@code ram} section
   */
  static long toEof(FileChannel file, long from) throws IOException {
    long length = Math.min(file.size() - from, HEADER + StreamFormat.MAX_VM_DESCRIPTION);
    byte[] end = read(file, file.size() - length, (int) length);
    return file.size() - from - end.length + toEof(end);
  }

  /** Whether a stream ends with EOF, as one without a description does. */
  public static boolean endsInEof(FileChannel file, long from) throws IOException {
    return file.size() > from && read(file, file.size() - 1, 1)[0] == StreamFormat.EOF;
  }

  private static boolean isJson(byte[] json) throws IOException {
    try {
      StreamParts.requireJsonObject(json);
      return true;
    } catch (ProtocolException e) {
      return false;
    }
  }

  private static byte[] read(FileChannel file, long from, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining() && file.read(bytes, from + bytes.position()) >= 0) {
      // until all is read
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }
}
