// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.wridscope.control.CaptureFolders;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.process.WriteTrackers;
import org.wridscope.verbs.rdma.DisniClasses;

/** The machine on which this program runs. */
public final class ThisMachine implements Machine {
  private static final DisniClasses DISNI = new DisniClasses(ThisMachine.class.getClassLoader());

  @Override
  public Path root() {
    return Path.of("/");
  }

  @Override
  public boolean mayReadAndWrite(Path file) {
    return Files.isReadable(file) && Files.isWritable(file);
  }

  @Override
  public OptionalLong freeBytes(Path directory) {
    try {
      return OptionalLong.of(Files.getFileStore(directory).getUsableSpace());
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  @Override
  @SuppressWarnings("restricted")
  public boolean hasLibrary(String name) {
    try (Arena arena = Arena.ofConfined()) {
      SymbolLookup.libraryLookup(name, arena);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Override
  public boolean hasNativeAccess() {
    return ThisMachine.class.getModule().isNativeAccessEnabled();
  }

  @Override
  public Optional<String> dirtyLogObstacle(WriteTrackers.Kind kind) {
    return WriteTrackers.obstacleOfKernel(kind);
  }

  @Override
  public boolean hasDisni() {
    return DISNI.present();
  }

  @Override
  public Optional<String> foreignDispatcher() {
    return DISNI.foreignDispatcher();
  }

  @Override
  public Map<String, List<InetAddress>> addresses() {
    var addresses = new TreeMap<String, List<InetAddress>>();
    try {
      NetworkInterface.networkInterfaces()
          .forEach(it -> addresses.put(it.getName(), it.inetAddresses().toList()));
    } catch (SocketException e) {
      return Map.of();
    }
    return addresses;
  }

  @Override
  public List<Path> captureFolders() {
    return Stream.concat(
            Stream.of(Path.of("").toAbsolutePath()), CaptureFolders.ofUser().list().stream())
        .distinct()
        .toList();
  }

  @Override
  public Journals journals() {
    return Journals.ofUser();
  }

  @Override
  public List<InetAddress> resolve(String host) throws UnknownHostException {
    return List.of(InetAddress.getAllByName(host));
  }

  @Override
  public InetAddress localTowards(InetSocketAddress peer) throws IOException {
    try (var socket = new DatagramSocket()) {
      socket.connect(peer);
      return socket.getLocalAddress();
    }
  }
}
