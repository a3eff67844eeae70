// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.geometry.VPos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.ToggleGroup;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.FlowPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Region;
import org.controlsfx.control.SegmentedButton;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.analysis.RequestKind;
import org.wridscope.recording.SessionPair;
import org.wridscope.telemetry.QueueId;
import org.wridscope.ui.wrids.WridNavigation.Ends;

/** The bar above the picture: which ends and requests to show, what to find, and counts. */
final class WridsBar {
  private static final PseudoClass ERROR = PseudoClass.getPseudoClass("error");

  private final ToggleButton both = new ToggleButton("Both");
  private final ToggleButton source = new ToggleButton("Source");
  private final ToggleButton destination = new ToggleButton("Destination");
  private final SegmentedButton segments = new SegmentedButton(both, source, destination);
  private final ComboBox<String> queue = new ComboBox<>();
  private final ComboBox<String> kind = new ComboBox<>();
  private final TextField only = new TextField();
  private final TextField find = new TextField();
  private final Button previous = new Button("", new FontIcon(Feather.CHEVRON_UP));
  private final Button next = new Button("", new FontIcon(Feather.CHEVRON_DOWN));
  private final Label count = new Label();
  private final FlowPane root;
  private List<QueueId> queues = List.of();
  private List<String> names = List.of();

  /** Reacts to changes in the bar. */
  interface Listener {
    void endsChanged();

    /**
     * Another queue was chosen.
     *
     * @param only the queue of a program to show; null for all
     */
    void queueChanged(@Nullable QueueId only);

    void filterChanged();

    void markChanged();

    /** Selects the next marked request, or the one before. */
    void goToMarked(boolean forwards);
  }

  WridsBar(Listener listener) {
    var toggles = new ToggleGroup();
    toggles.getToggles().addAll(both, source, destination);
    segments.setToggleGroup(toggles);
    segments.setMinWidth(Region.USE_PREF_SIZE);
    both.setSelected(true);
    toggles
        .selectedToggleProperty()
        .subscribe((_, toggle) -> {
          if (toggle == null) {
            both.setSelected(true);
          } else {
            listener.endsChanged();
          }
        });
    queue.setId("wrid-queue");
    queue.setAccessibleText("Queue of the program to show");
    queue
        .getSelectionModel()
        .selectedIndexProperty()
        .subscribe((_, index) ->
            listener.queueChanged(index.intValue() <= 0 ? null : queues.get(index.intValue() - 1)));
    showKinds(false);
    kind.setId("wrid-kind");
    kind.setAccessibleText("Kind of requests to show");
    kind.valueProperty().subscribe(listener::filterChanged);
    field(
        only,
        "wrid-only",
        "Only: pc.ram chunk 17",
        "Shows only writes to a block or a chunk, such as pc.ram or chunk 17.");
    only.setAccessibleText("Block, chunk or wrid to show only");
    only.setPrefWidth(190);
    only.textProperty().subscribe(listener::filterChanged);
    field(
        find,
        "wrid-find",
        "Find: 0x440000001",
        "A wrid as 0x440000001 or 4000, or decoded: write block 0 chunk 17, recv 1.");
    find.setAccessibleText("Wrid to find");
    find.setPrefWidth(170);
    find.textProperty().subscribe(listener::markChanged);
    find.setOnAction(_ -> listener.goToMarked(true));
    Consumer<Boolean> go = listener::goToMarked;
    button(previous, "wrid-previous", "The marked request before (Shift+N)", false, go);
    button(next, "wrid-next", "The next marked request (Enter, or N in the picture)", true, go);
    count.setId("wrid-count");
    count.getStyleClass().addAll("number", "muted");
    var search = new HBox(2, find, previous, next);
    search.setAlignment(Pos.CENTER_LEFT);
    root = new FlowPane(8, 6, segments, queue, kind, only, search, count);
    root.setRowValignment(VPos.CENTER);
    root.getStyleClass().add("view-bar");
  }

  private static void field(TextField field, String id, String prompt, String tip) {
    field.setId(id);
    field.setPromptText(prompt);
    field.setTooltip(new Tooltip(tip));
  }

  private static void button(
      Button button, String id, String text, boolean forwards, Consumer<Boolean> go) {
    button.getStyleClass().addAll("flat", "button-icon");
    button.setId(id);
    button.setTooltip(new Tooltip(text));
    button.setAccessibleText(text);
    button.setOnAction(_ -> go.accept(forwards));
  }

  Node node() {
    return root;
  }

  /** Enables the ends of a migration that are in this process, and chooses all of them. */
  void show(@Nullable SessionPair pair) {
    boolean program = pair != null && !pair.leading().migrates();
    show(segments, !program);
    show(queue, program);
    show(only, !program);
    showKinds(program);
    setQueues(List.of(), List.of());
    boolean two = pair != null && pair.sessions().size() == 2;
    both.setDisable(!two);
    source.setDisable(pair == null || pair.source() == null);
    destination.setDisable(pair == null || pair.destination() == null);
    (pair == null || two ? both : pair.source() != null ? source : destination).setSelected(true);
  }

  private static void show(Node node, boolean visible) {
    node.setVisible(visible);
    node.setManaged(visible);
  }

  private void showKinds(boolean ofProgram) {
    List<String> items = new ArrayList<>(List.of("all kinds"));
    for (RequestKind each : RequestKind.values()) {
      if (ofProgram || each.ofMigrations()) {
        items.add(each.text());
      }
    }
    if (!items.equals(kind.getItems())) {
      kind.getItems().setAll(items);
      kind.setValue(items.getFirst());
    }
  }

  /**
   * Offers the queues of a program; the one that is shown stays.
   *
   * @param called their names
   */
  void setQueues(List<QueueId> found, List<String> called) {
    if (queues.equals(found) && names.equals(called) && !queue.getItems().isEmpty()) {
      return;
    }
    int index = queue.getSelectionModel().getSelectedIndex();
    QueueId chosen = index <= 0 ? null : queues.get(index - 1);
    queues = List.copyOf(found);
    names = List.copyOf(called);
    queue.getItems().setAll(Stream.concat(Stream.of("all queues"), called.stream()).toList());
    queue.getSelectionModel().select(chosen == null ? 0 : queues.indexOf(chosen) + 1);
  }

  Ends ends() {
    return source.isSelected()
        ? Ends.SOURCE
        : destination.isSelected() ? Ends.DESTINATION : Ends.BOTH;
  }

  /** The kind of requests to show; null for all. */
  @Nullable RequestKind kind() {
    int index = kind.getItems().indexOf(kind.getValue());
    return index <= 0 ? null : RequestKind.values()[index - 1];
  }

  /** The block, chunk or wrid to show only. */
  String only() {
    return only.getText();
  }

  /** Shows whether the text of {@link #only} could be read. */
  void setOnlyUnderstood(boolean understood) {
    only.pseudoClassStateChanged(ERROR, !understood);
  }

  /** The wrid to find. */
  String find() {
    return find.getText();
  }

  /** Shows whether the text of {@link #find} could be read, and whether anything is marked. */
  void setFound(boolean understood, boolean marks) {
    find.pseudoClassStateChanged(ERROR, !understood);
    previous.setDisable(!marks);
    next.setDisable(!marks);
  }

  void setCounts(String text) {
    if (!text.equals(count.getText())) {
      count.setText(text);
    }
  }
}
