// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Standard input and output of a child process, which belongs to whoever started it: a read or
 * write ends when the process does. QEMU's RDMA code prints lines on standard output.
 */
final class StdioTransport implements Transport {
  private final InputStream in;
  private final OutputStream out;

  StdioTransport(Process process) {
    in = process.getInputStream();
    out = process.getOutputStream();
  }

  @Override
  public void open() {}

  @Override
  public int read(byte[] into) throws IOException {
    return in.read(into);
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  @Override
  public boolean isMixed() {
    return true;
  }

  @Override
  public void close() {}
}
