// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Arbitrary bytes as a scenario. */
public final class ScenarioInputs {
  private ScenarioInputs() {}

  /** The scenarios that come with Wridscope. */
  public static List<byte[]> seeds() throws IOException {
    var seeds = new ArrayList<byte[]>();
    for (Scenario scenario : Scenarios.shipped()) {
      String file = "/org/wridscope/scenarios/" + scenario.name() + ".json";
      try (InputStream in =
          Objects.requireNonNull(ScenarioInputs.class.getResourceAsStream(file), file)) {
        seeds.add(in.readAllBytes());
      }
    }
    return seeds;
  }

  public static void read(byte[] input) throws ScenarioException {
    Scenario scenario =
        ScenarioReader.read("fuzz", "fuzz.json", new String(input, StandardCharsets.UTF_8));
    for (int run = 0; run < Math.min(3, scenario.runs()); run++) {
      var _ = scenario.faults(run);
    }
    var _ = scenario.lab();
    var _ = scenario.ramBytes();
  }
}
