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
  private static final RequestStream[] NO_STREAMS = {};

  private final Path file;
  private final Survey survey = new Survey();
  private final PacketCounts counts;
  private final List<String> notes = new ArrayList<>();
  private long first = Long.MAX_VALUE;
  private long last;
  private long datagrams;

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

  /** Number of captured packets, and of the RoCEv2 packets among them. */
  public String sizes() {
    return "%s, %s of RoCEv2"
        .formatted(Format.counted(counts.packets, "packet"), Format.count(counts.roce));
  }

  /** The connections, in no order that means something. */
  public List<WireConnection> connections() {
    return List.copyOf(survey.connections());
  }

  /** The time of the first RoCEv2 packet, in nanoseconds since 1970. */
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
    var streams = new RequestStream[survey.connections().size()][];
    var packets = new PacketReader();
    CaptureFile.read(
        file,
        frame -> {
          RocePacket packet = packets.read(frame);
          if (packet != null) {
            pass(packet, streams, listener);
          }
        });
    long missing = 0;
    long orphans = 0;
    for (RequestStream[] both : streams) {
      for (RequestStream stream : both == null ? NO_STREAMS : both) {
        missing += stream.missing();
        orphans += stream.orphans();
      }
    }
    var all = new ArrayList<>(notes);
    if (missing > 0) {
      all.add(
          "%s not in the capture, although later ones of the same connection are."
              .formatted(Format.counted(missing, "packet")));
    }
    if (orphans > 0) {
      all.add(
          "%s of messages whose first packet is not in the capture, left out."
              .formatted(Format.counted(orphans, "packet")));
    }
    return List.copyOf(all);
  }

  private void pass(RocePacket packet, RequestStream[][] streams, CaptureListener listener)
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
            new RequestStream(connection, 0, listener), new RequestStream(connection, 1, listener)
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
