// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.List;
import org.wridscope.telemetry.Phase;

/** Puts what is not a number into a block of {@link BlockType#NAMES}. */
final class NamesEncoder {
  static final int WAIT = 1;
  static final int PHASE = 2;
  static final int BLOCKS = 3;
  static final int REMOTE_ADDRESSES = 4;
  static final int NOTE = 5;

  private final ByteSink items = new ByteSink(256);

  /** The next phrase of what is waited for. */
  void wait(String phrase) {
    items.u8(WAIT);
    items.text(phrase);
  }

  void phase(Phase phase) {
    items.u8(PHASE);
    items.signed(phase.nanos());
    items.text(phase.name());
  }

  /** The RAM blocks are these from now on, with nothing done to their chunks. */
  void blocks(long nanos, List<BlockShape> blocks) {
    items.u8(BLOCKS);
    items.signed(nanos);
    items.number(blocks.size());
    for (BlockShape block : blocks) {
      items.text(block.name());
      items.number(block.length());
      items.number(block.localAddress());
    }
  }

  /** The peer's addresses of the present RAM blocks are these from now on. */
  void remoteAddresses(long nanos, long[] addresses) {
    items.u8(REMOTE_ADDRESSES);
    items.signed(nanos);
    items.number(addresses.length);
    for (long address : addresses) {
      items.number(address);
    }
  }

  /** A sentence for whoever opens the recording. */
  void note(String sentence) {
    items.u8(NOTE);
    items.text(sentence);
  }

  boolean isEmpty() {
    return items.size() == 0;
  }

  /** Writes the block and begins the next one. */
  void finish(ByteSink into) {
    into.append(items);
    items.clear();
  }
}
