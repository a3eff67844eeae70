// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import javafx.scene.control.MenuItem;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.SeedDeadlock;
import org.wridscope.control.FakeSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.ui.wrids.ScriptedRequests;

final class SelectionMenuTest {
  private final ScriptedMigration hang = new ScriptedMigration(1).withBlocks(64 << 20, 0.5);
  private final ScriptedMigration busy = new ScriptedMigration(1).withBlocks(64 << 20, 0.5);
  private final TimeRange range = new TimeRange();
  private final Selection selection = new Selection();
  private final Analyses analyses = new Analyses();
  private final Search search = new Search(range, selection, analyses);
  private final List<String> opened = new ArrayList<>();
  private final SelectionMenu menu =
      new SelectionMenu(range, selection, search, analyses, opened::add);

  SelectionMenuTest() {
    var _ = new SeedDeadlock(hang.source().telemetry(), hang.destination().telemetry());
    search.show(hang.pair());
  }

  private Event event(FakeSession session, Predicate<Event> which) {
    return session.telemetry().log().read(0, 10_000).stream()
        .filter(which)
        .findFirst()
        .orElseThrow();
  }

  private List<String> texts(String view) {
    return menu.items(view).stream().map(MenuItem::getText).toList();
  }

  private void choose(String view, String text) {
    menu.items(view).stream()
        .filter(item -> text.equals(item.getText()))
        .findFirst()
        .orElseThrow()
        .fire();
  }

  @Test
  void nothingSelected_offersNothing() {
    assertThat(menu.items("Wrids")).isEmpty();
  }

  @Test
  void message_isShownInTheOtherViews() {
    Event event = event(hang.source(), EventText.Group.MESSAGES::has);
    selection.select(new Selected.LoggedEvent(hang.source(), event));
    assertThat(texts("Messages")).contains("Show in Log").doesNotContain("Show in Messages");
    assertThat(texts("Log")).contains("Show in Messages").doesNotContain("Show in Log");
    choose("Messages", "Show in Log");
    assertThat(opened).containsExactly("Log");
    assertThat(range.leftNanos()).isLessThanOrEqualTo(event.nanos());
    assertThat(range.rightNanos()).isGreaterThan(event.nanos());
  }

  @Test
  void write_isSearchedForByItsWrid_andShownAsAChunk() {
    var _ =
        new ScriptedRequests(busy.source().telemetry(), busy.destination().telemetry(), 1)
            .writes(10, 9_000);
    Event write = event(busy.source(), event -> event.kind() == EventKind.POST_WRITE);
    selection.select(new Selected.LoggedEvent(busy.source(), write));
    String filter =
        texts("Wrids").stream().filter(text -> text.contains("wrid=")).findFirst().orElseThrow();
    choose("Wrids", filter);
    assertThat(search.textProperty().get()).isEqualTo(filter.replace("Filter for ", ""));
    assertThat(search.problem()).isEmpty();
    assertThat(search.onlyProperty().get()).isTrue();
    choose("Wrids", "Show in Chunks");
    assertThat(selection.get()).isInstanceOf(Selected.Chunk.class);
    assertThat(texts("Chunks")).singleElement().asString().startsWith("Filter for chunk=");
    choose("Chunks", texts("Chunks").getFirst());
    assertThat(search.problem()).isEmpty();
  }
}
