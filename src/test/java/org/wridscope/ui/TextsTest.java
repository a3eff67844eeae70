// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every text of the window is in the bundle of each language, and nothing else is. */
final class TextsTest {
  private static final Path GERMAN = Path.of("src/main/resources/org/wridscope/ui/texts_de.json");

  private static final Pattern VALUE =
      Pattern.compile("%(\\d+\\$)?[-#+0,(]*\\d*(?:\\.\\d+)?[a-zA-Z%]");

  @AfterEach
  void speakEnglishAgain() {
    Texts.use(Locale.ENGLISH);
  }

  private static Map<String, String> german() throws IOException {
    return new Gson().fromJson(Files.readString(GERMAN), new TypeToken<Map<String, String>>() {});
  }

  @Test
  void bundle_hasEachText_andNothingElse() throws IOException {
    Set<String> used = UsedTexts.read().keys();
    Set<String> translated = german().keySet();
    assertThat(used.stream().filter(text -> !translated.contains(text))).as("missing").isEmpty();
    assertThat(translated.stream().filter(text -> !used.contains(text))).as("unused").isEmpty();
  }

  @Test
  void translations_insertTheSameValues_inTheSameOrder() throws IOException {
    var softly = new SoftAssertions();
    german()
        .forEach((english, german) ->
            softly.assertThat(values(german)).as(english).isEqualTo(values(english)));
    softly.assertAll();
  }

  private static List<String> values(String text) {
    return VALUE.matcher(text).results().map(MatchResult::group).toList();
  }

  /** So that a sentence goes on where another part of it is put before or after it. */
  @Test
  void translations_beginAndEndWithTheSameSpace() throws IOException {
    var softly = new SoftAssertions();
    german()
        .forEach((english, german) -> {
          softly.assertThat(leading(german)).as(english).isEqualTo(leading(english));
          softly
              .assertThat(leading(reversed(german)))
              .as(english)
              .isEqualTo(leading(reversed(english)));
        });
    softly.assertAll();
  }

  private static String leading(String text) {
    return text.substring(0, text.length() - text.stripLeading().length());
  }

  private static String reversed(String text) {
    return new StringBuilder(text).reverse().toString();
  }

  @Test
  void whatIsLookedUp_isConstant_andWhatIsShown_isLookedUp() throws IOException {
    UsedTexts used = UsedTexts.read();
    assertThat(used.variable()).as("not constant").isEmpty();
    assertThat(used.bare()).as("not looked up").isEmpty();
  }

  @Test
  void german_isShown_onceChosen_withItsPlurals() {
    Texts.use(Locale.GERMANY);
    assertThat(Texts.of("round %s", 3)).isEqualTo("Runde 3");
    assertThat(IntStream.of(1, 2).mapToObj(n -> Texts.counted(n, "hit", "hits")))
        .containsExactly("1 Treffer", "2 Treffer");
  }

  @Test
  void anotherLanguage_isEnglish() {
    Texts.use(Locale.FRANCE);
    assertThat(Texts.of("round %s", 3)).isEqualTo("round 3");
    assertThat(Texts.of("100 % of it")).isEqualTo("100 % of it");
  }
}
