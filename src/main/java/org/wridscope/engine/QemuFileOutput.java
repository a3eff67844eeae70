// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import org.wridscope.protocol.ControlType;

/**
 * The migration stream on its way out: bytes gather here, and a flush sends them as QEMU FILE
 * messages, each as soon as the destination is READY.
 */
final class QemuFileOutput extends OutputStream {
  /** {@code RDMA_SEND_INCREMENT}: payload of one message at most, as QEMU sends it. */
  private static final int CAPACITY = 32768;

  private final ControlChannel control;
  private final byte[] buffer = new byte[CAPACITY];
  private int size;

  QemuFileOutput(ControlChannel control) {
    this.control = control;
  }

  @Override
  public void write(int b) throws IOException {
    if (size == CAPACITY) {
      flush();
    }
    buffer[size++] = (byte) b;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int from = offset;
    int left = length;
    while (left > 0) {
      if (size == CAPACITY) {
        flush();
      }
      int part = Math.min(left, CAPACITY - size);
      System.arraycopy(bytes, from, buffer, size, part);
      size += part;
      from += part;
      left -= part;
    }
  }

  @Override
  public void flush() throws IOException {
    // A message without payload would mean "try again later" to QEMU.
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
