// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.QemuMigrationSettings;
import org.wridscope.control.QemuUri;
import org.wridscope.control.SourceSettings;
import org.wridscope.control.qemu.QemuConnection;
import org.wridscope.control.qemu.QemuState;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.ManagedSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Place;
import org.wridscope.settings.Setting;
import org.wridscope.settings.Settings;

/**
 * What the user has entered about the migration of a QEMU's guest: by which engine, from where, to
 * where, and how. Not thread-safe.
 */
public final class QemuMigrationForm extends Form {
  /** Which program transfers the RAM. */
  public enum Engine {
    WRIDSCOPE("Wridscope, over RDMA"),
    QEMU("QEMU itself");

    private final String text;

    Engine(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /** What is to be started. */
  public sealed interface Plan {
    /** Where the destination listens. */
    String uri();
  }

  /** A migration by QEMU's own engine. */
  public record ByQemu(QemuMigrationSettings settings) implements Plan {
    @Override
    public String uri() {
      return settings.uri().toString();
    }
  }

  /**
   * A migration by Wridscope's engine, with one end or both in this process.
   *
   * @param source null if another process is the source; with a destination, its URI is that of the
   *     destination, whose port may be known only once it listens
   * @param destination null if another process is the destination
   */
  public record ByWridscope(
      @Nullable SourceSettings source, @Nullable DestinationSettings destination) implements Plan {
    @Override
    public String uri() {
      return source == null ? Objects.requireNonNull(destination).uri() : source.uri();
    }

    /** The QEMUs at its ends. */
    public List<QmpAddress> qemus() {
      var qemus = new ArrayList<QmpAddress>();
      if (source != null && source.migration().guest() instanceof GuestSettings.Lift lift) {
        qemus.add(lift.qmp());
      }
      if (destination != null && destination.guest() instanceof GuestSettings.Land land) {
        qemus.add(land.qmp());
      }
      return qemus;
    }
  }

  private static final String OWN_DEFAULT = "rdma:127.0.0.1:0";
  private static final String OWN_ELSEWHERE = "rdma:127.0.0.1:4444";
  private static final String QEMU_DEFAULT = "tcp:127.0.0.1:4444";

  private final List<QemuConnection> qemus;
  private Engine engine = Engine.WRIDSCOPE;
  private @Nullable QmpAddress source;
  private @Nullable QmpAddress destination;

  /**
   * @param qemus those that are connected
   */
  public QemuMigrationForm(List<QemuConnection> qemus) {
    this.qemus = List.copyOf(qemus);
    fill(Defaults.SESSION);
    suggestAddress();
  }

  /**
   * A form for migrating the guest of a QEMU. If exactly one other QEMU waits for a guest, that is
   * the destination. The engine is Wridscope's where that is possible.
   */
  public static QemuMigrationForm from(QmpAddress qemu, List<QemuConnection> qemus) {
    var form = new QemuMigrationForm(qemus);
    form.source = qemu;
    List<QemuConnection> others = form.destinations();
    form.destination = others.size() == 1 ? others.getFirst().address() : null;
    form.suggestEngine();
    return form;
  }

  /** A form for receiving a guest in a QEMU, from another host. */
  public static QemuMigrationForm into(QmpAddress qemu, List<QemuConnection> qemus) {
    var form = new QemuMigrationForm(qemus);
    form.destination = qemu;
    form.suggestEngine();
    return form;
  }

  /**
   * The same inputs for the QEMUs that are connected now. An end whose QEMU cannot be used any more
   * is left open.
   */
  public QemuMigrationForm again(List<QemuConnection> now) {
    var form = new QemuMigrationForm(now);
    form.engine = engine;
    form.source = addressAmong(form.sources(), source);
    form.destination = addressAmong(form.destinations(), destination);
    form.enter(inputs());
    return form;
  }

  private static @Nullable QmpAddress addressAmong(
      List<QemuConnection> usable, @Nullable QmpAddress wanted) {
    return usable.stream()
        .map(QemuConnection::address)
        .filter(address -> address.equals(wanted))
        .findFirst()
        .orElse(null);
  }

  private void suggestEngine() {
    engine = hindrance().isEmpty() ? Engine.WRIDSCOPE : Engine.QEMU;
    suggestAddress();
  }

  @Override
  Enum<?> choice() {
    return engine;
  }

  /** Keeps the engine that suits the QEMUs, and its address if another one was stored. */
  @Override
  void choose(@Nullable String name) {
    if (!name(engine).equals(name)) {
      set(Field.URI, suggestion());
    }
  }

  @Override
  void prefer(@Nullable String name) {
    for (Engine known : Engine.values()) {
      if (name(known).equals(name)) {
        setEngine(known);
      }
    }
  }

  /** The connected QEMUs whose guests can be migrated. */
  public List<QemuConnection> sources() {
    return qemus.stream().filter(QemuConnection::canMigrate).toList();
  }

  /** The connected QEMUs that wait for a guest. */
  public List<QemuConnection> destinations() {
    return qemus.stream().filter(QemuConnection::canReceive).toList();
  }

  public Engine engine() {
    return engine;
  }

  public void setEngine(Engine engine) {
    this.engine = engine;
    suggestAddress();
  }

  /** The QEMU whose guest is migrated; null if the source is elsewhere. */
  public @Nullable QmpAddress source() {
    return source;
  }

  public void setSource(@Nullable QmpAddress qemu) {
    source = qemu;
    suggestAddress();
  }

  /** The QEMU that receives the guest; null if the destination is elsewhere. */
  public @Nullable QmpAddress destination() {
    return destination;
  }

  public void setDestination(@Nullable QmpAddress qemu) {
    destination = qemu;
    suggestAddress();
  }

  /** Replaces an address that was suggested for other choices; keeps one that was typed. */
  private void suggestAddress() {
    String now = get(Field.URI);
    if (now.isBlank() || List.of(OWN_DEFAULT, OWN_ELSEWHERE, QEMU_DEFAULT).contains(now)) {
      set(Field.URI, suggestion());
    }
  }

  private String suggestion() {
    if (engine == Engine.QEMU) {
      return QEMU_DEFAULT;
    }
    return destination == null ? OWN_ELSEWHERE : OWN_DEFAULT;
  }

  /** An example of an address, for an empty field. */
  public String addressPrompt() {
    return engine == Engine.QEMU
        ? "rdma:HOST:PORT, tcp:HOST:PORT or unix:PATH"
        : destination == null
            ? "rdma:HOST:PORT, where it listens"
            : "rdma:HOST:PORT; port 0 is any";
  }

  /** Where the settings are given: those of the source, if it is here. */
  private Set<Place> places() {
    if (engine == Engine.QEMU) {
      return EnumSet.of(Place.QEMU);
    }
    var places = EnumSet.noneOf(Place.class);
    if (source != null) {
      places.add(Place.LIFT);
    }
    if (destination != null) {
      places.add(Place.LAND);
    }
    return places;
  }

  @Override
  public Set<Field> fields() {
    var fields = new LinkedHashSet<>(List.of(Field.URI));
    if (engine == Engine.WRIDSCOPE) {
      fields.add(Field.DEVICE);
    }
    if (source != null) {
      places().forEach(place -> fields.addAll(fieldsAt(place)));
    }
    return fields;
  }

  @Override
  public Set<Setting<Boolean>> flags() {
    var shown = new LinkedHashSet<Setting<Boolean>>();
    places().forEach(place -> shown.addAll(flagsAt(place)));
    if (engine == Engine.QEMU) {
      // Both ends of QEMU's engine must know whether all RAM is registered.
      if (source == null) {
        shown.retainAll(List.of(MigrationSetting.PIN_ALL, MigrationSetting.MONITORED));
      } else if (destination == null) {
        shown.remove(ManagedSetting.START_GUEST);
      }
    }
    return shown;
  }

  @Override
  public boolean isUseful(Setting<Boolean> flag) {
    return !flag.equals(MigrationSetting.PIN_ALL)
        || engine == Engine.WRIDSCOPE
        || get(Field.URI).strip().startsWith("rdma:");
  }

  /** Why the chosen QEMUs cannot be used like that, a sentence; empty if they can. */
  public String hindrance() {
    if (source == null && destination == null) {
      return "Choose a QEMU as the source or as the destination.";
    }
    if (engine == Engine.QEMU) {
      return "";
    }
    QemuState from = stateOf(source);
    if (from != null && !from.take().possible()) {
      return "Wridscope cannot take this guest. %s".formatted(from.take().reason());
    }
    QemuState to = stateOf(destination);
    if (to != null && !to.fill().possible()) {
      return "Wridscope cannot fill this QEMU. %s".formatted(to.fill().reason());
    }
    return "";
  }

  private @Nullable QemuState stateOf(@Nullable QmpAddress qemu) {
    return qemus.stream()
        .filter(one -> one.address().equals(qemu))
        .map(QemuConnection::state)
        .findFirst()
        .orElse(null);
  }

  /** The errors of all fields, a sentence each. */
  public Map<Field, String> errors() {
    return textErrors();
  }

  @Override
  void check(Field place) {
    Object _ = place.equals(Field.URI) ? uri(get(Field.URI)) : device();
  }

  /** Whether an address suits the choices that were made. */
  boolean suits(String address) {
    try {
      return !uri(address).isEmpty();
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private String uri(String typed) {
    return engine == Engine.QEMU ? QemuUri.parse(typed).toString() : ownUri(typed);
  }

  private String ownUri(String typed) {
    MigrationUri uri = MigrationUri.parse(typed);
    if (uri.port() == 0 && destination == null) {
      throw new IllegalArgumentException(
          "URI: write the port on which the destination listens, not 0.");
    }
    return uri.toString();
  }

  private DeviceChoice device() {
    return DeviceChoice.of(get(Field.DEVICE));
  }

  /**
   * What is to be started.
   *
   * @throws IllegalArgumentException if there is a {@link #hindrance} or an error, with a sentence
   *     for the user
   */
  public Plan plan() {
    String hindrance = hindrance();
    if (!hindrance.isEmpty()) {
      throw new IllegalArgumentException(hindrance);
    }
    return engine == Engine.QEMU ? byQemu() : byWridscope();
  }

  private ByQemu byQemu() {
    return new ByQemu(
        new QemuMigrationSettings(source, destination, QemuUri.parse(get(Field.URI)), settings()));
  }

  private ByWridscope byWridscope() {
    String uri = ownUri(get(Field.URI));
    Settings settings = settings();
    return new ByWridscope(
        source == null
            ? null
            : new SourceSettings(
                uri,
                device(),
                new MigrationSettings(GuestSettings.Lift.of(source, settings), settings)),
        destination == null
            ? null
            : new DestinationSettings(
                uri,
                device(),
                new GuestSettings.Land(destination, settings.get(MigrationSetting.VERIFY)),
                settings,
                List.of()));
  }
}
