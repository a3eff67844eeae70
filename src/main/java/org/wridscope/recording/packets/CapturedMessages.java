// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.packets;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.MigrationStreamReader;
import org.wridscope.stream.RamPhase;
import org.wridscope.stream.StreamHandler;
import org.wridscope.wire.WireConnection;
import org.wridscope.wire.WireRequest;

/**
 * What the messages of a connection say about it as a whole: whether it is a migration in QEMU's
 * protocol, which end is its source, and the names of its RAM blocks, which are in the stream.
 */
final class CapturedMessages {
  /** The list of RAM blocks is at the beginning of the stream. */
  private static final int MOST_STREAM = 1 << 20;

  private final WireConnection connection;
  private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
  private long control;
  private long other;
  private int source = -1;
  private boolean pinAll;
  private boolean listed;

  CapturedMessages(WireConnection connection) {
    this.connection = connection;
  }

  /** Adds a message that an end sent. */
  void add(int end, WireRequest request) {
    ByteBuffer message = request.content();
    if (message == null) {
      return;
    }
    try {
      ControlHeader header = ControlHeader.decode(message, message.remaining());
      control++;
      switch (header.type()) {
        case QEMU_FILE, RAM_BLOCKS_REQUEST, REGISTER_REQUEST, REGISTER_FINISHED, COMPRESS ->
            source = end;
        case RAM_BLOCKS_RESULT -> {
          source = 1 - end;
          listed = true;
          List<RemoteBlock> blocks = blocks(message, header);
          pinAll = !blocks.isEmpty() && blocks.stream().allMatch(each -> each.remoteKey() != 0);
        }
        case REGISTER_RESULT -> source = 1 - end;
        default -> {
          // either end sends it, or only Wridscope does
        }
      }
      if (header.type() == ControlType.QEMU_FILE && !listed && stream.size() < MOST_STREAM) {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        stream.writeBytes(bytes);
      }
    } catch (ProtocolException e) {
      other++;
    }
  }

  static List<RemoteBlock> blocks(ByteBuffer message, ControlHeader header)
      throws ProtocolException {
    return RemoteBlock.decodeList(message, header.length(), header.length() / RemoteBlock.BYTES);
  }

  /** Whether the connection carries a migration. */
  boolean isMigration() {
    return source >= 0 && control > other;
  }

  /** The end that is the source: 0 for the first, 1 for the second. */
  int source() {
    return source;
  }

  /** Whether all RAM was registered at the beginning. */
  boolean pinsAll() {
    return pinAll;
  }

  /** What the ends told each other when they connected; null if that was not captured. */
  @Nullable Capabilities requested() {
    return capabilities(connection.request());
  }

  /** What the destination granted; null if that was not captured. */
  @Nullable Capabilities granted() {
    return capabilities(connection.reply());
  }

  private static @Nullable Capabilities capabilities(ByteBuffer data) {
    try {
      return data.remaining() < Capabilities.BYTES ? null : Capabilities.decode(data.duplicate());
    } catch (ProtocolException e) {
      return null;
    }
  }

  /** The list has been read, and nothing more is needed. */
  private static final class ListedException extends IOException {
    private static final long serialVersionUID = 1L;
    private final transient List<BlockListing> blocks;

    ListedException(List<BlockListing> blocks) {
      this.blocks = blocks;
    }
  }

  private static final StreamHandler LISTING =
      new StreamHandler() {
        @Override
        public void machine(String machineType) {
          // not of interest
        }

        @Override
        public void ramBlocks(List<BlockListing> blocks) throws IOException {
          throw new ListedException(blocks);
        }

        @Override
        public void hook(RamPhase phase) {
          // comes later
        }

        @Override
        public void device(String idstr, int instance, int version, byte[] body) {
          // comes later
        }
      };

  /** The RAM blocks in the stream; none when its beginning was not captured. */
  List<BlockListing> names() {
    try {
      new MigrationStreamReader(new ByteArrayInputStream(stream.toByteArray())).read(LISTING);
    } catch (ListedException e) {
      return e.blocks;
    } catch (IOException e) {
      // not captured from its beginning, or of a QEMU with other capabilities
    }
    return List.of();
  }
}
