// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;

/** Takes the rows of a table, one after the other. */
@FunctionalInterface
interface RowSink<R> {
  void row(R row) throws IOException;
}
