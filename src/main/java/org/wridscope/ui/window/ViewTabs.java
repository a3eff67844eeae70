// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javafx.css.PseudoClass;
import javafx.scene.AccessibleRole;
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
import org.wridscope.control.SessionPair;
import org.wridscope.ui.Presence;
import org.wridscope.ui.View;

/**
 * The views as tabs. If the titles do not fit, each tab is an icon, and only the current tab has a
 * title, so that no tab is hidden in a menu.
 */
final class ViewTabs {
  /** Pictures, tables and lists. */
  private static final Set<AccessibleRole> TAKING_KEYS =
      EnumSet.of(AccessibleRole.IMAGE_VIEW, AccessibleRole.TABLE_VIEW, AccessibleRole.LIST_VIEW);

  private static final PseudoClass COMPACT = PseudoClass.getPseudoClass("compact");

  /** As in the style sheet: the font size of a title, and its left and right padding together. */
  private static final double FONT = 13;

  private static final double PADDING = 18;

  /** Lines of text longer than this are tiring to read. */
  private static final double WIDEST_TEXT = 520;

  private final TabPane pane = new TabPane();
  private final Map<Tab, Place> places = new LinkedHashMap<>();
  private Subject subject = Subject.MIGRATION;
  private boolean dark = true;
  private @Nullable SessionPair pair;

  /** Whether anything has been shown; before that, no view is needed. */
  private boolean begun;

  private double titlesWidth;

  /** What the views are about. */
  enum Subject {
    MIGRATION("", ""),
    MIGRATION_OF_QEMU(
        "QEMU's own engine makes this migration. QMP does not tell its work requests,"
            + " registrations and messages, so this view has nothing to show."
            + "\n\nThey can be seen in a migration by Wridscope's engine, or in a trace log of"
            + " QEMU.",
        ""),
    PROGRAM(
        "This is a program and not a migration. Its work requests are in the view Wrids, its memory"
            + " regions in Registrations, what is wrong with them in Explain, and every event in the"
            + " Log.",
        "Wrids");

    /** What a view says that has nothing to show. */
    private final String nothing;

    /** The title of the view that is shown instead of such a one; empty for that one itself. */
    private final String instead;

    Subject(String nothing, String instead) {
      this.nothing = nothing;
      this.instead = instead;
    }

    static Subject of(Session session) {
      return !session.migrates()
          ? PROGRAM
          : session.showsRequests() ? MIGRATION : MIGRATION_OF_QEMU;
    }
  }

  /** A view that is made when it is needed, since all of them take a while. */
  private final class Place {
    private final String title;
    private final Set<Subject> of;
    private final Supplier<View> maker;
    private @Nullable View made;

    /**
     * @param of what the view can show
     */
    Place(String title, Set<Subject> of, Supplier<View> maker) {
      this.title = title;
      this.of = of;
      this.maker = maker;
    }

    View view() {
      View view = made;
      if (view == null) {
        view = maker.get();
        if (!view.title().equals(title)) {
          throw new IllegalStateException("%s is not %s".formatted(view.title(), title));
        }
        made = view;
        view.theme(dark);
        view.show(pair);
      }
      return view;
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
   * @param maker makes the view, of this title
   */
  void add(String title, Feather icon, String hint, Set<Subject> of, Supplier<View> maker) {
    var tab = new Tab(title);
    tab.setGraphic(new FontIcon(icon));
    tab.setTooltip(new Tooltip("%s: %s (Ctrl+%d)".formatted(title, hint, places.size() + 1)));
    places.put(tab, new Place(title, of, maker));
    pane.getTabs().add(tab);
    // What was never seen takes no time when the window opens: styles, sizes, and skins.
    tab.selectedProperty()
        .subscribe(selected -> {
          if (selected && begun) {
            fill(tab);
          }
        });
    var text = new Text(title);
    text.setFont(Font.font(FONT));
    titlesWidth += Math.ceil(text.getLayoutBounds().getWidth()) + PADDING;
  }

  /** Makes one of the views that have not been needed yet. Returns whether there was one. */
  boolean prepareOne() {
    for (Map.Entry<Tab, Place> each : places.entrySet()) {
      if (each.getValue().made == null) {
        var _ = each.getValue().view();
        fill(each.getKey());
        return true;
      }
    }
    return false;
  }

  private Stream<View> made() {
    return places.values().stream()
        .<View>mapMulti((place, each) -> {
          if (place.made != null) {
            each.accept(place.made);
          }
        });
  }

  void theme(boolean darkTheme) {
    dark = darkTheme;
    made().forEach(view -> view.theme(darkTheme));
  }

  /** Shows these sessions in all views, or none. */
  void show(@Nullable SessionPair newPair) {
    pair = newPair;
    made().forEach(view -> view.show(newPair));
  }

  /**
   * Shows views of a subject; those that cannot show it say so. Of a program, one is selected that
   * can.
   */
  void showViewsOf(Subject newSubject) {
    subject = newSubject;
    begun = true;
    places.keySet().stream()
        .filter(tab -> tab.getContent() != null || tab.isSelected())
        .forEach(this::fill);
    if (!isShown(pane.getSelectionModel().getSelectedItem())) {
      open(subject.instead);
    }
  }

  private void fill(Tab tab) {
    Place place = places.get(tab);
    if (place != null) {
      tab.setContent(isShown(tab) ? place.view().node() : nothing(subject.nothing));
    }
  }

  private boolean isShown(@Nullable Tab tab) {
    Place place = places.get(tab);
    return place != null && place.of.contains(subject);
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
    return places.values().stream().map(place -> place.title).toList();
  }

  /** The title of the current tab. */
  String title() {
    Tab tab = pane.getSelectionModel().getSelectedItem();
    return tab == null ? "" : tab.getText();
  }

  /** The view of the current tab; null if it has nothing to show, or nothing was shown yet. */
  @Nullable View shown() {
    Tab tab = pane.getSelectionModel().getSelectedItem();
    Place place = places.get(tab);
    return place != null && begun && isShown(tab) ? place.view() : null;
  }

  /** Selects the tab with this title. */
  void open(String title) {
    places.forEach((tab, place) -> {
      if (place.title.equals(title)) {
        select(tab);
      }
    });
  }

  /** Selects a tab; the keyboard focus goes from the view before to the new one. */
  private void select(Tab tab) {
    Tab before = pane.getSelectionModel().getSelectedItem();
    Node content = before == null || before.equals(tab) ? null : before.getContent();
    boolean inside = content != null && Presence.focusIn(content) != null;
    pane.getSelectionModel().select(tab);
    if (inside) {
      keyboardOf(tab.getContent()).requestFocus();
    }
  }

  /** What of a view takes keys: its first picture, table or list; otherwise its first control. */
  private Node keyboardOf(@Nullable Node content) {
    if (content == null) {
      return pane;
    }
    List<Node> all =
        content.lookupAll("*").stream()
            .filter(
                node -> node.isFocusTraversable() && !node.isDisabled() && Presence.isSeen(node))
            .toList();
    return all.stream()
        .filter(node -> TAKING_KEYS.contains(node.getAccessibleRole()))
        .findFirst()
        .orElse(all.isEmpty() ? pane : all.getFirst());
  }

  /** The place of the current tab, 0 for the first one. */
  int place() {
    return pane.getSelectionModel().getSelectedIndex();
  }

  /** Selects the tab at a place, if there is one. */
  void open(int place) {
    if (place >= 0 && place < places.size()) {
      select(pane.getTabs().get(place));
    }
  }

  /**
   * Selects a neighbour of the current tab; the first tab follows the last.
   *
   * @param by 1 for the next tab, -1 for the previous one
   */
  void step(int by) {
    open(Math.floorMod(place() + by, places.size()));
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
