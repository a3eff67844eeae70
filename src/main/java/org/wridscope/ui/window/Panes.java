// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.function.Consumer;
import javafx.scene.Node;
import javafx.scene.control.SplitPane;

/**
 * The list, the views and the inspector side by side. List and inspector keep their widths when the
 * window is resized. When it becomes narrow, the inspector is hidden, and the list becomes narrower
 * unless the user has chosen its width.
 */
final class Panes {
  /** In narrower windows, the inspector is hidden unless the user asks for it. */
  private static final double NARROW = 1100;

  private static final double LIST = 236;
  private static final double NARROW_LIST = 200;
  private static final double INSPECTOR = 284;

  /** The list has at most this much more or less than the width that it was given. */
  private static final double ROUNDING = 2;

  /** The largest share of the window's width that the inspector gets unless it was made wider. */
  private static final double INSPECTOR_SHARE = 0.26;

  /** The largest share of the window's width for list or inspector, however wide they were. */
  private static final double LARGEST_SHARE = 0.4;

  private final Node list;
  private final Node inspector;
  private final Consumer<Boolean> inspectorChanged;
  private final Split split = new Split();
  private boolean wanted = true;
  private boolean alone;
  private double listWidth;
  private double inspectorWidth = INSPECTOR;
  private boolean listWidthChosen;
  private double inspectorShare = INSPECTOR_SHARE;

  /**
   * How the window is divided.
   *
   * @param list width of the list; 0 if the user has not chosen one
   * @param inspector width of the inspector, shown or not; 0 for the usual one
   * @param inspectorWanted whether the inspector is shown where there is room for it
   */
  record Widths(double list, double inspector, boolean inspectorWanted) {}

  /**
   * @param inspectorChanged receives whether the inspector is shown
   */
  Panes(Node list, Node views, Node inspector, Consumer<Boolean> inspectorChanged) {
    this.list = list;
    this.inspector = inspector;
    this.inspectorChanged = inspectorChanged;
    SplitPane.setResizableWithParent(list, false);
    SplitPane.setResizableWithParent(inspector, false);
    split.getItems().setAll(list, views, inspector);
    split.widthProperty().subscribe((before, now) -> fit(before.doubleValue(), now.doubleValue()));
  }

  Node node() {
    return split;
  }

  /** The widths of now. */
  Widths widths() {
    boolean chosen = listWidthChosen || Math.abs(width(list) - listWidth) > ROUNDING;
    return new Widths(
        chosen ? width(list) : 0, hasInspector() ? width(inspector) : inspectorWidth, wanted);
  }

  /** Divides the window as it was; before its first layout. */
  void restore(Widths widths) {
    wanted = widths.inspectorWanted;
    if (widths.list > 0) {
      listWidth = widths.list;
      listWidthChosen = true;
    }
    if (widths.inspector > 0) {
      inspectorWidth = widths.inspector;
      inspectorShare = LARGEST_SHARE;
    }
  }

  boolean hasInspector() {
    return split.getItems().contains(inspector);
  }

  void toggleInspector() {
    wanted = !hasInspector();
    showInspector(wanted);
  }

  /** Shows the views alone, or everything again; the inspector can be shown beside them. */
  void viewsAlone(boolean on) {
    if (on == alone) {
      return;
    }
    showInspector(!on && wanted && split.getWidth() >= NARROW);
    alone = on;
    if (on) {
      split.getItems().remove(list);
    } else {
      split.getItems().addFirst(list);
    }
  }

  private void fit(double before, double now) {
    if (alone) {
      return;
    }
    if (before == 0 || now < NARROW != before < NARROW) {
      showInspector(now >= NARROW && wanted);
      if (!listWidthChosen) {
        listWidth = now < NARROW ? NARROW_LIST : LIST;
      }
    }
  }

  private void showInspector(boolean shown) {
    if (!split.arranging && !alone) {
      listWidthChosen |= Math.abs(width(list) - listWidth) > ROUNDING;
      listWidth = width(list);
      inspectorWidth = hasInspector() ? width(inspector) : inspectorWidth;
    }
    if (!shown) {
      split.getItems().remove(inspector);
    } else if (!hasInspector()) {
      split.getItems().add(inspector);
    }
    split.arranging = true;
    split.requestLayout();
    inspectorChanged.accept(shown);
  }

  private static double width(Node node) {
    return node.getLayoutBounds().getWidth();
  }

  /** Divider positions are shares of the width, which is known only during layout. */
  private final class Split extends SplitPane {
    private boolean arranging = true;

    @Override
    protected void layoutChildren() {
      super.layoutChildren();
      if (arranging && getWidth() > 0) {
        arranging = false;
        double left = Math.min(listWidth / getWidth(), LARGEST_SHARE);
        double right = Math.min(inspectorWidth / getWidth(), inspectorShare);
        if (alone) {
          setDividerPositions(1 - right);
        } else {
          setDividerPositions(left, 1 - right);
        }
        super.layoutChildren();
      }
    }
  }
}
