// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.Handover;
import org.wridscope.protocol.InquiryAnswer;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.InquiryQuestion;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.time.Time;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.common.Addresses;

/**
 * Asks a Wridscope destination, over new connections, for the outcome of a migration. Only an
 * answer that is {@linkplain MigrationSecret proved} is accepted: any process may listen where the
 * destination did.
 *
 * @param to names the migration
 * @param connect limit for each connection
 * @param limit for how long to ask
 */
public record Inquiry(RdmaDevice device, Handover to, Duration connect, Duration limit) {
  private static final Logger LOG = LoggerFactory.getLogger(Inquiry.class);

  /** Time between two attempts. */
  private static final Duration INTERVAL = Duration.ofMillis(100);

  private static final Reply NONE = new Reply(Outcome.UNKNOWN, null);

  Inquiry(RdmaDevice device, Handover to, Limits limits) {
    this(device, to, limits.connect(), limits.inquiry());
  }

  /**
   * What was answered.
   *
   * @param outcome as proved by the destination; unknown if it has not answered
   * @param unproved the last answer without a proof, of the destination or of another process
   */
  public record Reply(Outcome outcome, @Nullable Outcome unproved) {}

  /**
   * Asks until there is an answer with a proof; of a destination that cannot prove its answers,
   * until there is any.
   */
  public Reply ask() throws InterruptedException {
    long end = Time.nanos() + limit.toNanos();
    Outcome unproved = null;
    do {
      Reply reply = askOnce();
      if (reply.outcome != Outcome.UNKNOWN) {
        return reply;
      }
      unproved = reply.unproved == null ? unproved : reply.unproved;
      if (unproved != null && to.secret() == null) {
        break;
      }
      Time.sleep(INTERVAL);
    } while (Time.nanos() < end);
    return new Reply(Outcome.UNKNOWN, unproved);
  }

  /** Why an answer is not believed, a sentence after a space; empty if there was none. */
  public String doubt(Reply reply) {
    Outcome said = reply.unproved;
    if (said == null) {
      return "";
    }
    return to.secret() == null
        ? " It answers %s, but is an older Wridscope, whose answers cannot be told from those of others."
            .formatted(said)
        : " A peer answers %s at %s, but cannot prove to be the destination."
            .formatted(said, Addresses.text(to.destination()));
  }

  private Reply askOnce() throws InterruptedException {
    var question = InquiryQuestion.about(Objects.requireNonNull(to.migration()));
    try (Connection connection = device.resolve(to.destination(), connect);
        var endpoint = new Endpoint(device, connection, false, QueuePairWatch.NOBODY)) {
      endpoint.connection().connect(Endpoint.connectionParameters(question.toBytes()), connect);
    } catch (ConnectionRejectedException e) {
      return reply(question, e);
    } catch (IOException e) {
      return NONE;
    } catch (RuntimeException | Error e) {
      LOG.error("the destination could not be asked because of a bug in Wridscope", e);
      return NONE;
    }
    return NONE;
  }

  private Reply reply(InquiryQuestion question, ConnectionRejectedException rejected) {
    ByteBuffer privateData = ByteBuffer.wrap(rejected.privateData());
    InquiryAnswer answer;
    try {
      answer = InquiryAnswer.decode(privateData);
    } catch (IOException e) {
      return NONE;
    }
    Outcome outcome = answer.outcome();
    if (outcome == Outcome.UNKNOWN || !answer.id().equals(question.id())) {
      return NONE;
    }
    MigrationSecret secret = to.secret();
    return secret != null && secret.isProved(question, outcome, privateData)
        ? new Reply(outcome, null)
        : new Reply(Outcome.UNKNOWN, outcome);
  }
}
