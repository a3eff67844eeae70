// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javafx.stage.FileChooser;
import org.wridscope.ui.remembered.Memory;
import org.wridscope.ui.remembered.RecentFolder;
import org.wridscope.ui.remembered.RecentUris;
import org.wridscope.ui.remembered.StoredJson;

/** What was last accepted in each dialog, which the next one begins with, and offers. */
public final class LastInputs {
  private final StoredJson store;

  public LastInputs(StoredJson store) {
    this.store = store;
  }

  /** What is remembered of each dialog, and the addresses. */
  public List<Memory> memories() {
    Stream<Memory> inputs =
        Stream.of(DialogKind.values())
            .map(dialog ->
                new Memory(
                    member(dialog),
                    "Last inputs of “%s”".formatted(dialog.title()),
                    store,
                    List.of(member(dialog)),
                    () -> "remembered"));
    Memory folders =
        RecentFolder.memory(store, Field.OF_FILES.stream().map(LastInputs::purpose).toList());
    return Stream.concat(inputs, Stream.of(RecentUris.memory(store), folders)).toList();
  }

  /** The addresses of a kind that were used last. */
  public RecentUris recentUris(RecentUris.Kind kind) {
    return new RecentUris(store, kind);
  }

  /** A form with what was last accepted in a dialog of this kind. */
  public SettingsForm form(SettingsForm.Kind kind) {
    var form = new SettingsForm(kind);
    enterInto(form);
    return form;
  }

  /** Enters what was last accepted about another migration of this kind, as far as it suits. */
  public void enterInto(Form form) {
    Inputs inputs = store.get(member(DialogKind.of(form)), Inputs.class);
    if (inputs != null) {
      form.enter(inputs);
    }
  }

  /** Remembers an accepted form, and the folders of its files. */
  public void keep(Form form) {
    store.put(member(DialogKind.of(form)), form.inputs());
    form.fields().stream()
        .filter(field -> Field.OF_FILES.contains(field) && !form.get(field).isBlank())
        .forEach(field -> folder(field).keep(Path.of(form.get(field).strip())));
  }

  /** Lets the file chooser of a field begin in the folder that was last accepted for it. */
  public void begin(Field field, FileChooser chooser) {
    folder(field).begin(chooser);
  }

  private RecentFolder folder(Field field) {
    return new RecentFolder(store, purpose(field));
  }

  private static String purpose(Field field) {
    return field.name();
  }

  private static String member(DialogKind dialog) {
    return Form.name(dialog) + "-dialog";
  }
}
