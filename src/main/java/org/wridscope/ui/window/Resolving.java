// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.InterruptedIOException;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Collectors;
import javafx.stage.Stage;
import org.wridscope.control.Doubt;
import org.wridscope.control.Session;
import org.wridscope.guest.OtherEnd;
import org.wridscope.ui.Question;

/** Leads out of a migration that ended undecided. For the JavaFX thread. */
final class Resolving {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneId.systemDefault());

  private final Stage stage;
  private final BackgroundTasks tasks;

  Resolving(Stage stage, BackgroundTasks tasks) {
    this.stage = stage;
    this.tasks = tasks;
  }

  /** Shows what each end has said, and the ways out; does nothing if there is no doubt. */
  void begin(Session session) {
    session.doubt().ifPresent(doubt -> show(session, doubt));
  }

  private void show(Session session, Doubt doubt) {
    String said =
        doubt.statements().stream()
            .map(each -> "%s  %s: %s".formatted(TIME.format(each.when()), each.who(), each.what()))
            .collect(Collectors.joining("\n"));
    Question.choose(
        stage,
        "Where is the guest of %s?".formatted(session.name()),
        ("%s\n\nAsk the destination again, or look at %s and say what you found. If that is"
                + " wrong, both guests run, or neither.")
            .formatted(said, doubt.destination()),
        List.of(
            new Question.Choice("resolve-ask", "Ask again", () -> ask(session, doubt)),
            told("resolve-off", "It is powered off", doubt, OtherEnd.POWERED_OFF),
            told("resolve-ended", "Its guest was ended", doubt, OtherEnd.GUEST_ENDED),
            told("resolve-runs", "Its guest runs", doubt, OtherEnd.GUEST_RUNS)),
        "Decide later");
  }

  private Question.Choice told(String id, String text, Doubt doubt, OtherEnd told) {
    return new Question.Choice(id, text, () -> confirm(text, doubt, told));
  }

  private void confirm(String text, Doubt doubt, OtherEnd told) {
    boolean ends = told == OtherEnd.GUEST_RUNS;
    Question.show(
        stage,
        text,
        ends
            ? "The guest is ended here. This cannot be undone."
            : "The guest runs here again. This cannot be undone.",
        ends ? "End the guest here" : "Let the guest run here",
        "Decide later",
        () -> tasks.run("The guest in doubt is put right.", () -> doubt.settle(told), _ -> {}));
  }

  private void ask(Session session, Doubt doubt) {
    tasks.run(
        "The destination is asked which end has the guest.",
        () -> {
          try {
            return doubt.ask();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("The question was cancelled.");
          }
        },
        _ -> begin(session));
  }
}
