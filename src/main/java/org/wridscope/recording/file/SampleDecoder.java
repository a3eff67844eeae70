// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Decodes blocks of {@link BlockType#SAMPLES}. */
final class SampleDecoder {
  private final int[] columns;
  private final Sample sample = new Sample();

  SampleDecoder(Dictionary dictionary) {
    columns = dictionary.sampleColumns();
  }

  /** Decodes a block until the reader stops. */
  void decode(ByteBuffer payload, SampleSink reader) throws RecordingException {
    var source = new ByteSource(payload);
    // A sample takes at least two bytes.
    int count = source.atMost(source.remaining() / 2, "number of samples of a block");
    sample.nanos = source.signed("time of the first sample");
    Arrays.fill(sample.values, 0);
    for (int i = 0; i < count; i++) {
      long passed = source.number("time of a sample");
      if (passed < 0 || sample.nanos + passed < sample.nanos) {
        throw RecordingException.of("time of a sample", Long.toUnsignedString(passed), "63 bits");
      }
      sample.nanos += passed;
      int changed = source.atMost(columns.length, "number of values of a sample");
      int column = 0;
      for (int n = 0; n < changed; n++) {
        column += source.atMost(columns.length - 1, "column of a sample");
        if (column >= columns.length) {
          throw RecordingException.of("column of a sample", column, "0 to " + (columns.length - 1));
        }
        long change = source.signed("value of a sample");
        if (columns[column] >= 0) {
          sample.values[columns[column]] += change;
        }
        column++;
      }
      if (!reader.sample(sample)) {
        return;
      }
    }
    if (source.hasMore()) {
      throw RecordingException.of("rest of a block of samples", source.remaining(), "0 bytes");
    }
  }
}
