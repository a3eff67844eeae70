// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javafx.scene.layout.Region;
import org.wridscope.text.Format;
import org.wridscope.ui.chart.PartsBar;
import org.wridscope.ui.overview.TimeShares.Cause;
import org.wridscope.ui.overview.TimeShares.Share;

/** How the engine spends its time, as one bar. */
final class ShareBar {
  private static final double HEIGHT = 16;

  private final PartsBar bar =
      new PartsBar(
          "share",
          HEIGHT,
          Arrays.stream(Cause.values())
              .map(cause -> new PartsBar.Part(style(cause), cause.explanation()))
              .toList());

  private static String style(Cause cause) {
    return "share-" + cause.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Region node() {
    return bar;
  }

  void set(List<Share> shares) {
    double sum = Math.max(1, shares.stream().mapToDouble(Share::share).sum());
    // In the order of the enum, so that stretches do not change places when shares change.
    double[] ofCause = new double[Cause.values().length];
    shares.forEach(share -> ofCause[share.cause().ordinal()] = share.share());
    var stretches = new ArrayList<PartsBar.Stretch>();
    var spoken = new StringBuilder();
    for (Cause cause : Cause.values()) {
      double share = ofCause[cause.ordinal()];
      String text = cause.text() + " " + Format.percent(share);
      stretches.add(new PartsBar.Stretch(share / sum, List.of(text, cause.text())));
      spoken.append(share > 0 ? text + ", " : "");
    }
    bar.set(stretches, spoken.toString());
  }
}
