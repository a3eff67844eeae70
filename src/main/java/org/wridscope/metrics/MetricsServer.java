// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.wridscope.control.Session;

/** Serves metrics over HTTP, for Prometheus to read. Thread-safe. */
public final class MetricsServer implements AutoCloseable {
  private static final String PATH = "/metrics";
  private static final Duration SLICE = Duration.ofMillis(50);
  private static final int BACKLOG = 64;

  private final MigrationMetrics metrics = new MigrationMetrics();
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final CountDownLatch lastRead = new CountDownLatch(1);
  private final ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private volatile Supplier<List<Session>> sessions = List::of;
  private volatile boolean ended;

  private MetricsServer(HttpServer server) {
    this.server = server;
  }

  /**
   * Starts to serve, no sessions at first.
   *
   * @param field name of the option, for the message
   * @param address port 0 stands for any free one
   * @throws IOException if that is not possible; the message is one sentence for the user
   */
  public static MetricsServer start(String field, InetSocketAddress address) throws IOException {
    MetricsServer started;
    try {
      started = new MetricsServer(HttpServer.create(address, BACKLOG));
    } catch (BindException e) {
      throw new IOException(
          "%s: cannot listen on %s (%s); choose another port, or an address of this machine."
              .formatted(field, text(address), e.getMessage()),
          e);
    }
    started.server.setExecutor(started.readers);
    started.server.createContext("/", started::answer);
    started.server.start();
    return started;
  }

  /** Serves these sessions from now on. */
  public void show(Supplier<List<Session>> of) {
    sessions = of;
  }

  /** Where the metrics are read, for example {@code http://127.0.0.1:9402/metrics}. */
  public String url() {
    return "http://" + text(server.getAddress()) + PATH;
  }

  private static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /**
   * Waits until somebody has read what is served now.
   *
   * @param atMost how long
   * @param given whether to give up earlier
   */
  public void awaitRead(Duration atMost, BooleanSupplier given) throws InterruptedException {
    ended = true;
    long begin = System.nanoTime();
    while (!given.getAsBoolean()
        && System.nanoTime() - begin < atMost.toNanos()
        && !lastRead.await(SLICE.toNanos(), TimeUnit.NANOSECONDS)) {
      // waits on
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String method = exchange.getRequestMethod();
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        send(exchange, 404, "The metrics are at %s.%n".formatted(PATH));
      } else if (!method.equals("GET") && !method.equals("HEAD")) {
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        send(exchange, 405, "Metrics can only be read.\n");
      } else {
        boolean last = ended;
        sendMetrics(exchange);
        if (last && method.equals("GET")) {
          lastRead.countDown();
        }
      }
    }
  }

  private void sendMetrics(HttpExchange exchange) throws IOException {
    ExpositionFormatWriter writer =
        formats.findWriter(exchange.getRequestHeaders().getFirst("Accept"));
    var text = new ByteArrayOutputStream();
    writer.write(text, metrics.of(sessions.get()));
    send(exchange, 200, writer.getContentType(), text.toByteArray());
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    send(exchange, status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] content)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, content.length);
    try (OutputStream body = exchange.getResponseBody()) {
      body.write(content);
    }
  }

  /** Ends it, without waiting for readers. */
  @Override
  public void close() {
    server.stop(0);
    readers.shutdownNow();
  }
}
