// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCm;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

final class InstallationTest {
  private static final URL OURS =
      Installation.class.getProtectionDomain().getCodeSource().getLocation();
  private static final URL DISNI = RdmaCm.class.getProtectionDomain().getCodeSource().getLocation();

  @Test
  void dispatcher_isOurs_andDisnisOwnIsTold() throws Exception {
    assertThat(OURS).isNotEqualTo(DISNI);
    assertThat(Installation.dispatcherLocation(getClass().getClassLoader())).isEqualTo(OURS);
    try (var disniFirst = new URLClassLoader(new URL[] {DISNI, OURS}, null)) {
      assertThat(Installation.dispatcherLocation(disniFirst)).isEqualTo(DISNI);
    }
  }

  /** DiSNI's classes call these: one that is missing would only show when it is called. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        Installation.DISPATCHER,
        "com.ibm.disni.util.MemoryUtils",
        "com.ibm.disni.util.NativeAffinity"
      })
  void standIn_hasEveryMethodOfTheOriginal(String name) throws Exception {
    try (var originals =
        new URLClassLoader(new URL[] {DISNI}, ClassLoader.getPlatformClassLoader())) {
      Set<String> expected = publicMethods(Class.forName(name, false, originals));
      Class<?> standIn = Class.forName(name, false, getClass().getClassLoader());
      assertThat(expected).isNotEmpty();
      assertThat(publicMethods(standIn)).containsAll(expected);
    }
  }

  private static Set<String> publicMethods(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .map(InstallationTest::signature)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String signature(Method method) {
    return method.getReturnType().getName()
        + " "
        + method.getName()
        + Arrays.toString(Arrays.stream(method.getParameterTypes()).map(Class::getName).toArray());
  }

  /** Whatever this machine has: devices, none, or a sentence that says what is missing. */
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
