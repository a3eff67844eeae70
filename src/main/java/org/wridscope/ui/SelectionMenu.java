// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import javafx.scene.control.MenuItem;
import javafx.scene.input.Clipboard;
import javafx.scene.input.ClipboardContent;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventChunks;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.SearchField;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;

/** What can be done with what is selected: copied, searched for, shown in other views. */
public final class SelectionMenu {
  private static final List<SearchField> FILTERS =
      List.of(SearchField.WRID, SearchField.CHUNK, SearchField.QP, SearchField.EVENT);

  private final TimeRange range;
  private final Selection selection;
  private final Search search;
  private final Analyses analyses;
  private final @Nullable Consumer<String> opener;

  /**
   * @param opener shows the view with a given title; null if no other view can be shown
   */
  public SelectionMenu(
      TimeRange range,
      Selection selection,
      Search search,
      Analyses analyses,
      @Nullable Consumer<String> opener) {
    this.range = range;
    this.selection = selection;
    this.search = search;
    this.analyses = analyses;
    this.opener = opener;
  }

  /**
   * The items for what is selected now; none if nothing is.
   *
   * @param view the title of the view that shows them, which they do not offer
   */
  public List<MenuItem> items(String view) {
    return switch (selection.get()) {
      case null -> List.of();
      case Selected.WorkRequest request -> ofRequest(request, view);
      case Selected.LoggedEvent logged -> ofEvent(logged.session(), logged.event(), view);
      case Selected.Chunk chunk ->
          List.of(filter(chunk(chunk.session(), chunk.block(), chunk.chunk())));
      case Selected.Registration region ->
          List.of(filter(chunk(region.session(), region.block(), region.firstChunk())));
    };
  }

  private List<MenuItem> ofRequest(Selected.WorkRequest request, String view) {
    String wrid = "0x%x".formatted(request.facts().wrid());
    var items = new ArrayList<MenuItem>();
    items.add(copy("Copy the wrid %s".formatted(wrid), wrid));
    items.add(filter("wrid=%s".formatted(wrid)));
    Event event = event(request);
    if (event != null) {
      items.addAll(views(request.session(), event, view));
    }
    return items;
  }

  /** The first event of a request that the log still has; null if there is none. */
  private static @Nullable Event event(Selected.WorkRequest request) {
    for (RequestFacts.Station station : request.facts().history()) {
      List<Event> read = request.session().telemetry().log().read(station.event(), 1);
      if (!read.isEmpty() && read.getFirst().number() == station.event()) {
        return read.getFirst();
      }
    }
    return null;
  }

  private List<MenuItem> ofEvent(Session session, Event event, String view) {
    var items = new ArrayList<MenuItem>();
    items.add(copy("Copy what happened", EventText.summary(event, session.telemetry())));
    items.addAll(filters(session, event));
    items.addAll(views(session, event, view));
    return items;
  }

  /** Items that search for what has the same fields as an event. */
  public List<MenuItem> filters(Session session, Event event) {
    var items = new ArrayList<MenuItem>();
    for (SearchField field : FILTERS) {
      String term = field.termOf(event, analyses.of(session));
      if (!term.isEmpty()) {
        String block =
            field == SearchField.CHUNK
                ? " " + SearchField.BLOCK.termOf(event, analyses.of(session))
                : "";
        MenuItem item = filter(term + block);
        item.setId("filter-" + field.title());
        items.add(item);
      }
    }
    return items;
  }

  /**
   * Items that show an event in other views.
   *
   * @param view the title of the view that shows them, which they do not offer
   */
  public List<MenuItem> views(Session session, Event event, String view) {
    if (opener == null) {
      return List.of();
    }
    var items = new ArrayList<MenuItem>();
    var logged = new Selected.LoggedEvent(session, event);
    if (!SearchField.WRID.termOf(event, analyses.of(session)).isEmpty()) {
      items.add(show(opener, "Wrids", logged, event));
    }
    if (EventChunks.count(
            event.kind(), event.detail(), event.length(), event.wrid(), event.argument())
        > 0) {
      items.add(
          show(
              opener,
              "Chunks",
              new Selected.Chunk(
                  session,
                  WorkRequestId.block(event.wrid()),
                  (int) WorkRequestId.chunk(event.wrid())),
              event));
    }
    if (EventText.Group.MESSAGES.has(event)) {
      items.add(show(opener, "Messages", logged, event));
    }
    items.add(show(opener, "Log", logged, event));
    items.removeIf(item -> item.getText().endsWith(" " + view));
    return items;
  }

  private MenuItem show(Consumer<String> by, String view, Selected what, Event event) {
    return item(
        "show-" + view.toLowerCase(Locale.ROOT),
        "Show in %s".formatted(view),
        () -> {
          selection.select(what);
          range.reveal(event.nanos());
          by.accept(view);
        });
  }

  private static String chunk(Session session, int block, int chunk) {
    List<ChunkTable> blocks = session.telemetry().blocks();
    return "chunk=%d%s"
        .formatted(
            chunk, block < blocks.size() ? " block=%s".formatted(blocks.get(block).name()) : "");
  }

  private MenuItem filter(String term) {
    return item(
        "filter",
        "Filter for %s".formatted(term),
        () -> {
          search.find(term);
          search.onlyProperty().set(true);
        });
  }

  private static MenuItem copy(String text, String copied) {
    return item("copy", text, () -> copy(copied));
  }

  /** Puts a text on the clipboard. */
  public static void copy(String text) {
    var content = new ClipboardContent();
    content.putString(text);
    Clipboard.getSystemClipboard().setContent(content);
  }

  /** An item whose text may have underscores, as wrids have in their names. */
  public static MenuItem item(String id, String text, Runnable action) {
    var item = new MenuItem(text);
    item.setId(id);
    item.setMnemonicParsing(false);
    item.setOnAction(_ -> action.run());
    return item;
  }
}
