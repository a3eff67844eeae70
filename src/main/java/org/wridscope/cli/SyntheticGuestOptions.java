// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Defaults;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Parse;
import org.wridscope.control.VirtioSettings;
import org.wridscope.guest.virtio.VirtioFault;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of a synthetic guest that runs and is to be migrated. */
final class SyntheticGuestOptions {
  static final String SEED = "--seed";
  static final String VIRTIO_FAULT = "--virtio-fault";

  private static final String BALLOON = "--balloon";

  private static final List<String> NAMES =
      List.of(
          "--ram",
          "--dirty-rate",
          "--working-set",
          "--zero",
          SEED,
          "--virtio-requests",
          VIRTIO_FAULT,
          BALLOON);

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--ram",
      paramLabel = "SIZE",
      description = "RAM of the synthetic guest. Default: ${DEFAULT-VALUE}")
  private String ram;

  @Option(
      names = "--dirty-rate",
      paramLabel = "RATE",
      description =
          "How fast its workload writes to memory, 0 for an idle guest. Default: ${DEFAULT-VALUE}")
  private String dirtyRate;

  @Option(
      names = "--working-set",
      paramLabel = "SIZE",
      description = "The part of its RAM that it writes to. Default: a quarter of the RAM")
  private String workingSet = "";

  @Option(
      names = "--zero",
      paramLabel = "SHARE",
      description = "How much of its RAM is zero. Default: ${DEFAULT-VALUE}")
  private String zero;

  @Option(
      names = SEED,
      paramLabel = "NUMBER",
      description = "What its memory and its workload are made from. Default: ${DEFAULT-VALUE}")
  private String seed;

  @Option(
      names = "--virtio-requests",
      paramLabel = "NUMBER",
      description =
          "Requests a second of its virtio block and network device. Default: 100, 0 for an idle"
              + " guest, 1000 for faulty devices")
  private String virtioRequests = "";

  @Option(
      names = VIRTIO_FAULT,
      paramLabel = "NAME",
      description = {
        "A mistake that its virtio devices make on purpose:",
        "index-cleared-before-read, used-index-not-restored, in-flight-forgotten,"
            + " index-kept-at-reset. Default: ${DEFAULT-VALUE}"
      })
  private String virtioFault = VirtioFault.NONE.text();

  @Option(
      names = BALLOON,
      paramLabel = "SIZE",
      description =
          "RAM below the working set that a balloon takes from the guest and gives back again and"
              + " again; what it takes is unregistered. Default: none")
  private String balloon = "0";

  SyntheticGuestOptions(Defaults defaults) {
    ram = defaults.ram();
    dirtyRate = defaults.dirtyRate();
    zero = defaults.zeroShare();
    seed = defaults.seed();
  }

  /**
   * What they say.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  GuestSettings.Synthetic settings() {
    long ramBytes = Parse.ram("--ram", ram);
    long rate = Parse.rate("--dirty-rate", dirtyRate);
    return new GuestSettings.Synthetic(
        ramBytes,
        rate,
        Parse.workingSet("--working-set", workingSet, ramBytes),
        Parse.share("--zero", zero),
        Parse.number(SEED, seed),
        virtio(rate),
        Parse.size(BALLOON, balloon));
  }

  private VirtioSettings virtio(long rate) {
    VirtioFault fault = Parse.virtioFault(VIRTIO_FAULT, virtioFault);
    if (virtioRequests.isBlank()) {
      return VirtioSettings.usual(rate, fault);
    }
    long requests = Parse.virtioRequests("--virtio-requests", virtioRequests);
    if (requests == 0 && fault != VirtioFault.NONE) {
      throw new IllegalArgumentException(
          "--virtio-fault: devices without requests make no mistakes; leave --virtio-requests out"
              + " or give it more than 0.");
    }
    return new VirtioSettings(requests, fault);
  }

  /**
   * Refuses those that were given beside an option that says which guest instead.
   *
   * @param other that option
   * @param why it decides about RAM and workload, a clause
   */
  void refuseWith(String other, String why) throws InputException {
    for (String name : NAMES) {
      if (wasGiven(name)) {
        throw new InputException("%s: leave it out with %s; %s.".formatted(name, other, why));
      }
    }
  }

  /** The seed if it was given, else null. */
  @Nullable Long givenSeed() {
    return wasGiven(SEED) ? Parse.number(SEED, seed) : null;
  }

  private boolean wasGiven(String name) {
    return command != null && command.commandLine().getParseResult().hasMatchedOption(name);
  }
}
