// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import org.wridscope.protocol.ControlType;

/**
 * The migration stream to the destination: bytes are buffered here, and sent as QEMU FILE messages,
 * each after the destination's READY.
 */
final class QemuFileOutput extends OutputStream {
  /** Largest payload of a message, as in QEMU ({@code RDMA_SEND_INCREMENT}). */
  private static final int CAPACITY = 32768;

  private final ControlChannel control;
  private final byte[] buffer = new byte[CAPACITY];
  private int size;
  private long mayHaveArrived;

  QemuFileOutput(ControlChannel control) {
    this.control = control;
  }

  @Override
  public void write(int b) throws IOException {
    if (size == CAPACITY) {
      send();
    }
    buffer[size++] = (byte) b;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int from = offset;
    int left = length;
    while (left > 0) {
      if (size == CAPACITY) {
        send();
      }
      int part = Math.min(left, CAPACITY - size);
      System.arraycopy(bytes, from, buffer, size, part);
      size += part;
      from += part;
      left -= part;
    }
  }

  /** Bytes from the beginning of the stream that may have arrived, also those of a failed send. */
  long mayHaveArrived() {
    return mayHaveArrived;
  }

  @Override
  public void flush() throws IOException {
    send();
  }

  private void send() throws IOException {
    // QEMU takes a message without payload as "try again later".
    if (size > 0) {
      int bytes = size;
      long before = control.posted();
      try {
        control.payload().put(buffer, 0, bytes);
        size = 0;
        control.sendWhenReady(ControlType.QEMU_FILE, 1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while sending the migration stream");
      } finally {
        if (control.posted() > before) {
          mayHaveArrived += bytes;
        }
      }
    }
  }
}
