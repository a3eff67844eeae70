// SPDX-License-Identifier: Apache-2.0
package org.wridscope.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.scenario.ScenarioException;
import org.wridscope.control.scenario.ScenarioInputs;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.DigestList;
import org.wridscope.protocol.InquiryAnswer;
import org.wridscope.protocol.InquiryQuestion;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.protocol.UnregisterCommand;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpException;
import org.wridscope.qmp.QmpInputs;
import org.wridscope.recording.file.RecordingInputs;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.stream.StreamInputs;
import org.wridscope.units.Parse;
import org.wridscope.verbs.soft.FrameInputs;
import org.wridscope.verbs.soft.LinkInputs;

/**
 * Every parser of what comes from outside. The rates were measured on one core of a quiet machine.
 */
final class FuzzTargets {
  private static final long KIB = 1L << 10;
  private static final long MIB = 1L << 20;

  /** Rewritten for every input of a parser that reads files. */
  private static final Path FILE = temporary();

  private FuzzTargets() {}

  static List<FuzzTarget> all() {
    return List.of(
        new FuzzTarget(
            "control-message",
            FuzzTargets::controlMessage,
            FuzzTargets::controlMessages,
            List.of(ProtocolException.class),
            64,
            16 * KIB,
            52_000),
        new FuzzTarget(
            "software-device-frame",
            FrameInputs::read,
            FrameInputs::seeds,
            List.of(IOException.class),
            64,
            16 * KIB,
            117_000),
        new FuzzTarget(
            "software-device-link", LinkInputs::send, LinkInputs::seeds, List.of(), 64, MIB, 300),
        new FuzzTarget(
            "migration-stream",
            StreamInputs::read,
            StreamInputs::seeds,
            List.of(ProtocolException.class),
            64,
            64 * KIB,
            40_000),
        new FuzzTarget(
            "opaque-stream",
            StreamInputs::readOpaque,
            StreamInputs::seeds,
            List.of(ProtocolException.class),
            64,
            64 * KIB,
            2_000),
        new FuzzTarget(
            "typed-text",
            FuzzTargets::typed,
            FuzzTargets::typedTexts,
            List.of(),
            512,
            // Each of the parsers builds a sentence about a text that it refuses.
            128 * KIB,
            2_600),
        new FuzzTarget(
            "scenario",
            ScenarioInputs::read,
            ScenarioInputs::seeds,
            List.of(ScenarioException.class),
            512,
            256 * KIB,
            1_000),
        new FuzzTarget(
            "saved-stream",
            input -> StreamInputs.readSaved(Files.write(FILE, input)),
            StreamInputs::savedSeeds,
            List.of(ProtocolException.class),
            64,
            4 * MIB,
            430),
        new FuzzTarget(
            "recording",
            input -> RecordingInputs.open(Files.write(FILE, RecordingInputs.sealed(input))),
            RecordingInputs::seeds,
            List.of(IOException.class),
            4 * KIB,
            8 * MIB,
            13),
        new FuzzTarget(
            "qemu-log",
            input -> RecordingInputs.open(Files.write(FILE, input)),
            RecordingInputs::logSeeds,
            List.of(IOException.class),
            4 * KIB,
            8 * MIB,
            4),
        new FuzzTarget(
            "qmp",
            QmpInputs::read,
            QmpInputs::seeds,
            List.of(QmpException.class),
            512,
            256 * KIB,
            1_000));
  }

  static FuzzTarget named(String name) {
    return all().stream()
        .filter(target -> target.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no parser is called " + name));
  }

  private static Path temporary() {
    try {
      Path memory = Path.of("/dev/shm");
      Path file =
          Files.isWritable(memory)
              ? Files.createTempFile(memory, "wridscope-fuzz-", null)
              : Files.createTempFile("wridscope-fuzz-", null);
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ------------------------------------------------------------------------ control messages

  private interface Decoder {
    Object decode(ByteBuffer buffer) throws ProtocolException;
  }

  private static final List<Decoder> DECODERS =
      List.of(
          b -> ControlHeader.decode(b, b.remaining()),
          Capabilities::decode,
          MigrationId::decode,
          InquiryAnswer::decode,
          RegisterCommand::decode,
          RegisterResult::decode,
          CompressCommand::decode,
          UnregisterCommand::decode,
          b -> RemoteBlock.decodeList(b, b.remaining(), b.remaining() / 32),
          b -> DigestList.decode(b, b.remaining()),
          MigrationSecret::decode,
          InquiryQuestion::decode);

  /** The first byte selects the parser of the others. */
  private static void controlMessage(byte[] input) throws ProtocolException {
    if (input.length > 0) {
      ByteBuffer message = ByteBuffer.wrap(input, 1, input.length - 1);
      DECODERS.get(Math.floorMod(input[0], DECODERS.size())).decode(message);
    }
  }

  private static List<byte[]> controlMessages() {
    var seeds = new ArrayList<byte[]>();
    for (ControlType type : ControlType.values()) {
      if (type != ControlType.NONE) {
        seeds.add(message(0, new ControlHeader(0, type, 1)::encode));
      }
    }
    seeds.add(message(1, new Capabilities(1, 1)::encode));
    seeds.add(message(2, new MigrationId(3, 5)::encode));
    seeds.add(
        message(
            3, new InquiryAnswer(new MigrationId(3, 5), InquiryAnswer.Outcome.RUNNING)::encode));
    seeds.add(message(10, new MigrationSecret(3, 5)::encode));
    seeds.add(message(11, new InquiryQuestion(new MigrationId(3, 5), 7)::encode));
    seeds.add(message(4, new RegisterCommand(4096, 1, 2)::encode));
    seeds.add(message(5, new RegisterResult(77, 1L << 40)::encode));
    seeds.add(message(6, new CompressCommand(0, 1, 1 << 20, 4096)::encode));
    seeds.add(message(7, new UnregisterCommand(1, 2, 3)::encode));
    var block = new RemoteBlock(1L << 40, 4096, 1 << 20, 77);
    seeds.add(message(8, into -> RemoteBlock.encodeList(List.of(block, block), into)));
    byte[] digests = new byte[120];
    digests[0] = 9;
    digests[4] = 1;
    seeds.add(digests);
    return seeds;
  }

  private static byte[] message(int decoder, Consumer<ByteBuffer> encode) {
    ByteBuffer buffer = ByteBuffer.allocate(256).put((byte) decoder);
    encode.accept(buffer);
    var bytes = new ByteArrayOutputStream();
    bytes.write(buffer.array(), 0, buffer.position());
    return bytes.toByteArray();
  }

  // -------------------------------------------------------------------------------- user texts

  private interface TextParser {
    Object parse(String text);
  }

  private static final List<TextParser> TEXTS =
      List.of(
          MigrationUri::parse,
          text -> Parse.size("field", text),
          text -> GuestSetting.RAM.parse("field", text),
          text -> Parse.rate("field", text),
          text -> Parse.share("field", text),
          text -> Parse.duration("field", text),
          text -> MigrationSetting.DOWNTIME_LIMIT.parse("field", text),
          text -> Parse.number("field", text),
          text -> GuestSetting.WORKING_SET.parse("field", text),
          text -> GuestSetting.VIRTIO_REQUESTS.parse("field", text),
          text -> GuestSetting.VIRTIO_FAULT.parse("field", text),
          text -> CompletionQueues.parse("field", text),
          QmpAddress::parse,
          QmpInputs::commandLine);

  /** The first byte selects the parser of the others. */
  private static void typed(byte[] input) {
    if (input.length > 0) {
      String text = new String(input, 1, input.length - 1, StandardCharsets.UTF_8);
      try {
        TEXTS.get(Math.floorMod(input[0], TEXTS.size())).parse(text);
      } catch (IllegalArgumentException e) {
        // The documented refusal; a subclass such as NumberFormatException is a defect.
        if (e.getClass() != IllegalArgumentException.class) {
          throw e;
        }
      }
    }
  }

  private static List<byte[]> typedTexts() {
    return Stream.of(
            "\0rdma:127.0.0.1:4444",
            "\0rdma:[::1]:4444,to=4445,ipv4=on,keep-alive",
            "\001512MiB",
            "\0022GiB",
            "\003200MiB/s",
            "\00310Gbit/s",
            "\00440%",
            "\005300ms",
            "\0062min",
            "\00742",
            "\010512MiB",
            "\01130",
            "\012used-index",
            "\013shared",
            "\014ssh:root@host:/run/vm.qmp",
            "\014tcp:[::1]:4444",
            "\015qemu-kvm\0-name\0vm,,1\0-qmp\0unix:/run/a,server,nowait\0-qmp\0tcp::1,server")
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .toList();
  }
}
