// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import picocli.CommandLine.Option;

/** The option that makes a destination refuse pin-all. */
final class RefusalOption {
  @Option(
      names = "--refuse-pin-all",
      description =
          "At the destination, refuse to register all RAM at the beginning: a Wridscope source with"
              + " --pin-all continues without it, a QEMU source is rejected")
  private boolean refusePinAll;

  boolean refusePinAll() {
    return refusePinAll;
  }
}
