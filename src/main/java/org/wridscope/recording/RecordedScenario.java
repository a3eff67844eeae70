// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.ScenarioException;
import org.wridscope.control.scenario.ScenarioWriter;
import org.wridscope.control.scenario.Scenarios;

/**
 * The scenario of a recorded run, from a block of {@link BlockType#SCENARIO}.
 *
 * @param name which the run's devices have
 * @param text in the form of a scenario's file, in one line
 */
public record RecordedScenario(String name, String text) {
  private static final int MAX_NAME = 1 << 10;
  private static final int MAX_BYTES = 1 << 20;

  /** Empty if a recording has no room for it: tens of thousands of choices. */
  static Optional<RecordedScenario> of(Scenario scenario) {
    // A line feed in JSON is only white space; one in a string is escaped.
    String text = ScenarioWriter.write(scenario).replace('\n', ' ');
    return text.getBytes(UTF_8).length <= MAX_BYTES
            && scenario.name().getBytes(UTF_8).length <= MAX_NAME
        ? Optional.of(new RecordedScenario(scenario.name(), text))
        : Optional.empty();
  }

  void encode(ByteSink into) {
    into.text(name);
    into.text(text);
  }

  static RecordedScenario decode(ByteSource source) throws RecordingException {
    return new RecordedScenario(
        source.text(MAX_NAME, "name of the scenario"), source.characters(MAX_BYTES, "scenario"));
  }

  /**
   * The scenario.
   *
   * @throws ScenarioException if it is not valid in this version; a sentence
   */
  public Scenario read() throws ScenarioException {
    return Scenarios.parse(name, text);
  }
}
