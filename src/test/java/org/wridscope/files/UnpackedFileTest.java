// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that are packed with gzip are read as what they hold; cut and huge ones are told. */
final class UnpackedFileTest {
  private static final byte[] TEXT = "a line\n".repeat(5000).getBytes(StandardCharsets.US_ASCII);

  @TempDir private Path folder;

  private static byte[] gzip(byte[] content) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(bytes)) {
      out.write(content);
    }
    return bytes.toByteArray();
  }

  private Path file(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  @Test
  void aPackedFile_isUnpacked_andNothingIsLeft() throws IOException {
    Path file = file("some.log.gz", gzip(TEXT));
    Path content;
    try (UnpackedFile unpacked = UnpackedFile.of("FILE", file, _ -> true)) {
      content = unpacked.path();
      assertThat(content).hasFileName("some.log").hasBinaryContent(TEXT);
      assertThat(unpacked.damage()).isNull();
    }
    assertThat(content).doesNotExist();
    assertThat(content.getParent()).doesNotExist();
    assertThat(file).exists();
  }

  @Test
  void anotherFile_isItself() throws IOException {
    Path file = file("some.log", TEXT);
    try (UnpackedFile unpacked = UnpackedFile.of("FILE", file, _ -> true)) {
      assertThat(unpacked.path()).isEqualTo(file);
    }
    assertThat(file).exists();
  }

  @Test
  void aCutFile_hasWhatWasUnpacked_andSaysSo() throws IOException {
    byte[] packed = gzip(TEXT);
    for (int length : new int[] {2, 9, packed.length / 2, packed.length - 3}) {
      Path file = file("cut.gz", Arrays.copyOf(packed, length));
      try (UnpackedFile unpacked = UnpackedFile.of("FILE", file, _ -> true)) {
        assertThat(unpacked.damage()).startsWith("its gzip data ends too early, after ");
        assertThat(Files.readAllBytes(unpacked.path()))
            .isEqualTo(Arrays.copyOf(TEXT, (int) Files.size(unpacked.path())));
      }
    }
  }

  @Test
  void aDamagedFile_endsThere() throws IOException {
    byte[] packed = gzip(TEXT);
    packed[packed.length - 6] ^= 1;
    Path file = file("damaged.gz", packed);
    try (UnpackedFile unpacked = UnpackedFile.of("FILE", file, _ -> true)) {
      assertThat(unpacked.damage()).startsWith("its gzip data is damaged, after ");
    }
  }

  @Test
  void aFileThatBeginsAsNoneThatIsRead_isNotUnpackedFurther() throws IOException {
    Path file = file("zeros.gz", gzip(new byte[1 << 20]));
    try (UnpackedFile unpacked = UnpackedFile.of("FILE", file, start -> start[0] != 0)) {
      assertThat(unpacked.path()).hasSize(1 << 12);
    }
  }

  @Test
  void whatIsTooLong_isRefused() throws IOException {
    try (Unpacked content = Unpacked.of(new ByteArrayInputStream(gzip(TEXT)), 20_000)) {
      assertThatThrownBy(content::readAllBytes)
          .isInstanceOf(UnpackedTooLongException.class)
          .hasMessage(
              "it unpacks to more than 19.5 KiB; unpack it with gunzip, and name the result");
    }
    try (Unpacked content = Unpacked.of(new ByteArrayInputStream(TEXT), 20_000)) {
      assertThat(content.readAllBytes()).isEqualTo(TEXT);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "fd377a585a000004, xz -dk",
    "28b52ffd04580000, zstd -d",
    "425a683931415926, bunzip2 -k"
  })
  void whatIsPackedOtherwise_isRefused_withTheCommandThatUnpacksIt(String start, String command)
      throws IOException {
    Path file = file("some.packed", HexFormat.of().parseHex(start));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> UnpackedFile.of("FILE", file, _ -> true))
        .withMessage(
            "FILE: %s is packed; unpack it with %s, and name the result.".formatted(file, command));
  }
}
