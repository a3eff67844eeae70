// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import org.wridscope.control.Recorded.ScenarioFile;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.ScenarioWriter;

/** The content of a block of {@link BlockType#SCENARIO}. */
final class ScenarioCodec {
  private static final int MAX_NAME = 1 << 10;
  private static final int MAX_BYTES = 1 << 20;

  private ScenarioCodec() {}

  /** Empty if a recording has no room for it: tens of thousands of choices. */
  static Optional<ScenarioFile> file(Scenario scenario) {
    // A line feed in JSON is only white space; one in a string is escaped.
    String text = ScenarioWriter.write(scenario).replace('\n', ' ');
    return text.getBytes(UTF_8).length <= MAX_BYTES
            && scenario.name().getBytes(UTF_8).length <= MAX_NAME
        ? Optional.of(new ScenarioFile(scenario.name(), text))
        : Optional.empty();
  }

  static void encode(ScenarioFile file, ByteSink into) {
    into.text(file.name());
    into.text(file.text());
  }

  static ScenarioFile decode(ByteSource source) throws RecordingException {
    return new ScenarioFile(
        source.text(MAX_NAME, "name of the scenario"), source.characters(MAX_BYTES, "scenario"));
  }
}
