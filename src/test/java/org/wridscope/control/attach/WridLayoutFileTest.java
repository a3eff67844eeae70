// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.telemetry.WridLayout;

/** What users say about the wr_ids of their programs. */
final class WridLayoutFileTest {
  private static final String KIND_AND_BUFFER =
      """
      {'fields': [
        {'name': 'kind', 'from': 60, 'bits': 4, 'values': {'1': 'read', '0xf': 'flush'}},
        {'name': 'buffer', 'from': 0, 'bits': 16}
      ]}
      """
          .replace('\'', '"');

  @TempDir private Path folder;

  @Test
  void fields_areToldInTheirOrder_withTheNamesOfTheirValues() {
    WridLayout layout = WridLayoutFile.parse(KIND_AND_BUFFER);

    assertThat(layout.text(0x1000_0000_0000_002aL)).isEqualTo("kind read, buffer 42");
    assertThat(layout.text(0xf123_4567_89ab_ffffL)).isEqualTo("kind flush, buffer 65535");
    assertThat(layout.text(0x2000_0000_0000_0000L)).isEqualTo("kind 2, buffer 0");
  }

  @Test
  void aFieldOfAllBits_isUnsigned() {
    WridLayout layout =
        WridLayoutFile.parse(
            "{\"fields\":{\"name\":\"all\",\"from\":0,\"bits\":64,"
                + "\"values\":{\"0xfffffffffffffffe\":\"odd\"}}}");

    assertThat(layout.text(-1)).isEqualTo("all 18446744073709551615");
    assertThat(layout.text(-2)).isEqualTo("all odd");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          [1]                                                    | must be an object
          {}                                                     | fields is missing or empty
          {'fields':[]}                                          | fields is missing or empty
          {'fields':[{'from':0,'bits':1}]}                       | fields[0].name is missing
          {'fields':[{'name':'a','bits':1}]}                     | fields[0].from is missing
          {'fields':[{'name':'a','from':0}]}                     | fields[0].bits is missing
          {'fields':[{'name':'','from':0,'bits':1}]}             | 1 to 40 characters
          {'fields':[{'name':'a','from':64,'bits':1}]}           | write 0 to 63
          {'fields':[{'name':'a','from':60,'bits':5}]}           | write 1 to 4
          {'fields':[{'name':'a','from':0,'bits':0}]}            | write 1 to 64
          {'fields':[{'name':'a','from':0,'bits':1.5}]}          | not a whole number
          {'fields':[{'name':'a','from':0,'bits':1,'bit':1}]}    | fields[0].bit is not a known member
          {'fields':[{'name':'a','from':0,'bits':1}],'x':1}      | x is not a known member
          {'fields':[{'name':'a','from':0,'bits':4},{'name':'b','from':3,'bits':2}]} | overlap
          {'fields':[{'name':'a','from':0,'bits':4},{'name':'a','from':4,'bits':2}]} | two fields are called a
          {'fields':[{'name':'a','from':0,'bits':4,'values':{'16':'x'}}]} | does not fit into 4 bits
          {'fields':[{'name':'a','from':0,'bits':4,'values':{'-1':'x'}}]} | is not a number
          {'fields':[{'name':'a','from':0,'bits':4,'values':{'1':'x','0x1':'y'}}]} | is there twice
          {'fields':[{'name':'a','from':0,'bits':4,'values':[]}]} | must be an object
          {'fields':[                                            | not valid JSON
          """)
  void whatIsWrong_isSaid(String json, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WridLayoutFile.parse(json.replace('\'', '"')))
        .withMessageContaining(message);
  }

  @Test
  void messages_nameTheOptionAndTheFile() throws Exception {
    Path file = Files.writeString(folder.resolve("mine.json"), "{}");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> WridLayoutFile.read("--wrids", file))
        .withMessage("--wrids: %s: fields is missing or empty.".formatted(file));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WridLayoutFile.read("--wrids", folder.resolve("none")))
        .withMessageContaining("does not exist");
  }
}
