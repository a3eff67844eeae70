// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;

/**
 * The window's texts in the user's language. The code has them in English; the bundle {@code
 * texts_de.json} has the German of each. What several parts of the program say alike stays English:
 * explanations, findings, errors, the names of the protocol.
 */
public final class Texts {
  /** The languages that there are, the first one without a bundle. */
  public static final List<Locale> LANGUAGES = List.of(Locale.ENGLISH, Locale.GERMAN);

  private static volatile Map<String, String> bundle = Map.of();

  private Texts() {}

  /**
   * Sets the language; English if there is no bundle for it. To be called before a class of the
   * window is initialized, since many keep their texts.
   */
  public static void use(Locale language) {
    bundle = read(language.getLanguage());
  }

  private static Map<String, String> read(String language) {
    try (InputStream in = Texts.class.getResourceAsStream("texts_" + language + ".json")) {
      return in == null
          ? Map.of()
          : new Gson()
              .fromJson(
                  new InputStreamReader(in, StandardCharsets.UTF_8),
                  new TypeToken<Map<String, String>>() {});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JsonParseException e) {
      throw new IllegalStateException("the texts of the language " + language, e);
    }
  }

  /**
   * A text in the user's language.
   *
   * @param english a constant, which is the text's key as well
   * @param values what is inserted, as by {@link String#format}; if there are none, the text is not
   *     a format, and a percent sign in it means itself
   */
  public static String of(String english, @Nullable Object... values) {
    String text = bundle.getOrDefault(english, english);
    return values.length == 0 ? text : String.format(Locale.ROOT, text, values);
  }

  /**
   * A count of things in the user's language, for example {@code 1 message} or {@code 1,048
   * messages}.
   *
   * @param one the singular, a constant
   * @param several the plural
   */
  public static String counted(long count, String one, String several) {
    return Format.count(count) + " " + of(count == 1 ? one : several);
  }
}
