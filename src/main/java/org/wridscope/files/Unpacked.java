// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;

/**
 * The content of a file or of a stream, unpacked if it was packed with gzip (RFC 1952). It ends
 * where a damaged one is damaged, and has a limit, because a small file may be packed from a huge
 * one.
 */
public final class Unpacked extends FilterInputStream {
  /** As long as the largest files that are read whole; see docs/limits.md. */
  public static final long MOST_BYTES = 4L << 30;

  private static final int BUFFER = 1 << 16;

  private final boolean packed;
  private final long most;
  private long count;
  private @Nullable String damage;

  private Unpacked(InputStream in, boolean packed, long most) {
    super(in);
    this.packed = packed;
    this.most = most;
  }

  /** What a stream holds, of which nothing was read yet. */
  public static Unpacked of(InputStream stream) throws IOException {
    return of(stream, MOST_BYTES);
  }

  /**
   * What a stream holds, of which nothing was read yet.
   *
   * @param most bytes that are unpacked
   */
  public static Unpacked of(InputStream stream, long most) throws IOException {
    var buffered = new BufferedInputStream(stream, BUFFER);
    buffered.mark(2);
    boolean packed = buffered.read() == 0x1f && buffered.read() == 0x8b;
    buffered.reset();
    try {
      return new Unpacked(packed ? new GZIPInputStream(buffered, BUFFER) : buffered, packed, most);
    } catch (EOFException | ZipException e) {
      var none = new Unpacked(InputStream.nullInputStream(), true, most);
      none.damage = damage(e, 0);
      return none;
    }
  }

  private static String damage(IOException cause, long after) {
    return "its gzip data %s after %s"
        .formatted(
            cause instanceof EOFException ? "ends too early," : "is damaged,",
            after == 0 ? "nothing was unpacked" : Format.counted(after, "unpacked byte"));
  }

  /** Whether it is packed. */
  public boolean isPacked() {
    return packed;
  }

  /** Where and why unpacking ended too early, a clause; null if it did not so far. */
  public @Nullable String damage() {
    return damage;
  }

  @Override
  public int read() throws IOException {
    var one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  /**
   * {@inheritDoc}
   *
   * @throws UnpackedTooLongException if it is packed and longer than the limit
   */
  @Override
  public int read(byte[] into, int at, int length) throws IOException {
    if (damage != null) {
      return -1;
    }
    try {
      int read = super.read(into, at, length);
      count += Math.max(0, read);
      if (packed && count > most) {
        throw new UnpackedTooLongException(most);
      }
      return read;
    } catch (EOFException | ZipException e) {
      damage = damage(e, count);
      return -1;
    }
  }

  @Override
  public long skip(long bytes) throws IOException {
    return readNBytes((int) Math.min(bytes, BUFFER)).length;
  }

  @Override
  public boolean markSupported() {
    return false;
  }

  @Override
  public synchronized void mark(int limit) {
    // not supported
  }

  @Override
  public synchronized void reset() throws IOException {
    throw new IOException("mark is not supported");
  }
}
