// SPDX-License-Identifier: Apache-2.0
package org.wridscope.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.units.Parse;

final class FormatTest {
  private static final long GIB = 1L << 30;

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "512, 512 B",
    "1023, 1023 B",
    "1024, 1.00 KiB",
    "10239, 10.0 KiB",
    "64277709, 61.3 MiB",
    "1048575, 1.00 MiB",
    "1072693248, 1023 MiB",
    "1073741823, 1.00 GiB",
    "8589934592, 8.00 GiB",
    "9223372036854775807, 8.00 EiB"
  })
  void bytes_anySize_hasThreeFigures(long bytes, String expected) {
    assertThat(Format.bytes(bytes)).isEqualTo(expected);
  }

  @Test
  void bytes_randomSizes_areAtMostFourPlacesWide() {
    var random = new SplittableRandom(7);
    for (int i = 0; i < 10_000; i++) {
      long bytes = random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63);
      String number = Format.bytes(bytes).split(" ")[0];
      assertThat(number.length()).as("seed 7, %d bytes: %s", bytes, number).isLessThanOrEqualTo(4);
    }
  }

  @Test
  void exactBytes_randomSizes_canBeReadBack() {
    var random = new SplittableRandom(8);
    for (int i = 0; i < 1_000; i++) {
      long bytes = random.nextLong(1L << random.nextInt(1, 42)) << (10 * random.nextInt(0, 3));
      assertThat(Parse.size("size", Format.exactBytes(bytes))).as("seed 8").isEqualTo(bytes);
    }
    assertThat(Format.exactBytes(2 * GIB)).isEqualTo("2GiB");
    assertThat(Format.exactBytes(1536L << 20)).isEqualTo("1536MiB");
    assertThat(Format.exactBytes(20_000_000)).isEqualTo("20MB");
    assertThat(Format.exactBytes(20_000_001)).isEqualTo("20000001B");
    assertThat(Format.exactRate(Parse.rate("rate", "10Gbit/s"))).isEqualTo("1250MB/s");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 ns",
    "840, 840 ns",
    "1500, 1.5 µs",
    "38000000, 38 ms",
    "3810000, 3.8 ms",
    "999499999, 999 ms",
    "999600000, 1.0 s",
    "1200000000, 1.2 s",
    "59900000000, 59.9 s",
    "59960000000, 1 min 00 s",
    "125000000000, 2 min 05 s",
    "3599600000000, 1 h 00 min",
    "3780000000000, 1 h 03 min"
  })
  void duration_isRoundedForPeople(long nanos, String expected) {
    assertThat(Format.duration(nanos)).isEqualTo(expected);
  }

  @Test
  void exactDuration_randomLengths_canBeReadBack() {
    var random = new SplittableRandom(9);
    for (int i = 0; i < 1_000; i++) {
      long nanos = random.nextLong(1L << random.nextInt(1, 42)) * (i % 2 == 0 ? 1_000_000 : 1);
      assertThat(Parse.duration("time", Format.exactDuration(nanos)).toNanos())
          .as("seed 9")
          .isEqualTo(nanos);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0.00 bit/s",
    "125000, 1.00 Mbit/s",
    "124999.9, 1.00 Mbit/s",
    "10525000000, 84.2 Gbit/s"
  })
  void bits_anyRate_usesPowersOfAThousand(double bytes, String expected) {
    assertThat(Format.bits(bytes)).isEqualTo(expected);
  }

  @Test
  void percent_almostAll_isNotAHundred() {
    assertThat(Format.percent(0.9999)).isEqualTo("99 %");
    assertThat(Format.percent(1)).isEqualTo("100 %");
    assertThat(Format.percent(0.29)).isEqualTo("29 %");
  }

  @Test
  void perSecond_smallAndLarge_hasEnoughFigures() {
    assertThat(Format.perSecond(0.5)).isEqualTo("0.50/s");
    assertThat(Format.perSecond(9840)).isEqualTo("9,840/s");
    assertThat(Format.perSecond(0)).isEqualTo("0/s");
  }

  @Test
  void addressesAndKeys_negativeNumbers_areUnsigned() {
    assertThat(Format.address(-1)).isEqualTo("0xffffffffffffffff");
    assertThat(Format.key(-1)).isEqualTo("0xffffffff");
  }

  @Test
  void listed_namesTheFirst_andCountsTheOthers() {
    assertThat(Format.listed(List.of(), 2)).isEmpty();
    assertThat(Format.listed(List.of("a", "b"), 2)).isEqualTo("a, b");
    assertThat(Format.listed(List.of("a", "b", "c"), 2)).isEqualTo("a, b and 1 more");
  }

  /** Thousands would be separated by something else where the user's language does so. */
  @Test
  void thousands_areSeparatedHereOnly() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      assertThat(files.filter(Files::isRegularFile).filter(FormatTest::separatesThousands))
          .map(Path::getFileName)
          .containsExactly(Path.of("Format.java"));
    }
  }

  private static boolean separatesThousands(Path file) {
    try {
      return Files.readString(file).contains("%,d");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
