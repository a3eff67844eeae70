// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.List;
import java.util.function.Supplier;
import javafx.scene.control.MenuItem;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.QueueId;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.TitledView;
import org.wridscope.ui.chart.TimePlot;

/**
 * Every work request as a line from its post to its completion, the source above the destination. A
 * click selects what is under the pointer, and the arrow keys go from request to request.
 */
public final class WridsView extends TitledView<BorderPane> {
  private final Search search;
  private final WridNavigation navigation;
  private final WridsBar bar;
  private final WridsPlot picture;
  private final Minimap minimap;
  private @Nullable SessionPair pair;

  /**
   * Makes an empty view that shows and changes the selection.
   *
   * @param menu what can be done with it
   */
  public WridsView(
      TimeRange range,
      Selection selection,
      Analyses analyses,
      Search search,
      Supplier<List<MenuItem>> menu) {
    super("Wrids", new BorderPane());
    this.search = search;
    navigation = new WridNavigation(range, selection, analyses);
    bar = new WridsBar(new Changes());
    picture = new WridsPlot(range, navigation, this::goToAnomaly, menu);
    minimap = new Minimap(range, navigation);
    // Tab goes through them in this order.
    root.setTop(new VBox(bar.node(), minimap.node()));
    root.setCenter(picture.plot().node());
    root.setId("wrids");
    selection
        .selectedProperty()
        .subscribe((before, after) -> {
          mark();
          picture.highlight(before, after);
        });
    search.onlyProperty().subscribe(_ -> filter());
    search
        .queryProperty()
        .subscribe(_ -> {
          filter();
          mark();
        });
    picture.highlight(null, selection.get());
    theme(true);
    show(null);
  }

  private final class Changes implements WridsBar.Listener {
    @Override
    public void endsChanged() {
      showEnds();
    }

    @Override
    public void queueChanged(@Nullable QueueId only) {
      navigation.show(only);
      picture.begin();
      minimap.renew();
    }

    @Override
    public void filterChanged() {
      filter();
    }

    @Override
    public void toAnomaly(boolean forwards) {
      goToAnomaly(forwards);
    }
  }

  TimePlot plot() {
    return picture.plot();
  }

  @Override
  public void show(@Nullable SessionPair newPair) {
    pair = newPair;
    bar.show(newPair);
    showEnds();
  }

  private void showEnds() {
    navigation.show(pair, bar.ends());
    picture.begin();
    filter();
    mark();
  }

  private void goToAnomaly(boolean forwards) {
    bar.tell(navigation.goToAnomaly(forwards));
  }

  private void filter() {
    navigation.filter(search.filter(), bar.kind());
    minimap.renew();
    picture.plot().renew();
  }

  private void mark() {
    navigation.mark(search.query());
    picture.plot().renew();
  }

  @Override
  public void theme(boolean dark) {
    picture.theme(dark);
    minimap.theme(dark);
  }

  @Override
  public void pulse(long nowNanos) {
    navigation.advance(nowNanos);
    boolean due = picture.plot().isTextDue(nowNanos);
    picture.pulse(nowNanos);
    minimap.align(picture.plot().left(), root.getWidth() - picture.plot().right());
    minimap.pulse(due);
    if (due) {
      navigation.renewSelected();
      bar.setCounts(navigation.counts());
      bar.setQueues(navigation.queues(), navigation.queueNames());
    }
  }
}
