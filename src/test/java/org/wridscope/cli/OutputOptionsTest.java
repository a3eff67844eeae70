// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.GuestSettings;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;

/** The options for files of guests, when a file exists already. */
final class OutputOptionsTest {
  @TempDir Path directory;

  private Path image;
  private Path old;
  private Path captured;
  private Path letter;

  @BeforeEach
  void writeFiles() throws IOException {
    image = Files.write(directory.resolve("image"), new byte[8192]);
    old = Files.write(directory.resolve("old"), new byte[4096]);
    captured =
        Files.write(directory.resolve("vm.mig"), HexFormat.of().parseHex("5145564d00000003"));
    letter = Files.writeString(directory.resolve("letter"), "Dear Ada,\n");
  }

  private CommandRun lab(Path out, String... more) {
    return run(more, "lab", "--image=" + image, "--out=" + out);
  }

  private static CommandRun destination(String option, Path file, String... more) {
    return run(more, "destination", "rdma:127.0.0.1:0", option + "=" + file);
  }

  private static CommandRun run(String[] more, String... args) {
    String[] all = new String[args.length + more.length];
    System.arraycopy(args, 0, all, 0, args.length);
    System.arraycopy(more, 0, all, args.length, more.length);
    return args[0].equals("lab")
        ? CommandRun.of(CommandRun.SUCCESS, all)
        : CommandRun.ofOne(session -> session.endVerified("The guest runs here."), all);
  }

  private static void assertRefused(CommandRun run, String sentence) {
    assertThat(run.err()).isEqualTo("wridscope: " + sentence + "\n");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.manager().labs()).isEmpty();
    assertThat(run.manager().started()).isEmpty();
  }

  private static GuestSettings guest(CommandRun run) {
    return ((DestinationSettings) run.manager().started().getFirst()).guest();
  }

  @Test
  void aFileOfTheKind_isRefusedWithoutForce_andPassedOnWithIt() {
    String question = " exists already; choose another name, or replace it with --force.";
    assertRefused(lab(old), "--out: " + old + question);
    assertRefused(destination("--out", old, "--ram=8KiB"), "--out: " + old + question);
    assertRefused(destination("--capture", captured), "--capture: " + captured + question);
    CommandRun lab = lab(old, "--force");
    assertThat(lab.status()).as(lab.err()).isZero();
    assertThat(lab.manager().labs().getFirst().guest())
        .isEqualTo(
            new GuestSettings.Image(
                image, Output.of("--out", old, FileKind.RAM).replacing(), 8192));
    assertThat(guest(destination("--capture", captured, "--force")))
        .isEqualTo(
            new GuestSettings.Capture(
                Output.of("--capture", captured, FileKind.STREAM).replacing()));
  }

  @Test
  void aFileOfAnotherKind_isRefusedWithForceToo() {
    String never = " and is never replaced; choose another name, or delete it first.";
    assertRefused(
        lab(letter, "--force"), "--out: " + letter + " is not the RAM of a guest" + never);
    assertRefused(
        lab(captured, "--force"), "--out: " + captured + " is not the RAM of a guest" + never);
    assertRefused(
        destination("--capture", image, "--force"),
        "--capture: " + image + " is not a captured guest" + never);
    assertRefused(
        lab(old, "--force", "--report=" + letter),
        "--report: " + letter + " is not a report" + never);
  }

  @Test
  void theImageItself_isRefused_throughLinksToo() throws IOException {
    Path symbolic = Files.createSymbolicLink(directory.resolve("symbolic"), image);
    Path hard = Files.createLink(directory.resolve("hard"), image);
    for (Path link : new Path[] {image, symbolic, hard}) {
      assertRefused(
          lab(link, "--force"),
          "--out: %s is the image itself; name another file.".formatted(link));
    }
    Path folder = Files.createSymbolicLink(directory.resolve("folder"), directory);
    assertRefused(
        lab(directory.resolve("new"), "--record=" + folder.resolve("new")),
        "--record: %s is the copy itself; name another file.".formatted(folder.resolve("new")));
  }

  @Test
  void mode_isPassedOn() {
    CommandRun run = destination("--capture", directory.resolve("new.mig"), "--mode=0640");
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(guest(run))
        .isEqualTo(
            new GuestSettings.Capture(
                Output.of("--capture", directory.resolve("new.mig"), FileKind.STREAM)
                    .withMode(PosixFilePermissions.fromString("rw-r-----"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0400", "755", "0700", "640 ", "rw-r-----", "06400", ""})
  void aModeThatIsNone_isRefused(String mode) {
    CommandRun run =
        destination("--capture", directory.resolve("new.mig"), "--mode=" + mode.strip());
    if (mode.equals("640 ")) {
      assertThat(run.status()).isZero();
    } else {
      assertRefused(
          run,
          "--mode: \"%s\" is not a valid mode; write 0600 to 0666 in octal, such as 0640."
              .formatted(mode));
    }
  }
}
