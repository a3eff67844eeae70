// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.List;
import org.wridscope.control.AddressRange;
import picocli.CommandLine.Option;

/** The option that limits who may connect to a destination. */
final class AllowOption {
  private static final String NAME = "--allow";

  @Option(
      names = NAME,
      paramLabel = "ADDRESS/BITS",
      description =
          "Accept connections only from these addresses, such as 10.9.0.0/24 or fd00::/8; may be"
              + " given more than once. Default: accept connections from all addresses")
  private List<String> ranges = List.of();

  /**
   * @return empty for all addresses
   * @throws IllegalArgumentException with one sentence for the user
   */
  List<AddressRange> ranges() {
    return ranges.stream().map(text -> AddressRange.parse(NAME, text)).toList();
  }
}
