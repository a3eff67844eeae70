// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * The global identifiers of an open device's ports, and the network interfaces that they belong to;
 * see {@code ibv_query_gid_table(3)}. One call reads them all: the files of sysfs are one for each
 * entry, of which soft-RoCE has 1,024.
 */
final class GidTable {

  /**
   * An identifier.
   *
   * @param interfaceNumber that of its network interface, 0 if it has none, as on InfiniBand
   */
  private record Entry(int port, String gid, int interfaceNumber) {}

  private final String device;
  private final List<Integer> ports;
  private final List<Entry> entries;

  private GidTable(String device, List<Integer> ports, List<Entry> entries) {
    this.device = device;
    this.ports = ports;
    this.entries = entries;
  }

  static GidTable of(long context) throws NativeCallException {
    List<Integer> ports = Query.ports(context);
    List<Entry> entries = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      long room = 0;
      for (int port : ports) {
        room += Query.gidTableLength(context, port);
      }
      if (room > 0) {
        long table = arena.allocate(room * Struct.GidEntry.SIZE, Long.BYTES).address();
        long found = Ibverbs.QUERY_GID_TABLE.call(context, table, room, 0, Struct.GidEntry.SIZE);
        for (long entry = table;
            entry < table + found * Struct.GidEntry.SIZE;
            entry += Struct.GidEntry.SIZE) {
          entries.add(
              new Entry(
                  Memory.getInt(entry + Struct.GidEntry.PORT_NUM),
                  Query.gid(Memory.getBytes(entry + Struct.GidEntry.GID, Struct.Gid.SIZE)),
                  Memory.getInt(entry + Struct.GidEntry.NDEV_IFINDEX)));
        }
      }
    }
    return new GidTable(Query.name(Query.deviceOf(context)), ports, entries);
  }

  private Stream<Entry> of(int port) {
    return entries.stream().filter(entry -> entry.port == port);
  }

  /** The identifiers of a port, in the order of its table. */
  List<String> gids(int port) {
    return of(port).map(Entry::gid).toList();
  }

  /** Network interfaces of a port, in the order of its table, without duplicates. */
  List<String> interfaces(int port) {
    List<String> names =
        of(port)
            .map(Entry::interfaceNumber)
            .distinct()
            .flatMap(number -> NetworkInterfaces.name(number).stream())
            .toList();
    return names.isEmpty() ? NetworkInterfaces.ofThisMachine().ofAdapter(device, port) : names;
  }

  /** The IP addresses of the device's network interfaces. */
  List<InetAddress> addresses() {
    return ports.stream()
        .flatMap(port -> interfaces(port).stream())
        .flatMap(name -> NetworkInterfaces.addresses(name).stream())
        .toList();
  }
}
