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
  private boolean mayHaveArrived;

  QemuFileOutput(ControlChannel control) {
    this.control = control;
  }

  @Override
  public void write(int b) throws IOException {
    if (size == CAPACITY) {
      send();
    }
    buffer[size++] = (byte) b;
    mayHaveArrived = false;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    mayHaveArrived = false;
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

  /**
   * Whether all that was written may have arrived, also if the flush that was to send it failed.
   */
  boolean mayHaveArrived() {
    return mayHaveArrived;
  }

  @Override
  public void flush() throws IOException {
    long before = control.posted();
    try {
      send();
    } finally {
      mayHaveArrived |= control.posted() > before;
    }
  }

  private void send() throws IOException {
    // QEMU takes a message without payload as "try again later".
    if (size > 0) {
      try {
        control.payload().put(buffer, 0, size);
        size = 0;
        control.sendWhenReady(ControlType.QEMU_FILE, 1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while sending the migration stream");
      }
    }
  }
}
