// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.List;
import java.util.function.BiConsumer;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.scene.layout.VBox;
import javafx.stage.Window;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.text.Format;
import org.wridscope.ui.Hints;
import org.wridscope.ui.SuggestionBox;
import org.wridscope.units.Parse;

/** Asks for another Wridscope, whose sessions are to be shown. */
public final class WridscopeDialog {
  private static final String DEFAULT_RATE = "4MiB/s";

  /** What a Wridscope accepts. */
  private static final long MIN_RATE = 64 << 10;

  private static final long MAX_RATE = 256 << 20;

  private final SuggestionBox address = new SuggestionBox();
  private final TextField rate = new TextField(DEFAULT_RATE);
  private final BiConsumer<QmpAddress, Long> accepted;
  private final DialogFrame frame;

  /**
   * @param recent addresses to choose from
   * @param accepted receives where it is, and how many bytes it may send in a second
   */
  public WridscopeDialog(Window owner, List<String> recent, BiConsumer<QmpAddress, Long> accepted) {
    this.accepted = accepted;
    address.setId("wridscope-address");
    address.getEditor().setPrefColumnCount(34);
    address.offer(recent);
    Hints.explain(
        address,
        "Where the other Wridscope accepts QMP, as its option --qmp says: a socket of another"
            + " machine through ssh, a socket of this one, or a port.");
    rate.setId("wridscope-rate");
    Hints.explain(
        rate,
        ("The most that it sends per second, from %s/s to %s/s. Counters are complete"
                + " nevertheless.")
            .formatted(Format.bytes(MIN_RATE), Format.bytes(MAX_RATE)));
    var addressLabel = new Label("Address: ssh:HOST:/PATH, unix:/PATH or tcp:127.0.0.1:PORT");
    addressLabel.setLabelFor(address);
    var rateLabel = new Label("Rate limit");
    rateLabel.setLabelFor(rate);
    var inputs = new VBox(8, addressLabel, address, rateLabel, rate);
    inputs.getStyleClass().add("dialog-list");
    frame = new DialogFrame(owner, "Attach to a Wridscope", inputs, "Attach", this::accept);
    frame.explain(
        "Shows the sessions of a Wridscope that was started with --qmp, here or on another"
            + " machine, in all views. Events beyond the rate limit are left out and counted."
            + " The sessions continue when you detach or close the window.");
    frame.wrapHindrance();
    address.getEditor().textProperty().subscribe(this::check);
    rate.textProperty().subscribe(this::check);
    check();
  }

  /** Shows the dialog; returns at once. */
  public void show() {
    frame.show();
  }

  private QmpAddress readAddress() {
    return QmpAddress.parse(address.typed());
  }

  private long readRate() {
    long read = Parse.rate("Rate limit", rate.getText());
    if (read < MIN_RATE || read > MAX_RATE) {
      throw new IllegalArgumentException(
          "Rate limit: write a rate from %s/s to %s/s."
              .formatted(Format.bytes(MIN_RATE), Format.bytes(MAX_RATE)));
    }
    return read;
  }

  private void check() {
    boolean empty = address.typed().isEmpty();
    try {
      long _ = readRate();
      if (!empty) {
        QmpAddress _ = readAddress();
      }
      frame.hinder("", empty);
    } catch (IllegalArgumentException e) {
      frame.hinder(String.valueOf(e.getMessage()), true);
    }
  }

  private void accept() {
    try {
      QmpAddress where = readAddress();
      long most = readRate();
      frame.close();
      accepted.accept(where, most);
    } catch (IllegalArgumentException e) {
      check();
    }
  }
}
