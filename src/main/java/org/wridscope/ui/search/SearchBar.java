// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.search;

import java.util.List;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.Tooltip;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.analysis.QueryCompletion;
import org.wridscope.control.SessionPair;
import org.wridscope.text.Format;
import org.wridscope.ui.Presence;
import org.wridscope.ui.Search;
import org.wridscope.ui.TitledView;
import org.wridscope.ui.remembered.RecentQueries;

/** The bar that searches in all views; hidden until it is opened. */
public final class SearchBar extends TitledView<VBox> {
  private static final PseudoClass ERROR = PseudoClass.getPseudoClass("error");

  private static final double WIDEST = 560;
  private static final double PROPOSALS_HEIGHT = 26;

  /** Characters of all proposals; more would not fit a narrow window. */
  private static final int MOST_PROPOSED = 84;

  /** Enough for most counts, so that nothing moves while they change. */
  private static final double COUNT = 150;

  private final Search search;
  private final TextField text = new TextField();
  private final RecentQueries recent;
  private final HBox proposals = new HBox(4);
  private final Label found = new Label();
  private final Label problem = new Label();

  /** What had the keyboard focus before the bar; null if nothing had. */
  private @Nullable Node before;

  /**
   * Makes a bar that is hidden.
   *
   * @param recent what was searched for last
   */
  public SearchBar(Search search, RecentQueries recent) {
    super("Search", new VBox(4));
    this.search = search;
    this.recent = recent;
    text.setId("search-text");
    text.setPromptText("chunk 12   0x440000001   status!=success and not qp=17   read or send");
    text.setAccessibleText("Search in all views");
    text.setTooltip(
        new Tooltip(
            """
            wrid, chunk, block, message, qp, opcode, status, key, event, end with = or !=, and words.
            All of them must be true, unless or, not and parentheses say otherwise.
            Numbers are found as a whole. Names with spaces need quotation marks.
            Tab completes a name.\
            """));
    text.setMinWidth(140);
    text.setMaxWidth(WIDEST);
    HBox.setHgrow(text, Priority.ALWAYS);
    text.textProperty().bindBidirectional(search.textProperty());
    search
        .textProperty()
        .subscribe((_, words) -> {
          if (!words.isBlank()) {
            Presence.set(root, true);
          }
          propose();
        });
    // Tab would leave the line.
    text.addEventFilter(KeyEvent.KEY_PRESSED, this::complete);
    text.addEventHandler(KeyEvent.KEY_PRESSED, this::key);
    var previous = button(Feather.CHEVRON_UP, "search-previous", "Previous hit (Shift+Enter)");
    previous.setOnAction(_ -> search.go(false));
    var next = button(Feather.CHEVRON_DOWN, "search-next", "Next hit (Enter)");
    next.setOnAction(_ -> search.go(true));
    var only = new ToggleButton("Only hits");
    only.setId("search-only");
    only.getStyleClass().add("small");
    only.setMinWidth(Region.USE_PREF_SIZE);
    only.setTooltip(new Tooltip("Hide everything else in Log and Wrids"));
    only.selectedProperty().bindBidirectional(search.onlyProperty());
    var close = button(Feather.X, "search-close", "Clear the search (Escape)");
    close.setOnAction(_ -> close());
    found.setId("search-found");
    found.getStyleClass().addAll("number", "muted");
    found.setMinWidth(COUNT);
    problem.setId("search-problem");
    problem.setWrapText(true);
    problem.setMinHeight(Region.USE_PREF_SIZE);
    problem.getStyleClass().add("field-error");
    var line = new HBox(6, text, previous, next, only, close, found);
    line.setAlignment(Pos.CENTER_LEFT);
    proposals.setId("search-proposals");
    proposals.setAlignment(Pos.CENTER_LEFT);
    proposals.setMinWidth(0);
    // So that nothing moves while the proposals change.
    proposals.setMinHeight(PROPOSALS_HEIGHT);
    proposals.setMaxHeight(PROPOSALS_HEIGHT);
    root.getChildren().setAll(line, proposals, problem);
    root.getStyleClass().addAll("view-bar", "search-bar");
    root.setId("search-bar");
    Presence.set(root, false);
    Presence.set(problem, false);
  }

  private static Button button(Feather icon, String id, String what) {
    var button = new Button("", new FontIcon(icon));
    button.setId(id);
    button.getStyleClass().addAll("flat", "button-icon");
    button.setTooltip(new Tooltip(what));
    button.setAccessibleText(what);
    return button;
  }

  /** Shows the bar, and lets the user type. */
  public void open() {
    Node focused = root.getScene() == null ? null : root.getScene().getFocusOwner();
    if (Presence.focusIn(root) == null) {
      before = focused;
    }
    Presence.set(root, true);
    propose();
    text.requestFocus();
    text.selectAll();
  }

  private void close() {
    text.clear();
    search.onlyProperty().set(false);
    boolean inside = Presence.focusIn(root) != null;
    Presence.set(root, false);
    Node back = before;
    before = null;
    if (inside && back != null && Presence.isSeen(back)) {
      back.requestFocus();
    }
  }

  /** Offers how what was typed can go on, or what was searched for last. */
  private void propose() {
    List<QueryCompletion> all =
        text.getText().isBlank()
            ? recent.list().stream().map(query -> new QueryCompletion(query, query)).toList()
            : search.completions();
    proposals.getChildren().clear();
    int length = 0;
    for (QueryCompletion each : all) {
      length += each.word().length() + 2;
      if (length > MOST_PROPOSED) {
        break;
      }
      var take = new Button(each.word());
      take.getStyleClass().addAll("small", "flat", "search-proposal");
      take.setMinWidth(Region.USE_PREF_SIZE);
      take.setMnemonicParsing(false);
      take.setAccessibleText("Search for %s".formatted(each.query()));
      take.setOnAction(_ -> take(each));
      proposals.getChildren().add(take);
    }
  }

  private void take(QueryCompletion proposal) {
    text.setText(proposal.query());
    text.requestFocus();
    text.end();
  }

  /** Completes what was typed with Tab; goes to the proposals with Down. */
  private void complete(KeyEvent event) {
    boolean plain = !event.isShiftDown() && !event.isShortcutDown() && !event.isAltDown();
    List<QueryCompletion> all = search.completions();
    if (plain && event.getCode() == KeyCode.TAB && !all.isEmpty()) {
      take(all.getFirst());
      event.consume();
    } else if (plain && event.getCode() == KeyCode.DOWN && !proposals.getChildren().isEmpty()) {
      proposals.getChildren().getFirst().requestFocus();
      event.consume();
    }
  }

  private void key(KeyEvent event) {
    if (event.getCode() == KeyCode.ENTER) {
      if (search.query() != null) {
        recent.add(text.getText());
      }
      search.go(!event.isShiftDown());
      event.consume();
    } else if (event.getCode() == KeyCode.ESCAPE) {
      close();
      event.consume();
    }
  }

  @Override
  public void show(@Nullable SessionPair pair) {
    search.show(pair);
  }

  @Override
  public void pulse(long nowNanos) {
    search.advance();
    boolean bad = !search.problem().isEmpty();
    text.pseudoClassStateChanged(ERROR, bad);
    Presence.set(problem, bad);
    write(problem, search.problem());
    write(found, search.query() == null ? "" : count());
  }

  private static void write(Label label, String words) {
    if (!words.equals(label.getText())) {
      label.setText(words);
    }
  }

  private String count() {
    long position = search.position();
    String hits = Format.counted(search.count(), "hit") + (search.isComplete() ? "" : "…");
    return position == 0 ? hits : "%s of %s".formatted(Format.count(position), hits);
  }
}
