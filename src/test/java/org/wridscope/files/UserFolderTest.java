// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class UserFolderTest {
  @Test
  void without_variables_itIsBelowTheHomeDirectory() {
    assertThat(UserFolder.CONFIG.of(Map.of(), "/home/ada"))
        .isEqualTo(Path.of("/home/ada/.config/wridscope"));
    assertThat(UserFolder.STATE.of(Map.of(), "/home/ada"))
        .isEqualTo(Path.of("/home/ada/.local/state/wridscope"));
  }

  @Test
  void home_isTheOneOfTheEnvironment() {
    assertThat(UserFolder.STATE.of(Map.of("HOME", "/tmp/other"), "/home/ada"))
        .isEqualTo(Path.of("/tmp/other/.local/state/wridscope"));
    assertThat(UserFolder.STATE.of(Map.of("HOME", "other"), "/home/ada"))
        .isEqualTo(Path.of("/home/ada/.local/state/wridscope"));
  }

  @Test
  void eachFolder_hasItsOwnVariable() {
    var environment = Map.of("XDG_CONFIG_HOME", "/c", "XDG_STATE_HOME", "/s");
    assertThat(UserFolder.CONFIG.of(environment, "/home/ada")).isEqualTo(Path.of("/c/wridscope"));
    assertThat(UserFolder.STATE.of(environment, "/home/ada")).isEqualTo(Path.of("/s/wridscope"));
  }

  @Test
  void relativePaths_areIgnored() {
    assertThat(UserFolder.CONFIG.of(Map.of("XDG_CONFIG_HOME", "conf"), "/home/ada"))
        .isEqualTo(Path.of("/home/ada/.config/wridscope"));
  }
}
