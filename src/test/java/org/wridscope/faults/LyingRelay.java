// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.InquiryAnswer;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.MigrationId;

/**
 * A relay on the path between two software devices. It cuts the connection of a migration at one
 * message, and may answer its source in the destination's place; see {@code
 * docs/software-device.md} for the frames. It does not use the secret, which it could read.
 */
final class LyingRelay implements AutoCloseable {
  private static final int GREETING = 16;
  private static final int HEADER = 32;
  private static final int REJECT = 3;
  private static final int REQUEST = 1;
  private static final int SEND = 16;

  /** Where the flags of a request are in its private data; the first byte has the bits 24 to 31. */
  private static final int FLAGS = 4;

  private final InetSocketAddress target;
  private final ControlType lost;
  private volatile Conduct conduct;
  private final Runnable then;
  private final ServerSocket listener;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicBoolean first = new AtomicBoolean(true);
  private final AtomicInteger asked = new AtomicInteger();
  private volatile Runnable onAnswer = () -> {};

  /** What it does with the messages before, and with the questions after the loss. */
  enum Conduct {
    /** It passes them on. */
    HONEST,
    /** It passes the questions on, and keeps the answers. */
    KEEPS_ANSWERS,
    /** It says that the guest was not started. */
    DENIES,
    /** It says that the guest was started. */
    CLAIMS,
    /** It repeats what a destination has answered and proved in another migration. */
    REPLAYS,
    /** It hides that the source can check proofs, as one of an older version cannot. */
    DOWNGRADES
  }

  /**
   * @param then what happens when the message is lost
   */
  LyingRelay(InetSocketAddress target, ControlType lost, Conduct conduct, Runnable then)
      throws IOException {
    this.target = target;
    this.lost = lost;
    this.conduct = conduct;
    this.then = then;
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start("relay", this::serve);
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(String name, Work work) {
    Thread.ofPlatform()
        .daemon()
        .name(name)
        .start(() -> {
          try {
            work.run();
          } catch (IOException e) {
            // A connection of which one end has gone.
          }
        });
  }

  /** Where the source finds it. */
  String uri() {
    return "rdma:127.0.0.1:" + listener.getLocalPort();
  }

  /** Passes everything on from now on. */
  void beHonest() {
    conduct = Conduct.HONEST;
  }

  /** Sets what happens before the answer to a question is passed on. */
  void onAnswer(Runnable action) {
    onAnswer = action;
  }

  /** How many times the source has asked. */
  int asked() {
    return asked.get();
  }

  private void serve() throws IOException {
    while (true) {
      Socket source = listener.accept();
      sockets.add(source);
      if (first.getAndSet(false)) {
        start("relayed migration", () -> connect(source, false));
      } else {
        asked.incrementAndGet();
        switch (conduct) {
          case HONEST, DOWNGRADES -> start("relayed question", () -> connect(source, false));
          case KEEPS_ANSWERS -> start("relayed question", () -> connect(source, true));
          case DENIES, CLAIMS, REPLAYS -> start("lie", () -> lie(source));
        }
      }
    }
  }

  private void connect(Socket source, boolean keepsAnswers) throws IOException {
    var destination = new Socket();
    sockets.add(destination);
    try {
      destination.connect(target);
    } catch (IOException e) {
      source.close();
      throw e;
    }
    start("to the destination", () -> pump(source, destination, false));
    start("to the source", () -> pump(destination, source, keepsAnswers));
  }

  private void pump(Socket from, Socket to, boolean discards) throws IOException {
    try {
      var in = new DataInputStream(from.getInputStream());
      OutputStream out = to.getOutputStream();
      byte[] greeting = in.readNBytes(GREETING);
      if (!discards) {
        out.write(greeting);
      }
      while (true) {
        byte[] header = new byte[HEADER];
        in.readFully(header);
        byte[] body = new byte[ByteBuffer.wrap(header).getInt(4)];
        in.readFully(body);
        if (header[0] == SEND && body.length >= 8 && typeOf(body) == lost.value()) {
          then.run();
          return;
        }
        if (header[0] == REQUEST && conduct == Conduct.DOWNGRADES) {
          body[FLAGS] &= (byte) ~(Capabilities.PROOF >>> 24);
        }
        if (!discards) {
          if (header[0] == REJECT) {
            onAnswer.run();
          }
          out.write(header);
          out.write(body);
        } else if (header[0] == REJECT) {
          // The source waits for it until its limit.
          boolean _ = in.read() < 0;
          return;
        }
      }
    } finally {
      if (!discards) {
        from.close();
        to.close();
      }
    }
  }

  private static int typeOf(byte[] message) {
    return ByteBuffer.wrap(message).getInt(4);
  }

  private void lie(Socket source) throws IOException {
    try (source) {
      var in = new DataInputStream(source.getInputStream());
      byte[] greeting = in.readNBytes(GREETING);
      byte[] request = new byte[HEADER];
      in.readFully(request);
      ByteBuffer question = ByteBuffer.wrap(new byte[ByteBuffer.wrap(request).getInt(4)]);
      in.readFully(question.array());
      var _ = Capabilities.decode(question);
      byte[] answer = answer(MigrationId.decode(question));
      ByteBuffer reply = ByteBuffer.allocate(HEADER + 148);
      reply.put((byte) REJECT).putInt(4, 148).put(HEADER, answer);
      OutputStream out = source.getOutputStream();
      out.write(greeting);
      out.write(reply.array());
      boolean _ = in.read() < 0;
    }
  }

  private byte[] answer(MigrationId id) {
    Outcome outcome = conduct == Conduct.CLAIMS ? Outcome.RUNNING : Outcome.NOT_STARTED;
    byte[] plain = new InquiryAnswer(id, outcome).toBytes();
    byte[] proof = earlier;
    if (conduct != Conduct.REPLAYS || proof == null) {
      return plain;
    }
    byte[] answer = Arrays.copyOf(plain, plain.length + proof.length);
    System.arraycopy(proof, 0, answer, plain.length, proof.length);
    return answer;
  }

  private byte @Nullable [] earlier;

  /** The proof of an earlier answer, for {@link Conduct#REPLAYS}. */
  LyingRelay earlier(byte[] proof) {
    earlier = proof.clone();
    return this;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : new ArrayList<>(sockets)) {
      socket.close();
    }
  }
}
