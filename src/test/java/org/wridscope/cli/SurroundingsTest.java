// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.doctor.ThisMachine;

/** A machine that lacks something is told in one sentence, with what to do. */
final class SurroundingsTest {
  /** A disk that is full. */
  private static final OutputStream FULL =
      new OutputStream() {
        @Override
        public void write(int b) throws IOException {
          throw new IOException("No space left on device");
        }
      };

  @ParameterizedTest
  @ValueSource(strings = {"--version", "--help", "explain 12", "completion bash", "lab --list"})
  void whatCannotBePrinted_isTold_andIsNoSuccess(String line) {
    var err = new ByteArrayOutputStream();
    var terminal =
        new Terminal(
            null,
            new PrintStream(FULL, false, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false,
            false);
    int status =
        WridscopeCommand.run(
            line.split(" "),
            LocalSessions::new,
            CommandRun.NO_WINDOW,
            Map.of(),
            terminal,
            new FreeMemory(() -> 64L << 30),
            new ThisMachine());
    assertThat(status).isEqualTo(ExitCode.OUTPUT_LOST.number());
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            "wridscope: Standard output cannot be written: what was printed is incomplete.\n");
  }

  @ParameterizedTest
  @CsvSource({
    "Unable to load glass GTK library., libgtk-3-0",
    "/x/libjavafx_font_pango.so: libpangoft2-1.0.so.0: cannot open shared object file: No such"
        + " file, libpangoft2-1.0-0",
    "libfreetype.so.6: cannot open shared object file, libfreetype6",
    "libother.so.1: cannot open shared object file, libother.so.1",
    "there are no fonts, fonts-dejavu-core"
  })
  void whatTheWindowLacks_isNamed_withItsPackage(String message, String named) {
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS,
            (_, _) -> {
              throw new RuntimeException(
                  "Exception in Application start method",
                  new UnsupportedOperationException(message));
            },
            Map.of("DISPLAY", ":0"));
    assertThat(run.status()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.err()).startsWith("wridscope: The window needs ").contains(named);
    assertThat(run.err().strip().lines()).hasSize(1);
  }

  @Test
  void aDisplayOfWaylandAlone_isNamed() {
    assertThat(Display.missing(Map.of("WAYLAND_DISPLAY", "wayland-0")))
        .contains("wayland-0")
        .contains("XWayland");
    assertThat(Display.missing(Map.of("DISPLAY", ":9", "WAYLAND_DISPLAY", "wayland-0")))
        .isEqualTo("the display :9 does not respond");
  }

  @Test
  void aNameThatTheLocaleCannotExpress_isTold() {
    assertThat(Names.unnameable(StandardCharsets.US_ASCII, "replay", "m\ufffd\ufffd.pcap"))
        .isEqualTo(
            "The locale has only the characters of US-ASCII, which m\ufffd\ufffd.pcap is not"
                + " written in; set LC_ALL=C.UTF-8, and try again.");
    assertThat(Names.unnameable(StandardCharsets.US_ASCII, "explain", "m\ufffd.log")).isNotNull();
    assertThat(Names.unnameable(StandardCharsets.US_ASCII, "explain", "status \ufffd12\ufffd"))
        .isNull();
    assertThat(Names.unnameable(StandardCharsets.US_ASCII, "replay", "some.pcap")).isNull();
    assertThat(Names.unnameable(StandardCharsets.UTF_8, "replay", "m\u00fc.pcap")).isNull();
  }

  @Test
  void virshsNameOfAnOption_getsAHint() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab", "--rdma-pin-all");
    assertThat(run.status()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.err()).contains("the option is --pin-all here");
  }
}
