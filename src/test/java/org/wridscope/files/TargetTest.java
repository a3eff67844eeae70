// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TargetTest {
  private static final byte[] CAPTURED = HexFormat.of().parseHex("5145564d00000003");
  private static final byte[] NEW = "QEVM, a newer one".getBytes(StandardCharsets.US_ASCII);

  @TempDir Path directory;

  private Path file(String name, byte[] content) throws IOException {
    return Files.write(directory.resolve(name), content);
  }

  private static Output captured(Path path) {
    return Output.of("--capture", path, FileKind.STREAM);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Writes the complete new file. */
  private static Path write(Target target) throws IOException {
    Target.Part part = target.create();
    part.channel().write(ByteBuffer.wrap(NEW));
    part.channel().close();
    return part.path();
  }

  @Test
  void aNewName_isGiven_andNothingElseStays() throws IOException {
    Path name = directory.resolve("vm.mig");
    Target target = Target.of(captured(name));
    Path part = write(target);
    assertThat(part.getFileName().toString()).matches("\\.vm\\.mig\\.unfinished-[0-9a-f]{8}");
    assertThat(name).doesNotExist();
    Path placed = target.place(part);
    assertThat(placed).isEqualTo(name.toRealPath()).hasBinaryContent(NEW);
    assertThat(target.displaced(placed)).isNull();
    assertThat(names()).containsExactly("vm.mig");
  }

  @Test
  void aFileOfTheKind_isReplacedOnlyWhenThatWasAgreedTo() throws IOException {
    Path old = file("vm.mig", CAPTURED);
    assertThatExceptionOfType(TakenException.class)
        .isThrownBy(() -> Target.of(captured(old)))
        .withMessage("--capture: %s exists already; choose another name.", old.toRealPath())
        .satisfies(taken -> assertThat(taken.file()).isEqualTo(old.toRealPath()));
    Target target = Target.of(captured(old).replacing());
    Path part = write(target);
    assertThat(old).hasBinaryContent(CAPTURED);
    assertThat(target.place(part)).hasBinaryContent(NEW);
    assertThat(names()).containsExactly("vm.mig");
  }

  @ParameterizedTest
  @EnumSource(FileKind.class)
  void aFileOfAnotherKind_isNeverReplaced(FileKind kind) throws IOException {
    Path letter = file("letter", "Dear Ada,\n".repeat(4096).getBytes(StandardCharsets.US_ASCII));
    Path odd = file("odd", "Dear Ada,\n".getBytes(StandardCharsets.US_ASCII));
    Path wanted = kind == FileKind.RAM ? odd : letter;
    assertThatExceptionOfType(OutputException.class)
        .isThrownBy(() -> Target.of(Output.of("--out", wanted, kind).replacing()))
        .withMessage(
            "--out: %s is not %s and is never replaced; choose another name, or delete it first.",
            wanted.toRealPath(), kind.text());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"514649fb00000003", "7f454c460201", "5145564d00000003", "895752530d0a1a0a"})
  void ram_isNotWhatBeginsLikeSomethingElse(String beginning) throws IOException {
    byte[] content = new byte[8192];
    byte[] magic = HexFormat.of().parseHex(beginning);
    System.arraycopy(magic, 0, content, 0, magic.length);
    assertThat(FileKind.RAM.is(file("like", content))).isFalse();
    assertThat(FileKind.RAM.is(file("zero", new byte[8192]))).isTrue();
    byte[] disk = new byte[8192];
    disk[510] = 0x55;
    disk[511] = (byte) 0xaa;
    assertThat(FileKind.RAM.is(file("disk", disk))).isFalse();
  }

  @Test
  void anEmptyFile_isOfEveryKind_butIsAskedAboutAllTheSame() throws IOException {
    Path empty = file("empty", new byte[0]);
    assertThatExceptionOfType(TakenException.class).isThrownBy(() -> Target.of(captured(empty)));
    Target target = Target.of(captured(empty).replacing());
    assertThat(target.place(write(target))).isEqualTo(empty.toRealPath());
  }

  @Test
  void aReport_takesThePlaceOfAnOlderOneOnly() throws IOException {
    Path older =
        file(
            "report.json",
            """
            {
              "status": "completed",
              "total-time": 1,
              "setup-time": 1,
              "role": "source"
            }
            """
                .getBytes(StandardCharsets.US_ASCII));
    Target target = Target.of(Output.of("--report", older, FileKind.REPORT));
    assertThat(target.place(write(target))).isEqualTo(older.toRealPath());
    assertThatExceptionOfType(OutputException.class)
        .isThrownBy(() -> Target.of(Output.of("--report", older, FileKind.REPORT)))
        .withMessageContaining("is not a report and is never replaced");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileThatAppearedMeanwhile_stays_andTheNewOneGetsANameBesideIt(boolean agreed)
      throws IOException {
    Path name = directory.resolve("vm.mig");
    Target target = Target.of(agreed ? captured(name).replacing() : captured(name));
    Path part = write(target);
    file("vm.mig", CAPTURED);
    file("vm.mig.new", CAPTURED);
    Path placed = target.place(part);
    assertThat(name).hasBinaryContent(CAPTURED);
    assertThat(placed).isEqualTo(target.path().resolveSibling("vm.mig.new-2"));
    assertThat(placed).hasBinaryContent(NEW);
    assertThat(target.displaced(placed))
        .isEqualTo(
            "%s appeared or was changed meanwhile, and was kept; the complete new file is %s.",
            target.path(), placed);
    assertThat(names()).containsExactly("vm.mig", "vm.mig.new", "vm.mig.new-2");
  }

  @Test
  void aFileThatChangedSinceItWasAgreedTo_stays() throws IOException {
    Path old = file("vm.mig", CAPTURED);
    Target target = Target.of(captured(old).replacing());
    Path part = write(target);
    Files.setLastModifiedTime(old, FileTime.fromMillis(1));
    assertThat(target.place(part)).isEqualTo(target.path().resolveSibling("vm.mig.new"));
    assertThat(old).hasBinaryContent(CAPTURED);
  }

  @Test
  void aFileThatWasRemovedMeanwhile_isNoLongerInTheWay() throws IOException {
    Path old = file("vm.mig", CAPTURED);
    Target target = Target.of(captured(old).replacing());
    Path part = write(target);
    Files.delete(old);
    assertThat(target.place(part)).isEqualTo(target.path()).hasBinaryContent(NEW);
  }

  @Test
  void aSymbolicLink_isFollowed_andStays() throws IOException {
    Path old = file("vm.mig", CAPTURED);
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("vm.mig"));
    assertThatExceptionOfType(TakenException.class)
        .isThrownBy(() -> Target.of(captured(link)))
        .withMessageContaining("vm.mig exists already");
    Target target = Target.of(captured(link).replacing());
    target.place(write(target));
    assertThat(link).isSymbolicLink();
    assertThat(old).hasBinaryContent(NEW);
    Path dangling = Files.createSymbolicLink(directory.resolve("dangling"), Path.of("nothing"));
    assertThatExceptionOfType(OutputException.class)
        .isThrownBy(() -> Target.of(captured(dangling).replacing()))
        .withMessageContaining("is a symbolic link to nothing, which does not exist");
  }

  @Test
  void aHardLink_isReplacedUnderThisNameOnly() throws IOException {
    Path old = file("vm.mig", CAPTURED);
    Path other = Files.createLink(directory.resolve("other"), old);
    Target target = Target.of(captured(old).replacing());
    target.place(write(target));
    assertThat(old).hasBinaryContent(NEW);
    assertThat(other).hasBinaryContent(CAPTURED);
  }

  @Test
  void whatIsNoRegularFile_takesNoGuest_andReportsOnlyIfItLeadsOn() throws IOException {
    Path nothing = Path.of("/dev/null");
    assertThat(Target.of(Output.of("--report", nothing, FileKind.REPORT)).isOpenEnded()).isTrue();
    assertThatExceptionOfType(OutputException.class)
        .isThrownBy(() -> Target.of(captured(nothing).replacing()))
        .withMessageContaining("is not a regular file");
  }

  @Test
  void guestsFiles_areTheirOwnersFromTheBeginning_andReportsAsTheUmaskSays() throws IOException {
    Path plain = Files.createFile(directory.resolve("plain"));
    for (FileKind kind : FileKind.values()) {
      Target.Part part = Target.of(Output.of("file", directory.resolve("new"), kind)).create();
      part.channel().close();
      boolean private_ =
          switch (kind) {
            case STREAM, RAM, RECORDING, PACKETS -> true;
            default -> false;
          };
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(part.path())))
          .describedAs(kind.text())
          .isEqualTo(
              private_
                  ? "rw-------"
                  : PosixFilePermissions.toString(Files.getPosixFilePermissions(plain)));
    }
  }

  @Test
  void aWiderMode_isGivenWhateverTheUmask() throws IOException {
    Set<PosixFilePermission> wide = PosixFilePermissions.fromString("rw-rw-rw-");
    Target target = Target.of(captured(directory.resolve("vm.mig")).withMode(wide));
    Path placed = target.place(write(target));
    assertThat(Files.getPosixFilePermissions(placed)).isEqualTo(wide);
  }
}
