// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QueryCompletionTest {
  private static List<String> words(String text) {
    return QueryCompletion.of(text, List.of()).stream().map(QueryCompletion::word).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "st, status=, status=",
    "chunk 12 and !MES, message=, chunk 12 and !message=",
    "(end=so, source, (end=source",
    "status!=loc-qp, loc-qp-op-err, status!=loc-qp-op-err",
    "message=READ, ready, message=ready",
    "not opcode=at, atomic, not opcode=atomic",
  })
  void theLastWord_isCompleted(String text, String word, String query) {
    assertThat(QueryCompletion.of(text, List.of())).contains(new QueryCompletion(word, query));
  }

  @Test
  void everyProposal_canBeSearchedFor() {
    for (SearchField field : SearchField.values()) {
      for (QueryCompletion each : QueryCompletion.of(field.title() + "=", List.of())) {
        assertThat(Query.parse(each.query(), List.of())).as(each.query()).isNotNull();
      }
    }
    assertThat(words("event=")).hasSizeGreaterThan(10);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "chunk 12 ", "end=source", "wrid=0x", "colour=r", "\"is st", "xyz"})
  void whatIsCompleteOrUnknown_isNotCompleted(String text) {
    assertThat(words(text)).isEmpty();
  }
}
