// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import javafx.css.PseudoClass;
import javafx.scene.Node;
import javafx.scene.control.Tab;
import javafx.scene.control.TabPane;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.Priority;
import javafx.scene.layout.VBox;
import javafx.scene.text.Font;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
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

  private final TabPane pane = new TabPane();
  private final Map<Tab, View> views = new LinkedHashMap<>();
  private double titlesWidth;

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
   */
  void add(View view, Feather icon, String hint) {
    var tab = new Tab(view.title(), view.node());
    tab.setGraphic(new FontIcon(icon));
    tab.setTooltip(new Tooltip("%s: %s (Ctrl+%d)".formatted(view.title(), hint, views.size() + 1)));
    views.put(tab, view);
    pane.getTabs().add(tab);
    var title = new Text(view.title());
    title.setFont(Font.font(FONT));
    titlesWidth += Math.ceil(title.getLayoutBounds().getWidth()) + PADDING;
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

  /** The view of the current tab; null if there is none. */
  @Nullable View shown() {
    return views.get(pane.getSelectionModel().getSelectedItem());
  }

  /** Selects the tab with this title. */
  void open(String title) {
    views.forEach((tab, view) -> {
      if (view.title().equals(title)) {
        pane.getSelectionModel().select(tab);
      }
    });
  }

  /**
   * Selects a neighbour of the current tab; the first tab follows the last.
   *
   * @param by 1 for the next tab, -1 for the previous one
   */
  void step(int by) {
    int now = pane.getSelectionModel().getSelectedIndex();
    pane.getSelectionModel().select(Math.floorMod(now + by, views.size()));
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
