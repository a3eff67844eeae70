// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.ArrayList;
import java.util.List;
import javafx.scene.Group;
import javafx.scene.Node;
import javafx.scene.shape.Line;
import javafx.scene.text.Text;
import org.wridscope.text.AxisUnit;
import org.wridscope.ui.Palette;

/**
 * The line above a chart: its title, its series with a value each, failures and a note.
 *
 * <p>Each value has a place of fixed width, so that a number does not move its neighbours. If there
 * is little room, that place is as wide as the widest value so far. If there is less, words are
 * left out and numbers stay. If failures need room, the names of series are the last words to go.
 */
final class Legend {
  private static final double TOP = 3;
  private static final double GAP = 4;
  private static final double SWATCH = 12;
  private static final double BETWEEN = 7;

  private final Group group = new Group();
  private final Text title = ChartText.heading();
  private final Text note = ChartText.small();
  private final Text failures = ChartText.normal();
  private final Text tersely = ChartText.normal();
  private final List<Entry> entries = new ArrayList<>();
  private final List<Palette> colours = new ArrayList<>();
  private final int waiting;
  private double laidOutWidth = -1;
  private boolean changed = true;

  /** The forms of a legend, from the widest to the narrowest. */
  private enum Form {
    ROOMY,
    /** Values have no more room than they need. */
    TIGHT,
    /** Failures are a cross and a number. */
    TERSE,
    /** The names of series stay, the title goes: failures take the room of both. */
    UNTITLED,
    NAMELESS,
    BARE;

    boolean named() {
      return compareTo(NAMELESS) < 0;
    }

    boolean titled() {
      return this != UNTITLED && this != BARE;
    }

    boolean spellsFailures() {
      return this == ROOMY || this == TIGHT;
    }
  }

  private static final class Entry {
    private final Line swatch = new Line();
    private final Text label = ChartText.normal();
    private final Text value = ChartText.normal();
    private final Text widest = ChartText.normal();
    private double widestSoFar;
    private boolean used = true;

    double width(Form form) {
      return SWATCH
          + GAP
          + (form.named() ? label.getLayoutBounds().getWidth() + GAP : 0)
          + (form == Form.ROOMY ? widest.getLayoutBounds().getWidth() : widestSoFar);
    }

    void show(boolean shown, boolean named) {
      swatch.setVisible(shown);
      label.setVisible(shown && named);
      value.setVisible(shown);
    }

    /** Returns whether the text is wider than all before. */
    boolean write(String text) {
      ChartText.write(value, text);
      double width = Math.ceil(value.getLayoutBounds().getWidth());
      boolean wider = width > widestSoFar;
      widestSoFar = Math.max(width, widestSoFar);
      return wider;
    }
  }

  Legend(ChartSpec spec) {
    group.setManaged(false);
    group.setMouseTransparent(true);
    title.setText(spec.title());
    group.getChildren().addAll(title, note, failures, tersely);
    for (Series series : spec.allSeries()) {
      add(series.label(), series.colour(), spec.unit().widest(), series.style());
    }
    waiting = spec.allWaits().isEmpty() ? -1 : entries.size();
    if (waiting >= 0) {
      add("wait", Palette.WAIT, AxisUnit.SHARE.widest(), Series.Style.AREA);
      entries.getLast().swatch.setStrokeWidth(9);
    }
  }

  private void add(String label, Palette colour, String widest, Series.Style style) {
    var entry = new Entry();
    entry.swatch.setStrokeWidth(style == Series.Style.AREA ? 4 : 2);
    if (style == Series.Style.DASHED) {
      entry.swatch.getStrokeDashArray().setAll(4.0, 3.0);
    }
    entry.label.setText(label);
    entry.widest.setText(widest);
    entry.widest.setVisible(false);
    entries.add(entry);
    colours.add(colour);
    group.getChildren().addAll(entry.swatch, entry.label, entry.value, entry.widest);
  }

  Node node() {
    return group;
  }

  void theme(boolean dark) {
    title.setFill(Palette.CURSOR.color(dark));
    note.setFill(Palette.TEXT.color(dark));
    failures.setFill(Palette.FAILED.color(dark));
    tersely.setFill(Palette.FAILED.color(dark));
    for (int i = 0; i < entries.size(); i++) {
      entries.get(i).swatch.setStroke(colours.get(i).color(dark));
      entries.get(i).label.setFill(Palette.TEXT.color(dark));
      entries.get(i).value.setFill(Palette.CURSOR.color(dark));
    }
  }

  /** Sets the title and the series that are shown, those from one index to another. */
  void use(String newTitle, int from, int to) {
    title.setText(newTitle);
    for (int i = 0; i < entries.size(); i++) {
      entries.get(i).used = i == waiting || (i >= from && i < to);
    }
    changed = true;
  }

  void write(int series, String value) {
    changed |= entries.get(series).write(value);
  }

  void writeWaiting(String share) {
    changed |= entries.get(waiting).write(share);
  }

  void writeFailures(int failed, int dropped) {
    var words = new ArrayList<String>();
    if (failed > 0) {
      words.add("failed %s".formatted(AxisUnit.COUNT.text(failed)));
    }
    if (dropped > 0) {
      words.add("dropped %s".formatted(AxisUnit.COUNT.text(dropped)));
    }
    String text = words.isEmpty() ? "" : "× " + String.join(", ", words);
    if (!text.equals(failures.getText())) {
      failures.setText(text);
      tersely.setText(words.isEmpty() ? "" : "× " + AxisUnit.COUNT.text(failed + (double) dropped));
      changed = true;
    }
  }

  void writeNote(String text) {
    if (!text.equals(note.getText())) {
      note.setText(text);
      changed = true;
    }
  }

  /** Places everything that fits into a width. */
  void layOut(double width) {
    if (width == laidOutWidth && !changed) {
      return;
    }
    laidOutWidth = width;
    changed = false;
    Form form = form(width);
    double rest = width - neededWidth(form);
    title.setVisible(form.titled());
    note.setVisible(rest >= note.getLayoutBounds().getWidth() + 2 * GAP);
    failures.setVisible(form.spellsFailures());
    tersely.setVisible(!form.spellsFailures());
    double x = GAP;
    if (form.titled()) {
      title.relocate(x, TOP);
      x += titleWidth();
    }
    double most = width - failuresWidth(form);
    for (Entry entry : entries) {
      double end = x + (entry.used ? entry.width(form) : 0);
      boolean fits = entry.used && end <= most;
      entry.show(fits, form.named());
      if (!fits) {
        continue;
      }
      double y = TOP + 8;
      entry.swatch.setStartX(x + 1);
      entry.swatch.setEndX(x + SWATCH - 1);
      entry.swatch.setStartY(y);
      entry.swatch.setEndY(y);
      double text = x + SWATCH + GAP;
      entry.label.relocate(text, TOP);
      entry.value.relocate(
          form.named() ? text + entry.label.getLayoutBounds().getWidth() + GAP : text, TOP);
      x = end + BETWEEN;
    }
    failures.relocate(x, TOP);
    tersely.relocate(x, TOP);
    note.relocate(width - note.getLayoutBounds().getWidth() - GAP - 1, TOP + 1);
  }

  /** The widest form that fits, or the narrowest. */
  private Form form(double width) {
    for (Form form : Form.values()) {
      boolean helps = form != Form.UNTITLED || !failures.getText().isEmpty();
      if (helps && neededWidth(form) <= width) {
        return form;
      }
    }
    return Form.BARE;
  }

  private double neededWidth(Form form) {
    return GAP
        + (form.titled() ? titleWidth() : 0)
        + entries.stream()
            .filter(entry -> entry.used)
            .mapToDouble(entry -> entry.width(form) + BETWEEN)
            .sum()
        - BETWEEN
        + failuresWidth(form);
  }

  private double titleWidth() {
    return title.getLayoutBounds().getWidth() + 2 * GAP;
  }

  private double failuresWidth(Form form) {
    Text shown = form.spellsFailures() ? failures : tersely;
    return shown.getText().isEmpty() ? 0 : shown.getLayoutBounds().getWidth() + BETWEEN + GAP;
  }
}
