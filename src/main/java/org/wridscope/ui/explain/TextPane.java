// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.explain;

import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javafx.application.Platform;
import javafx.geometry.Orientation;
import javafx.scene.Parent;
import javafx.scene.TraversalDirection;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.SplitPane;
import javafx.scene.control.TextArea;
import javafx.scene.control.Tooltip;
import javafx.scene.input.Clipboard;
import javafx.scene.input.DataFormat;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.VBox;
import javafx.scene.text.Text;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.analysis.meaning.ExplanationText;

/**
 * Explains a text that the user pastes: a value, a line of a log, a console, a mail. The answer is
 * that of the command {@code explain}. For the JavaFX thread only.
 */
public final class TextPane {
  /** Characters; the rest of a longer text is left out, and the command reads any length. */
  public static final int LONGEST = 8 << 20;

  private static final int LEAST_COLUMNS = 40;
  private static final int MOST_COLUMNS = 80;

  /** Of the answer's width, what its scroll bar and its padding take. */
  private static final double MARGIN = 44;

  private static final String NOTHING =
      "Nothing is known about this text. Lines of QEMU, libvirt, NCCL, UCX, libfabric, SPDK, Open MPI,"
          + " rping, perftest and the kernel are known, and names and numbers of statuses, events,"
          + " errnos and wrids.";

  private final Executor background;
  private final TextArea text = new TextArea();
  private final TextArea answer = new TextArea();
  private final Button copy = new Button("Copy the answer", new FontIcon(Feather.COPY));
  private final Button open = new Button("Open as a session", new FontIcon(Feather.FOLDER));
  private final VBox root;

  /** The number of the newest text; answers about older ones are not shown. */
  private long newest;

  private ExplanationText.Answer explanation = _ -> "";

  /** Characters in a line of the answer. */
  private int columns = MOST_COLUMNS;

  /**
   * @param background explains
   * @param opener opens a text as a recording
   */
  public TextPane(Executor background, Consumer<String> opener) {
    this.background = background;
    text.setId("explained-text");
    text.setAccessibleText("Text to be explained");
    text.setPromptText("Paste a line, a console, a log or a mail here.");
    text.getStyleClass().add("plain-text");
    answer.setId("explained-answer");
    answer.setAccessibleText("Explanation");
    answer.setEditable(false);
    answer.setWrapText(true);
    answer.getStyleClass().add("plain-text");
    answer.widthProperty().subscribe(this::layOut);
    answer.fontProperty().subscribe(this::layOut);
    leaveWithTab(text);
    text.textProperty().subscribe(this::explain);
    copy.setId("copy-explanation");
    copy.setOnAction(_ -> copy());
    open.setId("open-explained");
    open.setTooltip(new Tooltip("Show the console or the trace log in this text in the views"));
    open.setOnAction(_ -> opener.accept(text.getText()));
    var heading = new Label("Explain a text");
    heading.getStyleClass().add("dialog-title");
    heading.setLabelFor(text);
    var split = new SplitPane(text, answer);
    split.setOrientation(Orientation.VERTICAL);
    split.setDividerPositions(0.35);
    VBox.setVgrow(split, Priority.ALWAYS);
    root = new VBox(heading, split, new HBox(8, copy, open));
    root.getStyleClass().addAll("window-root", "devices-pane");
  }

  /** Tab moves the focus, as everywhere; a text has no need of tabs that are typed. */
  private static void leaveWithTab(TextArea area) {
    area.addEventFilter(
        KeyEvent.KEY_PRESSED,
        event -> {
          if (event.getCode() == KeyCode.TAB && !event.isControlDown() && !event.isShiftDown()) {
            event.consume();
            boolean _ = area.requestFocusTraversal(TraversalDirection.NEXT);
          }
        });
  }

  /** Breaks the lines of the answer where they fit, so that its columns stay columns. */
  private void layOut() {
    var sample = new Text("0".repeat(MOST_COLUMNS));
    sample.setFont(answer.getFont());
    double room = answer.getWidth() - MARGIN;
    double share = room / sample.getLayoutBounds().getWidth();
    int fitting = (int) Math.clamp(share * MOST_COLUMNS, LEAST_COLUMNS, MOST_COLUMNS);
    if (fitting != columns && room > 0) {
      columns = fitting;
      answer.setText(explanation.text(columns));
    }
  }

  public Parent node() {
    return root;
  }

  /** Explains a text instead of the present one. */
  public void show(String pasted) {
    text.setText(pasted.substring(0, Math.min(pasted.length(), LONGEST)));
    text.positionCaret(0);
  }

  /** Gives the keyboard focus to the text. */
  public void focus() {
    text.requestFocus();
  }

  private void explain(String present) {
    long number = ++newest;
    boolean none = present.isBlank();
    open.setDisable(none);
    copy.setDisable(none);
    if (none) {
      explanation = _ -> "";
      answer.clear();
      return;
    }
    background.execute(() -> {
      ExplanationText.Answer found = ExplanationText.ofPasted(present).orElse(_ -> NOTHING);
      Platform.runLater(() -> {
        if (number == newest) {
          explanation = found;
          answer.setText(found.text(columns));
        }
      });
    });
  }

  private void copy() {
    boolean _ =
        Clipboard.getSystemClipboard().setContent(Map.of(DataFormat.PLAIN_TEXT, answer.getText()));
  }
}
