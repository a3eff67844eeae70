// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import org.wridscope.ui.remembered.StoredJson;

/** What was last accepted in each dialog, which the next one begins with. */
public final class LastInputs {
  private static final String QEMU = "qemu-dialog";
  private static final String FLEET = "fleet-dialog";

  private final StoredJson store;

  public LastInputs(StoredJson store) {
    this.store = store;
  }

  /** A form with what was last accepted in a dialog of this kind. */
  public SettingsForm form(SettingsForm.Kind kind) {
    var form = new SettingsForm(kind);
    enter(key(kind), form);
    return form;
  }

  /** Enters what was last accepted about another migration of a QEMU, as far as it suits these. */
  public void enterInto(QemuMigrationForm form) {
    enter(QEMU, form);
  }

  /** Enters what was last accepted about another migration by libvirt, as far as it suits these. */
  public void enterInto(FleetMigrationForm form) {
    enter(FLEET, form);
  }

  private void enter(String key, Form form) {
    Inputs inputs = store.get(key, Inputs.class);
    if (inputs != null) {
      form.enter(inputs);
    }
  }

  /** Remembers an accepted form. */
  public void keep(Form form) {
    store.put(
        switch (form) {
          case SettingsForm settings -> key(settings.kind());
          case QemuMigrationForm _ -> QEMU;
          case FleetMigrationForm _ -> FLEET;
        },
        form.inputs());
  }

  private static String key(SettingsForm.Kind kind) {
    return Form.name(kind) + "-dialog";
  }
}
