// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code lab SCENARIO --step}. */
final class StepCommandTest {
  /** Keeps the acknowledgement of READY back until its answer has been received. */
  private static final String HANG =
      """
      until message READY
      0
      until message "QEMU FILE" without 0
      0
      until wait destination without 1
      """;

  @TempDir private Path folder;

  private CommandRun step(String typed, String... options) throws IOException {
    Path scenario =
        Files.writeString(
            folder.resolve("small.json"),
            """
            {"title": "Small", "about": "Little RAM.", "guest": {"ram": "8MiB"},
             "expect-shared": {"status": "completed", "may-hang": false}}
            """);
    return CommandRun.reading(
        new ByteArrayInputStream(typed.getBytes(UTF_8)),
        Stream.concat(Stream.of("lab", scenario.toString(), "--step"), Stream.of(options))
            .toArray(String[]::new));
  }

  @Test
  void whenItsInputEnds_itGoesOnToTheEnd() throws IOException {
    CommandRun run = step("until message READY\n0\n? 0\n");
    assertThat(run.status()).as("%s%s", run.out(), run.err()).isZero();
    assertThat(run.err()).startsWith("Small\n");
    assertThat(run.out())
        .startsWith("choice 0 at ")
        .contains("destination  setup; posted: CONTROL SEND (READY)\n")
        .contains("\n>  0  destination's device  executes CONTROL SEND (READY)\n")
        .contains("An acknowledgement arrives at any time after the request was executed")
        .contains("\nthe run has ended after ")
        .endsWith("\nas expected\n");
  }

  @Test
  void theHang_isProvokedByHand() throws IOException {
    CommandRun run = step(HANG, "--cq=shared");
    assertThat(run.status()).as("%s%s", run.out(), run.err()).isEqualTo(1);
    assertThat(run.out())
        .contains("waits for the SEND of READY to complete; not acknowledged: CONTROL SEND (READY)")
        .contains("to poll: CONTROL RECV 0 (QEMU FILE)")
        .contains("The wait for the SEND of READY to complete had dropped the completion")
        .endsWith("\nnot as expected\n");
  }

  @Test
  void goingBack_andChoosingOtherwise_avoidsIt() throws IOException {
    CommandRun run = step(HANG + "until end\nback 6\nuntil end\n\n", "--cq=shared");
    assertThat(run.status()).as("%s%s", run.out(), run.err()).isZero();
    assertThat(run.out())
        .contains("\nsource failed: ")
        .contains("\nsource completed, every RAM block is equal: ");
  }

  @Test
  void whatWasChosen_isWritten_andRepeated() throws IOException {
    Path file = folder.resolve("lost.json");
    CommandRun run = step("until message READY\n0\n4\nwrite %s\nwrite %s\n".formatted(file, file));
    assertThat(run.err()).contains("wrote " + file).contains("exists already");
    assertThat(Files.readString(file))
        .contains("\"choices\": ")
        .contains("\"take\": -")
        .contains(
            "\"does\": \"the destination's device loses the acknowledgement of CONTROL SEND"
                + " (READY)");
    String known = run.out().substring(run.out().indexOf("the run has ended"));
    CommandRun again =
        CommandRun.reading(new ByteArrayInputStream(new byte[0]), "lab", file.toString(), "--step");
    assertThat(again.out()).endsWith(known);
  }

  @Test
  void whatCannotBeDone_isSaid_andTheRunStandsStill() throws IOException {
    CommandRun run = step("77\nhello\nuntil noon\nback 5\n? 99\n?\nshow\nback\nquit\n");
    assertThat(run.status()).isEqualTo(ExitCode.INTERRUPTED.number());
    assertThat(run.err())
        .contains("wridscope: 77 is no option; write 0 to ")
        .contains("wridscope: option: \"hello\" is not a whole number.")
        .contains("wridscope: until: \"noon\" is none of: end; round; wait [END]; ")
        .contains("wridscope: choice 5 has not been reached; 0 were made")
        .contains("wridscope: ?: 99 is out of range");
    assertThat(run.out())
        .contains("until CONDITION seed NUMBER\n")
        .contains("\nmessage TYPE ")
        .doesNotContain("choice 1 at");
    assertThat(run.out().split("choice 0 at", -1)).hasSize(3);
  }

  @Test
  void itNeedsAScenario_andHasFewOptions() {
    assertThat(CommandRun.real("lab", "--step"))
        .returns(2, CommandRun::status)
        .extracting(CommandRun::err)
        .asString()
        .startsWith("wridscope: Missing required parameter: 'SCENARIO'\n");
    assertThat(CommandRun.real("lab", "all-zeros", "--step", "--record=x"))
        .returns(2, CommandRun::status)
        .extracting(CommandRun::err)
        .asString()
        .startsWith(
            "wridscope: Unknown option: '--record=x'; --record is an option of 'lab run'\n");
  }
}
