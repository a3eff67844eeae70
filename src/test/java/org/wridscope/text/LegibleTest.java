// SPDX-License-Identifier: Apache-2.0
package org.wridscope.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LegibleTest {
  /** Characters that must always be escaped, defined independently of the implementation. */
  private static final Pattern UNSAFE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pc.ram                 | pc.ram",
        "0000:00:02.0/vga.vram  | 0000:00:02.0/vga.vram",
        "Größe in µs – 漢字 😀   | Größe in µs – 漢字 😀",
        "a\u001b[2Jb            | a\\x1b[2Jb",
        "a\u009b2Jb             | a\\x9b2Jb",
        "a\u0000b\u007f         | a\\x00b\\x7f",
        "a\u202egpj.exe         | a<U+202E>gpj.exe",
        "a\u2066b\u2069         | a<U+2066>b<U+2069>",
        "a\u200bb\u200d\ufeff   | a<U+200B>b<U+200D><U+FEFF>",
        "a\u2028b\u2029         | a<U+2028>b<U+2029>",
        "a\ud800b\udc00         | a<U+D800>b<U+DC00>",
        "a\udb40\udc41          | a<U+E0041>",
        "a\uffff\ue000          | a<U+FFFF><U+E000>",
        "a\u3164\u2800\ufe0f    | a<U+3164><U+2800><U+FE0F>",
        "soft\u00adhyphen       | soft\\xadhyphen"
      })
  void whatActsOrIsNotSeen_isWrittenOut(String text, String legible) {
    assertThat(Legible.of(text)).isEqualTo(legible);
  }

  @Test
  void newLines_beginNone() {
    assertThat(Legible.of("one\ntwo\rthree\tfour")).isEqualTo("one\\ntwo\\rthree\\tfour");
  }

  @Test
  void everyCharacter_isSafeAfterwards_andStaysThen() {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      String text = "a" + Character.toString(c) + "b";
      String legible = Legible.of(text);
      if (UNSAFE.matcher(legible).find()
          || !legible.startsWith("a")
          || !legible.endsWith("b")
          || !legible.equals(Legible.of(legible))
          || (UNSAFE.matcher(text).find() && legible.equals(text))) {
        throw new AssertionError("U+%04X became %s".formatted(c, legible));
      }
    }
  }

  @Test
  void textsAreCut_notInTheMiddleOfACharacter() {
    assertThat(Legible.of("x".repeat(20), 10)).isEqualTo("xxxxxxx...");
    assertThat(Legible.of("x".repeat(10), 10)).isEqualTo("x".repeat(10));
    assertThat(Legible.of("xxxxxx\u001b12", 10)).isEqualTo("xxxxxx...");
    assertThat(Legible.of("xxxxxx\u001b", 10)).isEqualTo("xxxxxx\\x1b");
    assertThat(Legible.of("xxxxxx😀xxxx", 10)).isEqualTo("xxxxxx...");
    assertThat(Legible.of("x".repeat(1 << 20))).hasSize(Legible.MAX_LENGTH);
  }

  @Test
  void anyText_keepsItsLimit_andStaysWhatItBecame() {
    var random = new SplittableRandom(5);
    for (int i = 0; i < 20_000; i++) {
      var text = new StringBuilder();
      for (int length = random.nextInt(30); length > 0; length--) {
        text.append((char) (random.nextBoolean() ? random.nextInt(0x80) : random.nextInt(1 << 16)));
      }
      int limit = random.nextInt(3, 40);
      String legible = Legible.of(text.toString(), limit);
      assertThat(legible.length()).as("%d: %s", i, legible).isLessThanOrEqualTo(limit);
      assertThat(legible).doesNotContainPattern(UNSAFE);
      assertThat(Legible.of(legible, limit)).isEqualTo(legible);
    }
  }
}
