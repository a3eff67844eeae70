// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * What is logged, and where. Standard output belongs to results, and a progress bar redraws its
 * line on the terminal, so only what a user must know is logged, to standard error; {@code
 * WRIDSCOPE_LOG=INFO} (or DEBUG, TRACE) in the environment shows more of our own. Logback finds
 * this class as a service; reading a file with the same settings takes a start some 60 ms.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class LogSettings extends ContextAwareBase implements Configurator {
  /** One message is one line: no text of a peer begins another, or acts on the terminal. */
  private static final String PATTERN =
      "%d{HH:mm:ss.SSS} %-5level [%thread] %logger{20} - "
          + "%replace(%msg){'[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]', '?'}%n"
          + "%replace(%ex){'[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}&&[^\\n\\t]]', '?'}";

  @Override
  public ExecutionStatus configure(LoggerContext logging) {
    var encoder = new PatternLayoutEncoder();
    encoder.setContext(logging);
    encoder.setPattern(PATTERN);
    encoder.start();
    var stderr = new ConsoleAppender<ILoggingEvent>();
    stderr.setContext(logging);
    stderr.setName("stderr");
    stderr.setTarget("System.err");
    stderr.setEncoder(encoder);
    stderr.start();
    Logger root = logging.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    root.addAppender(stderr);
    logging
        .getLogger("org.wridscope")
        .setLevel(Level.toLevel(System.getenv("WRIDSCOPE_LOG"), Level.WARN));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
