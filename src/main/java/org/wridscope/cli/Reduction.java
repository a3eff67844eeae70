// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import java.util.SortedMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.ScenarioWriter;
import org.wridscope.control.schedule.ChoiceTeller;
import org.wridscope.control.schedule.ScheduledRun;
import org.wridscope.control.schedule.Shrinking;
import org.wridscope.files.WholeFile;
import org.wridscope.text.Format;

/**
 * A run that breaks an invariant, reduced to the fewest faults and choices.
 *
 * @param scenario with the schedule that is left; as long as it breaks the invariant, it does not
 *     end as it expects
 * @param does what its choices do, by their numbers
 * @param runs how many it took to reduce it
 */
record Reduction(Scenario scenario, ScheduledRun run, SortedMap<Long, String> does, int runs) {
  /**
   * Reduces a run of a scenario.
   *
   * @param stop asked again and again; if true, it is left as far reduced as it is
   */
  static Reduction of(
      Supplier<? extends SessionManager> managers,
      Scenario scenario,
      ScheduledRun broken,
      BooleanSupplier stop)
      throws IOException, InterruptedException {
    Shrinking.Shrunk shrunk = Shrinking.shrink(managers, scenario, broken, stop);
    Scenario reduced =
        shrunk
            .withSchedule()
            .withoutHang()
            .titled(scenario.title() + ", reduced", shrunk.run().problems().getFirst());
    return new Reduction(
        reduced, shrunk.run(), ChoiceTeller.tell(managers, reduced), shrunk.runs());
  }

  /** As a part of a verdict; the names of the components are those of the members. */
  record Json(
      long seed, List<String> problems, List<ChoiceJson> choices, int faultRules, int runs) {}

  Json json() {
    return new Json(
        scenario.seed(),
        run.problems(),
        ChoiceJson.of(scenario.schedule(), does),
        scenario.rules(),
        runs);
  }

  /**
   * Says what is left, and writes it.
   *
   * @param file null if none was requested
   */
  void tell(Terminal terminal, @Nullable WholeFile file) throws IOException {
    terminal.result(
        "reduced in %s to %s out of turn and %s"
            .formatted(
                Format.counted(runs, "run"),
                Format.counted(scenario.schedule().choices().size(), "choice"),
                Format.counted(scenario.rules(), "fault rule")));
    ChoiceJson.of(scenario.schedule(), does)
        .forEach(choice ->
            terminal.result(
                "  choice %d, option %d: %s".formatted(choice.at(), choice.take(), choice.does())));
    if (file == null) {
      terminal.result("%s FILE writes it as a scenario".formatted(ReductionOption.NAME));
      return;
    }
    byte[] text = ScenarioWriter.write(scenario, does).getBytes(UTF_8);
    file.write(out -> out.write(text));
    terminal.result("./wridscope lab %s repeats it; --step goes through it".formatted(file.file()));
    String displaced = file.displaced();
    if (displaced != null) {
      terminal.message(displaced);
    }
  }
}
