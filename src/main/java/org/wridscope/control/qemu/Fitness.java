// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.util.List;
import java.util.OptionalLong;
import org.wridscope.qmp.MemoryBackend;
import org.wridscope.qmp.QmpAddress;

/**
 * Whether Wridscope's engine can work with the memory of a QEMU, as far as that is visible from
 * outside. A session examines the QEMU once more when it starts.
 *
 * @param reason why not, one sentence that also says what would make it possible; empty if it can
 */
public record Fitness(String reason) {
  private static final Fitness YES = new Fitness("");

  /** What makes a guest's RAM a file that another process can map. */
  static final String SHARED_RAM =
      "-object memory-backend-memfd,id=ram0,size=SIZE,share=on -machine memory-backend=ram0";

  /** Whether it can. */
  public boolean possible() {
    return reason.isEmpty();
  }

  /** Whether the guest can be migrated away. */
  static Fitness toTake(
      QmpAddress address,
      String runState,
      boolean migrates,
      OptionalLong process,
      List<MemoryBackend> backends,
      String devices) {
    if (runState.equals("inmigrate")) {
      return new Fitness("It waits for a guest and has none yet.");
    }
    if (runState.equals("postmigrate")) {
      return new Fitness("Its guest has left.");
    }
    if (migrates) {
      return new Fitness("It is migrating by its own engine; wait for its end, or cancel that.");
    }
    Fitness memory = memory(address, process, backends);
    if (!memory.possible()) {
      return memory;
    }
    for (String kind : List.of("vfio", "vhost-user")) {
      if (devices.contains("dev: " + kind)) {
        return new Fitness(
            "It has a %s device, which writes to the guest's RAM unseen by any dirty log; remove it with device_del first."
                .formatted(kind));
      }
    }
    return YES;
  }

  /** Whether it can take a guest that arrives. */
  static Fitness toFill(
      QmpAddress address,
      String runState,
      boolean listens,
      OptionalLong process,
      List<MemoryBackend> backends) {
    if (!runState.equals("inmigrate")) {
      return new Fitness("It does not wait for a guest; one that was started with -incoming defer does.");
    }
    if (listens) {
      return new Fitness(
          "It listens for a source by itself; start it with -incoming defer instead.");
    }
    return memory(address, process, backends);
  }

  private static Fitness memory(
      QmpAddress address, OptionalLong process, List<MemoryBackend> backends) {
    if (address instanceof QmpAddress.Ssh) {
      return new Fitness(
          "It runs on another machine, whose memory is out of reach; start Wridscope there.");
    }
    if (process.isEmpty()) {
      return new Fitness(
          "Its process was not found on this machine, or belongs to another user; start Wridscope where it runs, as that user or as root.");
    }
    if (backends.stream().noneMatch(MemoryBackend::share)) {
      return new Fitness(
          "Its RAM is not shared with other processes; start it with %s.".formatted(SHARED_RAM));
    }
    return YES;
  }
}
