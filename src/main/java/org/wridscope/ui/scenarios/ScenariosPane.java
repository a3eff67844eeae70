// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.scenarios;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javafx.application.Platform;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.TextField;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import javafx.stage.FileChooser;
import javafx.stage.Window;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.ScenarioException;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Menus;
import org.wridscope.ui.Presence;
import org.wridscope.units.Parse;

/**
 * Scenarios by groups, which can be searched, each with a button that runs it. For the JavaFX
 * thread only.
 */
public final class ScenariosPane {
  private final VBox root;
  private final VBox cards = new VBox();
  private final TextField filter = new TextField();
  private final Label nothing = new Label("No scenario has these words.");
  private final List<Scenario> scenarios = new ArrayList<>();

  private final Set<Scenario> ofFiles = new HashSet<>();

  /** The buttons of those that are listed. */
  private final Map<Scenario, Button> runs = new HashMap<>();

  private final Label problem = new Label();
  private final Executor background;
  private final Predicate<Scenario> start;
  private final Consumer<Scenario> stepThrough;
  private final TextField seed = new TextField();

  /**
   * @param background reads files
   * @param start starts a run of a scenario; returns false if another start is running
   * @param stepThrough begins to step through a scenario
   */
  public ScenariosPane(
      Executor background, Predicate<Scenario> start, Consumer<Scenario> stepThrough) {
    this.background = background;
    this.start = start;
    this.stepThrough = stepThrough;
    var explanation =
        new Label(
            "Migrations in this process with faults and conditions of real hardware. Each run"
                + " is checked against what the scenario expects, and against what must always"
                + " be true.");
    explanation.getStyleClass().add("muted");
    explanation.setWrapText(true);
    explanation.setMinHeight(Region.USE_PREF_SIZE);
    scenarios.addAll(Scenarios.shipped());
    filter.setId("scenario-filter");
    filter.setPromptText("Search: title, what happens, what to look at");
    filter.setAccessibleText("Search scenarios");
    Hints.explain(filter, "Shows only scenarios whose texts have all these words");
    filter.textProperty().subscribe(_ -> list());
    nothing.getStyleClass().add("muted");
    cards.getStyleClass().add("findings");
    cards.setId("scenarios");
    var scroll = new ScrollPane(cards);
    scroll.setFitToWidth(true);
    scroll.getStyleClass().add("overview-scroll");
    VBox.setVgrow(scroll, Priority.ALWAYS);
    problem.getStyleClass().add("field-error");
    problem.setWrapText(true);
    problem.setMinHeight(Region.USE_PREF_SIZE);
    problem.setId("scenarios-problem");
    tell("");
    var open = new Button("Open a scenario…", new FontIcon(Feather.FOLDER));
    open.setId("open-scenario");
    open.setOnAction(_ -> choose(open.getScene().getWindow()));
    list();
    seed.setId("scenario-seed");
    seed.setPrefColumnCount(8);
    seed.setPromptText("in turn");
    seed.setAccessibleText("Seed for stepping");
    Hints.explain(
        seed,
        "A whole number selects the random faults and the order of events of the run; empty: those"
            + " of the scenario");
    var seedText = new Label("Seed for stepping");
    seedText.setMinWidth(Region.USE_PREF_SIZE);
    var below = new HBox(8, open, seedText, seed);
    below.setAlignment(Pos.CENTER_LEFT);
    root = new VBox(explanation, filter, scroll, problem, below);
    root.getStyleClass().addAll("window-root", "devices-pane");
  }

  /** Shows the scenarios that have all the words of the filter, by groups. */
  private void list() {
    List<String> words = words(filter.getText());
    runs.clear();
    var groups = new LinkedHashMap<String, List<Scenario>>();
    for (Scenario scenario : scenarios) {
      String text = words(text(scenario)).toString();
      if (words.stream().allMatch(text::contains)) {
        groups.computeIfAbsent(scenario.group(), _ -> new ArrayList<>()).add(scenario);
      }
    }
    var nodes = new ArrayList<Node>();
    groups.forEach((group, members) -> {
      var heading = new Label(group.isEmpty() ? "Of files" : group);
      heading.getStyleClass().add("explain-heading");
      nodes.add(heading);
      members.forEach(scenario -> nodes.add(card(scenario)));
    });
    cards.getChildren().setAll(nodes.isEmpty() ? List.of(nothing) : nodes);
  }

  private static String text(Scenario scenario) {
    return String.join(
        " ",
        scenario.name(),
        scenario.title(),
        scenario.group(),
        scenario.about(),
        scenario.look());
  }

  private static List<String> words(String text) {
    return List.of(text.toLowerCase(Locale.ROOT).strip().split("\\s+"));
  }

  private Node card(Scenario scenario) {
    var title = new Label(scenario.title());
    title.getStyleClass().add("finding-check");
    var name =
        new Label(
            scenario.name()
                + (scenario.runs() > 1 ? ", %d different runs".formatted(scenario.runs()) : ""));
    name.getStyleClass().add("muted");
    var about = new Label(scenario.about());
    about.setWrapText(true);
    about.setMinHeight(Region.USE_PREF_SIZE);
    var head = new HBox(8, title, name);
    head.setAlignment(Pos.BASELINE_LEFT);
    var text = new VBox(2, head, about);
    if (!scenario.look().isEmpty()) {
      var look = new Label(scenario.look(), new FontIcon(Feather.EYE));
      look.setAccessibleText("What to look at: %s".formatted(scenario.look()));
      look.setWrapText(true);
      look.setMinHeight(Region.USE_PREF_SIZE);
      look.getStyleClass().addAll("muted", "scenario-look");
      text.getChildren().add(look);
    }
    HBox.setHgrow(text, Priority.ALWAYS);
    var run = new Button("Run", new FontIcon(Feather.PLAY_CIRCLE));
    runs.put(scenario, run);
    run.setId("run-" + scenario.name());
    run.setAccessibleText("Run %s".formatted(scenario.title()));
    run.setMinWidth(Region.USE_PREF_SIZE);
    run.setOnAction(_ -> {
      tell(
          start.test(scenario)
              ? ""
              : "Another migration is being prepared; run this one afterwards.");
    });
    var step = new Button("Step by step", new FontIcon(Feather.CHEVRON_RIGHT));
    step.setId("step-" + scenario.name());
    step.setAccessibleText("Step through %s".formatted(scenario.title()));
    step.setMinWidth(Region.USE_PREF_SIZE);
    step.setMaxWidth(Double.MAX_VALUE);
    run.setMaxWidth(Double.MAX_VALUE);
    step.setOnAction(_ -> step(scenario));
    var buttons = new VBox(4, run, step);
    buttons.setMinWidth(Region.USE_PREF_SIZE);
    var card = new HBox(12, text, buttons);
    card.setAlignment(Pos.CENTER_LEFT);
    Menus.install(
        card,
        () ->
            List.of(
                Menus.of(run),
                Menus.of(step),
                Menus.copy("the name %s".formatted(scenario.name()), scenario::name)));
    return card;
  }

  private void step(Scenario scenario) {
    try {
      String typed = seed.getText().strip();
      long number = typed.isEmpty() ? 0 : Parse.number("Seed", typed);
      stepThrough.accept(
          typed.isEmpty() ? scenario : scenario.withSeed(number).with(Schedule.of(number)));
      tell("");
    } catch (IllegalArgumentException e) {
      tell(String.valueOf(e.getMessage()));
    }
  }

  private void choose(Window owner) {
    var chooser = new FileChooser();
    chooser.setTitle("Open a scenario");
    chooser
        .getExtensionFilters()
        .add(new FileChooser.ExtensionFilter("Scenarios (*.json)", "*.json"));
    File file = chooser.showOpenDialog(owner);
    if (file != null) {
      open(file.toPath());
    }
  }

  /**
   * Adds the scenario in a file, ready to be run, or shows why that is not possible. It replaces
   * one with the same name that came from a file.
   */
  public void open(Path file) {
    background.execute(() -> {
      try {
        Scenario scenario = Scenarios.read(file);
        Platform.runLater(() -> {
          scenarios.removeIf(
              other -> ofFiles.contains(other) && other.name().equals(scenario.name()));
          ofFiles.add(scenario);
          scenarios.addFirst(scenario);
          list();
          tell("");
          select(scenario);
        });
      } catch (ScenarioException e) {
        Platform.runLater(() -> tell(String.valueOf(e.getMessage())));
      }
    });
  }

  /** Lets what is typed next replace the filter. */
  public void begin() {
    filter.requestFocus();
    filter.selectAll();
  }

  /** Shows all scenarios, with the keyboard focus at the button that runs this one. */
  public void select(Scenario scenario) {
    filter.clear();
    Button run = runs.get(scenario);
    if (run != null) {
      run.requestFocus();
    }
  }

  /** Shows an error; empty for none. */
  private void tell(String sentence) {
    problem.setText(sentence);
    Presence.set(problem, !sentence.isEmpty());
  }

  public VBox node() {
    return root;
  }
}
