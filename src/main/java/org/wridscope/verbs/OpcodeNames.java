// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;

/** The names of all operations in {@code infiniband/verbs.h}, by their values. */
public final class OpcodeNames {
  /**
   * Instead of the operation of a completion of a send queue that a program did not read with
   * {@code ibv_wc_read_opcode}. The device knows it, and the request of the completion has it.
   */
  public static final int SEND_NOT_READ = 127;

  /** The same of a receive queue, or of a receive whose length was not read. */
  public static final int RECEIVE_NOT_READ = 255;

  private static final Map<Integer, String> REQUESTS =
      Map.ofEntries(
          Map.entry(0, "RDMA_WRITE"),
          Map.entry(1, "RDMA_WRITE_WITH_IMM"),
          Map.entry(2, "SEND"),
          Map.entry(3, "SEND_WITH_IMM"),
          Map.entry(4, "RDMA_READ"),
          Map.entry(5, "ATOMIC_CMP_AND_SWP"),
          Map.entry(6, "ATOMIC_FETCH_AND_ADD"),
          Map.entry(7, "LOCAL_INV"),
          Map.entry(8, "BIND_MW"),
          Map.entry(9, "SEND_WITH_INV"),
          Map.entry(10, "TSO"),
          Map.entry(11, "DRIVER1"),
          Map.entry(14, "FLUSH"),
          Map.entry(15, "ATOMIC_WRITE"));

  private static final Map<Integer, String> COMPLETIONS =
      Map.ofEntries(
          Map.entry(0, "SEND"),
          Map.entry(1, "RDMA_WRITE"),
          Map.entry(2, "RDMA_READ"),
          Map.entry(3, "COMP_SWAP"),
          Map.entry(4, "FETCH_ADD"),
          Map.entry(5, "BIND_MW"),
          Map.entry(6, "LOCAL_INV"),
          Map.entry(7, "TSO"),
          Map.entry(8, "FLUSH"),
          Map.entry(9, "ATOMIC_WRITE"),
          Map.entry(SEND_NOT_READ, "a send (operation not read)"),
          Map.entry(128, "RECV"),
          Map.entry(129, "RECV_RDMA_WITH_IMM"),
          Map.entry(RECEIVE_NOT_READ, "a receive (not read)"));

  private OpcodeNames() {}

  /** Whether the operation of a completion is one of {@code enum ibv_wc_opcode}. */
  public static boolean isRead(int opcode) {
    return opcode != SEND_NOT_READ && opcode != RECEIVE_NOT_READ;
  }

  /** A value of {@code enum ibv_wr_opcode}, without its prefix. */
  public static String ofRequest(int opcode) {
    return REQUESTS.getOrDefault(opcode, "opcode " + opcode);
  }

  /**
   * A value of {@code enum ibv_wr_opcode} from its name, with or without its prefix.
   *
   * @return empty if there is none of this name
   */
  public static OptionalInt request(String name) {
    return value(REQUESTS, "IBV_WR_", name);
  }

  /**
   * A value of {@code enum ibv_wc_opcode} from its name, with or without its prefix.
   *
   * @return empty if there is none of this name
   */
  public static OptionalInt completion(String name) {
    return value(COMPLETIONS, "IBV_WC_", name);
  }

  private static OptionalInt value(Map<Integer, String> names, String prefix, String name) {
    String wanted = name.toUpperCase(Locale.ROOT);
    String bare = wanted.startsWith(prefix) ? wanted.substring(prefix.length()) : wanted;
    return names.entrySet().stream()
        .filter(each -> each.getValue().equals(bare))
        .mapToInt(Map.Entry::getKey)
        .findFirst();
  }

  /** A value of {@code enum ibv_wc_opcode}, without its prefix. */
  public static String ofCompletion(int opcode) {
    return COMPLETIONS.getOrDefault(opcode, "opcode " + opcode);
  }
}
