// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.text.Format;

/** A capture file whose connections are known. */
public final class Capture {
  private final Path file;
  private final Survey survey = new Survey();
  private final PacketCounts counts;
  private final List<String> notes = new ArrayList<>();
  private long first = Long.MAX_VALUE;
  private long last;
  private long datagrams;
  private long strayAnswers;
  private long strayCongestion;

  private Capture(Path file) throws IOException {
    this.file = file;
    var packets = new PacketReader();
    CaptureFile read =
        CaptureFile.read(
            file,
            frame -> {
              RocePacket packet = packets.read(frame);
              if (packet != null) {
                first = Math.min(first, packet.nanos());
                last = Math.max(last, packet.nanos());
                survey.add(packet);
                if (Opcode.isDatagram(packet.opcode())
                    && packet.queuePair() != ManagementMessage.QUEUE_PAIR) {
                  datagrams++;
                }
              }
            });
    survey.finish();
    counts = packets.counts();
    notes.addAll(counts.sentences());
    if (read.damage() != null) {
      notes.add("The capture is damaged or incomplete: %s.".formatted(read.damage()));
    }
    if (read.dropped() > 0) {
      notes.add(
          "The machine that captured lost %s, as the file says."
              .formatted(Format.counted(read.dropped(), "packet")));
    }
    if (survey.leftOut() > 0) {
      notes.add(
          "%s of further connections were left out: there are too many."
              .formatted(Format.counted(survey.leftOut(), "packet")));
    }
    if (datagrams > 0) {
      notes.add(
          "%s left out; only reliable connections are shown."
              .formatted(Format.counted(datagrams, "unreliable datagram")));
    }
  }

  /** Whether a file with this start, of at least four bytes, is a capture. */
  public static boolean hasMagic(ByteBuffer start) {
    return CaptureFile.hasMagic(start);
  }

  /** Reads a capture and finds out who is connected with whom. */
  public static Capture of(Path file) throws IOException {
    return new Capture(file);
  }

  /** The connections, in no order that means something. */
  public List<WireConnection> connections() {
    return List.copyOf(survey.connections());
  }

  /** The time of the first packet of RoCE or InfiniBand, in nanoseconds since 1970. */
  public long firstNanos() {
    return first;
  }

  /** The time of the last one. */
  public long lastNanos() {
    return last;
  }

  /**
   * Passes on what the packets show, in the order of the file.
   *
   * @return sentences about what is missing, those of earlier calls not included
   */
  public List<String> read(CaptureListener listener) throws IOException {
    return read(listener, new KeptMessages());
  }

  /** The same, with another limit of what is kept of messages. */
  List<String> read(CaptureListener listener, KeptMessages messages) throws IOException {
    var streams = new RequestStream[survey.connections().size()][];
    strayAnswers = 0;
    strayCongestion = 0;
    var packets = new PacketReader();
    CaptureFile.read(
        file,
        new CaptureFile.Sink() {
          @Override
          public void frame(Frame frame) throws IOException {
            RocePacket packet = packets.read(frame);
            if (packet != null) {
              pass(packet, streams, listener, messages);
            }
          }

          @Override
          public void polled(Polled what, long toldNanos) throws IOException {
            Survey.Found found = survey.of(what);
            RequestStream[] both = found == null ? null : streams[found.connection().number()];
            if (found != null && both != null) {
              both[found.end()].polled(what, toldNanos);
            }
          }
        });
    var all = new ArrayList<>(notes);
    all.addAll(new CaptureGaps(survey.connections(), streams).sentences());
    add(
        all,
        strayAnswers,
        "acknowledgement or response",
        "acknowledgements and responses",
        "to requests of which the capture has none, left out.");
    add(
        all,
        strayCongestion,
        "congestion notification",
        "congestion notifications",
        "to queue pairs of which the capture has no request, left out.");
    return List.copyOf(all);
  }

  private static void add(List<String> to, long count, String one, String several, String what) {
    if (count > 0) {
      to.add("%s %s %s".formatted(Format.count(count), count == 1 ? one : several, what));
    }
  }

  /** Why nothing can be shown of a capture without connections, in sentences. */
  public String refusal() {
    if (counts.areOfOtherLinks()) {
      return "It has %s, which is not read: what they carry is not known.".formatted(counts.all());
    }
    String has =
        "It has no requests of reliable connections over RoCE or InfiniBand. It has %s."
            .formatted(counts.all());
    String also = survey.refusal();
    return also.isEmpty() ? has : has + " " + also;
  }

  private void pass(
      RocePacket packet, RequestStream[][] streams, CaptureListener listener, KeptMessages messages)
      throws IOException {
    ManagementMessage message = ManagementMessage.of(packet);
    if (message != null) {
      if (message.kind() == ManagementMessage.Kind.DISCONNECT) {
        Survey.Found found = survey.of(packet, message.queuePair());
        if (found != null) {
          listener.disconnecting(found.connection(), found.end(), packet.nanos());
        }
      }
      return;
    }
    Survey.Found found = survey.of(packet, packet.queuePair());
    if (found == null) {
      strayCongestion += packet.opcode() == Opcode.CONGESTION ? 1 : 0;
      strayAnswers +=
          Opcode.isReliable(packet.opcode()) && Opcode.isResponse(packet.opcode()) ? 1 : 0;
      return;
    }
    WireConnection connection = found.connection();
    int end = found.end();
    if (packet.opcode() == Opcode.CONGESTION) {
      listener.congested(connection, 1 - end, packet.nanos());
      return;
    }
    if (!Opcode.isReliable(packet.opcode())) {
      return;
    }
    RequestStream[] both = streams[connection.number()];
    if (both == null) {
      both =
          new RequestStream[] {
            new RequestStream(connection, 0, listener, messages),
            new RequestStream(connection, 1, listener, messages)
          };
      streams[connection.number()] = both;
    }
    if (Opcode.isResponse(packet.opcode())) {
      both[1 - end].response(packet);
    } else {
      both[end].request(packet);
    }
  }
}
