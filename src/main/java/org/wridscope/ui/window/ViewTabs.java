// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javafx.css.PseudoClass;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.control.Tab;
import javafx.scene.control.TabPane;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.Priority;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import javafx.scene.text.Font;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.Session;
import org.wridscope.ui.View;

/**
 * The views as tabs. If the titles do not fit, each tab is an icon, and only the current tab has a
 * title, so that no tab is hidden in a menu.
 */
final class ViewTabs {
  private static final PseudoClass COMPACT = PseudoClass.getPseudoClass("compact");

  /** As in the style sheet: the font size of a title, and its left and right padding together. */
  private static final double FONT = 13;

  private static final double PADDING = 18;

  /** Lines of text longer than this are tiring to read. */
  private static final double WIDEST_TEXT = 520;

  private final TabPane pane = new TabPane();
  private final Map<Tab, View> views = new LinkedHashMap<>();

  /** What each view can show. */
  private final Map<Tab, Set<Subject>> subjects = new LinkedHashMap<>();

  private Subject subject = Subject.MIGRATION;
  private double titlesWidth;

  /** What the views are about. */
  enum Subject {
    MIGRATION(""),
    MIGRATION_OF_QEMU(
        "QEMU's own engine makes this migration. QMP does not tell its work requests,"
            + " registrations and messages, so this view has nothing to show."
            + "\n\nThey can be seen in a migration by Wridscope's engine, or in a trace log of"
            + " QEMU."),
    PROGRAM(
        "This is a program and not a migration. Its work requests are in the view Wrids, what"
            + " is wrong with them in Explain, and every event in the Log.");

    /** What a view says that has nothing to show. */
    private final String nothing;

    Subject(String nothing) {
      this.nothing = nothing;
    }

    static Subject of(@Nullable Session session) {
      if (session == null) {
        return MIGRATION;
      }
      return !session.migrates()
          ? PROGRAM
          : session.showsRequests() ? MIGRATION : MIGRATION_OF_QEMU;
    }
  }

  ViewTabs() {
    pane.setTabClosingPolicy(TabPane.TabClosingPolicy.UNAVAILABLE);
    pane.setId("views");
    pane.getStyleClass().add("dense-tabs");
    pane.setMinWidth(0);
    VBox.setVgrow(pane, Priority.ALWAYS);
    pane.widthProperty().subscribe(_ -> fit());
  }

  /**
   * Adds a view, whose shortcut is Ctrl and its number.
   *
   * @param hint what the view shows, a phrase
   * @param of what it can show
   */
  void add(View view, Feather icon, String hint, Set<Subject> of) {
    var tab = new Tab(view.title());
    tab.setGraphic(new FontIcon(icon));
    tab.setTooltip(new Tooltip("%s: %s (Ctrl+%d)".formatted(view.title(), hint, views.size() + 1)));
    views.put(tab, view);
    subjects.put(tab, of);
    pane.getTabs().add(tab);
    // What was never seen takes no time when the window opens: styles, sizes, and skins.
    tab.selectedProperty()
        .subscribe(selected -> {
          if (selected) {
            fill(tab);
          }
        });
    var title = new Text(view.title());
    title.setFont(Font.font(FONT));
    titlesWidth += Math.ceil(title.getLayoutBounds().getWidth()) + PADDING;
  }

  /**
   * Shows views of a subject; those that cannot show it say so. Of a program, a view is selected
   * that can.
   */
  void show(Subject newSubject) {
    subject = newSubject;
    views.keySet().stream().filter(tab -> tab.getContent() != null).forEach(this::fill);
    if (subject == Subject.PROGRAM && !isShown(pane.getSelectionModel().getSelectedItem())) {
      pane.getTabs().stream()
          .filter(this::isShown)
          .findFirst()
          .ifPresent(pane.getSelectionModel()::select);
    }
  }

  private void fill(Tab tab) {
    View view = views.get(tab);
    if (view != null) {
      tab.setContent(isShown(tab) ? view.node() : nothing(subject.nothing));
    }
  }

  private boolean isShown(@Nullable Tab tab) {
    return subjects.getOrDefault(tab, Set.of()).contains(subject);
  }

  private static Node nothing(String why) {
    var text = new Label(why);
    text.getStyleClass().add("empty-text");
    text.setWrapText(true);
    text.setMaxWidth(WIDEST_TEXT);
    var nothing = new StackPane(text);
    nothing.getStyleClass().add("empty");
    return nothing;
  }

  private void fit() {
    pane.pseudoClassStateChanged(COMPACT, pane.getWidth() < titlesWidth);
  }

  Node node() {
    return pane;
  }

  /** Titles in the order of the tabs. */
  Iterable<String> titles() {
    return views.values().stream().map(View::title).toList();
  }

  void forEach(Consumer<View> action) {
    views.values().forEach(action);
  }

  /** The title of the current tab. */
  String title() {
    Tab tab = pane.getSelectionModel().getSelectedItem();
    return tab == null ? "" : tab.getText();
  }

  /** The view of the current tab; null if it has nothing to show. */
  @Nullable View shown() {
    Tab tab = pane.getSelectionModel().getSelectedItem();
    return isShown(tab) ? views.get(tab) : null;
  }

  /** Selects the tab with this title. */
  void open(String title) {
    views.forEach((tab, view) -> {
      if (view.title().equals(title)) {
        pane.getSelectionModel().select(tab);
      }
    });
  }

  /** The place of the current tab, 0 for the first one. */
  int place() {
    return pane.getSelectionModel().getSelectedIndex();
  }

  /** Selects the tab at a place, if there is one. */
  void open(int place) {
    if (place >= 0 && place < views.size()) {
      pane.getSelectionModel().select(place);
    }
  }

  /**
   * Selects a neighbour of the current tab; the first tab follows the last.
   *
   * @param by 1 for the next tab, -1 for the previous one
   */
  void step(int by) {
    open(Math.floorMod(place() + by, views.size()));
  }

  /** Runs an action whenever another tab is selected. */
  void onChange(Runnable action) {
    pane.getSelectionModel().selectedItemProperty().subscribe(_ -> action.run());
  }

  /** Requests the keyboard focus, so that arrow keys move between tabs. */
  void focus() {
    pane.requestFocus();
  }
}
