// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Defaults;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.VirtioSettings;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.units.Parse;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of a source's guest: a synthetic one, or the content of a file. */
final class SyntheticGuestOptions {
  static final String SEED = "--seed";
  static final String VIRTIO_FAULT = "--virtio-fault";
  static final String VIRTIO_POLICY = "--virtio-policy";
  static final String IMAGE = "--image";

  private static final String BALLOON = "--balloon";
  private static final String MAP_CHANGE_EVERY = "--virtio-map-change-every";
  private static final String RESET_EVERY = "--virtio-reset-every";

  private static final String RAM = "--ram";
  private static final String DIRTY_RATE = "--dirty-rate";
  private static final String WORKING_SET = "--working-set";
  private static final List<String> OF_EVERY_GUEST = List.of(RAM, DIRTY_RATE, WORKING_SET);

  private static final List<String> NAMES =
      List.of(
          RAM,
          DIRTY_RATE,
          WORKING_SET,
          "--zero",
          SEED,
          "--virtio-requests",
          VIRTIO_FAULT,
          VIRTIO_POLICY,
          MAP_CHANGE_EVERY,
          RESET_EVERY,
          BALLOON);

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = RAM,
      paramLabel = "SIZE",
      description = "RAM of the synthetic guest. Default: ${DEFAULT-VALUE}")
  private String ram;

  @Option(
      names = DIRTY_RATE,
      paramLabel = "RATE",
      description =
          "Rate at which its workload writes to memory, 0 for an idle guest. Default:"
              + " ${DEFAULT-VALUE}")
  private String dirtyRate;

  @Option(
      names = WORKING_SET,
      paramLabel = "SIZE",
      description = "Part of its RAM that the workload writes to. Default: a quarter of the RAM")
  private String workingSet = "";

  @Option(
      names = "--zero",
      paramLabel = "SHARE",
      description = "Share of its RAM that is zero, such as 40%% or 0.4. Default: ${DEFAULT-VALUE}")
  private String zero;

  @Option(
      names = SEED,
      paramLabel = "NUMBER",
      description = "Seed of its memory content and its workload. Default: ${DEFAULT-VALUE}")
  private String seed;

  @Option(
      names = "--virtio-requests",
      paramLabel = "NUMBER",
      description =
          "Requests per second of its virtio block and network device. Default: 100; 0 for an idle"
              + " guest, 1000 for faulty devices")
  private String virtioRequests = "";

  @Option(
      names = VIRTIO_FAULT,
      paramLabel = "NAME",
      description = {
        "A deliberate fault of its virtio devices: none,",
        "index-cleared-before-read, used-index-not-restored, in-flight-forgotten,"
            + " index-kept-at-reset, suspend-fails, query-fails. Default: ${DEFAULT-VALUE}"
      })
  private String virtioFault = VirtioFault.NONE.text();

  @Option(
      names = VIRTIO_POLICY,
      paramLabel = "NAME",
      description = {
        "The state of a virtqueue that is carried over to the device that continues: whole-state,",
        "last-available-index, used-index-from-ring, used-index-as-base,"
            + " available-index-from-ring (docs/scenarios.md). Default: ${DEFAULT-VALUE}"
      })
  private String virtioPolicy = VirtioPolicy.WHOLE_STATE.text();

  @Option(
      names = MAP_CHANGE_EVERY,
      paramLabel = "NUMBER",
      description =
          "Virtio requests between two changes of the memory map, on average, 0 for none. Default:"
              + " 500; none with a fault or another policy")
  private String mapChangeEvery = "";

  @Option(
      names = RESET_EVERY,
      paramLabel = "NUMBER",
      description =
          "Virtio requests between two resets of a device by its driver, on average, 0 for none."
              + " Default: 2000; with a fault or another policy none, or 50 if the fault concerns"
              + " resets")
  private String resetEvery = "";

  @Option(
      names = BALLOON,
      paramLabel = "SIZE",
      description =
          "RAM below the working set that a balloon repeatedly takes from the guest and returns;"
              + " the RAM that it takes is unregistered. Default: none")
  private String balloon = "0";

  @Option(
      names = IMAGE,
      paramLabel = "FILE",
      description =
          "Instead of a synthetic guest, migrate one whose RAM is the content of this file; the"
              + " file is not changed")
  private @Nullable Path image;

  SyntheticGuestOptions(Defaults defaults) {
    ram = defaults.ram();
    dirtyRate = defaults.dirtyRate();
    zero = defaults.zeroShare();
    seed = defaults.seed();
  }

  /**
   * The synthetic guest.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  GuestSettings.Synthetic settings() {
    long ramBytes = GuestSettings.parseRam(RAM, ram);
    long rate = Parse.rate(DIRTY_RATE, dirtyRate);
    long set = GuestSettings.parseWorkingSet(WORKING_SET, workingSet, ramBytes);
    return new GuestSettings.Synthetic(
        ramBytes,
        rate,
        set,
        Parse.share("--zero", zero),
        Parse.number(SEED, seed),
        virtio(rate),
        GuestSettings.parseBalloon(BALLOON, balloon, ramBytes, set));
  }

  private VirtioSettings virtio(long rate) {
    var variant =
        new VirtioVariant(
            VirtioSettings.parseFault(VIRTIO_FAULT, virtioFault),
            VirtioSettings.parsePolicy(VIRTIO_POLICY, virtioPolicy));
    VirtioSettings virtio;
    if (virtioRequests.isBlank()) {
      virtio = VirtioSettings.usual(rate, variant);
    } else {
      long requests = VirtioSettings.parseRequests("--virtio-requests", virtioRequests);
      if (requests == 0 && !variant.isSound()) {
        boolean isFault = variant.fault() != VirtioFault.NONE;
        throw new IllegalArgumentException(
            "%s: a %s has no effect without requests; leave out --virtio-requests=0, or give more."
                .formatted(isFault ? VIRTIO_FAULT : VIRTIO_POLICY, isFault ? "fault" : "policy"));
      }
      virtio = new VirtioSettings(requests, variant);
    }
    return virtio.disturbed(
        VirtioSettings.parseEvery(MAP_CHANGE_EVERY, mapChangeEvery),
        VirtioSettings.parseEvery(RESET_EVERY, resetEvery));
  }

  /**
   * The file of {@value #IMAGE}; null if it was not given.
   *
   * @throws InputException if options of a synthetic guest were given, too
   */
  @Nullable Path image() throws InputException {
    if (image != null) {
      refuseWith(IMAGE, "the RAM is the content of the file, and nothing writes to it");
    }
    return image;
  }

  /** Refuses {@value #IMAGE} beside an option that selects another guest. */
  void refuseImageWith(String other) throws InputException {
    if (image != null) {
      throw new InputException(
          "%s: leave it out, or leave out %s; give only one.".formatted(other, IMAGE));
    }
  }

  /**
   * Refuses the options of a synthetic guest beside an option that selects another guest.
   *
   * @param other that option
   * @param why a clause that says why
   */
  void refuseWith(String other, String why) throws InputException {
    for (String name : NAMES) {
      if (wasGiven(name)) {
        throw new InputException("%s: leave it out with %s; %s.".formatted(name, other, why));
      }
    }
  }

  /**
   * A guest of a QEMU that counts, with the same RAM and workload.
   *
   * @param defaultRam its RAM if none was given
   * @throws IllegalArgumentException with one sentence for the user
   */
  CounterGuest counter(String defaultRam) throws InputException {
    refuseImageWith(LiftOptions.QEMU);
    for (String name : NAMES) {
      if (wasGiven(name) && !OF_EVERY_GUEST.contains(name)) {
        throw new InputException(
            "%s: leave it out with %s; the guest of the QEMU has only %s."
                .formatted(name, LiftOptions.QEMU, String.join(", ", OF_EVERY_GUEST)));
      }
    }
    long ramBytes = GuestSettings.parseRam(RAM, wasGiven(RAM) ? ram : defaultRam);
    return new CounterGuest(
        ramBytes,
        Parse.rate(DIRTY_RATE, dirtyRate),
        GuestSettings.parseWorkingSet(WORKING_SET, workingSet, ramBytes),
        false);
  }

  /** The seed; null if it was not given. */
  @Nullable Long givenSeed() {
    return wasGiven(SEED) ? Parse.number(SEED, seed) : null;
  }

  private boolean wasGiven(String name) {
    return command != null && command.commandLine().getParseResult().hasMatchedOption(name);
  }
}
