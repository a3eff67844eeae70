// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.io.InputStream;
import org.wridscope.protocol.ProtocolException;

/**
 * Reads the migration stream of any source that sends RAM by RDMA, in the format of QEMU 7.2 to
 * 11.1 for any machine type. What follows the RAM is passed on without interpreting it: device states have
 * no length, so only the machine can tell where one ends.
 *
 * <p>Like {@link MigrationStreamReader}, it requests no byte before it needs it.
 */
public final class OpaqueStreamReader {
  private final InputStream raw;
  private final StreamInput in;

  /**
   * Creates a reader of one stream.
   *
   * @param in is not closed
   */
  public OpaqueStreamReader(InputStream in) {
    raw = in;
    this.in = new StreamInput(in);
  }

  /**
   * Reads the stream to its end.
   *
   * @throws ProtocolException if the stream is truncated before its device states, not in QEMU's
   *     format, or written with a capability that must be off, which the message names
   * @throws IOException from the input or the handler
   */
  public void read(OpaqueStreamHandler handler) throws IOException {
    StreamEnvelope envelope = StreamHead.read(in);
    handler.ramBlocks(envelope.machineType(), StreamParts.blocks(in));
    register(handler, RamPhase.SETUP);
    int tag = in.tag();
    if (tag == StreamFormat.FOOTER) {
      envelope = envelope.withFooters(true);
      StreamParts.requireFooter(in, envelope.ramSection(), "the ram section");
      tag = in.tag();
    }
    while (StreamParts.part(in, tag, envelope.ramSection())) {
      register(handler, RamPhase.ROUND);
      footer(envelope);
      tag = in.tag();
    }
    StreamParts.requireRecord(in, StreamFormat.FLAG_HOOK, "HOOK");
    in.requireNothingLeft("HOOK");
    handler.hook(RamPhase.FINISH);
    handler.ramComplete(envelope);
    StreamParts.requireRecord(in, StreamFormat.FLAG_EOS, "EOS");
    footer(envelope);
    handler.tail(raw);
  }

  private void register(OpaqueStreamHandler handler, RamPhase phase) throws IOException {
    StreamParts.requireRecord(in, StreamFormat.FLAG_HOOK, "HOOK");
    in.requireNothingLeft("HOOK");
    handler.hook(phase);
    StreamParts.requireRecord(in, StreamFormat.FLAG_EOS, "EOS");
  }

  private void footer(StreamEnvelope envelope) throws IOException {
    if (envelope.hasFooters()) {
      StreamParts.footer(in, envelope.ramSection(), "the ram section");
    }
  }
}
