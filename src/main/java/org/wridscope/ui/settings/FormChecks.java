// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.ui.settings.SettingsForm.Field;

/**
 * Looks in the background at what was typed into a form, files included. Only what comes of the
 * newest text is told. For the JavaFX thread only.
 *
 * @param <S> settings that are made of what was typed
 */
final class FormChecks<S> {
  private static final Logger LOG = LoggerFactory.getLogger(FormChecks.class);

  /** Of looks at the same time; a disk that does not answer keeps no more threads than that. */
  private static final int MOST = 4;

  private final Function<SettingsForm, S> settings;
  private final Executor background;
  private final Executor window;
  private final Consumer<Checked<S>> done;

  /** What was typed last, when nobody has looked at it yet. */
  private @Nullable SettingsForm next;

  /** What was typed last, until it is told what came of it. */
  private @Nullable SettingsForm newest;

  private int underWay;

  /**
   * What came of a look.
   *
   * @param form what was looked at
   * @param errors what is wrong, a sentence for each field that is
   * @param settings null when something is wrong
   */
  record Checked<S>(SettingsForm form, Map<Field, String> errors, @Nullable S settings) {}

  /**
   * @param settings makes settings of a form that is valid; may wait for a disk
   * @param background looks at files
   * @param window runs what it is given on the JavaFX thread, later
   * @param done is told, on the JavaFX thread, what came of it
   */
  FormChecks(
      Function<SettingsForm, S> settings,
      Executor background,
      Executor window,
      Consumer<Checked<S>> done) {
    this.settings = settings;
    this.background = background;
    this.window = window;
    this.done = done;
  }

  /** Looks at a form as it is now. */
  void begin(SettingsForm form) {
    newest = form.copy();
    next = newest;
    goOn();
  }

  /** Nobody wants to know any more. */
  void forget() {
    newest = null;
    next = null;
  }

  private void goOn() {
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
        goOn();
      });
    });
  }

  private Checked<S> check(SettingsForm form) {
    try {
      Map<Field, String> errors = form.errors();
      return new Checked<>(form, errors, errors.isEmpty() ? settings.apply(form) : null);
    } catch (IllegalArgumentException e) {
      // A file has changed since.
      return failed(form, String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      LOG.error("checking what was typed", e);
      return failed(form, "This cannot be checked by an error of this program: " + e);
    }
  }

  private static <S> Checked<S> failed(SettingsForm form, String sentence) {
    return new Checked<>(form, Map.of(form.fields().iterator().next(), sentence), null);
  }
}
