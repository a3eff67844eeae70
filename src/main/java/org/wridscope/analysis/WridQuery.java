// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;

/** Parses the queries with which a user searches for requests. */
public final class WridQuery {
  private static final Pattern HEX = Pattern.compile("0x([0-9a-f]{1,16})");
  private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,18}");
  private static final Pattern RECEIVE =
      Pattern.compile("(?:control )?(?:receive|recv)(?: (?:buffer )?([0-9]{1,5}))?");
  private static final Pattern WRITE =
      Pattern.compile(
          "(?:(?:rdma )?write(?: rdma)?\\s*)?(?:block )?(.*?)(?:\\s*(?:chunk"
              + " |/)\\s*([0-9]{1,10}))?");

  private WridQuery() {}

  /**
   * The filter for a query: a wrid such as {@code 0x440000001} or {@code 4000}; or a description
   * such as {@code write block 0 chunk 17}, {@code pc.ram chunk 17}, {@code chunk 17}, {@code
   * write}, {@code send} or {@code recv 1}.
   *
   * @param blocks the blocks that may be given by name
   * @return null when the query is not understood
   */
  public static @Nullable RequestFilter parse(String text, List<ChunkTable> blocks) {
    String query = text.strip().toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
    Matcher hex = HEX.matcher(query);
    if (hex.matches()) {
      return RequestFilter.of(Long.parseUnsignedLong(hex.group(1), 16));
    }
    if (DECIMAL.matcher(query).matches()) {
      return RequestFilter.of(Long.parseLong(query));
    }
    switch (query) {
      case "" -> {
        return null;
      }
      case "send", "control send" -> {
        return kind(RequestKind.SEND);
      }
      case "write", "rdma write", "write rdma" -> {
        return kind(RequestKind.WRITE);
      }
      default -> {
        // has a number or a name
      }
    }
    Matcher receive = RECEIVE.matcher(query);
    if (receive.matches()) {
      return receive.group(1) == null
          ? kind(RequestKind.RECEIVE)
          : RequestFilter.of(WorkRequestId.CONTROL_RECEIVE + Long.parseLong(receive.group(1)));
    }
    return write(query, blocks);
  }

  private static RequestFilter kind(RequestKind kind) {
    return new RequestFilter(kind, RequestFilter.ANY, RequestFilter.ANY, null);
  }

  private static @Nullable RequestFilter write(String query, List<ChunkTable> blocks) {
    Matcher write = WRITE.matcher(query);
    if (!write.matches()) {
      return null;
    }
    long chunk = write.group(2) == null ? RequestFilter.ANY : Long.parseLong(write.group(2));
    String name = write.group(1).strip();
    if (name.isEmpty()) {
      return chunk == RequestFilter.ANY
          ? null
          : new RequestFilter(RequestKind.WRITE, RequestFilter.ANY, chunk, null);
    }
    int block = blockOf(name, blocks);
    return block < 0 ? null : new RequestFilter(RequestKind.WRITE, block, chunk, null);
  }

  private static int blockOf(String name, List<ChunkTable> blocks) {
    for (ChunkTable block : blocks) {
      if (block.name().toLowerCase(Locale.ROOT).equals(name)) {
        return block.index();
      }
    }
    if (name.matches("[0-9]{1,5}") && Integer.parseInt(name) <= WorkRequestId.MAX_BLOCK) {
      return Integer.parseInt(name);
    }
    return -1;
  }
}
