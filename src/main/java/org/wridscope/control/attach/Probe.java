// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.process.ProcessMaps;
import org.wridscope.process.ProcessMaps.FilePlace;
import org.wridscope.text.Legible;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.VerbsFunction;

/**
 * A place that is probed: a function of a provider or of librdmacm, in the file that all programs
 * map.
 *
 * @param verb what the function does
 * @param library the file
 * @param offset of the function's first byte in it
 */
record Probe(VerbsFunction.Verb verb, Path library, long offset) {
  Probe {
    if (!library.isAbsolute() || offset < 0) {
      throw new IllegalArgumentException(
          "%s at %d cannot be probed".formatted(Legible.of(library.toString()), offset));
    }
  }

  /** A probe and the function of this process that it will be seen in. */
  record Placed(Probe probe, VerbsFunction function) {
    /**
     * Whether there is a probe, ours or that of somebody else: it replaces the first bytes of the
     * function in every process, but not in the file.
     */
    boolean isThere() throws IOException {
      try (var file = new RandomAccessFile(probe.library().toFile(), "r")) {
        file.seek(probe.offset());
        byte[] bytes = new byte[Integer.BYTES];
        file.readFully(bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getInt()
            != function.firstBytes();
      }
    }
  }

  /**
   * The functions of this machine's devices.
   *
   * @param device whose functions are probed; null for all
   * @throws VerbsException if there is no such device; one sentence
   * @throws IOException if the library of a function was replaced meanwhile; one sentence
   */
  static Set<Placed> find(@Nullable String device) throws IOException {
    Set<VerbsFunction> functions = VerbsFunction.find(device);
    ProcessMaps maps = ProcessMaps.read(ProcessHandle.current().pid());
    Set<Placed> placed = new LinkedHashSet<>();
    for (VerbsFunction function : functions) {
      FilePlace place =
          maps.codeAt(function.address())
              .orElseThrow(() ->
                  new IOException(
                      "A library of the device is not in its file any more; it was replaced"
                          + " meanwhile. Try again."));
      placed.add(new Placed(new Probe(function.verb(), place.file(), place.offset()), function));
    }
    return placed;
  }
}
