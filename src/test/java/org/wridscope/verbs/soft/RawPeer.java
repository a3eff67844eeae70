// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.wridscope.verbs.Endpoint;

/** A plain socket that sends anything to a software device. */
record RawPeer(Socket socket) implements AutoCloseable {

  /** Connects to a device that listens. */
  static RawPeer to(InetSocketAddress listener) throws IOException {
    var socket = new Socket(listener.getAddress(), listener.getPort());
    return of(socket);
  }

  /** Accepts the connection of a device. */
  static RawPeer from(ServerSocket server) throws IOException {
    return of(server.accept());
  }

  private static RawPeer of(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    socket.setSoTimeout((int) Endpoint.PATIENCE.toMillis());
    return new RawPeer(socket);
  }

  static ServerSocket listen() throws IOException {
    var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    server.setSoTimeout((int) Endpoint.PATIENCE.toMillis());
    return server;
  }

  static byte[] greeting(int version) {
    var bytes = ByteBuffer.allocate(Frame.GREETING_BYTES);
    Frame.encodeGreeting(bytes);
    return bytes.putShort(8, (short) version).array();
  }

  static byte[] frame(Frame.Type type, int length, long sequence, long address, int key) {
    var bytes = ByteBuffer.allocate(Frame.HEADER_BYTES);
    Frame.encode(bytes, type, 0, length, sequence, address, key);
    return bytes.array();
  }

  static byte[] frame(Frame.Type type) {
    return frame(type, 0, 0, 0, 0);
  }

  /** A frame with private data. */
  static byte[] managing(Frame.Type type) {
    var bytes = ByteBuffer.allocate(Frame.HEADER_BYTES + Frame.MAX_BODY_BYTES);
    Frame.encode(bytes, type, 7, new byte[0]);
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  void say(byte[]... what) throws IOException {
    for (byte[] bytes : what) {
      socket.getOutputStream().write(bytes);
    }
  }

  /** Sends a greeting and a connection request. */
  void request() throws IOException {
    say(greeting(Frame.VERSION), managing(Frame.Type.REQUEST));
  }

  /** Waits until its request is accepted, and confirms. */
  void establish() throws IOException {
    hear(Frame.GREETING_BYTES + managing(Frame.Type.ACCEPT).length);
    say(frame(Frame.Type.ESTABLISHED));
  }

  byte[] hear(int bytes) throws IOException {
    byte[] heard = socket.getInputStream().readNBytes(bytes);
    if (heard.length < bytes) {
      throw new IOException("the stream ended after %d of %d bytes".formatted(heard.length, bytes));
    }
    return heard;
  }

  /** The next frame that is not a keepalive. */
  Frame frame() throws IOException {
    var frame = new Frame();
    do {
      frame.decode(ByteBuffer.wrap(hear(Frame.HEADER_BYTES)));
    } while (frame.type() == Frame.Type.KEEPALIVE);
    return frame;
  }

  /** All bytes until the other end closes or resets the connection. */
  byte[] hearAll() throws IOException {
    InputStream input = socket.getInputStream();
    var heard = ByteBuffer.allocate(1 << 16);
    try {
      for (int next; (next = input.read()) >= 0; ) {
        heard.put((byte) next);
      }
    } catch (SocketException e) {
      // A reset ends the stream too.
    }
    return Arrays.copyOf(heard.array(), heard.position());
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
