// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.MigrationStatus;

/** A destination whose guest differs from the source's. */
class MismatchTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final List<String> NAMES = List.of("pc.ram", "vga.vram");

  /** A difference at the destination, and its outcome. */
  enum Mismatch {
    MACHINE(
        "The machine type is 'test' at the source and 'other' here; start the destination with the"
            + " same guest.") {
      @Override
      BlockGuest destination() {
        return new BlockGuest("other", BlockGuest.DEVICE, NAMES, 4 * PAGE, PAGE);
      }
    },
    MISSING_BLOCK(
        "The source has a RAM block 'vga.vram', which does not exist here; start the destination"
            + " with the same RAM.") {
      @Override
      BlockGuest destination() {
        return guest(List.of("pc.ram"), 4 * PAGE);
      }
    },
    EXTRA_BLOCK("The source has no RAM block 'pc.bios'; start the destination with the same RAM.") {
      @Override
      BlockGuest destination() {
        return guest(List.of("pc.ram", "vga.vram", "pc.bios"), 4 * PAGE, PAGE, PAGE);
      }
    },
    OTHER_NAME(
        "The source has a RAM block 'vga.vram', which does not exist here; start the destination"
            + " with the same RAM.") {
      @Override
      BlockGuest destination() {
        return guest(List.of("pc.ram", "pc.bios"), 4 * PAGE, PAGE);
      }
    },
    SHORTER(
        "The source has 16KiB in RAM block 'pc.ram', and here it has 12KiB; start the destination"
            + " with the same RAM.") {
      @Override
      BlockGuest destination() {
        return guest(NAMES, 3 * PAGE, PAGE);
      }
    },
    LONGER(
        "The source has 16KiB in RAM block 'pc.ram', and here it has 20KiB; start the destination"
            + " with the same RAM.") {
      @Override
      BlockGuest destination() {
        return guest(NAMES, 5 * PAGE, PAGE);
      }
    },
    DEVICE(
        "The source has a device 'block-guest' (instance 0, version 1) that does not exist here.") {
      @Override
      BlockGuest destination() {
        return new BlockGuest(BlockGuest.MACHINE, "other", NAMES, 4 * PAGE, PAGE);
      }
    },
    DEVICE_STATE("The state of device 'block-guest' cannot be loaded: it fails in LOAD.") {
      @Override
      BlockGuest destination() {
        return guest(NAMES, 4 * PAGE, PAGE).failingIn(BlockGuest.Call.LOAD);
      }
    };

    private final String sentence;

    Mismatch(String sentence) {
      this.sentence = sentence;
    }

    abstract BlockGuest destination();

    static BlockGuest guest(List<String> names, long... lengths) {
      return new BlockGuest(BlockGuest.MACHINE, BlockGuest.DEVICE, names, lengths);
    }
  }

  @ParameterizedTest
  @EnumSource(Mismatch.class)
  void bothEndsSayWhatIsWrong_andTheGuestIsIntact(Mismatch mismatch) throws Exception {
    migrate(
        mismatch,
        true,
        "The destination gave up: %s The guest keeps running at the source."
            .formatted(mismatch.sentence));
  }

  @ParameterizedTest
  @EnumSource(
      value = Mismatch.class,
      names = {"DEVICE", "DEVICE_STATE"},
      mode = EnumSource.Mode.EXCLUDE)
  void guestIsIntact_whenThePeerCannotSayWhy(Mismatch mismatch) throws Exception {
    migrate(
        mismatch,
        false,
        "The peer disconnected while this side waited for the destination's READY; see what the"
            + " other side reports. The guest keeps running at the source.");
  }

  private static void migrate(Mismatch mismatch, boolean extensions, String expected)
      throws Exception {
    try (var rig = new Rig();
        var guest = Mismatch.guest(NAMES, 4 * PAGE, PAGE).boot(1, 0);
        var before = Mismatch.guest(NAMES, 4 * PAGE, PAGE).boot(1, 0);
        var other = mismatch.destination()) {
      var source = rig.source(guest, Rig.parameters(false, extensions));
      var destination = rig.destination(other, Rig.parameters(false, extensions));

      rig.run(source, destination);

      assertThat(destination.outcome())
          .isEqualTo(mismatch.sentence + " The guest was not started here.");
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(other.isRunning()).isFalse();
      assertThat(source.outcome()).isEqualTo(expected);
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(guest.isRunning()).isTrue();
      assertThat(guest.hasEqualRam(before)).isTrue();
    }
  }
}
