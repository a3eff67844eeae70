// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.verbs.QueuePair;

/** Is told of the life of an endpoint's queue pair. */
interface QueuePairWatch {
  /** Nobody watches. */
  QueuePairWatch NOBODY = new QueuePairWatch() {};

  /** The queue pair was created. */
  default void created(QueuePair queuePair) {}

  /** So many of its events are being handled. */
  default void held(int references) {}

  /** Destroying it waits for the handlers of its events. */
  default void awaitsHandlers(int queuePairNumber, int references) {}

  /** No event of it is being handled any more. */
  default void released() {}

  /** Records what happens in a session's telemetry; for the engine's thread. */
  static QueuePairWatch of(SessionTelemetry telemetry) {
    return new QueuePairWatch() {
      @Override
      public void created(QueuePair queuePair) {
        telemetry.metrics().set(Metric.QUEUE_PAIR_NUMBER, queuePair.number());
        telemetry.metrics().set(Metric.QUEUE_PAIR_IDS, 1L + queuePair.workQueueIds().size());
      }

      @Override
      public void held(int references) {
        telemetry.metrics().set(Metric.QUEUE_PAIR_REFERENCES, references);
      }

      @Override
      public void awaitsHandlers(int queuePairNumber, int references) {
        held(references);
        telemetry.setWaitingFor(new Wait(Wait.Kind.HANDLER, queuePairNumber));
      }

      @Override
      public void released() {
        telemetry.setWaitingFor(null);
        held(0);
      }
    };
  }
}
