// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.ProtocolException;

/**
 * The migration stream from QEMU FILE messages. Sends READY only when a byte is read that has not
 * arrived yet, like QEMU. The stream has no marked end: either the reader knows when it has read
 * everything, or the source disconnects.
 */
final class QemuFileInput extends InputStream {
  private final ControlChannel control;
  private final Limits limits;
  private @Nullable Message message;
  private boolean endingWithConnection;

  /** Whether READY was sent for the next message before it was needed. */
  private boolean asked;

  QemuFileInput(ControlChannel control, Limits limits) {
    this.control = control;
    this.limits = limits;
  }

  /** READY for the first message has been sent. */
  void hasAsked() {
    asked = true;
  }

  /** From now on, a disconnect of the source is the end of the stream, and no error. */
  void endWithConnection() {
    endingWithConnection = true;
  }

  @Override
  public int read() throws IOException {
    Message current = fill();
    return current == null ? -1 : current.payload().get() & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    Message current = fill();
    if (current == null) {
      return -1;
    }
    var payload = current.payload();
    int part = Math.min(length, payload.remaining());
    payload.get(bytes, offset, part);
    return part;
  }

  @Override
  public int available() {
    return message == null ? 0 : message.payload().remaining();
  }

  /** The message with the next byte; null at the end of the stream. */
  private @Nullable Message fill() throws IOException {
    Message current = message;
    if (current != null && current.payload().hasRemaining()) {
      return current;
    }
    try {
      if (current != null) {
        message = null;
        control.release(current);
      }
      if (!asked) {
        control.sendEmpty(ControlType.READY);
      }
      asked = false;
      current = control.receive(ControlType.QEMU_FILE, limits.work());
    } catch (DisconnectedException e) {
      if (endingWithConnection) {
        return null;
      }
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while receiving the migration stream");
    }
    if (!current.payload().hasRemaining()) {
      throw ProtocolException.of("length of a QEMU FILE message", 0, "at least 1");
    }
    message = current;
    return current;
  }

  /** Releases the last message, so that every receive is posted; all of it must have been read. */
  void finish() throws IOException {
    Message current = message;
    if (current != null) {
      if (current.payload().hasRemaining()) {
        throw ProtocolException.of(
            "bytes after the end of the migration stream", current.payload().remaining(), "0");
      }
      message = null;
      control.release(current);
    }
  }
}
