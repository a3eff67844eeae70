// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.stream.BufferedInput;
import org.wridscope.stream.Checkpoint;

/** The connection through which a migration stream passes. Each wait for QEMU has a limit. */
final class QemuStream implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QemuStream.class);
  private static final int BUFFER = 256 << 10;

  /** Time between two calls of the checkpoint. */
  private static final long SLICE_MILLIS = 20;

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private boolean ended;

  /**
   * @param channel is closed by {@link #close}, also after an exception here
   */
  QemuStream(SocketChannel channel) throws IOException {
    this.channel = channel;
    Selector opened = null;
    try {
      channel.configureBlocking(false);
      opened = Selector.open();
      key = channel.register(opened, 0);
      selector = opened;
    } catch (IOException e) {
      if (opened != null) {
        opened.close();
      }
      channel.close();
      throw e;
    }
  }

  /**
   * What QEMU sends, through a buffer.
   *
   * @param silence how long QEMU may send nothing
   * @param checkpoint called many times per second
   */
  InputStream input(Duration silence, Checkpoint checkpoint) {
    return new Input(silence, checkpoint);
  }

  /** Whether all that QEMU sent was read, and QEMU will send no more. */
  boolean hasEnded() {
    return ended;
  }

  /** Tells QEMU that nothing more comes. */
  void endOutput() throws IOException {
    channel.shutdownOutput();
  }

  /**
   * Sends to QEMU.
   *
   * @param silence how long QEMU may take nothing
   * @param checkpoint called many times per second
   */
  WritableByteChannel output(Duration silence, Checkpoint checkpoint) {
    return new Output(silence, checkpoint);
  }

  private void await(int operation, Deadline deadline, String what, Checkpoint checkpoint)
      throws IOException {
    deadline.check(what);
    key.interestOps(operation);
    selector.select(SLICE_MILLIS);
    selector.selectedKeys().clear();
    if (Thread.currentThread().isInterrupted()) {
      throw Deadline.interrupted(new InterruptedException());
    }
    checkpoint.pass();
  }

  private final class Input extends BufferedInput {
    private final Duration silence;
    private final Checkpoint checkpoint;

    Input(Duration silence, Checkpoint checkpoint) {
      super(ByteBuffer.allocateDirect(BUFFER), checkpoint);
      this.silence = silence;
      this.checkpoint = checkpoint;
    }

    @Override
    protected int fill(ByteBuffer empty) throws IOException {
      var deadline = new Deadline(silence);
      int length;
      while ((length = channel.read(empty)) == 0) {
        await(SelectionKey.OP_READ, deadline, "QEMU sent nothing", checkpoint);
      }
      ended = length < 0;
      return length;
    }
  }

  private final class Output implements WritableByteChannel {
    private final Duration silence;
    private final Checkpoint checkpoint;

    Output(Duration silence, Checkpoint checkpoint) {
      this.silence = silence;
      this.checkpoint = checkpoint;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
      int length = bytes.remaining();
      var deadline = new Deadline(silence);
      while (bytes.hasRemaining()) {
        if (channel.write(bytes) > 0) {
          deadline = new Deadline(silence);
        } else {
          await(SelectionKey.OP_WRITE, deadline, "QEMU took nothing", checkpoint);
        }
      }
      return length;
    }

    @Override
    public boolean isOpen() {
      return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /** Ends the connection. Idempotent. */
  @Override
  public void close() {
    try (channel) {
      selector.close();
    } catch (IOException e) {
      LOG.debug("closing a migration stream: {}", e.getMessage());
    }
  }
}
