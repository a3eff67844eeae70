// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import picocli.CommandLine.Option;

/** The option with which a destination plays one that cannot do all that it might. */
final class RefusalOption {
  @Option(
      names = "--refuse-pin-all",
      description =
          "Have the destination refuse to register all RAM at the beginning: a source that wants"
              + " --pin-all goes on without, a QEMU is turned away")
  private boolean refusePinAll;

  boolean refusePinAll() {
    return refusePinAll;
  }
}
