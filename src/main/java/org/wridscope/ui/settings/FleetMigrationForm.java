// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Defaults;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.fleet.FleetHost;
import org.wridscope.control.fleet.FleetMigrations;
import org.wridscope.control.fleet.FleetPlan;
import org.wridscope.control.fleet.Readiness;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtMigration;
import org.wridscope.units.Parse;

/**
 * What the user has entered about the migration of domains by libvirt: to where, over what, and
 * how. Not thread-safe.
 */
public final class FleetMigrationForm extends Form {
  /** Most migrations of a host at once that make sense, and most connections of QEMU's multifd. */
  private static final int MOST = 255;

  /** Over what QEMU migrates. */
  public enum Transport {
    RDMA("RDMA"),
    TCP("TCP");

    private final String text;

    Transport(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  private final FleetHost source;
  private final List<VirtDomain> domains;
  private final List<FleetHost> destinations;
  private @Nullable FleetHost destination;
  private @Nullable Readiness readiness;
  private Transport transport = Transport.TCP;

  /** Whether the user has chosen the transport for this destination. */
  private boolean transportChosen;

  /**
   * @param domains of the source, at least one
   * @param hosts all that are connected
   */
  public FleetMigrationForm(FleetHost source, List<VirtDomain> domains, List<FleetHost> hosts) {
    this.source = source;
    this.domains = List.copyOf(domains);
    destinations =
        hosts.stream()
            .filter(host ->
                host.phase() == FleetHost.Phase.CONNECTED && !host.uri().equals(source.uri()))
            .toList();
    destination = destinations.isEmpty() ? null : destinations.getFirst();
    set(Field.DOWNTIME_LIMIT, Defaults.SESSION.downtimeLimit());
    set(Field.AT_ONCE, Integer.toString(FleetMigrations.USUAL_LIMIT));
    set(Option.MOVE_DEFINITION, true);
  }

  public FleetHost source() {
    return source;
  }

  public List<VirtDomain> domains() {
    return domains;
  }

  /** The other hosts that are connected. */
  public List<FleetHost> destinations() {
    return destinations;
  }

  /** Where the domains go; null if no other host is connected. */
  public @Nullable FleetHost destination() {
    return destination;
  }

  /** Chooses another destination, of which nothing is known before {@link #setReadiness}. */
  public void setDestination(FleetHost host) {
    destination = host;
    readiness = null;
    transportChosen = false;
    set(Field.URI, "");
  }

  /** Enters what was found out; RDMA is used if nothing prevents it, unless the user has chosen. */
  public void setReadiness(Readiness found) {
    readiness = found;
    if (!transportChosen) {
      transport = found.rdma() ? Transport.RDMA : Transport.TCP;
    }
    suggestAddress();
  }

  public Transport transport() {
    return transport;
  }

  /** Chooses a transport, and suggests the address for it. */
  public void setTransport(Transport chosen) {
    transport = chosen;
    transportChosen = true;
    suggestAddress();
  }

  private void suggestAddress() {
    set(Field.URI, transport == Transport.RDMA && readiness != null ? readiness.rdmaUri() : "");
  }

  @Override
  Enum<?> choice() {
    return transport;
  }

  /** Keeps the transport and address that suit the hosts. */
  @Override
  void choose(@Nullable String name) {
    suggestAddress();
  }

  @Override
  void prefer(@Nullable String name) {
    for (Transport known : Transport.values()) {
      if (name(known).equals(name)) {
        setTransport(known);
      }
    }
  }

  @Override
  public Set<Field> fields() {
    var fields = EnumSet.of(Field.URI, Field.BANDWIDTH, Field.DOWNTIME_LIMIT);
    if (transport == Transport.TCP) {
      fields.add(Field.CONNECTIONS);
    }
    if (domains.size() > 1) {
      fields.add(Field.AT_ONCE);
    }
    return fields;
  }

  @Override
  public Set<Option> options() {
    var shown = EnumSet.of(Option.AUTO_CONVERGE, Option.MOVE_DEFINITION, Option.UNSAFE);
    if (transport == Transport.RDMA) {
      shown.add(Option.PIN_ALL);
    }
    return shown;
  }

  @Override
  public boolean isUseful(Option option) {
    return true;
  }

  /** An example of an address, for an empty field. */
  public String addressPrompt() {
    return transport == Transport.RDMA
        ? "rdma://HOST, an address of its RDMA device"
        : "tcp://HOST, or empty for libvirt's choice";
  }

  /** Why nothing can be started, a sentence; empty if it can. */
  public String hindrance() {
    return destination == null ? "Connect the destination host first." : "";
  }

  /** The errors of all fields, a sentence each. */
  public Map<Field, String> errors() {
    return errors(this::check);
  }

  private void check(Field field) {
    Object _ =
        switch (field) {
          case URI -> uri(get(Field.URI));
          case BANDWIDTH -> bandwidth();
          case DOWNTIME_LIMIT -> downtimeLimit();
          case CONNECTIONS -> connections();
          case AT_ONCE -> limit();
          default -> throw new IllegalStateException(field + " is not of libvirt");
        };
  }

  /** Whether an address suits the transport. */
  boolean suits(String address) {
    try {
      return !uri(address).isEmpty();
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private String uri(String entered) {
    String typed = entered.strip();
    boolean rdma = transport == Transport.RDMA;
    boolean fits = rdma ? VirtMigration.rdma(typed) : !VirtMigration.rdma(typed);
    if (!fits) {
      throw new IllegalArgumentException(
          rdma
              ? "URI: write rdma://HOST, with an address of the destination's RDMA device."
              : "URI: write tcp://HOST, or leave it empty, or choose RDMA.");
    }
    return new VirtMigration(typed, false, 0, 0, false, false, false).uri();
  }

  private long bandwidth() {
    String text = get(Field.BANDWIDTH);
    return text.isBlank() ? 0 : Parse.rate(Field.BANDWIDTH.label(), text);
  }

  private Duration downtimeLimit() {
    return MigrationSettings.parseDowntimeLimit(
        Field.DOWNTIME_LIMIT.label(), get(Field.DOWNTIME_LIMIT));
  }

  private int connections() {
    String text = get(Field.CONNECTIONS);
    return transport == Transport.RDMA || text.isBlank()
        ? 0
        : (int) Parse.number(Field.CONNECTIONS.label(), text, 0, MOST);
  }

  /** How many migrations each host takes part in at once. */
  public int limit() {
    return domains.size() == 1
        ? MOST
        : (int) Parse.number(Field.AT_ONCE.label(), get(Field.AT_ONCE), 1, MOST);
  }

  /**
   * What is to be started, a plan for each domain.
   *
   * @throws IllegalArgumentException if there is a {@link #hindrance} or an error, with a sentence
   *     for the user
   */
  public List<FleetPlan> plans() {
    FleetHost to = destination;
    if (to == null) {
      throw new IllegalArgumentException(hindrance());
    }
    var how =
        new VirtMigration(
            uri(get(Field.URI)),
            transport == Transport.RDMA && has(Option.PIN_ALL),
            connections(),
            bandwidth(),
            has(Option.AUTO_CONVERGE),
            has(Option.MOVE_DEFINITION),
            has(Option.UNSAFE));
    return domains.stream()
        .map(domain ->
            new FleetPlan(source.uri(), to.uri(), domain.id(), domain.name(), how, downtimeLimit()))
        .toList();
  }
}
