// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.util.List;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Wait;

/** Encodes texts into blocks of {@link BlockType#NAMES}. */
final class NamesEncoder {
  static final int WAIT = 1;
  static final int PHASE = 2;
  static final int BLOCKS = 3;
  static final int REMOTE_ADDRESSES = 4;
  static final int NOTE = 5;

  private final ByteSink items = new ByteSink(256);

  /** Adds the next wait. */
  void wait(Wait wait) {
    items.u8(WAIT);
    items.number(wait.kind().ordinal());
    items.number(wait.subject());
    items.text(wait.name());
  }

  void phase(Phase phase) {
    items.u8(PHASE);
    items.signed(phase.nanos());
    items.number(phase.kind().ordinal());
    items.number(phase.round());
  }

  /** Adds the RAM blocks that are valid from now on, with all chunks in their initial state. */
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

  /** Adds the peer's addresses of the present RAM blocks, valid from now on. */
  void remoteAddresses(long nanos, long[] addresses) {
    items.u8(REMOTE_ADDRESSES);
    items.signed(nanos);
    items.number(addresses.length);
    for (long address : addresses) {
      items.number(address);
    }
  }

  /** Adds a sentence for the user who opens the recording. */
  void note(String sentence) {
    items.u8(NOTE);
    items.text(sentence);
  }

  boolean isEmpty() {
    return items.size() == 0;
  }

  /** Writes the block and starts the next one. */
  void finish(ByteSink into) {
    into.append(items);
    items.clear();
  }
}
