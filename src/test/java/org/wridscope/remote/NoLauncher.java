// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.wridscope.control.MigrationSettings;

/** Notes what clients want to begin. */
public final class NoLauncher implements Launcher {
  final List<String> uris = new ArrayList<>();
  final List<UnaryOperator<MigrationSettings>> wanted = new ArrayList<>();

  @Override
  public boolean awaitsMigrate() {
    return true;
  }

  @Override
  public void migrate(String uri, UnaryOperator<MigrationSettings> changes) {
    uris.add(uri);
    wanted.add(changes);
  }

  @Override
  public void migrateIncoming(String uri) {
    uris.add("incoming " + uri);
  }
}
