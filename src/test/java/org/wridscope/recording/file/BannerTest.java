// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.analysis.EventText;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.Recording;
import org.wridscope.recording.qemu.QemuTraceText;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.verbs.ConnectionRoute;
import org.wridscope.verbs.DeviceIdentity;
import org.wridscope.verbs.PortDescription.LinkLayer;

/** What identifies device and connection is known in a recording from the moment on. */
final class BannerTest {
  private static final Banner RXE =
      new Banner(
          7,
          new DeviceIdentity(
              "rxe0",
              "uverbs0",
              "/sys/class/infiniband_verbs/uverbs0",
              "/sys/class/infiniband/rxe0"),
          new ConnectionRoute(LinkLayer.ETHERNET, "::ffff:10.9.0.1", "::ffff:10.9.0.2"));

  @TempDir Path directory;

  private static ByteSource source(ByteSink sink) {
    return new ByteSource(sink.view());
  }

  @Test
  void recordedMigration_hasItAtBothEnds_fromItsEventOn() throws Exception {
    Path file = directory.resolve("lab.wrs");
    RecordedLab.record(file);
    try (Recording recording = Recording.open("file", file)) {
      assertThat(recording.sessions()).hasSize(2);
      for (RecordedSession session : recording.sessions()) {
        List<Event> opened =
            session.telemetry().log().read(0, Integer.MAX_VALUE).stream()
                .filter(event -> event.kind() == EventKind.DEVICE_OPENED)
                .toList();
        assertThat(opened).hasSize(1);
        Banner banner = session.telemetry().banner();
        assertThat(banner).isNotNull();
        assertThat(banner.device()).isEqualTo(DeviceIdentity.ofProgram(session.device()));
        assertThat(EventText.summary(opened.getFirst(), session.telemetry()))
            .isEqualTo(
                "device %s (software, unknown to the kernel), link layer none, source GID"
                        .formatted(session.device())
                    + " ::ffff:127.0.0.1, destination GID ::ffff:127.0.0.1");
        session.moveTo(opened.getFirst().nanos());
        assertThat(session.telemetry().banner()).isEqualTo(banner);
        session.moveTo(banner.nanos() - 1);
        assertThat(session.telemetry().banner()).isNull();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"qemu-7.2-dyn-idle.source.log", "qemu-7.2-dyn-idle.dest.log"})
  void trace_saysWhatQemuSaid(String name) throws Exception {
    Path log = directory.resolve(name);
    try (InputStream in = BannerTest.class.getResourceAsStream("../qemu/" + name)) {
      assertThat(in).isNotNull();
      Files.write(log, in.readAllBytes());
    }
    try (Recording recording = Recording.open("file", log)) {
      RecordedSession session = recording.sessions().getFirst();
      Banner banner = session.telemetry().banner();
      assertThat(banner).isNotNull();
      assertThat(banner.device()).isEqualTo(RXE.device());
      assertThat(banner.route())
          .isEqualTo(new ConnectionRoute(LinkLayer.ETHERNET, "::ffff:10.9.0.1", "::ffff:10.9.0.1"));
      var written = new ArrayList<String>();
      QemuTraceText.write(session, new QemuTraceText.Form(false, false, false), written::add);
      List<String> theirs =
          Files.readAllLines(log).stream()
              .map(line -> line.replaceFirst("^\\d+@\\d+\\.\\d+:", ""))
              .filter(line -> line.contains("RDMA Device opened") || line.contains("dump_gid"))
              // Before the route is known.
              .filter(line -> !line.matches(".*dump_gid (source_resolve_addr|dest_init) .*"))
              .toList();
      assertThat(theirs).hasSize(2);
      assertThat(written).containsSubsequence(theirs);
    }
  }

  @Test
  void codec_keepsEveryPart() throws Exception {
    var sink = new ByteSink(64);
    BannerCodec.encode(RXE, sink);
    assertThat(BannerCodec.decode(source(sink))).isEqualTo(RXE);
    assertThat(EventText.banner(RXE))
        .isEqualTo(
            "device rxe0 (uverbs0, /sys/class/infiniband_verbs/uverbs0,"
                + " /sys/class/infiniband/rxe0), link layer Ethernet, source GID ::ffff:10.9.0.1,"
                + " destination GID ::ffff:10.9.0.2");
  }

  @Test
  void codec_unknownLinkLayer_isRejected() {
    var sink = new ByteSink(64);
    sink.signed(7);
    for (int i = 0; i < 4; i++) {
      sink.text("");
    }
    sink.u8(3);
    assertThatExceptionOfType(RecordingException.class)
        .isThrownBy(() -> BannerCodec.decode(source(sink)))
        .withMessageContaining("link layer");
  }
}
