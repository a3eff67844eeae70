// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** A stream divided into messages like QEMU FILE: one for each flush. */
final class Messages {
  private final List<byte[]> messages;

  private Messages(List<byte[]> messages) {
    this.messages = messages;
  }

  interface Script {
    void write(MigrationStreamWriter writer) throws IOException;
  }

  /** Writes a stream; bytes that are not flushed are lost. */
  static Messages written(Script script) throws IOException {
    List<byte[]> messages = new ArrayList<>();
    ByteArrayOutputStream pending = new ByteArrayOutputStream();
    script.write(
        new MigrationStreamWriter(
            new OutputStream() {
              @Override
              public void write(int b) {
                pending.write(b);
              }

              @Override
              public void write(byte[] bytes, int offset, int length) {
                pending.write(bytes, offset, length);
              }

              @Override
              public void flush() {
                messages.add(pending.toByteArray());
                pending.reset();
              }
            }));
    return new Messages(messages);
  }

  List<byte[]> asList() {
    return messages;
  }

  byte[] bytes() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    messages.forEach(all::writeBytes);
    return all.toByteArray();
  }

  Input input() {
    return new Input(messages);
  }

  /** Opens a message when a byte of it is requested, and counts the messages. */
  static final class Input extends InputStream {
    private final List<byte[]> messages;
    private byte[] message = {};
    private int position;
    private int opened;

    private Input(List<byte[]> messages) {
      this.messages = messages;
    }

    int opened() {
      return opened;
    }

    @Override
    public int read() {
      return hasMore() ? message[position++] & 0xff : -1;
    }

    /** Ends at the end of a message. */
    @Override
    public int read(byte[] bytes, int offset, int length) {
      if (length == 0) {
        return 0;
      }
      if (!hasMore()) {
        return -1;
      }
      int read = Math.min(length, available());
      System.arraycopy(message, position, bytes, offset, read);
      position += read;
      return read;
    }

    private boolean hasMore() {
      while (position == message.length && opened < messages.size()) {
        message = messages.get(opened++);
        position = 0;
      }
      return position < message.length;
    }

    @Override
    public int available() {
      return message.length - position;
    }
  }
}
