// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import javafx.scene.control.ComboBox;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.qemu.QemuConnection;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.settings.Place;
import org.wridscope.ui.settings.QemuMigrationForm.Engine;

/** Asks how the guest of a QEMU is to be migrated. For the JavaFX thread only. */
public final class QemuMigrationDialog {
  private final QemuMigrationForm form;
  private final List<String> recentUris;
  private final Consumer<QemuMigrationForm.Plan> accepted;
  private final FormGrid grid;
  private final SegmentedChoice<Engine> engines;
  private final DialogFrame frame;

  /** An end to choose; without an address it is elsewhere. */
  private record End(@Nullable QmpAddress address, String text) {
    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * @param form shown at first, and changed by the user
   * @param profiles can be entered into the form
   * @param recentUris addresses to choose from, as far as they suit the engine
   * @param accepted receives what is to be started
   */
  public QemuMigrationDialog(
      Window owner,
      QemuMigrationForm form,
      Profiles profiles,
      List<String> recentUris,
      Consumer<QemuMigrationForm.Plan> accepted) {
    this.form = form;
    this.recentUris = recentUris;
    this.accepted = accepted;
    grid = new FormGrid(form, this::showErrors, () -> {});
    addEnds();
    engines =
        new SegmentedChoice<>(List.of(Engine.values()), form.engine(), Engine::text, this::choose);
    grid.add(
        "Engine",
        engines,
        "Who transfers the guest: Wridscope over RDMA, visible in every view, or the QEMUs"
            + " themselves.");
    grid.add(Field.URI);
    grid.add(Field.DEVICE);
    grid.addAt(Place.LIFT, Place.LAND, Place.QEMU);
    frame = new DialogFrame(owner, DialogKind.QEMU.title(), grid.node(), "Start", this::accept);
    frame.wrapHindrance();
    grid.onUnfolding(frame::fit);
    frame.addBesideTitle(new ProfileMenu(form, profiles, this::refresh).node());
    refresh();
  }

  private void choose(Engine engine) {
    form.setEngine(engine);
    refresh();
  }

  private void addEnds() {
    addEnd(
        "From",
        "qemu-from",
        "another host",
        "The QEMU whose guest is migrated: one that is connected, or one elsewhere.",
        form.sources(),
        form.source(),
        form::setSource);
    addEnd(
        "To",
        "qemu-to",
        "another host, which listens already",
        "The QEMU that takes the guest: one that is connected, or one elsewhere.",
        form.destinations(),
        form.destination(),
        form::setDestination);
  }

  private void addEnd(
      String caption,
      String id,
      String elsewhere,
      String hint,
      List<QemuConnection> qemus,
      @Nullable QmpAddress chosen,
      Consumer<@Nullable QmpAddress> choose) {
    var box = new ComboBox<End>();
    box.setId(id);
    box.setMaxWidth(Double.MAX_VALUE);
    var ends = new ArrayList<End>();
    qemus.forEach(qemu -> ends.add(new End(qemu.address(), text(qemu))));
    ends.add(new End(null, elsewhere));
    box.getItems().setAll(ends);
    box.getSelectionModel()
        .select(
            ends.stream()
                .filter(end -> Objects.equals(end.address(), chosen))
                .findFirst()
                .orElseThrow());
    box.setOnAction(_ -> {
      End end = box.getValue();
      choose.accept(end == null ? null : end.address());
      refresh();
    });
    grid.add(caption, box, hint);
  }

  private static String text(QemuConnection qemu) {
    String title = qemu.title();
    String address = qemu.address().toString();
    return title.equals(address) ? address : title + "  ·  " + address;
  }

  /** Shows the form. */
  private void refresh() {
    engines.select(form.engine());
    grid.refresh();
    grid.setPrompt(Field.URI, form.addressPrompt());
    grid.choice(Field.URI).offer(recentUris.stream().filter(form::suits).toList());
    frame.explain(
        switch (form.engine()) {
          case WRIDSCOPE ->
              "Wridscope shares the RAM of the QEMU and sends it over RDMA, visible in every"
                  + " view. Neither QEMU needs RDMA built in.";
          case QEMU ->
              "The QEMUs transfer the guest by themselves. Wridscope starts that, steers it,"
                  + " and shows what QMP tells; work requests cannot be seen.";
        });
    showErrors();
    frame.fit();
  }

  private void showErrors() {
    Map<Field, String> errors = form.errors();
    grid.showErrors(field -> errors.getOrDefault(field, ""));
    String why = form.hindrance();
    frame.hinder(why, !why.isEmpty());
  }

  /** Adds installed devices to choose from. */
  public void offerDevices(List<String> names) {
    grid.offerDevices(names);
  }

  /** Shows the dialog; returns at once. */
  public void show() {
    frame.show();
  }

  private void accept() {
    showErrors();
    Map<Field, String> errors = form.errors();
    if (errors.isEmpty() && form.hindrance().isEmpty()) {
      QemuMigrationForm.Plan plan = form.plan();
      frame.close();
      accepted.accept(plan);
    } else {
      grid.focusFirst(errors.keySet());
    }
  }
}
