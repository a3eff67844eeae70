// SPDX-License-Identifier: Apache-2.0
package org.wridscope.fuzz;

import java.util.List;

/**
 * A parser of what peers or files say, and what must hold of it whatever they say.
 *
 * @param refusals the only exceptions that an input may cause
 * @param heapPerByte bytes of heap that each byte of an input may cost
 * @param inputs for a run in the night, of 100 million together
 */
public record FuzzTarget(
    String name,
    Parser parser,
    Seeds seeds,
    List<Class<? extends Exception>> refusals,
    long heapPerByte,
    long heapBesides,
    long inputs) {

  /** Takes one input. */
  public interface Parser {
    void parse(byte[] input) throws Exception;
  }

  /** Inputs to begin with: such as are accepted, mostly. */
  public interface Seeds {
    List<byte[]> get() throws Exception;
  }

  @Override
  public String toString() {
    return name;
  }
}
