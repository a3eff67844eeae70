// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javafx.scene.AccessibleRole;
import javafx.scene.control.Label;
import javafx.scene.control.OverrunStyle;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.Region;
import org.wridscope.telemetry.Format;
import org.wridscope.ui.overview.TimeShares.Cause;
import org.wridscope.ui.overview.TimeShares.Share;

/** Where the engine's time goes: one bar of stretches, each with its name when there is room. */
final class ShareBar extends Region {
  private static final double HEIGHT = 16;

  private final Map<Cause, Label> stretches = new EnumMap<>(Cause.class);
  private List<Share> shares = List.of();

  ShareBar() {
    getStyleClass().add("share-bar");
    setAccessibleRole(AccessibleRole.TEXT);
    for (Cause cause : Cause.values()) {
      var label = new Label(cause.text());
      label
          .getStyleClass()
          .addAll("share", "share-" + cause.name().toLowerCase(Locale.ROOT).replace('_', '-'));
      label.setManaged(false);
      label.setVisible(false);
      label.setTooltip(new Tooltip(cause.explanation()));
      label.setTextOverrun(OverrunStyle.CLIP);
      stretches.put(cause, label);
      getChildren().add(label);
    }
  }

  void set(List<Share> newShares) {
    if (newShares.equals(shares)) {
      return;
    }
    shares = newShares;
    var spoken = new StringBuilder();
    for (Share share : shares) {
      spoken
          .append(share.cause().text())
          .append(' ')
          .append(Format.percent(share.share()))
          .append(", ");
    }
    setAccessibleText(spoken.toString());
    requestLayout();
  }

  @Override
  protected void layoutChildren() {
    stretches.values().forEach(label -> label.setVisible(false));
    double sum = shares.stream().mapToDouble(Share::share).sum();
    double x = 0;
    // In the order of the enum, so that stretches do not change places as shares change.
    for (Cause cause : stretches.keySet()) {
      for (Share share : shares) {
        if (share.cause() != cause) {
          continue;
        }
        Label label = stretches.get(cause);
        double width = Math.rint(getWidth() * share.share() / Math.max(1, sum));
        String text = cause.text() + " " + Format.percent(share.share());
        label.setText(
            width > 7.2 * text.length()
                ? text
                : width > 7.2 * cause.text().length() ? cause.text() : "");
        label.setVisible(true);
        label.resizeRelocate(x, 0, Math.max(0, width - 1), HEIGHT);
        x += width;
      }
    }
  }

  @Override
  protected double computePrefHeight(double width) {
    return HEIGHT;
  }

  @Override
  protected double computeMinHeight(double width) {
    return HEIGHT;
  }
}
