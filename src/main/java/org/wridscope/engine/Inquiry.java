// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.InquiryAnswer;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.MigrationId;
import org.wridscope.time.Time;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.RdmaDevice;

/**
 * Asks a Wridscope destination, over new connections, for the outcome of a migration.
 *
 * @param connect limit for each connection
 * @param limit for how long to ask
 */
public record Inquiry(
    RdmaDevice device,
    InetSocketAddress destination,
    MigrationId id,
    Duration connect,
    Duration limit) {
  private static final Logger LOG = LoggerFactory.getLogger(Inquiry.class);

  /** Time between two attempts. */
  private static final Duration INTERVAL = Duration.ofMillis(100);

  Inquiry(RdmaDevice device, InetSocketAddress destination, MigrationId id, Limits limits) {
    this(device, destination, id, limits.connect(), limits.inquiry());
  }

  /**
   * Asks until there is an answer.
   *
   * @return {@link Outcome#UNKNOWN} if there was none within the limit
   */
  public Outcome ask() throws InterruptedException {
    long end = Time.nanos() + limit.toNanos();
    do {
      Outcome outcome = askOnce();
      if (outcome != Outcome.UNKNOWN) {
        return outcome;
      }
      Time.sleep(INTERVAL);
    } while (Time.nanos() < end);
    return Outcome.UNKNOWN;
  }

  private Outcome askOnce() throws InterruptedException {
    byte[] question = Capabilities.of(Capabilities.WRIDSCOPE | Capabilities.INQUIRY).toBytes(id);
    try (var endpoint =
        new Endpoint(device, device.resolve(destination, connect), false, QueuePairWatch.NOBODY)) {
      endpoint.connection().connect(Endpoint.connectionParameters(question), connect);
    } catch (ConnectionRejectedException e) {
      return answer(e);
    } catch (IOException e) {
      return Outcome.UNKNOWN;
    } catch (RuntimeException | Error e) {
      LOG.error("the destination could not be asked because of a bug in Wridscope", e);
      return Outcome.UNKNOWN;
    }
    return Outcome.UNKNOWN;
  }

  private Outcome answer(ConnectionRejectedException rejected) {
    try {
      InquiryAnswer answer = InquiryAnswer.decode(rejected.privateData());
      return answer.id().equals(id) ? answer.outcome() : Outcome.UNKNOWN;
    } catch (IOException e) {
      return Outcome.UNKNOWN;
    }
  }
}
