// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;

/** An export was given up because its {@link Progress} said so; there is no file. */
public final class ExportCancelledException extends IOException {
  ExportCancelledException() {
    super("The export was cancelled; there is no file.");
  }
}
