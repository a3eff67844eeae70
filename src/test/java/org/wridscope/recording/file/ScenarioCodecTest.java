// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.wridscope.control.Recorded.ScenarioFile;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Schedule;

/** The scenario in a recording. */
final class ScenarioCodecTest {
  private static Scenario withChoices(int number) {
    var choices = new TreeMap<Long, Integer>();
    for (long at = 0; at < number; at++) {
      choices.put(at, 1);
    }
    return Scenarios.shipped("tiny-queues").with(Schedule.inTurnExcept(choices));
  }

  @Test
  void manyChoices_areAllRead() throws Exception {
    Scenario scenario = withChoices(3000);
    var sink = new ByteSink(16);
    ScenarioCodec.encode(ScenarioCodec.file(scenario).orElseThrow(), sink);
    ScenarioFile read = ScenarioCodec.decode(new ByteSource(sink.view()));
    assertThat(Scenarios.parse(read.name(), read.text())).isEqualTo(scenario);
  }

  @Test
  void moreThanARecordingHolds_areLeftOut() {
    assertThat(ScenarioCodec.file(withChoices(100_000))).isEmpty();
  }
}
