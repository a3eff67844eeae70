// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javafx.stage.Stage;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.export.Export;
import org.wridscope.ui.Limits;
import org.wridscope.ui.Question;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionList;

/** What the list of migrations lets the user do. */
final class ListActions implements SessionList.Actions {
  private final Stage stage;
  private final Starting starting;
  private final RecordingActions recordings;
  private final SteppingActions stepping;
  private final Exporting exporting;
  private final Removal removal;
  private final SideWindows sideWindows;
  private final Consumer<Migration> cancel;

  ListActions(
      Stage stage,
      Starting starting,
      RecordingActions recordings,
      SteppingActions stepping,
      Exporting exporting,
      Removal removal,
      SideWindows sideWindows,
      Consumer<Migration> cancel) {
    this.stage = stage;
    this.starting = starting;
    this.recordings = recordings;
    this.stepping = stepping;
    this.exporting = exporting;
    this.removal = removal;
    this.sideWindows = sideWindows;
    this.cancel = cancel;
  }

  @Override
  public void start(Migration migration) {
    starting.startReady(migration);
  }

  @Override
  public void cancel(List<Migration> migrations) {
    migrations.forEach(cancel);
  }

  @Override
  public boolean hasLimits(Migration migration) {
    return limited(migration).isPresent();
  }

  @Override
  public void limitBandwidth(List<Migration> migrations) {
    Limits.askBandwidth(stage, limited(migrations));
  }

  @Override
  public void limitDowntime(List<Migration> migrations) {
    Limits.askDowntime(stage, limited(migrations));
  }

  private static List<Session> limited(List<Migration> migrations) {
    return migrations.stream().flatMap(each -> limited(each).stream()).toList();
  }

  /** The source whose limits can be changed. */
  private static Optional<Session> limited(Migration migration) {
    SessionPair pair = migration.pair();
    return pair == null || migration.recorded() || pair.leading().isWatched()
        ? Optional.empty()
        : Optional.ofNullable(pair.source()).filter(source -> !source.status().isEnd());
  }

  @Override
  public boolean canRepeat(Migration migration) {
    return starting.origins().canRepeat(migration);
  }

  @Override
  public void repeat(Migration migration) {
    starting.origins().repeat(migration);
  }

  @Override
  public boolean canEdit(Migration migration) {
    return starting.origins().canEdit(migration);
  }

  @Override
  public void edit(Migration migration) {
    starting.origins().edit(migration);
  }

  @Override
  public void stepThrough(Migration migration) {
    migration.recordedScenario().ifPresent(stepping::begin);
  }

  @Override
  public void rename(Migration migration) {
    Question.text(stage, "Rename the migration", "Name", migration.name(), migration::rename);
  }

  @Override
  public boolean isRecording(Migration migration) {
    return recordings.isRecording(migration.pair());
  }

  @Override
  public void toggleRecording(Migration migration) {
    recordings.toggleRecording(migration);
  }

  @Override
  public void compare(List<Migration> migrations) {
    sideWindows.compare(
        recordings.comparison(
            migrations.getFirst(), migrations.size() == 2 ? migrations.getLast() : null));
  }

  @Override
  public void export(Migration migration, Export export) {
    exporting.export(migration, export);
  }

  @Override
  public void remove(List<Migration> migrations) {
    removal.remove(migrations);
  }
}
