// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.FileKind;
import org.wridscope.wire.PacketRecorder;
import picocli.CommandLine.Option;

/** The option that writes what software devices carry as packets. */
final class PcapOption {
  static final String NAME = "--pcap";

  @Option(
      names = NAME,
      paramLabel = "FILE",
      description =
          "Write what the software device carries as RoCEv2 packets, for Wireshark, tshark and"
              + " 'wridscope replay' (docs/pcap.md). The file grows by the RAM that is sent")
  private @Nullable Path file;

  /** Does something whose packets are written. */
  @FunctionalInterface
  interface Work {
    /**
     * Does it.
     *
     * @param packets null if none are written
     */
    ExitCode run(@Nullable PacketRecorder packets)
        throws InputException, IOException, InterruptedException;
  }

  /** Does something and writes its packets, if that was requested; says what was written. */
  ExitCode during(OutputOptions outputs, Terminal terminal, Work work)
      throws InputException, IOException, InterruptedException {
    PacketRecorder packets = recorder(outputs);
    if (packets == null) {
      return work.run(null);
    }
    ExitCode code;
    try (packets) {
      code = work.run(packets);
    }
    terminal.message(packets.summary());
    return code;
  }

  private @Nullable PacketRecorder recorder(OutputOptions outputs)
      throws IOException, InputException {
    Path named = file;
    if (named == null) {
      return null;
    }
    return InputException.checked(() -> {
      outputs.refuseSame("the capture", named);
      return PacketRecorder.begin(outputs.output(NAME, named, FileKind.PACKETS));
    });
  }
}
