// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;

/** An export was cancelled by its {@link Progress}; there is no file. */
public final class ExportCancelledException extends IOException {
  ExportCancelledException() {
    super("The export was cancelled; there is no file.");
  }
}
