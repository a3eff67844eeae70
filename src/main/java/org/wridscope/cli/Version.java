// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IVersionProvider;

/** The version from the manifest of the jar; a development build has none. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {text()};
  }

  /** For example {@code wridscope 1.0}. */
  static String text() {
    @Nullable String version = Version.class.getPackage().getImplementationVersion();
    return "wridscope " + (version == null ? "development build" : version);
  }
}
