// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

/** A dialog that asks for the inputs of a migration. */
public enum DialogKind {
  LAB("Lab migration"),
  SOURCE("Source"),
  DESTINATION("Destination"),
  QEMU("Migrate the guest of a QEMU"),
  FLEET("Migrate domains");

  private final String title;

  DialogKind(String title) {
    this.title = title;
  }

  /** What it asks for, a phrase. */
  public String title() {
    return title;
  }

  /** The dialog that asks for this. */
  static DialogKind of(Form form) {
    return switch (form) {
      case SettingsForm settings -> of(settings.kind());
      case QemuMigrationForm _ -> QEMU;
      case FleetMigrationForm _ -> FLEET;
    };
  }

  static DialogKind of(SettingsForm.Kind kind) {
    return switch (kind) {
      case LAB -> LAB;
      case SOURCE -> SOURCE;
      case DESTINATION -> DESTINATION;
    };
  }
}
