// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCm;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.wridscope.Slow;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

@Slow("every call into the binding is followed")
final class InstallationTest {
  private static final URL OURS =
      Installation.class.getProtectionDomain().getCodeSource().getLocation();
  private static final URL DISNI = RdmaCm.class.getProtectionDomain().getCodeSource().getLocation();

  /**
   * The dispatcher has the methods that this program reaches through DiSNI's classes, as DiSNI
   * calls them, and no others. The tests of the RDMA device call each.
   */
  @Test
  void dispatcher_hasExactlyTheMethodsThatAreCalled() throws Exception {
    JavaClasses classes = new ClassFileImporter().importUrls(List.of(OURS, DISNI));
    Set<String> reached = new TreeSet<>();
    Set<JavaCodeUnit> seen = new HashSet<>();
    Deque<JavaCodeUnit> open = new ArrayDeque<>();
    classes.stream()
        .filter(type -> type.getPackageName().startsWith("org.wridscope.verbs.rdma"))
        .forEach(type -> open.addAll(type.getCodeUnits()));
    while (!open.isEmpty()) {
      JavaCodeUnit unit = open.pop();
      for (JavaCall<?> call : unit.getCallsFromSelf()) {
        var target = call.getTarget();
        if (target.getOwner().getName().equals(DisniClasses.DISPATCHER)) {
          if (!target.getName().equals("<init>")) {
            reached.add(target.getName() + names(target.getRawParameterTypes()));
          }
        } else if (target.getOwner().getPackageName().startsWith("com.ibm.disni")) {
          implementations(classes, target).filter(seen::add).forEach(open::push);
        }
      }
    }
    Set<String> present =
        Arrays.stream(
                Class.forName(DisniClasses.DISPATCHER, false, getClass().getClassLoader())
                    .getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .map(method -> method.getName() + Arrays.toString(method.getParameterTypes()))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(reached).isNotEmpty().isEqualTo(present);
  }

  private static String names(List<JavaClass> types) {
    return types.stream().map(JavaClass::getName).toList().toString();
  }

  /** All methods that a call of this target may run. */
  private static Stream<JavaCodeUnit> implementations(
      JavaClasses classes, CodeUnitCallTarget target) {
    return classes.stream()
        .filter(type -> type.isAssignableTo(target.getOwner().getName()))
        .flatMap(type -> type.getCodeUnits().stream())
        .filter(unit ->
            unit.getName().equals(target.getName())
                && names(unit.getRawParameterTypes()).equals(names(target.getRawParameterTypes())));
  }

  /** On any machine: devices, none, or a sentence that names what is missing. */
  @Test
  void list_onAnyMachine_givesDevicesOrOneSentence() {
    try {
      assertThat(RdmaDevices.list()).isNotNull();
    } catch (VerbsException e) {
      assertThat(e.getMessage()).matches("\\p{Ll}[^\\n]{20,}").doesNotContain("Exception");
      assertThat(e.errno()).isIn(Errno.ENOENT, Errno.ENOSYS, Errno.EACCES, Errno.ENODEV);
    }
  }

  @Test
  void failures_sayWhatToDo() {
    assertThat(Installation.noDeviceList(new NativeCallException("ibv_get_device_list", 38)))
        .hasMessageContaining("modprobe")
        .extracting(VerbsException::errno)
        .isEqualTo(Errno.ENOSYS);
    assertThat(
            Installation.noEventChannel(new NativeCallException("rdma_create_event_channel", 19)))
        .hasMessageContaining("rdma link add")
        .extracting(VerbsException::errno)
        .isEqualTo(Errno.ENODEV);
    assertThat(Installation.notOpened("rxe9", "nosuchnode", 2))
        .hasMessageContaining("rxe9")
        .hasMessageContaining("/dev/infiniband/nosuchnode")
        .extracting(VerbsException::errno)
        .isEqualTo(Errno.ENOENT);
  }

  @Test
  void unknownErrorNumber_isShownAsItIs() {
    assertThat(Installation.failed("doing it", new NativeCallException("ibv_do", 9999)))
        .hasMessage("doing it failed: errno 9999 (ibv_do)")
        .extracting(VerbsException::errno)
        .isEqualTo(Errno.EIO);
    assertThat(Installation.failed("doing it", new NativeCallException("ibv_do", 16)))
        .hasMessage("doing it failed: EBUSY (ibv_do)");
  }
}
