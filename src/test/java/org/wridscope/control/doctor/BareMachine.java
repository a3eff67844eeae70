// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.process.WriteTrackers;

/** A machine without any RDMA support. */
public final class BareMachine implements Machine {

  @Override
  public Path root() {
    return Path.of("/nowhere/at/all");
  }

  @Override
  public boolean mayReadAndWrite(Path file) {
    return false;
  }

  @Override
  public OptionalLong freeBytes(Path directory) {
    return OptionalLong.empty();
  }

  @Override
  public boolean hasLibrary(String name) {
    return false;
  }

  @Override
  public boolean hasNativeAccess() {
    return true;
  }

  @Override
  public Optional<String> dirtyLogObstacle(WriteTrackers.Kind kind) {
    return Optional.empty();
  }

  @Override
  public boolean hasDisni() {
    return false;
  }

  @Override
  public Optional<String> foreignDispatcher() {
    return Optional.empty();
  }

  @Override
  public Map<String, List<InetAddress>> addresses() {
    return Map.of();
  }

  @Override
  public List<InetAddress> resolve(String host) {
    return List.of(InetAddress.getLoopbackAddress());
  }

  @Override
  public InetAddress localTowards(InetSocketAddress peer) {
    return peer.getAddress();
  }

  @Override
  public Journals journals() {
    return new Journals(Path.of("/nowhere/at/all"));
  }

  @Override
  public List<Path> captureFolders() {
    return List.of();
  }
}
