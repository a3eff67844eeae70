// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.wridscope.analysis.BothEnds.the;

import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.text.Format;

/** Explains a wait that has lasted for {@link Explainer#LONG_WAIT_NANOS} or longer. */
final class LongWait {
  private final BothEnds both;
  private final Requests end;
  private final @Nullable Requests peer;
  private final long now;
  private final Steps steps = new Steps();

  private LongWait(BothEnds both, Requests end, long now) {
    this.both = both;
    this.end = end;
    peer = both.peerOf(end);
    this.now = now;
  }

  /** Explains the wait that began first; returns null when no end has waited for that long. */
  static @Nullable Explanation explain(BothEnds both, long now) {
    Requests waiting = null;
    long began = 0;
    for (Requests end : both.ends()) {
      long open = end.waits().open();
      // A destination that listens waits for a source as long as it takes.
      boolean connected = end.sends().end() + end.receives().end() > 0;
      if (open >= 0
          && connected
          && now - end.waits().beganNanos(open) >= Explainer.LONG_WAIT_NANOS
          && (waiting == null || end.waits().beganNanos(open) < began)) {
        waiting = end;
        began = end.waits().beganNanos(open);
      }
    }
    return waiting == null ? null : new LongWait(both, waiting, now).explain();
  }

  private Explanation explain() {
    Waits waits = end.waits();
    long wait = waits.open();
    String me = the(end.role());
    String phrase = RequestFacts.wait(end, wait);
    QueueType queue = QueueType.of(waits.wrid(wait));
    long request = waits.request(wait);
    if (waits.wrid(wait) != 0 && end.of(queue).has(request)) {
      steps.addPost(end, queue, request);
    }
    addLastMessages();
    long oldest = end.sends().oldestOpen();
    if (oldest != WorkRequests.NONE && oldest != request) {
      steps.add(
          end,
          end.sends().postedNanos(oldest),
          end.sends().postEvent(oldest),
          "%s posts %s, the oldest request of its send queue that has not completed."
              .formatted(me, RequestFacts.name(end.sends(), oldest)));
    }
    steps.addKey(
        end,
        waits.beganNanos(wait),
        waits.beginEvent(wait),
        "%s starts to wait for %s.".formatted(me, phrase));
    return new Explanation(
        State.WAITING,
        "%s has waited for %s for %s."
            .formatted(
                Format.capitalized(me),
                phrase,
                Format.duration(Math.max(0, now - waits.beganNanos(wait)))),
        stateOfPeer(),
        steps.inOrder(),
        "Every wait of the engine has a time limit: if nothing arrives, the session ends with an"
            + " error that names what it waited for.");
  }

  private void addLastMessages() {
    String me = the(end.role());
    long sent = end.sent().end() - 1;
    if (end.sent().has(sent)) {
      steps.add(
          end,
          end.sent().nanos(sent),
          end.sent().event(sent),
          "%s sends %s, its last message so far."
              .formatted(me, EventText.control(end.sent().type(sent))));
      if (peer != null && both.isPaired() && peer.received().has(sent)) {
        steps.add(
            peer,
            peer.received().nanos(sent),
            peer.received().event(sent),
            "%s receives it.".formatted(the(peer.role())));
      }
    }
    long received = end.received().end() - 1;
    if (end.received().has(received)) {
      int type = end.received().type(received);
      steps.add(
          end,
          end.received().nanos(received),
          end.received().event(received),
          "%s receives %s, the last message so far."
              .formatted(me, type == Messages.UNKNOWN ? "a message" : EventText.control(type)));
    }
  }

  private String stateOfPeer() {
    String them = Format.capitalized(the(end.role().other()));
    if (peer == null) {
      return "%s is not in this process: look there for what it waits for.".formatted(them);
    }
    long theirs = peer.waits().open();
    if (theirs >= 0) {
      steps.addWait(peer, theirs);
      return "%s is waiting as well, for %s.".formatted(them, RequestFacts.wait(peer, theirs));
    }
    if (peer.telemetry().status().isEnd()) {
      return "%s has ended with status %s.".formatted(them, peer.telemetry().status().qemuName());
    }
    Activity activity = Activity.at(peer, now);
    String since = Format.duration(Math.max(0, now - peer.lastNanos()));
    return activity == null || activity.verb() == null
        ? "%s is not waiting; its last event was %s ago.".formatted(them, since)
        : "%s is not waiting: it %s; its last event was %s ago."
            .formatted(them, activity.verb(), since);
  }
}
