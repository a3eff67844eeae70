// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import org.junit.jupiter.api.Test;

final class DisniClassesTest {
  private static final URL OURS =
      DisniClasses.class.getProtectionDomain().getCodeSource().getLocation();
  private static final URL DISNI = RdmaCm.class.getProtectionDomain().getCodeSource().getLocation();

  @Test
  void dispatcher_ofThisProgram_isOurs() {
    var classes = new DisniClasses(getClass().getClassLoader());
    assertThat(classes.present()).isTrue();
    assertThat(classes.foreignDispatcher()).isEmpty();
  }

  @Test
  void dispatcher_ofDisni_isToldWithItsJar() throws IOException {
    try (var disniFirst = new URLClassLoader(new URL[] {DISNI, OURS}, null)) {
      assertThat(new DisniClasses(disniFirst).foreignDispatcher()).contains(DISNI.toExternalForm());
    }
  }

  @Test
  void present_needsDisniItself_notOnlyOurDispatcher() throws IOException {
    var platform = ClassLoader.getPlatformClassLoader();
    try (var oursAlone = new URLClassLoader(new URL[] {OURS}, platform)) {
      assertThat(new DisniClasses(oursAlone).present()).isFalse();
    }
    assertThat(new DisniClasses(platform).foreignDispatcher()).isEmpty();
  }

  /** As after the program was copied: classes from its cache say that they come from elsewhere. */
  @Test
  void dispatcher_fromACacheThatWasMadeElsewhere_isOurs() throws Exception {
    try (var copied = new CopiedLoader()) {
      Class<?> dispatcher = Class.forName(DisniClasses.DISPATCHER, false, copied);
      assertThat(dispatcher.getProtectionDomain().getCodeSource().getLocation())
          .isEqualTo(CopiedLoader.ELSEWHERE);
      assertThat(new DisniClasses(copied).foreignDispatcher()).isEmpty();
    }
  }

  /** Gives the dispatcher another origin than where its file is. */
  private static final class CopiedLoader extends URLClassLoader {
    static final URL ELSEWHERE = elsewhere();

    CopiedLoader() {
      super(new URL[] {OURS, DISNI}, ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (!name.equals(DisniClasses.DISPATCHER)) {
        return super.findClass(name);
      }
      try (var file = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = file.readAllBytes();
        var domain = new ProtectionDomain(new CodeSource(ELSEWHERE, (Certificate[]) null), null);
        return defineClass(name, bytes, 0, bytes.length, domain);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static URL elsewhere() {
      try {
        return URI.create("file:/elsewhere/wridscope.jar").toURL();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
