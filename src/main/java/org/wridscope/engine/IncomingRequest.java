// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.InquiryAnswer;
import org.wridscope.protocol.InquiryQuestion;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/** A request to connect to a destination, with its decoded private data. */
final class IncomingRequest {
  private static final Logger LOG = LoggerFactory.getLogger(IncomingRequest.class);

  private final ConnectionRequest request;
  private @Nullable InetAddress address;

  IncomingRequest(ConnectionRequest request) {
    this.request = request;
  }

  /**
   * The capabilities that the source requests.
   *
   * @throws ProtocolException if it does not use this protocol
   */
  Capabilities wanted() throws ProtocolException {
    return wanted(ByteBuffer.wrap(request.privateData()));
  }

  private static Capabilities wanted(ByteBuffer privateData) throws ProtocolException {
    Capabilities capabilities = Capabilities.decode(privateData);
    capabilities.requireSupported();
    return capabilities;
  }

  /** Id of the migration of a Wridscope source; null if the source is a QEMU. */
  @Nullable MigrationId id() throws ProtocolException {
    ByteBuffer privateData = ByteBuffer.wrap(request.privateData());
    return wanted(privateData).wridscope() ? MigrationId.decode(privateData) : null;
  }

  Connection connection() {
    return request.connection();
  }

  boolean isFromQemu() {
    try {
      return !wanted().wridscope();
    } catch (ProtocolException e) {
      return false;
    }
  }

  /**
   * Whether this is an inquiry, of our version, about the outcome of a migration; false if its id
   * is null.
   */
  boolean isInquiry(@Nullable MigrationId migration) {
    try {
      MigrationId asked = id();
      return asked != null && wanted().inquiry() && asked.equals(migration);
    } catch (ProtocolException e) {
      return false;
    }
  }

  InetAddress address() {
    InetAddress known = address;
    if (known == null) {
      known = request.connection().remoteAddress().getAddress();
      address = known;
    }
    return known;
  }

  /** Whether an operation failed because the peer has given up. */
  static boolean hasGivenUp(IOException e) {
    return e instanceof VerbsException verbs && verbs.errno() == Errno.ETIMEDOUT;
  }

  /**
   * Accepts, without waiting.
   *
   * @param secret for the source; null if it cannot check proofs
   */
  void beginAccept(Capabilities granted, @Nullable MigrationSecret secret) throws IOException {
    byte[] answer = secret == null ? granted.toBytes() : granted.toBytes(secret);
    request.beginAccept(Endpoint.connectionParameters(answer));
  }

  /** Whether the source has confirmed that it was accepted; throws if it has given up. */
  boolean awaitConfirmation() throws IOException, InterruptedException {
    return request.awaitConfirmation(Duration.ZERO);
  }

  /**
   * Answers an inquiry.
   *
   * @param secret proves the answer; null if the source cannot check it
   * @return false if that failed
   */
  boolean answer(@Nullable MigrationSecret secret, InquiryAnswer.Outcome outcome) {
    ByteBuffer privateData = ByteBuffer.wrap(request.privateData());
    InquiryQuestion question;
    try {
      var _ = wanted(privateData);
      question = InquiryQuestion.decode(privateData);
    } catch (ProtocolException e) {
      return reject(new byte[0]);
    }
    var answer = new InquiryAnswer(question.id(), outcome);
    return reject(secret == null ? answer.toBytes() : answer.toBytes(secret, question));
  }

  /** Rejects the request. */
  void reject(String sentence) {
    byte[] text = sentence.getBytes(StandardCharsets.US_ASCII);
    int length = Math.min(text.length, ConnectionRequest.MAX_REJECT_PRIVATE_DATA);
    reject(Arrays.copyOf(text, length));
  }

  /** Rejects the request; a failure to do so affects only its source. */
  private boolean reject(byte[] privateData) {
    try {
      request.reject(privateData);
      return true;
    } catch (IOException e) {
      LOG.warn("a connection could not be rejected: {}", e.getMessage());
      return false;
    }
  }
}
