// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import javafx.application.Platform;
import javafx.stage.FileChooser;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.wridscope.ui.SuggestionBox;
import org.wridscope.ui.settings.SettingsForm.GuestKind;
import org.wridscope.ui.settings.SettingsForm.Kind;

/**
 * Asks for the settings of a migration. Each error is shown below its field; errors of files are
 * those that were found by the last check.
 *
 * @param <S> the settings that the form contains
 */
public final class StartDialog<S> {
  /** Fields above the choice of the guest. */
  private static final List<Field> ABOVE_GUEST = List.of(Field.URI, Field.DEVICE, Field.ALLOW);

  private final SettingsForm form;
  private final FormGrid grid;
  private final SegmentedChoice<GuestKind> guests;

  private final FormChecks<S> checks;
  private final BiConsumer<SettingsForm, S> accepted;
  private final DialogFrame frame;

  /** The errors of files, as of the last check. */
  private final Map<Field, String> fileErrors = new LinkedHashMap<>();

  /** Whether the user has tried to accept the form. */
  private boolean attempted;

  /** Whether the form is accepted if the running check finds no error. */
  private boolean accepting;

  /**
   * @param form shown at first, and changed as the user types
   * @param settings reads settings from a valid form, in the background
   * @param profiles can be entered into the form
   * @param background examines files
   * @param acceptText the text of the button that accepts, a verb
   * @param accepted receives the accepted form and its settings
   */
  public StartDialog(
      Window owner,
      SettingsForm form,
      Function<FormValues, S> settings,
      Profiles profiles,
      Executor background,
      String acceptText,
      BiConsumer<SettingsForm, S> accepted) {
    this.form = form;
    checks = new FormChecks<>(settings, background, Platform::runLater, this::checked);
    this.accepted = accepted;
    grid = new FormGrid(form, this::edited, this::left);
    ABOVE_GUEST.forEach(grid::add);
    guests =
        new SegmentedChoice<>(
            form.guests(), form.guest(), kind -> text(kind, form.kind()), this::choose);
    grid.add("Guest", guests, hint(form.kind()));
    for (Field field : Field.all()) {
      if (Field.OF_FILES.contains(field)) {
        grid.add(field);
      }
    }
    grid.addAt(form.place());
    grid.refresh();
    frame =
        new DialogFrame(
            owner, DialogKind.of(form).title(), grid.node(), acceptText, this::tryAccept);
    frame.explain(explanation(form.kind()));
    frame.onHidden(checks::forget);
    grid.onUnfolding(frame::fit);
    frame.addBesideTitle(new ProfileMenu(form, profiles, this::entered).node());
    edited();
  }

  private static String text(GuestKind guest, Kind kind) {
    return switch (guest) {
      case SYNTHETIC -> "Synthetic";
      case IMAGE -> "Image file";
      case STREAM -> kind == Kind.SOURCE ? "Restore" : "Capture";
    };
  }

  private static String hint(Kind kind) {
    return switch (kind) {
      case LAB -> "A synthetic guest, or one whose RAM is the content of a file.";
      case SOURCE ->
          "A synthetic guest, one whose RAM is the content of a file, or one that was captured"
              + " in a file.";
      case DESTINATION ->
          "A synthetic guest, the RAM of a source's image file, or any guest, to be captured in"
              + " a file.";
    };
  }

  private void choose(GuestKind guest) {
    form.setGuest(guest);
    entered();
  }

  /** Shows what is in the form now. */
  private void entered() {
    guests.select(form.guest());
    grid.refresh();
    edited();
    frame.fit();
  }

  private static String explanation(Kind kind) {
    return switch (kind) {
      case LAB ->
          "Migrates a guest from a source to a destination in this process, over the embedded"
              + " software device.";
      case SOURCE ->
          "Migrates a guest to a destination that already listens: another Wridscope, or a"
              + " QEMU.";
      case DESTINATION ->
          "Listens for a source, another Wridscope or a QEMU, and takes its guest. A synthetic"
              + " guest needs as much RAM here as at the source; a captured one needs only a"
              + " file.";
    };
  }

  private void left() {
    if (!accepting) {
      check(false);
    }
  }

  private void edited() {
    showErrors();
    check(false);
  }

  /**
   * Adds installed devices to choose from.
   *
   * @param names of devices
   */
  public void offerDevices(List<String> names) {
    grid.offerDevices(names);
  }

  /** Sets what lets the file chooser of an empty field begin somewhere. */
  public void beginChoosers(BiConsumer<Field, FileChooser> begin) {
    grid.beginChoosers(begin);
  }

  /** Offers addresses to choose from. */
  public void offerUris(List<String> recent) {
    grid.choice(Field.URI).offer(recent);
  }

  /**
   * Offers a source the destinations that listen in this process. Choosing one also sets the
   * guest's size.
   */
  public void offerDestinations(List<Listening> destinations) {
    SuggestionBox uris = grid.choice(Field.URI);
    uris.offer(destinations.stream().map(Listening::uri).toList(), List.copyOf(uris.getItems()));
    uris.setOnAction(_ ->
        destinations.stream()
            .filter(destination -> destination.uri().equals(uris.getValue()))
            .forEach(destination -> {
              destination.fill(form);
              grid.refresh();
            }));
  }

  /** Shows the dialog; returns at once. */
  public void show() {
    frame.show();
  }

  /**
   * Shows the dialog with what went wrong with its inputs, and the keyboard focus in the field that
   * this is about, if it is known; returns at once.
   *
   * @param why a sentence; empty if nothing went wrong
   */
  public void show(String why) {
    if (!why.isEmpty()) {
      frame.explain(why);
    }
    show();
    Field failing = FailingField.in(form, why);
    if (failing != null) {
      grid.focusFirst(List.of(failing));
    }
  }

  private void showErrors() {
    grid.showErrors(this::shownError);
  }

  /** The error to show for a field; none for one that is still empty before the first attempt. */
  private String shownError(Field field) {
    String error = error(field);
    return error != null && (attempted || !form.get(field).isBlank()) ? error : "";
  }

  private @Nullable String error(Field field) {
    String error = form.values().textError(field);
    return error != null || !form.fields().contains(field) ? error : fileErrors.get(field);
  }

  /**
   * Checks the form in the background.
   *
   * @param accept whether the form is accepted if it has no error
   */
  private void check(boolean accept) {
    accepting = accept;
    checks.begin(form);
    refresh();
  }

  private void refresh() {
    List<String> wrong = grid.wrongFields();
    boolean checkingFile = accepting && form.guest() != GuestKind.SYNTHETIC;
    frame.hinder(
        checkingFile
            ? "Checking the file…"
            : wrong.isEmpty() ? "" : "To correct: %s".formatted(String.join(", ", wrong)),
        accepting);
  }

  private void tryAccept() {
    attempted = true;
    showErrors();
    List<Field> wrong =
        form.fields().stream().filter(field -> form.values().textError(field) != null).toList();
    check(wrong.isEmpty());
    grid.focusFirst(wrong);
  }

  private void checked(FormChecks.Checked<S> checked) {
    fileErrors.clear();
    fileErrors.putAll(checked.errors());
    fileErrors.keySet().removeIf(field -> checked.form().values().textError(field) != null);
    showErrors();
    S settings = checked.settings();
    if (!accepting) {
      refresh();
    } else if (settings != null) {
      frame.close();
      accepted.accept(checked.form(), settings);
    } else {
      accepting = false;
      refresh();
      grid.focusFirst(checked.errors().keySet());
    }
  }
}
