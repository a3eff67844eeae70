// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** This process's standard output, which keeps why it could not be written first. */
final class StandardOutput extends OutputStream {
  private final FileOutputStream to = new FileOutputStream(FileDescriptor.out);
  private volatile @Nullable IOException failure;

  /** Why it could not be written; null if it could. */
  @Nullable IOException failure() {
    return failure;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int at, int length) throws IOException {
    try {
      to.write(bytes, at, length);
    } catch (IOException e) {
      failure = failure == null ? e : failure;
      throw e;
    }
  }
}
