// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Records its calls. */
final class RecordingHandler implements StreamHandler {
  final List<String> calls = new ArrayList<>();
  final List<BlockListing> blocks = new ArrayList<>();

  @Override
  public void machine(String machineType) {
    calls.add("machine " + machineType);
  }

  @Override
  public void ramBlocks(List<BlockListing> listed) {
    blocks.addAll(listed);
    calls.add("blocks " + listed.size());
  }

  @Override
  public void hook(RamPhase phase) {
    calls.add("hook " + phase);
  }

  @Override
  public void device(String idstr, int instance, int version, byte[] body) {
    calls.add(deviceCall(idstr, instance, version, body));
  }

  static String deviceCall(String idstr, int instance, int version, byte[] body) {
    return "device %s %d %d: %d bytes, hash %d"
        .formatted(idstr, instance, version, body.length, Arrays.hashCode(body));
  }
}
