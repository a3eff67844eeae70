// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.stepping;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import javafx.animation.PauseTransition;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.FlowPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import javafx.util.Duration;
import javafx.util.Subscription;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.SessionPair;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.control.schedule.HangStep;
import org.wridscope.control.schedule.Standing;
import org.wridscope.control.schedule.Until;
import org.wridscope.telemetry.EventKind;
import org.wridscope.text.Format;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Presence;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.SuggestionBox;
import org.wridscope.units.Parse;

/**
 * The controls that step through a run: what each end waits for, what can happen next, and how far
 * it goes on. For the JavaFX thread only.
 */
public final class StepPane {
  private static final PseudoClass ERROR = PseudoClass.getPseudoClass("error");
  private static final PseudoClass GUIDED = PseudoClass.getPseudoClass("guided");
  private static final PseudoClass LOW = PseudoClass.getPseudoClass("low");

  /** In lower windows fewer options are shown at a time, so that there is room for the views. */
  private static final double LOW_HEIGHT = 700;

  /** The longest condition that many want fits. */
  private static final double UNTIL_WIDTH = 170;

  private static final Duration UNNOTICED = Duration.millis(150);

  private final Selection selection;
  private final Label place = new Label();
  private final Button begin = button(Feather.SKIP_BACK, "step-begin", "Back to the beginning");
  private final Button back = button(Feather.CHEVRON_LEFT, "step-back", "Back by one choice");
  private final TextField to = new TextField();
  private final Button step = new Button("Step", new FontIcon(Feather.CHEVRON_RIGHT));
  private final SuggestionBox until = new SuggestionBox();
  private final TextField seed = new TextField();
  private final Button goOn = new Button("Go on", new FontIcon(Feather.FAST_FORWARD));
  private final Button halt = new Button("Stand still", new FontIcon(Feather.PAUSE));
  private final Button write = new Button("Save scenario…", new FontIcon(Feather.SAVE));
  private final Button compare = new Button("Compare futures", new FontIcon(Feather.COLUMNS));
  private final TourBar tourBar = new TourBar(this::pressTour);
  private final Consumer<Tour.Sight> lead;
  private final EndCard source = new EndCard("step-source");
  private final EndCard destination = new EndCard("step-destination");
  private final Label rule = new Label();
  private final OptionList options =
      new OptionList(this::take, text -> tell(text, false), this::point);
  private final VBox root;
  private final PauseTransition goesOn = new PauseTransition(UNNOTICED);
  private Subscription following = Subscription.EMPTY;
  private final Node order;
  private @Nullable SteppedRun run;
  private @Nullable HangStep led;

  /** What the tour wants to be pressed now. */
  private Optional<Node> pointed = Optional.empty();

  /**
   * @param selection what is selected in the views can be waited for
   * @param save asks for a file for the scenario with the choices made so far
   * @param compared shows the futures of a run side by side
   * @param lead shows what the tour speaks of, when it goes on
   */
  public StepPane(
      Selection selection,
      Consumer<SteppedRun> save,
      Consumer<SteppedRun> compared,
      Consumer<Tour.Sight> lead) {
    this.selection = selection;
    this.lead = lead;
    place.setId("step-place");
    place.getStyleClass().add("finding-check");
    begin.setOnAction(_ -> back(0));
    back.setOnAction(_ -> back(number() - 1));
    to.setId("step-to");
    to.setPrefColumnCount(4);
    to.setPromptText("choice");
    to.setAccessibleText("Choice to go back to");
    Hints.explain(to, "The number of an earlier choice to go back to, with Enter");
    to.setOnAction(_ -> backTo());
    step.setId("step-take");
    step.getStyleClass().add("small");
    step.setMinWidth(Region.USE_PREF_SIZE);
    step.setTooltip(new Tooltip("Do what the scenario's own order does next"));
    step.setOnAction(_ -> takeProposed());
    until.setId("step-until");
    until.setPrefWidth(UNTIL_WIDTH);
    until.setAccessibleText("Until when it goes on");
    until.getEditor().setText(Until.SUGGESTIONS.getFirst());
    Hints.explain(
        until,
        "Until when it goes on: end, round, wait, wait source, message READY, completion WRID,"
            + " request WRID, chunk BLOCK CHUNK, queue send, queue receive");
    until.setOnShowing(_ -> suggest());
    seed.setId("step-seed");
    seed.setPrefColumnCount(4);
    seed.setPromptText("in turn");
    seed.setAccessibleText("Seed of a random order");
    Hints.explain(
        seed,
        "A whole number selects a random order in which it goes on; empty: the scenario's own"
            + " order");
    goOn.setId("step-go-on");
    goOn.getStyleClass().add("small");
    goOn.setMinWidth(Region.USE_PREF_SIZE);
    goOn.setOnAction(_ -> goOn());
    halt.setId("step-halt");
    halt.getStyleClass().add("small");
    halt.setMinWidth(Region.USE_PREF_SIZE);
    halt.setOnAction(_ -> onRun(SteppedRun::halt));
    write.setId("step-save");
    write.getStyleClass().add("small");
    write.setMinWidth(Region.USE_PREF_SIZE);
    write.setTooltip(
        new Tooltip("Save the scenario with the choices made so far, to be run again"));
    write.setOnAction(_ -> onRun(save));
    compare.setId("step-compare");
    compare.getStyleClass().add("small");
    compare.setMinWidth(Region.USE_PREF_SIZE);
    compare.setTooltip(
        new Tooltip(
            "Let the future that was left by going back and the present one go on to their"
                + " ends, and show them side by side"));
    compare.setOnAction(_ ->
        onRun(of -> {
          endTour(of);
          compared.accept(of);
        }));
    rule.setId("step-rule");
    rule.getStyleClass().add("muted");
    rule.setWrapText(true);
    rule.setMinHeight(Region.USE_PREF_SIZE);

    var backwards = group(begin, back, to);
    order = group(label("order"), seed);
    var onwards = group(step, label("Go on until"), until, goOn, halt);
    var extras = group(write, compare);
    extras.getStyleClass().add("step-extras");
    var controls = new FlowPane(14, 4, place, backwards, extras, order, onwards);
    var ends = new HBox(8, source.node(), destination.node());
    ends.getStyleClass().add("step-ends");
    HBox.setHgrow(source.node(), Priority.ALWAYS);
    HBox.setHgrow(destination.node(), Priority.ALWAYS);
    root = new VBox(4, tourBar.node(), controls, ends, options.node(), rule);
    root.setId("stepping");
    root.getStyleClass().add("step-pane");
    root.setMinWidth(0);
    root.sceneProperty()
        .flatMap(scene -> scene.heightProperty())
        .subscribe(height ->
            root.pseudoClassStateChanged(LOW, height != null && height.doubleValue() < LOW_HEIGHT));
    goesOn.setOnFinished(_ -> enable(run == null ? null : run.standing()));
    Presence.set(root, false);
  }

  private static Button button(Feather icon, String id, String what) {
    var button = new Button("", new FontIcon(icon));
    button.setId(id);
    button.getStyleClass().addAll("button-icon", "flat");
    button.setTooltip(new Tooltip(what));
    button.setAccessibleText(what);
    return button;
  }

  private static Label label(String text) {
    var label = new Label(text);
    label.getStyleClass().add("muted");
    label.setMinWidth(Region.USE_PREF_SIZE);
    return label;
  }

  private static Node group(Node... nodes) {
    var group = new HBox(6, nodes);
    group.setAlignment(Pos.CENTER_LEFT);
    return group;
  }

  public Node node() {
    return root;
  }

  /** Shows another run, or null for none. */
  public void show(@Nullable SteppedRun shown) {
    boolean another = shown != run;
    run = shown;
    Presence.set(root, shown != null);
    if (!another) {
      return;
    }
    following.unsubscribe();
    boolean guided = shown != null && shown.tour() != null;
    Presence.set(tourBar.node(), guided);
    // What the tour does not need.
    List.of(to, write, order, step, halt).forEach(each -> Presence.set(each, !guided));
    root.pseudoClassStateChanged(GUIDED, guided);
    led = null;
    pointed = Optional.empty();
    if (shown != null) {
      following =
          Subscription.combine(
              shown.standingProperty().subscribe(_ -> refresh()),
              shown.problemProperty().subscribe(_ -> tellProblem()));
    }
  }

  // ------------------------------------------------------------------------------------- commands

  private void onRun(Consumer<SteppedRun> action) {
    if (run != null) {
      action.accept(run);
    }
  }

  private void take(int index) {
    onRun(shown -> shown.take(index));
  }

  private void takeProposed() {
    if (run != null && run.standing() instanceof Standing.AtChoice choice) {
      run.take(choice.proposed());
    }
  }

  private long number() {
    Standing now = run == null ? null : run.standing();
    return now == null ? 0 : now.number();
  }

  private void back(long number) {
    options.release();
    onRun(shown -> shown.back(Math.max(0, number)));
  }

  private void backTo() {
    try {
      back(Parse.number("Choice", to.getText().strip()));
      to.clear();
    } catch (IllegalArgumentException e) {
      tell(String.valueOf(e.getMessage()), true);
    }
  }

  private void goOn() {
    if (run == null) {
      return;
    }
    try {
      Until condition = Until.parse(until.typed());
      int kept = options.keptBackIndex();
      String typed = seed.getText().strip();
      OptionalLong order =
          typed.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Parse.number("Seed", typed));
      if (kept >= 0 && order.isPresent()) {
        run.goOnWithout(kept, condition, order.getAsLong());
      } else if (kept >= 0) {
        run.goOnWithout(kept, condition);
      } else if (order.isPresent()) {
        run.goOn(condition, order.getAsLong());
      } else {
        run.goOn(condition);
      }
    } catch (IllegalArgumentException e) {
      tell(String.valueOf(e.getMessage()), true);
    }
  }

  /** What is worth waiting for: also what is selected in the views. */
  private void suggest() {
    List<String> here = new ArrayList<>();
    Selected selected = selection.get();
    switch (selected) {
      case Selected.Chunk chunk -> here.add("chunk %d %d".formatted(chunk.block(), chunk.chunk()));
      case Selected.WorkRequest request -> here.add("request " + request.facts().id());
      case Selected.LoggedEvent logged
          when logged.event().kind() == EventKind.COMPLETION_SEND_QUEUE
              || logged.event().kind() == EventKind.COMPLETION_RECEIVE_QUEUE ->
          here.add("completion " + logged.event().wrid());
      case null, default -> {}
    }
    until.offer(here, Until.SUGGESTIONS);
  }

  // ------------------------------------------------------------------------------- what it shows

  private void refresh() {
    Standing now = run == null ? null : run.standing();
    if (now == null) {
      // Most steps are over before anybody could see that nothing can be chosen.
      goesOn.playFromStart();
      return;
    }
    goesOn.stop();
    enable(now);
    switch (now) {
      case Standing.AtChoice choice -> show(choice);
      case Standing.AtEnd end -> show(end);
    }
    point();
  }

  private void enable(@Nullable Standing now) {
    boolean stands = now != null;
    boolean choosing = now instanceof Standing.AtChoice;
    step.setDisable(!choosing);
    goOn.setDisable(!choosing);
    halt.setDisable(stands);
    boolean begun = now != null && now.number() > 0;
    begin.setDisable(!begun);
    back.setDisable(!begun);
    to.setDisable(!begun);
    write.setDisable(!stands);
    options.node().setDisable(!stands);
    compare.setDisable(run == null || run.futures().isEmpty());
  }

  private void show(Standing.AtChoice choice) {
    place.setText(
        "Choice %s at %s"
            .formatted(Format.count(choice.number()), Format.fineDuration(choice.nanos())));
    for (Standing.End end : choice.ends()) {
      switch (end.role()) {
        case SOURCE -> source.show(end);
        case DESTINATION -> destination.show(end);
      }
    }
    options.show(choice, run == null || run.tour() == null);
  }

  private void show(Standing.AtEnd end) {
    place.setText(
        "End after %s choices, %s"
            .formatted(Format.count(end.number()), Format.fineDuration(end.nanos())));
    SessionPair pair = run == null ? null : run.pair();
    if (pair != null && pair.source() != null && pair.destination() != null) {
      source.show(pair.source());
      destination.show(pair.destination());
    }
    List<String> sentences = new ArrayList<>();
    if (pair != null && pair.ending() != null) {
      sentences.add(pair.ending().sentence());
    }
    sentences.add(judgement(end));
    options.show(sentences);
  }

  private static String judgement(Standing.AtEnd end) {
    if (!end.verdict().good()) {
      return "This is not what the scenario expects. %s"
          .formatted(String.join(" ", end.verdict().problems()));
    }
    return Verdict.hang(end.lab()) == null
        ? "This is what the scenario expects."
        : "The scenario allows this: with a shared completion queue some orders hang.";
  }

  private void tellProblem() {
    if (run != null && !run.problemProperty().get().isEmpty()) {
      tell(run.problemProperty().get(), true);
    }
  }

  private void tell(String sentence, boolean bad) {
    rule.setText(sentence);
    rule.pseudoClassStateChanged(ERROR, bad);
  }

  private void point() {
    Standing now = run == null ? null : run.standing();
    Tour tour = run == null ? null : run.tour();
    if (tour == null || now == null) {
      return;
    }
    boolean kept = options.keeps(HangStep.KEEP_ACKNOWLEDGEMENT);
    HangStep next = tour.step(now, kept);
    tourBar.show(tour.instruction(now, kept));
    if (next != null && !next.until().isEmpty()) {
      until.getEditor().setText(next.until());
    }
    HangStep.Act act = next == null ? null : next.act();
    goOn.pseudoClassStateChanged(OptionList.POINTED, act == HangStep.Act.GO_ON);
    compare.pseudoClassStateChanged(OptionList.POINTED, act == HangStep.Act.COMPARE);
    pointed = options.point(next).or(tourBar::pointed);
    if (act == HangStep.Act.GO_ON) {
      pointed = Optional.of(goOn);
    } else if (act == HangStep.Act.COMPARE) {
      pointed = Optional.of(compare);
    }
    // Space presses what is framed; who looks around in the views meanwhile stays there.
    if (Presence.focusIn(root) != null) {
      focus();
    }
    if (next != null && next != led) {
      led = next;
      lead.accept(tour.sight());
    }
  }

  private void endTour(SteppedRun of) {
    Tour tour = of.tour();
    Standing now = of.standing();
    if (tour != null && now != null && tour.step(now, false) == HangStep.COMPARE) {
      tour.shown(now);
      point();
    }
  }

  /** Gives the keyboard focus to what the tour wants to be pressed, if there is a tour. */
  public void focus() {
    pointed.ifPresent(Node::requestFocus);
  }

  private void pressTour() {
    Tour tour = run == null ? null : run.tour();
    if (tour != null) {
      led = null;
      tour.press().ifPresentOrElse(this::back, this::point);
    }
  }
}
