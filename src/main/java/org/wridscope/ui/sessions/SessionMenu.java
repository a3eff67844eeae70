// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.ObjectProperty;
import javafx.scene.control.CheckMenuItem;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.MenuItem;
import javafx.scene.control.SeparatorMenuItem;
import org.wridscope.ui.ChoiceMenu;
import org.wridscope.ui.export.ExportMenu;

/** The context menu of the list: what can be done to the selected migrations. */
final class SessionMenu extends ContextMenu {
  private final SessionList.Actions actions;
  private final Supplier<List<Migration>> selected;
  private final MenuItem start = item("list-start", "Start");
  private final MenuItem cancel = item("list-cancel", "Cancel migration");
  private final MenuItem bandwidth = item("list-bandwidth", "");
  private final MenuItem downtime = item("list-downtime", "");
  private final MenuItem repeat = item("list-repeat", "Repeat");
  private final MenuItem edit = item("list-edit", "Edit and repeat…");
  private final MenuItem rename = item("list-rename", "Rename…");
  private final MenuItem step = item("list-step", "Step through this run");
  private final MenuItem record = item("list-record", "");
  private final MenuItem compare = item("list-compare", "");
  private final MenuItem remove = item("list-remove", "");
  private final ExportMenu export;

  /**
   * @param selected the selected migrations
   * @param compact whether the list is
   */
  SessionMenu(
      SessionList.Actions actions,
      Supplier<List<Migration>> selected,
      BooleanProperty compact,
      ObjectProperty<Grouping> grouping) {
    this.actions = actions;
    this.selected = selected;
    onOne(start, actions::start);
    cancel.setOnAction(_ -> actions.cancel(selected.get()));
    bandwidth.setOnAction(_ -> actions.limitBandwidth(selected.get()));
    downtime.setOnAction(_ -> actions.limitDowntime(selected.get()));
    onOne(repeat, actions::repeat);
    onOne(edit, actions::edit);
    onOne(rename, actions::rename);
    onOne(step, actions::stepThrough);
    onOne(record, actions::toggleRecording);
    compare.setOnAction(_ -> actions.compare(selected.get()));
    remove.setOnAction(_ -> actions.remove(selected.get()));
    export =
        new ExportMenu(chosen -> {
          if (selected.get().size() == 1) {
            actions.export(selected.get().getFirst(), chosen);
          }
        });
    export.setId("list-export");
    var lines = new CheckMenuItem(SessionList.COMPACT);
    lines.setId("list-compact");
    lines.selectedProperty().bindBidirectional(compact);
    getItems()
        .setAll(
            start,
            cancel,
            bandwidth,
            downtime,
            repeat,
            edit,
            step,
            rename,
            new SeparatorMenuItem(),
            record,
            compare,
            export,
            new SeparatorMenuItem(),
            remove,
            new SeparatorMenuItem(),
            new ChoiceMenu<>(Grouping.TITLE, grouping, Grouping::text),
            lines);
    setOnShowing(_ -> refresh());
    // Without an item it would not be shown at all, and nothing could refresh it.
    refresh();
  }

  private static MenuItem item(String id, String text) {
    var item = new MenuItem(text);
    item.setId(id);
    return item;
  }

  private void onOne(MenuItem item, Consumer<Migration> action) {
    item.setOnAction(_ -> {
      List<Migration> now = selected.get();
      if (now.size() == 1) {
        action.accept(now.getFirst());
      }
    });
  }

  /** Shows what can be done to the present selection. */
  private void refresh() {
    List<Migration> now = selected.get();
    Migration one = now.size() == 1 ? now.getFirst() : null;
    boolean started = one != null && one.pair() != null;
    start.setVisible(one != null && one.settings() != null);
    long running = now.stream().filter(Migration::running).count();
    cancel.setVisible(running > 0);
    cancel.setText(
        now.size() == 1
            ? "Cancel migration"
            : running == 1 ? "Cancel the one that runs" : "Cancel these %d".formatted(running));
    long limited = now.stream().filter(actions::hasLimits).count();
    bandwidth.setVisible(limited > 0);
    bandwidth.setText(of("Bandwidth limit", limited, now.size()));
    downtime.setVisible(limited > 0);
    downtime.setText(of("Downtime limit", limited, now.size()));
    repeat.setVisible(one != null && actions.canRepeat(one));
    edit.setVisible(one != null && actions.canEdit(one));
    step.setVisible(one != null && one.recordedScenario().isPresent());
    rename.setVisible(one != null);
    record.setVisible(one != null && one.pair() != null && one.pair().leading().isLive());
    record.setText(one != null && actions.isRecording(one) ? "Stop recording" : "Record…");
    compare.setVisible(started || now.size() == 2);
    compare.setText(now.size() == 2 ? "Compare these two…" : "Compare with another one…");
    export.setVisible(started);
    long removable = now.stream().filter(each -> !each.running()).count();
    remove.setVisible(!now.isEmpty());
    remove.setDisable(removable == 0);
    remove.setText(
        removable > 1
            ? "Remove these %d from the list".formatted(removable)
            : "Remove from the list");
    separate();
  }

  private static String of(String limit, long limited, int selected) {
    return selected == 1
        ? limit + "…"
        : limited == 1
            ? limit + " of the one that runs…"
            : "%s of these %d…".formatted(limit, limited);
  }

  /** Shows a separator only after something that is shown. */
  private void separate() {
    boolean after = false;
    for (MenuItem item : getItems()) {
      if (item instanceof SeparatorMenuItem) {
        item.setVisible(after);
        after = false;
      } else {
        after |= item.isVisible();
      }
    }
  }
}
