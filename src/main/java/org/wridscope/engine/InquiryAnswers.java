// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
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

  /** For how long a source that was answered may ask again, because the answer was lost. */
  public static final Duration AGAIN = Duration.ofSeconds(3);

  /**
   * Answers the next request.
   *
   * @param patience how long to wait for one
   * @return whether it was an inquiry of this migration, and has been answered
   */
  public boolean answerNext(Duration patience) throws IOException, InterruptedException {
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
