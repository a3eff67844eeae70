// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IVersionProvider;

/** The version from the manifest of the jar; a development build has none. */
final class Version implements IVersionProvider {
  /** The options that ask for it, which picocli's mixin of standard options gives each command. */
  static final List<String> OPTIONS = List.of("--version", "-V");

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
