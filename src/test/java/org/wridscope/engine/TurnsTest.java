// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TurnsTest {
  private static final int MOST = 1024;

  private record Call(String address, int number) {
    InetAddress inet() {
      return InetAddress.ofLiteral(address);
    }
  }

  private final Turns<Call> turns = new Turns<>(MOST, Call::inet);
  private final Map<InetAddress, Integer> having = new HashMap<>();

  private @Nullable Call take() {
    Call taken = turns.take(party -> having.getOrDefault(party, 0));
    if (taken != null) {
      having.merge(Turns.party(taken.inet()), 1, Integer::sum);
    }
    return taken;
  }

  private List<Call> takeAll() {
    var all = new ArrayList<Call>();
    for (Call next = take(); next != null; next = take()) {
      all.add(next);
    }
    return all;
  }

  @Test
  void newestIsFirst_withinAnAddress() {
    for (int i = 0; i < 4; i++) {
      assertThat(turns.add(new Call("192.0.2.1", i))).isNull();
    }
    assertThat(takeAll()).extracting(Call::number).containsExactly(3, 2, 1, 0);
    assertThat(turns.isEmpty()).isTrue();
  }

  @Test
  void addressesAlternate_howeverManyAnyOfThemSends() {
    for (int i = 0; i < 1000; i++) {
      turns.add(new Call("192.0.2.1", i));
    }
    turns.add(new Call("192.0.2.2", 0));
    turns.add(new Call("2001:db8::1", 0));
    for (int i = 1; i < 10; i++) {
      turns.add(new Call("192.0.2.1", 1000 + i));
    }
    var first = List.of(take(), take(), take());
    assertThat(first)
        .extracting(Call::address)
        .containsExactlyInAnyOrder("192.0.2.1", "192.0.2.2", "2001:db8::1");
  }

  @Test
  void oneThatHadItsTurn_isBehindOneThatHadNone() {
    turns.add(new Call("192.0.2.1", 0));
    assertThat(take()).isNotNull();
    having.clear();
    turns.add(new Call("192.0.2.2", 0));
    turns.add(new Call("192.0.2.1", 1));
    assertThat(take()).isEqualTo(new Call("192.0.2.2", 0));
  }

  @Test
  void oldestOfTheAddressWithTheMostLeaves_whenTooManyWait() {
    turns.add(new Call("192.0.2.2", 0));
    for (int i = 0; i < MOST - 1; i++) {
      assertThat(turns.add(new Call("192.0.2.1", i))).isNull();
    }
    assertThat(turns.add(new Call("192.0.2.1", MOST))).isEqualTo(new Call("192.0.2.1", 0));
    assertThat(turns.add(new Call("192.0.2.2", 1))).isEqualTo(new Call("192.0.2.1", 1));
    assertThat(takeAll()).hasSize(MOST).contains(new Call("192.0.2.2", 0));
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.1, true",
    "192.0.2.1, 192.0.2.2, false",
    "2001:db8::1, 2001:db8::ffff:ffff:ffff:ffff, true",
    "2001:db8:0:1::1, 2001:db8:0:2::1, false",
    "fd00:1:2:3::1, fd00:1:2:3:4::1, true",
    "::1, ::2, false",
    "fe80::1, fe80::2, false",
    "::ffff:192.0.2.1, 192.0.2.1, true",
  })
  void networkOf64BitsIsOneParty_unlessEachAddressIsOfAHost(
      String one, String other, boolean same) {
    InetAddress first = Turns.party(InetAddress.ofLiteral(one));
    InetAddress second = Turns.party(InetAddress.ofLiteral(other));
    assertThat(first.equals(second)).isEqualTo(same);
  }

  /** What is remembered of addresses is bounded. */
  @Test
  void turnsOfManyAddressesAreTaken() {
    for (int i = 0; i < 3 * 4096; i++) {
      turns.add(new Call("10.%d.%d.1".formatted(i >> 8, i & 255), i));
      assertThat(take()).isNotNull();
      having.clear();
    }
    assertThat(turns.isEmpty()).isTrue();
    assertThat(take()).isNull();
  }
}
