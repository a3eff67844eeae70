// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class MetricsServerTest {
  private static MetricsServer server(String address) throws IOException {
    return MetricsServer.start("--metrics", MetricsAddress.parse("--metrics", address));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), BodyHandlers.ofString());
    }
  }

  private static HttpRequest.Builder get(String url) {
    return HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(20));
  }

  @Test
  void get_readsTheSessions_inTheFormatThatIsAskedFor() throws Exception {
    try (MetricsServer server = server("0")) {
      assertThat(server.url()).matches("http://127\\.0\\.0\\.1:[1-9]\\d*/metrics");
      assertThat(send(get(server.url())).body()).contains("wridscope_sessions 0.0\n");
      server.show(() -> List.of(MigrationMetricsTest.source()));
      HttpResponse<String> plain = send(get(server.url()));
      assertThat(plain.statusCode()).isEqualTo(200);
      assertThat(plain.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
      assertThat(plain.body()).contains("session=\"lab 1 source\"");
      HttpResponse<String> open =
          send(get(server.url()).header("Accept", "application/openmetrics-text; version=1.0.0"));
      assertThat(open.body()).endsWith("# EOF\n");
    }
  }

  @Test
  void otherRequests_areAnswered_andChangeNothing() throws Exception {
    try (MetricsServer server = server("[::1]:0")) {
      assertThat(server.url()).startsWith("http://[0:0:0:0:0:0:0:1]:");
      assertThat(send(get(server.url() + "/x")).statusCode()).isEqualTo(404);
      assertThat(send(get(server.url()).POST(BodyPublishers.ofString("x"))).statusCode())
          .isEqualTo(405);
      HttpResponse<String> head = send(get(server.url()).method("HEAD", BodyPublishers.noBody()));
      assertThat(head.statusCode()).isEqualTo(200);
      assertThat(head.body()).isEmpty();
    }
  }

  @Test
  void aPortInUse_isNamed() throws Exception {
    try (MetricsServer first = server("0")) {
      String taken = String.valueOf(URI.create(first.url()).getPort());
      assertThatIOException()
          .isThrownBy(() -> server(taken))
          .withMessageStartingWith("--metrics: cannot listen on 127.0.0.1:" + taken)
          .withMessageEndingWith("choose another port, or an address of this machine.");
    }
  }

  @Test
  void theWaitForTheLastReading_endsWithIt() throws Exception {
    try (MetricsServer server = server("0")) {
      var waiting =
          CompletableFuture.runAsync(() -> {
            try {
              server.awaitRead(Duration.ofMinutes(5), () -> false);
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      while (!waiting.isDone()) {
        // The first one may come before the wait begins.
        assertThat(send(get(server.url())).statusCode()).isEqualTo(200);
      }
      waiting.get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void theWaitForTheLastReading_canBeGivenUp() throws Exception {
    try (MetricsServer server = server("0")) {
      server.awaitRead(Duration.ofMinutes(5), () -> true);
      server.awaitRead(Duration.ofNanos(1), () -> false);
    }
  }
}
