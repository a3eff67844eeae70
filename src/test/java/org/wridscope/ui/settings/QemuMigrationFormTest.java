// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.QemuMigrationSettings;
import org.wridscope.control.SourceSettings;
import org.wridscope.control.qemu.Fitness;
import org.wridscope.control.qemu.QemuConnection;
import org.wridscope.control.qemu.QemuState;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.RunState;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.ui.settings.QemuMigrationForm.ByQemu;
import org.wridscope.ui.settings.QemuMigrationForm.ByWridscope;
import org.wridscope.ui.settings.QemuMigrationForm.Engine;

final class QemuMigrationFormTest {
  private static final Fitness YES = new Fitness("");
  private static final Fitness NO = new Fitness("Its RAM is private.");
  private static final QemuConnection VM = qemu("vm", "running", YES, NO);
  private static final QemuConnection PRIVATE = qemu("private", "running", NO, NO);
  private static final QemuConnection EMPTY = qemu("empty", "inmigrate", NO, YES);
  private static final QemuConnection OTHER = qemu("other", "inmigrate", NO, YES);

  private static QemuConnection qemu(String name, String status, Fitness take, Fitness fill) {
    return new QemuConnection(
        new QmpAddress.Unix(Path.of("/run", name)),
        QemuConnection.Phase.CONNECTED,
        new QemuState(
            name,
            "9.1.2",
            OptionalLong.of(1),
            new RunState(status, status.equals("running")),
            "none",
            List.of(),
            List.of(),
            Map.of(),
            take,
            fill),
        "");
  }

  private static QemuMigrationForm fromVm(QemuConnection... others) {
    return QemuMigrationForm.from(VM.address(), List.of(with(VM, others)));
  }

  private static QemuConnection[] with(QemuConnection first, QemuConnection... others) {
    var all = new QemuConnection[others.length + 1];
    all[0] = first;
    System.arraycopy(others, 0, all, 1, others.length);
    return all;
  }

  @Test
  void theOnlyQemuThatWaits_isTheDestination() {
    assertThat(fromVm(EMPTY).destination()).isEqualTo(EMPTY.address());
    assertThat(fromVm(EMPTY, OTHER).destination()).isNull();
    assertThat(fromVm().destination()).isNull();
    assertThat(fromVm(EMPTY, PRIVATE).sources()).containsExactly(VM, PRIVATE);
  }

  @Test
  void wridscopesEngine_isSuggestedWhereItCanWork() {
    assertThat(fromVm(EMPTY).engine()).isEqualTo(Engine.WRIDSCOPE);
    QemuMigrationForm form = QemuMigrationForm.from(PRIVATE.address(), List.of(PRIVATE, EMPTY));
    assertThat(form.engine()).isEqualTo(Engine.QEMU);
    assertThat(form.hindrance()).isEmpty();
    form.setEngine(Engine.WRIDSCOPE);
    assertThat(form.hindrance()).isEqualTo("Wridscope cannot take this guest. Its RAM is private.");
    assertThatIllegalArgumentException().isThrownBy(form::plan).withMessage(form.hindrance());
  }

  @Test
  void suggestedAddress_followsTheChoices_aTypedOneStays() {
    QemuMigrationForm form = fromVm(EMPTY);
    assertThat(form.get(Field.URI)).isEqualTo("rdma:127.0.0.1:0");
    form.setDestination(null);
    assertThat(form.get(Field.URI)).isEqualTo("rdma:127.0.0.1:4444");
    form.setEngine(Engine.QEMU);
    assertThat(form.get(Field.URI)).isEqualTo("tcp:127.0.0.1:4444");
    form.set(Field.URI, "tcp:10.9.0.2:5000");
    form.setDestination(EMPTY.address());
    assertThat(form.get(Field.URI)).isEqualTo("tcp:10.9.0.2:5000");
  }

  @Test
  void bothEndsByWridscope_areASourceAndADestination() {
    QemuMigrationForm form = fromVm(EMPTY);
    form.set(Field.of(MigrationSetting.DIRTY_LOG), "compare");
    form.set(Field.of(MigrationSetting.THROTTLE), "30%");
    form.set(Field.BANDWIDTH, "1GiB/s");
    form.set(MigrationSetting.VERIFY, true);
    var plan = (ByWridscope) form.plan();
    SourceSettings source = Objects.requireNonNull(plan.source());
    DestinationSettings destination = Objects.requireNonNull(plan.destination());
    assertThat(source.migration().guest())
        .isEqualTo(new GuestSettings.Lift(VM.address(), DirtyLogChoice.COMPARE, new Throttle(30)));
    assertThat(source.migration().get(MigrationSetting.BANDWIDTH)).isEqualTo(1 << 30);
    assertThat(destination.guest()).isEqualTo(new GuestSettings.Land(EMPTY.address(), true));
    assertThat(destination.uri()).isEqualTo("rdma:127.0.0.1:0");
    assertThat(plan.qemus()).containsExactly(VM.address(), EMPTY.address());
  }

  @Test
  void oneEndByWridscope_leavesTheOtherOut() {
    QemuMigrationForm from = fromVm();
    assertThat(((ByWridscope) from.plan()).destination()).isNull();
    QemuMigrationForm into = QemuMigrationForm.into(EMPTY.address(), List.of(VM, EMPTY));
    assertThat(((ByWridscope) into.plan()).source()).isNull();
    assertThat(into.fields()).containsExactly(Field.URI, Field.DEVICE);
  }

  @Test
  void pauseBeforeSwitchover_isTheSources_byEitherEngine() {
    QemuMigrationForm form = fromVm(EMPTY);
    form.set(MigrationSetting.PAUSE_BEFORE_SWITCHOVER, true);
    SourceSettings source = ((ByWridscope) form.plan()).source();
    assertThat(source).isNotNull();
    assertThat(source.migration().get(MigrationSetting.PAUSE_BEFORE_SWITCHOVER)).isTrue();
    for (Engine engine : Engine.values()) {
      form.setEngine(engine);
      form.setSource(VM.address());
      assertThat(form.flags()).contains(MigrationSetting.PAUSE_BEFORE_SWITCHOVER);
      form.setSource(null);
      assertThat(form.flags()).doesNotContain(MigrationSetting.PAUSE_BEFORE_SWITCHOVER);
    }
  }

  @Test
  void byQemu_setsWhatMatters() {
    QemuMigrationForm form = fromVm(EMPTY);
    form.setEngine(Engine.QEMU);
    form.set(Field.URI, "rdma:10.9.0.2:4444");
    form.set(MigrationSetting.PIN_ALL, true);
    form.set(MigrationSetting.PAUSE_BEFORE_SWITCHOVER, true);
    QemuMigrationSettings settings = ((ByQemu) form.plan()).settings();
    assertThat(settings.source()).isEqualTo(VM.address());
    assertThat(settings.destination()).isEqualTo(EMPTY.address());
    assertThat(settings.capabilities())
        .isEqualTo(
            Map.of("rdma-pin-all", true, "pause-before-switchover", true, "auto-converge", false));
    assertThat(settings.get(MigrationSetting.DOWNTIME_LIMIT)).isEqualTo(Duration.ofMillis(300));
    form.set(Field.URI, "tcp:10.9.0.2:4444");
    assertThat(((ByQemu) form.plan()).settings().capabilities()).doesNotContainKey("rdma-pin-all");
    assertThat(form.isUseful(MigrationSetting.PIN_ALL)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "WRIDSCOPE, uri, tcp:h:1, is not a migration URI",
    "WRIDSCOPE, throttle, 200%, is not a throttle",
    "WRIDSCOPE, dirty-log, magic, is not a dirty log",
    "QEMU, uri, exec:true, is not an address for QEMU's own engine",
    "QEMU, bandwidth, fast, Bandwidth limit",
    "QEMU, downtime-limit, 1h, is out of range"
  })
  void nonsense_isAnErrorOfItsField(Engine engine, String name, String typed, String error) {
    Field field = Fields.named(name);
    QemuMigrationForm form = fromVm(EMPTY);
    form.setEngine(engine);
    assertThat(form.errors()).isEmpty();
    form.set(field, typed);
    assertThat(form.errors()).containsOnlyKeys(field);
    assertThat(form.errors().get(field)).contains(error);
  }

  @Test
  void sourceAlone_needsAPort() {
    QemuMigrationForm form = fromVm();
    form.set(Field.URI, "rdma:10.9.0.2:0");
    assertThat(form.errors()).containsOnlyKeys(Field.URI);
  }

  @Test
  void nothingChosen_isAHindrance() {
    QemuMigrationForm form = fromVm();
    form.setSource(null);
    assertThat(form.hindrance()).startsWith("Choose a QEMU");
  }
}
