// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.wridscope.analysis.BothEnds.the;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.wridscope.analysis.Explanation.Step;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/** Collects the steps of an explanation. */
final class Steps {
  private final List<Step> steps = new ArrayList<>();

  void add(Requests end, long nanos, long event, String text) {
    steps.add(new Step(end.role(), nanos, event, Format.capitalized(text), false));
  }

  void addKey(Requests end, long nanos, long event, String text) {
    steps.add(new Step(end.role(), nanos, event, Format.capitalized(text), true));
  }

  /** Adds the post of a request, if it is recorded. */
  void addPost(Requests end, QueueType queue, long id) {
    WorkRequests requests = end.of(queue);
    if (!requests.isPostKnown(id)) {
      return;
    }
    add(
        end,
        requests.postedNanos(id),
        requests.postEvent(id),
        "%s posts %s to the %s queue."
            .formatted(the(end.role()), RequestFacts.name(requests, id), queue.text()));
  }

  /** Adds what went wrong on the wire, as captured packets show. */
  void addTroubles(Requests end) {
    end.troubles().forEach(each -> steps.add(each.step(end)));
  }

  /** Adds the start of a wait. */
  void addWait(Requests end, long wait) {
    add(
        end,
        end.waits().beganNanos(wait),
        end.waits().beginEvent(wait),
        "%s starts to wait for %s.".formatted(the(end.role()), RequestFacts.wait(end, wait)));
  }

  boolean isEmpty() {
    return steps.isEmpty();
  }

  /** All steps, in the order of time; those of an end at the same time as it recorded them. */
  List<Step> inOrder() {
    var ordered =
        new ArrayList<>(steps.stream().sorted(Comparator.comparingLong(Step::nanos)).toList());
    for (Role role : Role.values()) {
      List<Integer> places =
          IntStream.range(0, ordered.size())
              .filter(i -> ordered.get(i).role() == role)
              .boxed()
              .toList();
      List<Step> ofEnd =
          places.stream()
              .map(ordered::get)
              .sorted(Comparator.comparingLong(Step::nanos).thenComparingLong(Step::event))
              .toList();
      for (int i = 0; i < places.size(); i++) {
        ordered.set(places.get(i), ofEnd.get(i));
      }
    }
    return List.copyOf(ordered);
  }
}
