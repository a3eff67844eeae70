// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.Mappings;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.ZeroPages;

final class ImageGuestTest {
  private static final int LENGTH = 3 << 19;

  @TempDir private Path directory;

  private Path image(int length) throws IOException {
    byte[] content = new byte[length];
    RandomGeneratorFactory.getDefault().create(6).nextBytes(content);
    return Files.write(directory.resolve("ram.img"), content);
  }

  private List<String> files() throws IOException {
    try (var files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void open_anImage_givesARunningGuestWithItsBytes() throws IOException {
    Path file = image(LENGTH);
    byte[] content = Files.readAllBytes(file);
    try (ImageGuest guest = ImageGuest.open(file)) {
      assertThat(guest.isRunning()).isTrue();
      RamBlock block = guest.ramBlocks().getFirst();
      assertThat(guest.ramBlocks()).hasSize(1);
      assertThat(block.name()).isEqualTo("pc.ram");
      assertThat(block.memory().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
      block.memory().fill((byte) 0);
      guest.dirtyLog().start();
      DirtyBitmap bitmap = new DirtyBitmap(block.pages());
      guest.dirtyLog().fetchAndClear(0, bitmap);
      guest.dirtyLog().stop();
      assertThat(bitmap.count()).isZero();
      assertThatThrownBy(guest::commit).isInstanceOf(IllegalStateException.class);
    }
    assertThat(Files.readAllBytes(file)).isEqualTo(content);
    assertThat(Mappings.ofFile(file)).isEmpty();
    assertThat(files()).containsExactly("ram.img");
  }

  @Test
  void open_aFileThatMayOnlyBeRead_isFine() throws IOException {
    Path file = image(4096);
    assertThat(file.toFile().setReadOnly()).isTrue();
    try (ImageGuest guest = ImageGuest.open(file)) {
      assertThat(guest.ramBlocks().getFirst().pages()).isEqualTo(1);
    }
  }

  @Test
  void open_whatCannotBeRam_isOneSentenceEach() throws IOException {
    assertRefused(() -> ImageGuest.open(directory.resolve("none")), "there is no such file");
    assertRefused(() -> ImageGuest.open(directory), "it is a directory");
    assertRefused(() -> ImageGuest.open(image(0)), "it is empty");
    assertRefused(() -> ImageGuest.open(image(4095)), "its length of 4095 bytes");
    assertRefused(() -> ImageGuest.open(image(8193)), "its length of 8193 bytes");
    assertRefused(() -> ImageGuest.open(Path.of("/dev/zero")), "not a regular file");
    assertThat(Mappings.ofFile(directory.resolve("ram.img"))).isEmpty();
  }

  private interface Attempt {
    void run() throws IOException;
  }

  private static void assertRefused(Attempt attempt, String message) {
    assertThatThrownBy(attempt::run)
        .isInstanceOfAny(GuestException.class, OutputException.class)
        .hasMessageStartingWith("image")
        .hasMessageContaining(message)
        .hasMessageNotContaining("\n");
  }

  @Test
  void incoming_thatIsCommitted_leavesTheFileAndNothingElse() throws IOException {
    Path out = directory.resolve("out.img");
    byte[] content = Files.readAllBytes(image(LENGTH));
    try (ImageGuest guest = ImageGuest.incoming(out, LENGTH)) {
      assertThat(guest.isRunning()).isFalse();
      MemorySegment memory = guest.ramBlocks().getFirst().memory();
      assertThat(ZeroPages.isZero(memory, 0, LENGTH)).isTrue();
      memory.copyFrom(MemorySegment.ofArray(content));
      assertThat(out).doesNotExist();
      assertThat(files()).hasSize(2).first().asString().matches("\\.out\\.img\\.part-[0-9a-f]{8}");
      guest.commit();
      assertThat(Files.readAllBytes(out)).isEqualTo(content);
      guest.commit();
    }
    assertThat(Files.readAllBytes(out)).isEqualTo(content);
    assertThat(Mappings.ofFile(out)).isEmpty();
    assertThat(files()).containsExactly("out.img", "ram.img");
  }

  @Test
  void incoming_thatIsNotCommitted_leavesWhatWasThereBefore() throws IOException {
    Path out = directory.resolve("out.img");
    Files.write(out, new byte[4096]);
    ImageGuest guest =
        ImageGuest.incoming(Output.of("image", out, FileKind.RAM).replacing(), LENGTH);
    guest.ramBlocks().getFirst().memory().fill((byte) 1);
    guest.close();
    guest.close();
    assertThat(out).hasBinaryContent(new byte[4096]);
    assertThat(files()).containsExactly("out.img");
    assertThat(Mappings.ofFile(out.resolveSibling(".out.img"))).isEmpty();
    assertThatThrownBy(guest::commit).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> guest.ramBlocks().getFirst().memory().get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void commit_ontoAnExistingFile_replacesItWhenThatWasAgreedTo() throws IOException {
    Path out = directory.resolve("out.img");
    Files.write(out, new byte[8192]);
    assertRefused(() -> ImageGuest.incoming(out, 4096), "exists already");
    try (ImageGuest guest =
        ImageGuest.incoming(Output.of("image", out, FileKind.RAM).replacing(), 4096)) {
      assertThat(Files.size(out)).isEqualTo(8192);
      guest.commit();
      assertThat(guest.displaced()).isNull();
    }
    assertThat(Files.readAllBytes(out)).isEqualTo(new byte[4096]);
  }

  @Test
  void commit_whenSomethingElseHasTheNameByNow_isKeptBesideIt() throws IOException {
    Path out = directory.resolve("out.img");
    try (ImageGuest guest = ImageGuest.incoming(out, 4096)) {
      Files.writeString(out, "precious");
      guest.commit();
      assertThat(guest.displaced())
          .endsWith("the complete new file is %s.new.".formatted(out.toRealPath()));
    }
    assertThat(out).hasContent("precious");
    assertThat(files()).containsExactly("out.img", "out.img.new");
  }

  @Test
  void incoming_isItsOwnersOnly() throws IOException {
    Path out = directory.resolve("out.img");
    try (ImageGuest guest = ImageGuest.incoming(out, 4096)) {
      assertThat(mode(directory.resolve(files().getFirst()))).isEqualTo("rw-------");
      guest.commit();
    }
    assertThat(mode(out)).isEqualTo("rw-------");
    Path wide = directory.resolve("wide.img");
    Output output =
        Output.of("image", wide, FileKind.RAM)
            .withMode(PosixFilePermissions.fromString("rw-rw-r--"));
    try (ImageGuest guest = ImageGuest.incoming(output, 4096)) {
      guest.commit();
    }
    assertThat(mode(wide)).isEqualTo("rw-rw-r--");
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void incoming_aLargeImage_takesNoRoomUntilItIsWritten() throws IOException {
    Path out = directory.resolve("out.img");
    long length = 1L << 30;
    try (ImageGuest guest = ImageGuest.incoming(out, length)) {
      guest.ramBlocks().getFirst().memory().set(ValueLayout.JAVA_BYTE, length - 1, (byte) 1);
      guest.commit();
    }
    assertThat(Files.size(out)).isEqualTo(length);
    Process du = new ProcessBuilder("du", "-k", out.toString()).start();
    String used = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(Long.parseLong(used.split("\\s", 2)[0])).isLessThan(1024);
  }

  @Test
  void incoming_whereNoFileCanBe_isOneSentenceEach() throws IOException {
    assertRefused(() -> ImageGuest.incoming(directory, 4096), "is a directory");
    assertRefused(() -> ImageGuest.incoming(Path.of("/"), 4096), "is a directory");
    assertRefused(
        () -> ImageGuest.incoming(directory.resolve("none/out.img"), 4096), "does not exist");
    assertRefused(() -> ImageGuest.incoming(Path.of("/dev/null"), 4096), "not a regular file");
    assertRefused(() -> ImageGuest.incoming(directory.resolve("a"), 0), "it is empty");
    assertRefused(() -> ImageGuest.incoming(directory.resolve("a"), 5000), "5000 bytes");
    assertRefused(() -> ImageGuest.incoming(directory.resolve("a"), -4096), "-4096 bytes");
    assertRefused(() -> ImageGuest.incoming(directory.resolve("a"), 1L << 60), "make room");
    assertRefused(() -> ImageGuest.incoming(Path.of("/proc/ram.img"), 4096), "");
    assertThat(files()).isEmpty();
  }

  @Test
  void aMigration_bringsOverBytesAndState() throws IOException {
    Path file = image(LENGTH);
    Path out = directory.resolve("copy.img");
    try (ImageGuest source = ImageGuest.open(file);
        ImageGuest destination = ImageGuest.incoming(out, LENGTH)) {
      source.pause();
      MemorySegment from = source.ramBlocks().getFirst().memory();
      destination.ramBlocks().getFirst().memory().copyFrom(from);
      destination.loadDeviceState(source.saveDeviceState());
      assertThat(destination.beginDigest().digest()).isEqualTo(source.beginDigest().digest());
      destination.resume();
      assertThat(destination.isRunning()).isTrue();
      destination.commit();
    }
    assertThat(Files.mismatch(file, out)).isEqualTo(-1);
  }

  @Test
  void loadDeviceState_namesTheFieldThatIsWrong() throws IOException {
    try (ImageGuest source = ImageGuest.open(image(8192));
        ImageGuest guest = ImageGuest.incoming(directory.resolve("out"), 8192)) {
      assertThatThrownBy(source::saveDeviceState).isInstanceOf(IllegalStateException.class);
      source.pause();
      byte[] state = source.saveDeviceState();
      assertThatThrownBy(() -> source.loadDeviceState(state))
          .isInstanceOf(IllegalStateException.class);
      assertStateRefused(guest, new byte[11], "length of 11 bytes");
      assertStateRefused(guest, new byte[13], "length of 13 bytes");
      assertStateRefused(
          guest, ByteBuffer.wrap(state.clone()).putInt(0, -1).array(), "version 4294967295");
      assertStateRefused(
          guest, ByteBuffer.wrap(state.clone()).putLong(4, 4096).array(), "image of 4096 bytes");
      RandomGenerator random = RandomGeneratorFactory.getDefault().create(2);
      byte[] bytes = new byte[12];
      for (int i = 0; i < 200; i++) {
        random.nextBytes(bytes);
        assertStateRefused(guest, bytes, "version");
      }
      guest.loadDeviceState(state);
    }
  }

  private static void assertStateRefused(ImageGuest guest, byte[] state, String message) {
    assertThatThrownBy(() -> guest.loadDeviceState(state))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("device state: ")
        .hasMessageContaining(message);
  }
}
