// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.fleet.FleetHost;
import org.wridscope.control.fleet.FleetPlan;
import org.wridscope.control.fleet.Readiness;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtMigration;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.ManagedSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Place;
import org.wridscope.settings.Setting;
import org.wridscope.settings.Settings;

/**
 * What the user has entered about the migration of domains by libvirt: to where, over what, and
 * how. Not thread-safe.
 */
public final class FleetMigrationForm extends Form {
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
    fill(Defaults.SESSION);
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
    Set<Field> fields = fieldsAt(Place.LIBVIRT);
    fields.add(Field.URI);
    if (transport == Transport.RDMA) {
      fields.remove(Field.of(ManagedSetting.CONNECTIONS));
    }
    if (domains.size() == 1) {
      fields.remove(Field.AT_ONCE);
    }
    return fields;
  }

  @Override
  public Set<Setting<Boolean>> flags() {
    Set<Setting<Boolean>> shown = flagsAt(Place.LIBVIRT);
    if (transport == Transport.TCP) {
      shown.remove(MigrationSetting.PIN_ALL);
    }
    return shown;
  }

  @Override
  public boolean isUseful(Setting<Boolean> flag) {
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
    return textErrors();
  }

  @Override
  void check(Field place) {
    Object _ = uri(get(place));
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

  /** How many migrations each host takes part in at once. */
  public int limit() {
    return domains.size() == 1 ? ManagedSetting.MOST : settings().get(ManagedSetting.AT_ONCE);
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
    Settings settings = settings();
    VirtMigration how = FleetPlan.how(uri(get(Field.URI)), settings);
    Duration downtimeLimit = settings.get(MigrationSetting.DOWNTIME_LIMIT);
    return domains.stream()
        .map(domain ->
            new FleetPlan(source.uri(), to.uri(), domain.id(), domain.name(), how, downtimeLimit))
        .toList();
  }
}
