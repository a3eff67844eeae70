// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.concurrent.TimeUnit;

/**
 * How fast RAM was sent, and dirtied by the guest, over the newest {@value #ROUNDS} rounds of a
 * migration, or an even number of them. So the rounds of a guest that writes in bursts, which are
 * large and small by turns, look neither like progress nor like a stall. Not thread-safe.
 */
public final class RoundRates {
  /** Whole periods of rounds that repeat after 2, 3, 4, 6 or 12. */
  public static final int ROUNDS = 12;

  private final Rounds sent = new Rounds();
  private final Rounds dirtied = new Rounds();
  private long limit;
  private long syncs;

  /** Bytes and times of the newest rounds. */
  private static final class Rounds {
    private final long[] bytes = new long[ROUNDS];
    private final long[] nanos = new long[ROUNDS];
    private int count;

    void add(long newBytes, long newNanos) {
      bytes[count % ROUNDS] = newBytes;
      nanos[count % ROUNDS] = Math.max(1, newNanos);
      count++;
    }

    void forget() {
      count = 0;
    }

    /** Over an even number of rounds, or the only one. */
    long perSecond() {
      int used = Math.min(count, ROUNDS);
      return perSecond(used - (used > 1 ? used % 2 : 0));
    }

    long perSecond(int used) {
      double all = 0;
      double time = 0;
      for (int i = count - used; i < count; i++) {
        all += bytes[i % ROUNDS];
        time += nanos[i % ROUNDS];
      }
      return used == 0 ? 0 : (long) (all * TimeUnit.SECONDS.toNanos(1) / time);
    }
  }

  /**
   * A round was sent.
   *
   * @param bytes of RAM
   * @param nanos that it took
   * @param bandwidthLimit in bytes per second, 0 for none; what was sent under another limit is
   *     forgotten
   */
  public void sent(long bytes, long nanos, long bandwidthLimit) {
    if (bandwidthLimit != limit) {
      sent.forget();
      limit = bandwidthLimit;
    }
    sent.add(bytes, nanos);
  }

  /**
   * It is known what the guest has dirtied since the last time. In the first round, the longest, it
   * dirties the same RAM several times, which counts once: the second round replaces it.
   *
   * @param bytes of RAM
   * @param nanos since the last time
   */
  public void dirtied(long bytes, long nanos) {
    if (syncs == 1) {
      dirtied.forget();
    }
    syncs++;
    dirtied.add(bytes, nanos);
  }

  /** Bytes of RAM sent per second; 0 before a round was sent. */
  public long bandwidth() {
    return sent.perSecond();
  }

  /**
   * Bytes of RAM per second on which a switch-over may rely: those of the newest round if it was
   * slower, because the link may have become slower; 0 before a round was sent.
   */
  public long surestBandwidth() {
    return Math.min(sent.perSecond(), sent.perSecond(Math.min(sent.count, 1)));
  }

  /** Bytes of RAM dirtied per second; 0 before this is known. */
  public long dirtyRate() {
    return dirtied.perSecond();
  }
}
