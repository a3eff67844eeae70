// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;

/** Receives the rows of a table. */
@FunctionalInterface
interface RowSink<R> {
  void row(R row) throws IOException;
}
