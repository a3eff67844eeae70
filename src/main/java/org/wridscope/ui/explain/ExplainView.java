// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.explain;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.MenuItem;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.Tooltip;
import javafx.scene.input.MouseButton;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Evidence;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Explanation.Step;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Findings;
import org.wridscope.analysis.Latencies;
import org.wridscope.analysis.ProgramAnalysis;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Menus;
import org.wridscope.ui.Presence;
import org.wridscope.ui.Selection;
import org.wridscope.ui.SelectionMenu;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;

/**
 * What happened and why, in numbered steps with links to their events; findings after the end of
 * the session; how long requests took.
 */
public final class ExplainView implements View {
  private static final long TEXT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** If all steps took no longer than this, choosing one of them shows the time of all. */
  private static final long SHORT_STORY = TimeUnit.SECONDS.toNanos(1);

  /** Otherwise, the time that is shown before and after the step. */
  private static final long AROUND = TimeUnit.MILLISECONDS.toNanos(5);

  private final TimeRange range;
  private final Selection selection;
  private final Analyses analyses;
  private final Predicate<SessionPair> failedAsExpected;
  private final Consumer<String> opener;
  private final Label headline = wrapped("explain-headline");
  private final Label summary = wrapped("explain-text");
  private final Label remedy = wrapped("explain-text");
  private final Label schedule = wrapped("explain-text");

  /** Wider lines are hard to read, and links would be far from their steps. */
  private static final double WIDEST = 900;

  private final VBox steps = new VBox();
  private final VBox findings = new VBox();
  private final LatencyGrid latencies = new LatencyGrid();
  private final Label stepsTitle = heading("Step by step");
  private final Label findingsTitle = heading("Findings");
  private final Label latenciesTitle = heading("How long requests took");
  private final ScrollPane root;
  private @Nullable SessionPair pair;
  private List<Step> shownSteps = List.of();
  private List<Found> shownFindings = List.of();
  private long explainedNext = -1;
  private @Nullable Ending explainedEnding;
  private boolean explainedAsExpected;
  private long textAt;

  /**
   * Makes an empty view.
   *
   * @param failedAsExpected whether a migration failed as its scenario expects
   * @param opener shows the view with a given title
   */
  public ExplainView(
      TimeRange range,
      Selection selection,
      Analyses analyses,
      Predicate<SessionPair> failedAsExpected,
      Consumer<String> opener) {
    this.range = range;
    this.selection = selection;
    this.analyses = analyses;
    this.failedAsExpected = failedAsExpected;
    this.opener = opener;
    headline.setId("explain-headline");
    steps.setId("explain-steps");
    findings.setId("explain-findings");
    steps.getStyleClass().add("explain-steps");
    findings.getStyleClass().add("explain-findings");
    var box =
        new VBox(
            headline,
            summary,
            remedy,
            schedule,
            stepsTitle,
            steps,
            findingsTitle,
            findings,
            latenciesTitle,
            latencies);
    box.getStyleClass().add("explain");
    box.setMaxWidth(WIDEST);
    HBox.setHgrow(box, Priority.ALWAYS);
    root = new ScrollPane(new HBox(box));
    root.setFitToWidth(true);
    root.setHbarPolicy(ScrollPane.ScrollBarPolicy.NEVER);
    root.getStyleClass().add("edge-to-edge");
    Menus.install(root, () -> pair == null ? List.of() : List.of(copyAll()));
    range.chosenProperty().subscribe(_ -> nameRange());
    show(null);
  }

  private static Label wrapped(String style) {
    var label = new Label();
    label.setWrapText(true);
    label.setMinHeight(Region.USE_PREF_SIZE);
    label.getStyleClass().add(style);
    return label;
  }

  private static Label heading(String text) {
    Label label = wrapped("explain-heading");
    label.setText(text);
    return label;
  }

  @Override
  public String title() {
    return "Explain";
  }

  @Override
  public Node node() {
    return root;
  }

  @Override
  public void show(@Nullable SessionPair newPair) {
    pair = newPair;
    explainedNext = -1;
    textAt = 0;
    shownSteps = List.of();
    shownFindings = List.of();
    steps.getChildren().clear();
    findings.getChildren().clear();
    latencies.show(List.of(), true);
    write(headline, newPair == null ? "Select a migration to see what happened and why." : "");
    write(summary, "");
    write(remedy, "");
    write(schedule, "");
    layOut();
  }

  @Override
  public void pulse(long nowNanos) {
    SessionPair of = pair;
    if (of == null) {
      return;
    }
    boolean complete = analyses.advance(of);
    // The list and the header say it at once.
    boolean asExpected = failedAsExpected.test(of);
    if (textAt != 0 && nowNanos - textAt < TEXT_NANOS && asExpected == explainedAsExpected) {
      return;
    }
    textAt = nowNanos;
    boolean ended = of.ended();
    // A session may go on faster than its events are read: then it is explained as far as they are.
    if (!complete && ended) {
      write(summary, "Reading the events…");
      layOut();
      return;
    }
    List<Requests> ends = of.sessions().stream().map(analyses::of).toList();
    long next = ends.stream().mapToLong(Requests::next).sum();
    // The check of the guest may change the ending after the end.
    Ending ending = of.ending();
    if (ended
        && next == explainedNext
        && Objects.equals(ending, explainedEnding)
        && asExpected == explainedAsExpected) {
      return;
    }
    explainedEnding = ending;
    explainedAsExpected = asExpected;
    explainedNext = ended ? next : -1;
    long until = ended || !complete ? lastNanos(ends, nowNanos) : of.clock(nowNanos);
    explain(of, until, ending, asExpected);
    if (!complete) {
      write(
          summary,
          "As of %s; later events are still being read. %s"
              .formatted(Format.moment(until - range.originNanos()), summary.getText()));
    }
    find(of);
    latencies.show(ends.stream().map(this::latencies).toList(), of.leading().migrates());
    layOut();
  }

  /** How long the requests of an end took, of the chosen range if there is one. */
  private LatencyGrid.End latencies(Requests of) {
    TimeRange.Span span = range.chosen();
    return new LatencyGrid.End(
        of.role(),
        span == null ? of.latencies() : Latencies.postedIn(of, span.fromNanos(), span.toNanos()));
  }

  /** Names the chosen range, and begins again with what depends on it. */
  private void nameRange() {
    boolean some = range.chosen() != null;
    String text = range.chosenText();
    stepsTitle.setText(
        some ? "Step by step, in bold within the range: %s".formatted(text) : "Step by step");
    findingsTitle.setText(some ? "Findings in the range: %s".formatted(text) : "Findings");
    latenciesTitle.setText(
        some
            ? "How long requests took that were posted in the range: %s".formatted(text)
            : "How long requests took");
    explainedNext = -1;
    textAt = 0;
    shownSteps = List.of();
    shownFindings = List.of();
    findings.getChildren().clear();
  }

  private static long lastNanos(List<Requests> ends, long now) {
    return ends.stream().mapToLong(Requests::lastNanos).filter(n -> n != 0).max().orElse(now);
  }

  private @Nullable Requests requests(@Nullable Session session) {
    return session == null ? null : analyses.of(session);
  }

  private void explain(SessionPair of, long now, @Nullable Ending ending, boolean asExpected) {
    if (!of.leading().telemetry().monitored()) {
      write(headline, "Nothing can be explained: this migration was started without monitoring.");
      return;
    }
    Explanation explanation = explanation(of, now, ending);
    write(
        headline,
        asExpected
            ? "Failed, as expected: %s".formatted(explanation.headline())
            : explanation.headline());
    headline.setGraphic(icon(explanation.state(), asExpected));
    write(summary, explanation.summary());
    write(
        remedy,
        explanation.remedy().isEmpty() ? "" : "What to do: %s".formatted(explanation.remedy()));
    String choices = ending == null ? null : of.leading().report().schedule();
    write(schedule, choices == null ? "" : choices);
    if (!explanation.steps().equals(shownSteps)) {
      shownSteps = explanation.steps();
      var rows = new ArrayList<Node>();
      for (int i = 0; i < shownSteps.size(); i++) {
        rows.add(row(of, i, shownSteps.get(i)));
      }
      steps.getChildren().setAll(rows);
    }
  }

  private Explanation explanation(SessionPair of, long now, @Nullable Ending ending) {
    Session session = of.leading();
    if (session.migrates()) {
      return Explainer.explain(requests(of.source()), requests(of.destination()), now, ending);
    }
    String outcome = session.outcome();
    return ProgramAnalysis.explain(
        analyses.of(session),
        outcome == null ? "" : outcome,
        session.status() == MigrationStatus.FAILED);
  }

  private static FontIcon icon(Explanation.State verdict, boolean asExpected) {
    var icon =
        new FontIcon(
            switch (verdict) {
              case IDLE, WAITING -> Feather.CLOCK;
              case RUNNING -> Feather.ACTIVITY;
              case STUCK -> Feather.ALERT_OCTAGON;
              case COMPLETED -> Feather.CHECK_CIRCLE;
              case UNSOUND, UNDECIDED -> Feather.ALERT_TRIANGLE;
              case CANCELLED -> Feather.SLASH;
              case FAILED -> Feather.X_CIRCLE;
            });
    icon.getStyleClass()
        .add(
            switch (verdict) {
              case IDLE -> "status-idle";
              case RUNNING -> "status-active";
              case COMPLETED -> "status-done";
              case WAITING, UNSOUND, CANCELLED -> "status-warning";
              case STUCK, UNDECIDED -> "status-failed";
              case FAILED -> asExpected ? "status-done" : "status-failed";
            });
    return icon;
  }

  private Node row(SessionPair of, int index, Step step) {
    var number = new Label((index + 1) + ".");
    number.getStyleClass().addAll("number", "explain-number");
    number.setMinWidth(Region.USE_PREF_SIZE);
    var when = new Label(Format.moment(step.nanos() - range.originNanos()));
    when.getStyleClass().addAll("number", "muted", "explain-when");
    when.setMinWidth(Region.USE_PREF_SIZE);
    String role = name(of.leading().migrates(), step.role());
    var who = new Label(role);
    who.getStyleClass().addAll("explain-who", "explain-" + role);
    who.setMinWidth(Region.USE_PREF_SIZE);
    var text = wrapped("explain-step-text");
    text.setText(step.text());
    text.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(text, Priority.ALWAYS);
    var row = new HBox(8, number, when, who, text);
    row.setAlignment(Pos.BASELINE_LEFT);
    row.getStyleClass().add(step.isKey() ? "explain-key-step" : "explain-step");
    TimeRange.Span span = range.chosen();
    if (span != null && step.event() >= 0 && span.has(step.nanos())) {
      row.getStyleClass().add("explain-in-range");
    }
    Menus.install(row, () -> items(of, step));
    if (step.event() < 0) {
      when.setText("");
      row.getStyleClass().add("explain-conclusion");
      return row;
    }
    row.getChildren().addAll(link(of, step, "Log"), link(of, step, "Wrids"));
    row.setOnMouseClicked(event -> {
      if (event.getButton() == MouseButton.PRIMARY) {
        choose(of, step);
      }
    });
    Tooltip.install(
        row, new Tooltip("Event %s of the %s".formatted(Format.count(step.event()), role)));
    return row;
  }

  /** What can be done with a step. */
  private List<MenuItem> items(SessionPair of, Step step) {
    var items = new ArrayList<MenuItem>();
    if (step.event() >= 0) {
      for (String view : List.of("Log", "Wrids")) {
        items.add(
            SelectionMenu.item(
                "show-" + view.toLowerCase(Locale.ROOT),
                "Show in %s".formatted(view),
                () -> {
                  choose(of, step);
                  opener.accept(view);
                }));
      }
    }
    items.add(Menus.copy("this step", step::text));
    items.add(copyAll());
    return items;
  }

  private MenuItem copyAll() {
    return Menus.copy("the explanation", this::text);
  }

  /** All that is shown, but for the latencies. */
  private String text() {
    Stream<String> head = Stream.of(headline, summary, remedy, schedule).map(Label::getText);
    Stream<String> told =
        shownSteps.stream()
            .map(step ->
                step.event() < 0
                    ? step.text()
                    : "%s  %s  %s"
                        .formatted(
                            Format.moment(step.nanos() - range.originNanos()),
                            step.role().text(),
                            step.text()));
    Stream<String> found =
        shownFindings.stream()
            .map(each ->
                "%s: %s. %s"
                    .formatted(
                        each.finding().severity().text(), each.title(), sentences(each.finding())));
    return Stream.of(head, told, found)
        .flatMap(Function.identity())
        .filter(line -> !line.isEmpty())
        .collect(joining("\n", "", "\n"));
  }

  private Button link(SessionPair of, Step step, String view) {
    var link = new Button(view);
    link.getStyleClass().addAll("flat", "small", "explain-link");
    link.setMinWidth(Region.USE_PREF_SIZE);
    link.setAccessibleText("Show this record in the view %s".formatted(view));
    link.setOnAction(_ -> {
      choose(of, step);
      opener.accept(view);
    });
    return link;
  }

  /** Selects the event of a step, and shows the time around it. */
  private void choose(SessionPair of, Step step) {
    Session session = step.role() == Role.SOURCE ? of.source() : of.destination();
    if (session == null) {
      return;
    }
    long first = shownSteps.getFirst().nanos();
    long last = shownSteps.getLast().nanos();
    if (last - first <= SHORT_STORY) {
      long margin = Math.max((last - first) / 10, TimeRange.SHORTEST);
      range.hold(first - margin, last + margin);
    } else {
      range.hold(step.nanos() - AROUND, step.nanos() + AROUND);
    }
    selection.selectEvent(session, step.event());
  }

  /**
   * A finding about one end.
   *
   * @param role the name of the end
   * @param part how much of it is in the chosen range; null if there is none, or if it is about the
   *     whole session
   */
  private record Found(String role, Finding finding, Evidence.@Nullable Part part) {
    boolean isOutside() {
      return part != null && part.count() == 0;
    }

    /** Its title, with how much of it is in the range. */
    String title() {
      String title = finding.title() + ", " + role;
      return part == null || part.total() == 1
          ? title
          : "%s: %s of %s in the range"
              .formatted(title, Format.count(part.count()), Format.count(part.total()));
    }
  }

  private void find(SessionPair of) {
    TimeRange.Span span = range.chosen();
    var all = new ArrayList<Found>();
    for (Session session : of.sessions()) {
      String role = name(of.leading().migrates(), session.role());
      for (Finding finding : findings(session)) {
        all.add(
            new Found(
                role,
                finding,
                span == null
                    ? null
                    : finding
                        .evidence()
                        .in(analyses.of(session), span.fromNanos(), span.toNanos())));
      }
    }
    if (all.equals(shownFindings)) {
      return;
    }
    shownFindings = List.copyOf(all);
    findings.getChildren().setAll(span == null ? rows(all.stream()) : inRange(all));
  }

  private static List<Node> rows(Stream<Found> found) {
    return found.map(ExplainView::row).toList();
  }

  /** What is in the range, then what has no time, and the titles of what lies outside. */
  private static List<Node> inRange(List<Found> all) {
    var rows = new ArrayList<>(rows(all.stream().filter(f -> f.part != null && !f.isOutside())));
    if (rows.isEmpty() && !all.isEmpty()) {
      rows.add(remark("None."));
    }
    List<Node> whole = rows(all.stream().filter(f -> f.part == null));
    if (!whole.isEmpty()) {
      rows.add(remark("Of the whole session:"));
      rows.addAll(whole);
    }
    String outside =
        all.stream().filter(Found::isOutside).map(ExplainView::outside).collect(joining(", "));
    if (!outside.isEmpty()) {
      rows.add(remark("Outside the range: %s.".formatted(outside)));
    }
    return rows;
  }

  private static String outside(Found found) {
    long total = found.part == null ? 0 : found.part.total();
    return "%s (%s%s)"
        .formatted(found.finding.title(), found.role, total > 1 ? ", " + Format.count(total) : "");
  }

  private static Label remark(String text) {
    Label remark = wrapped("explain-text");
    remark.getStyleClass().add("muted");
    remark.setText(text);
    return remark;
  }

  private List<Finding> findings(Session session) {
    if (!session.migrates()) {
      return ProgramAnalysis.findings(analyses.of(session), session.clock(System.nanoTime()));
    }
    return session.status().isEnd()
        ? Findings.of(analyses.of(session), session.report().downtimePhases())
        : List.of();
  }

  private static String name(boolean migrates, Role role) {
    return migrates ? role.text() : "program";
  }

  private static Node row(Found found) {
    Finding finding = found.finding;
    var icon =
        new FontIcon(
            switch (finding.severity()) {
              case INFO -> Feather.INFO;
              case WARNING -> Feather.ALERT_TRIANGLE;
              case ERROR -> Feather.X_CIRCLE;
            });
    icon.getStyleClass()
        .add(
            switch (finding.severity()) {
              case INFO -> "status-idle";
              case WARNING -> "status-warning";
              case ERROR -> "status-failed";
            });
    var title = new Label(found.title(), icon);
    title.getStyleClass().add("finding-title");
    title.setAccessibleText("%s: %s".formatted(finding.severity().text(), found.title()));
    var text = wrapped("explain-text");
    text.setText(sentences(finding));
    var row = new VBox(title, text);
    row.getStyleClass().add("finding");
    return row;
  }

  /** What was seen, why, and what can be done. */
  private static String sentences(Finding finding) {
    return (Format.capitalized(finding.seen()) + " " + finding.why() + " " + finding.advice())
        .strip();
  }

  private void layOut() {
    Presence.set(summary, !summary.getText().isEmpty());
    Presence.set(remedy, !remedy.getText().isEmpty());
    Presence.set(schedule, !schedule.getText().isEmpty());
    boolean some = !steps.getChildren().isEmpty();
    Presence.set(stepsTitle, some);
    Presence.set(steps, some);
    boolean found = !findings.getChildren().isEmpty();
    Presence.set(findingsTitle, found);
    Presence.set(findings, found);
    Presence.set(latenciesTitle, !latencies.isBlank());
    Presence.set(latencies, !latencies.isBlank());
  }

  private static void write(Label label, String text) {
    if (!text.equals(label.getText())) {
      label.setText(text);
    }
  }
}
