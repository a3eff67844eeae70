// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.ui.settings.SettingsForm.GuestKind;
import org.wridscope.ui.settings.SettingsForm.Kind;

final class FailingFieldTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "URI: the port of \"x\" is not a number.                     | uri",
        "RAM: this machine has only 1.2 GiB left.                    | ram",
        "Nobody listens on 10.9.0.7:4711. Start the destination.     | uri",
        "Port 4711 is in use; choose another one.                    | uri",
        "There is no device rxe7; the devices are rxe0 and software. | device",
        "/tmp/ram.img does not exist.                                | file",
        "The guest was paused for too long.                          |",
        "Port 47111 is in use; choose another one.                   |",
        "''                                                          |",
      })
  void theFieldThatASentenceNamesOrQuotes(String sentence, @Nullable String name) {
    Field field = name == null ? null : Fields.named(name);
    var form = new SettingsForm(Kind.SOURCE);
    form.set(Field.URI, "rdma:10.9.0.7:4711");
    form.set(Field.DEVICE, "rxe7");
    if (field == Field.FILE) {
      form.setGuest(GuestKind.IMAGE);
    }
    form.set(Field.FILE, "/tmp/ram.img");
    assertThat(FailingField.in(form, sentence)).isEqualTo(field);
  }
}
