// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks a form in the background, including the files that it names. Only the result for the
 * newest state of the form is reported. For the JavaFX thread only.
 *
 * @param <S> the settings that the form contains
 */
final class FormChecks<S> {
  private static final Logger LOG = LoggerFactory.getLogger(FormChecks.class);

  /** The most checks at a time, so that a disk that does not answer blocks few threads. */
  private static final int MOST = 4;

  private final Function<FormValues, S> settings;
  private final Executor background;
  private final Executor window;
  private final Consumer<Checked<S>> done;

  /** The newest state of the form, until its check begins. */
  private @Nullable SettingsForm next;

  /** The newest state of the form, until its result is reported. */
  private @Nullable SettingsForm newest;

  private int underWay;

  /**
   * The result of a check.
   *
   * @param form the checked state of the form
   * @param errors a sentence for each field that is wrong
   * @param settings null if there are errors
   */
  record Checked<S>(SettingsForm form, Map<Field, String> errors, @Nullable S settings) {}

  /**
   * @param settings reads the settings of a valid form; may wait for a disk
   * @param background examines files
   * @param window runs tasks on the JavaFX thread
   * @param done receives each result, on the JavaFX thread
   */
  FormChecks(
      Function<FormValues, S> settings,
      Executor background,
      Executor window,
      Consumer<Checked<S>> done) {
    this.settings = settings;
    this.background = background;
    this.window = window;
    this.done = done;
  }

  /** Checks the present state of a form. */
  void begin(SettingsForm form) {
    newest = form.copy();
    next = newest;
    startNext();
  }

  /** Reports no further result. */
  void forget() {
    newest = null;
    next = null;
  }

  private void startNext() {
    SettingsForm form = next;
    if (form == null || underWay == MOST) {
      return;
    }
    next = null;
    underWay++;
    background.execute(() -> {
      Checked<S> checked = check(form);
      window.execute(() -> {
        underWay--;
        if (newest == form) {
          newest = null;
          done.accept(checked);
        }
        startNext();
      });
    });
  }

  private Checked<S> check(SettingsForm form) {
    try {
      Map<Field, String> errors = form.values().errors();
      return new Checked<>(form, errors, errors.isEmpty() ? settings.apply(form.values()) : null);
    } catch (IllegalArgumentException e) {
      // A file has changed meanwhile.
      return failed(form, String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      LOG.error("checking a form", e);
      return failed(
          form, "This cannot be checked because of an error in this program: %s".formatted(e));
    }
  }

  private static <S> Checked<S> failed(SettingsForm form, String sentence) {
    return new Checked<>(form, Map.of(form.fields().iterator().next(), sentence), null);
  }
}
