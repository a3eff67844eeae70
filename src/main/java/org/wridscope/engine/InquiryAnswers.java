// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.time.Time;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;

/**
 * Answers a source that asks for the outcome of its migration, and rejects all others.
 *
 * @param listener where the source asks
 * @param secret proves the answer; null if the source cannot check it
 * @param outcome the answer, which is final
 */
public record InquiryAnswers(
    ConnectionListener listener,
    MigrationId id,
    @Nullable MigrationSecret secret,
    Outcome outcome) {
  /**
   * For how long to go on after an answer, which may have been lost, or have been told to a source
   * that ended before it had noted it, and whose guard asks again. A device repeats a request whose
   * answer was lost after 4.3 s (librdmacm).
   */
  public static final Duration AGAIN = Duration.ofSeconds(5);

  private static final Duration SLICE = Duration.ofMillis(50);

  /** Not a constant: a guard loads this class when it starts, and logback doubles that time. */
  private static Logger log() {
    return LoggerFactory.getLogger(InquiryAnswers.class);
  }

  /**
   * Answers for a time, or until some seconds after the last answer, within both together.
   *
   * @param limit how long to wait for a question
   * @param again {@link #AGAIN}
   * @param asked whether it was answered elsewhere before
   * @param answered run after each answer
   * @return whether it was
   */
  public boolean answer(Duration limit, Duration again, boolean asked, Runnable answered)
      throws IOException, InterruptedException {
    boolean known = asked;
    long end = Time.nanos() + (known ? again : limit).toNanos();
    long last = end + again.toNanos();
    while (Time.nanos() < end) {
      try {
        if (answerNext(SLICE)) {
          known = true;
          end = Math.min(last, Time.nanos() + again.toNanos());
          answered.run();
        }
      } catch (RuntimeException | Error e) {
        // The source asks again; its guest may be paused until it gets an answer.
        log().error("a source could not be answered because of a bug in Wridscope", e);
        Time.sleep(SLICE);
      }
    }
    return known;
  }

  /**
   * Answers the next request.
   *
   * @param patience how long to wait for one
   * @return whether it was an inquiry of this migration, and has been answered
   */
  private boolean answerNext(Duration patience) throws IOException, InterruptedException {
    ConnectionRequest request = listener.nextRequest(patience);
    if (request == null) {
      return false;
    }
    var incoming = new IncomingRequest(request);
    if (incoming.isInquiry(id)) {
      return incoming.answer(secret, outcome);
    }
    incoming.reject("A migration is ending here.");
    return false;
  }
}
