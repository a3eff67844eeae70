// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ProtocolException;

/**
 * Reads the fields of a migration stream, which are big-endian. Each has a name for error messages.
 */
final class StreamInput {
  private final InputStream in;
  private long position;
  private @Nullable ByteArrayOutputStream recording;

  /**
   * @param in no byte of it is read before it is needed; not closed
   */
  StreamInput(InputStream in) {
    this(in, 0);
  }

  /**
   * @param position of the input's first byte in the stream
   */
  StreamInput(InputStream in, long position) {
    this.in = in;
    this.position = position;
  }

  /** Position in the stream of what is read next. */
  long position() {
    return position;
  }

  /** Keeps the bytes that are read from now on; only for small parts of the stream. */
  void startRecording() {
    recording = new ByteArrayOutputStream();
  }

  /** The bytes since {@link #startRecording()} or the last call. */
  byte[] takeRecorded() {
    byte[] recorded = recording == null ? new byte[0] : recording.toByteArray();
    startRecording();
    return recorded;
  }

  void stopRecording() {
    recording = null;
  }

  /** The next byte, or -1 at the end of the stream. */
  int read() throws IOException {
    int value = in.read();
    if (value >= 0) {
      position++;
      if (recording != null) {
        recording.write(value);
      }
    }
    return value;
  }

  int u8(String what) throws IOException {
    int value = read();
    if (value < 0) {
      throw cutOff(what);
    }
    return value;
  }

  int be16(String what) throws IOException {
    return u8(what) << 8 | u8(what);
  }

  int be32(String what) throws IOException {
    return be16(what) << 16 | be16(what);
  }

  long be64(String what) throws IOException {
    return (long) be32(what) << 32 | Integer.toUnsignedLong(be32(what));
  }

  /** Reads a section tag. */
  int tag() throws IOException {
    return u8("section tag");
  }

  /** Reads text after a byte with its length. */
  String name(String what) throws IOException {
    return text(u8(what), what);
  }

  String text(int length, String what) throws IOException {
    String text = new String(bytes(length, what), StandardCharsets.ISO_8859_1);
    if (!StreamFormat.isName(text)) {
      throw ProtocolException.of(what, "'" + text + "'", StreamFormat.NAMES);
    }
    return text;
  }

  byte[] bytes(int length, String what) throws IOException {
    // Allocates memory as bytes arrive, so a wrong length alone costs nothing.
    byte[] bytes = in.readNBytes(length);
    position += bytes.length;
    if (recording != null) {
      recording.writeBytes(bytes);
    }
    if (bytes.length < length) {
      throw cutOff(what);
    }
    return bytes;
  }

  /** Skips bytes. */
  void skip(int length, String what) throws IOException {
    try {
      in.skipNBytes(length);
    } catch (EOFException e) {
      throw cutOff(what);
    }
    position += length;
  }

  void requireNothingLeft(String what) throws IOException {
    int left = in.available();
    if (left != 0) {
      throw ProtocolException.of("number of bytes after " + what, left, "0");
    }
  }

  ProtocolException cutOff(String what) {
    return ProtocolException.of(
        what, "cut off after %d bytes of the migration stream".formatted(position), "complete");
  }
}
