// SPDX-License-Identifier: Apache-2.0
package org.wridscope.fuzz;

import java.util.List;

/**
 * A parser of what comes from peers or files, and the limits that hold for every input.
 *
 * @param refusals the only exceptions that an input may cause
 * @param heapPerByte bytes of heap that each byte of an input may cost
 * @param heapBesides bytes of heap that an input may cost whatever its length
 * @param perSecond about how many inputs it takes in a second; the nightly run gives each parser
 *     inputs in proportion to it, and so the same time
 */
public record FuzzTarget(
    String name,
    Parser parser,
    Seeds seeds,
    List<Class<? extends Exception>> refusals,
    long heapPerByte,
    long heapBesides,
    long perSecond) {

  /** Takes one input. */
  public interface Parser {
    void parse(byte[] input) throws Exception;
  }

  /** Inputs to begin with, most of which are accepted. */
  public interface Seeds {
    List<byte[]> get() throws Exception;
  }

  @Override
  public String toString() {
    return name;
  }
}
