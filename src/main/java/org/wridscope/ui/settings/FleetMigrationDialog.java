// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.Priority;
import javafx.scene.layout.VBox;
import javafx.stage.Window;
import org.wridscope.control.doctor.Level;
import org.wridscope.control.fleet.FleetCheck;
import org.wridscope.control.fleet.FleetHost;
import org.wridscope.control.fleet.Readiness;
import org.wridscope.settings.Place;
import org.wridscope.text.Format;
import org.wridscope.ui.CheckNode;
import org.wridscope.ui.VerticalScroll;
import org.wridscope.ui.settings.FleetMigrationForm.Transport;

/** Asks how domains are to be migrated by libvirt. For the JavaFX thread only. */
public final class FleetMigrationDialog {
  private final FleetMigrationForm form;
  private final List<String> recentUris;
  private final Examiner examiner;
  private final Runnable accepted;
  private final FormGrid grid;
  private final SegmentedChoice<Transport> transports;
  private final Label asked = new Label();
  private final VBox checks = new VBox();
  private final DialogFrame frame;

  /** Finds out in the background whether two hosts can migrate over RDMA. */
  @FunctionalInterface
  public interface Examiner {
    /**
     * Examines them; returns at once.
     *
     * @param found receives the result on the JavaFX thread
     * @param failed receives a sentence instead, on the JavaFX thread
     */
    void examine(FleetHost destination, Consumer<Readiness> found, Consumer<String> failed);
  }

  /**
   * @param form shown at first, and changed by the user
   * @param profiles can be entered into the form
   * @param recentUris addresses to choose from, as far as they suit the transport
   * @param accepted called when the form is to be started
   */
  public FleetMigrationDialog(
      Window owner,
      FleetMigrationForm form,
      Profiles profiles,
      List<String> recentUris,
      Examiner examiner,
      Runnable accepted) {
    this.form = form;
    this.recentUris = recentUris;
    this.examiner = examiner;
    this.accepted = accepted;
    grid = new FormGrid(form, this::showErrors, () -> {});
    grid.add(
        "To", destinations(), "The host to which the domains migrate; it has to be connected.");
    transports =
        new SegmentedChoice<>(
            List.of(Transport.values()), form.transport(), Transport::text, this::choose);
    grid.add(
        "Over",
        transports,
        "What carries the guest: RDMA if both hosts pass the checks below, or TCP.");
    grid.add(Field.URI);
    grid.addAt(Place.LIBVIRT);
    checks.getStyleClass().add("findings");
    asked.getStyleClass().add("muted");
    asked.setWrapText(true);
    asked.setId("dialog-checks");
    var results = new VBox(6, asked, checks);
    results.getStyleClass().add("fleet-checks");
    var found = new VerticalScroll(results);
    VBox.setVgrow(grid.node(), Priority.ALWAYS);
    frame =
        new DialogFrame(owner, title(form), new VBox(grid.node(), found), "Migrate", this::accept);
    frame.wrapHindrance();
    grid.onUnfolding(frame::fit);
    frame.addBesideTitle(new ProfileMenu(form, profiles, this::refresh).node());
    frame.explain(
        "libvirt and the QEMUs of both hosts transfer the guest by themselves. Wridscope starts"
            + " that, steers it, and shows what libvirt tells; work requests cannot be seen.");
    refresh();
    examine();
  }

  private static String title(FleetMigrationForm form) {
    return form.domains().size() == 1
        ? "Migrate %s from %s".formatted(form.domains().getFirst().name(), form.source().title())
        : "Migrate %s from %s"
            .formatted(Format.counted(form.domains().size(), "domain"), form.source().title());
  }

  /** A destination to choose. */
  private record End(FleetHost host) {
    @Override
    public String toString() {
      return "%s  ·  %s".formatted(host.title(), host.uri());
    }
  }

  private ComboBox<End> destinations() {
    var box = new ComboBox<End>();
    box.setId("fleet-to");
    box.setMaxWidth(Double.MAX_VALUE);
    box.getItems().setAll(form.destinations().stream().map(End::new).toList());
    box.getSelectionModel().selectFirst();
    box.setOnAction(_ -> {
      End end = box.getValue();
      if (end != null) {
        form.setDestination(end.host());
        refresh();
        examine();
      }
    });
    return box;
  }

  private void examine() {
    FleetHost destination = form.destination();
    checks.getChildren().clear();
    if (destination == null) {
      asked.setText("");
      return;
    }
    asked.setText("Asking both hosts whether they can migrate over RDMA…");
    examiner.examine(
        destination,
        readiness -> {
          if (destination.equals(form.destination())) {
            form.setReadiness(readiness);
            show(readiness);
            refresh();
          }
        },
        sentence -> {
          if (destination.equals(form.destination())) {
            asked.setText(sentence);
          }
        });
  }

  private void show(Readiness readiness) {
    List<FleetCheck> wrong =
        readiness.checks().stream().filter(check -> check.result().level() != Level.OK).toList();
    List<FleetCheck> fine =
        readiness.checks().stream().filter(check -> check.result().level() == Level.OK).toList();
    String verdict =
        readiness.rdma()
            ? "Both hosts can migrate over RDMA."
            : wrong.stream().anyMatch(check -> check.result().level() == Level.FAILURE)
                ? "These hosts cannot migrate over RDMA as they are."
                : "It is not known whether these hosts can migrate over RDMA.";
    asked.setText("%s %s passed.".formatted(verdict, Format.counted(fine.size(), "check")));
    asked.setTooltip(
        new Tooltip(
            fine.stream()
                .map(check -> "%s: %s".formatted(check.host(), check.result().sentence()))
                .collect(Collectors.joining("\n"))));
    checks
        .getChildren()
        .setAll(wrong.stream().map(check -> CheckNode.of(check.host(), check.result())).toList());
    frame.fit();
  }

  private void choose(Transport transport) {
    form.setTransport(transport);
    refresh();
  }

  private void refresh() {
    transports.select(form.transport());
    grid.refresh();
    grid.setPrompt(Field.URI, form.addressPrompt());
    grid.choice(Field.URI).offer(recentUris.stream().filter(form::suits).toList());
    showErrors();
    if (frame.isShown()) {
      frame.fit();
    }
  }

  private void showErrors() {
    Map<Field, String> errors = form.errors();
    grid.showErrors(field -> errors.getOrDefault(field, ""));
    String why = form.hindrance();
    frame.hinder(why, !why.isEmpty());
  }

  /** Shows the dialog; returns at once. */
  public void show() {
    frame.show();
  }

  private void accept() {
    showErrors();
    Map<Field, String> errors = form.errors();
    if (errors.isEmpty() && form.hindrance().isEmpty()) {
      frame.close();
      accepted.run();
    } else {
      grid.focusFirst(errors.keySet());
    }
  }
}
