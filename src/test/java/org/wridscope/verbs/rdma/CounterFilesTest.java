// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.verbs.DeviceCounter;

/** What is in the files of a device is its counters, and what is no number is not known. */
final class CounterFilesTest {
  private static final String PORT = "mlx5_0/ports/1/";

  @TempDir private Path infiniband;

  private void write(String file, String text) throws IOException {
    Path path = infiniband.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private Map<DeviceCounter, Long> read() {
    return new CounterFiles(infiniband).read("mlx5_0");
  }

  @Test
  void countersOfPortsAndOfTheDevice_areRead() throws IOException {
    write(PORT + "counters/port_xmit_data", "12345678901\n");
    write(PORT + "hw_counters/out_of_buffer", "0\n");
    write("mlx5_0/ports/2/hw_counters/out_of_buffer", "7\n");
    write("mlx5_0/hw_counters/another_thing", "8");
    write("mlx5_1/hw_counters/another_thing", "9\n");
    write(PORT + "state", "4: ACTIVE\n");
    assertThat(read())
        .containsOnly(
            Map.entry(new DeviceCounter("mlx5_0", 1, "port_xmit_data"), 12_345_678_901L),
            Map.entry(new DeviceCounter("mlx5_0", 1, "out_of_buffer"), 0L),
            Map.entry(new DeviceCounter("mlx5_0", 2, "out_of_buffer"), 7L),
            Map.entry(new DeviceCounter("mlx5_0", 0, "another_thing"), 8L));
  }

  @Test
  void allOf64Bits_areRead_andWhatIsNoNumber_isNotKnown() throws IOException {
    write(PORT + "counters/largest", "18446744073709551615\n");
    write(PORT + "counters/too_large", "18446744073709551616\n");
    write(PORT + "counters/negative", "-1\n");
    write(PORT + "counters/hexadecimal", "0x10\n");
    write(PORT + "counters/empty", "");
    write(PORT + "counters/words", "not counted\n");
    write(PORT + "counters/two", "1 2\n");
    write(PORT + "counters/long", "0".repeat(100_000) + "1\n");
    write(PORT + "counters/other_digits", "\u0661\u0662\n");
    // Reading a directory fails, as EINVAL of a counter that the device does not have.
    Files.createDirectories(infiniband.resolve(PORT + "counters/unreadable"));
    assertThat(read()).containsOnly(Map.entry(new DeviceCounter("mlx5_0", 1, "largest"), -1L));
  }

  @Test
  void settingsAndOddNames_areNoCounters() throws IOException {
    write(PORT + "hw_counters/lifespan", "10\n");
    write(PORT + "hw_counters/.hidden", "1\n");
    write(PORT + "hw_counters/two words", "1\n");
    write(PORT + "hw_counters/" + "n".repeat(65), "1\n");
    write("mlx5_0/ports/0/counters/symbol_error", "1\n");
    write("mlx5_0/ports/256/counters/symbol_error", "1\n");
    write("mlx5_0/ports/x/counters/symbol_error", "1\n");
    assertThat(read()).isEmpty();
  }

  @Test
  void moreFilesAndPorts_thanADeviceHas_areLeftOut() throws IOException {
    for (int i = 0; i < CounterFiles.MAX_FILES + 5; i++) {
      write(PORT + "counters/counter_%03d".formatted(i), "1");
    }
    assertThat(read()).hasSize(CounterFiles.MAX_FILES);
    for (int port = 2; port <= CounterFiles.MAX_PORTS + 5; port++) {
      write("mlx5_0/ports/%d/counters/one".formatted(port), "1");
    }
    assertThat(read()).hasSize(CounterFiles.MAX_FILES + CounterFiles.MAX_PORTS - 1);
  }

  @Test
  void deviceThatIsNotThere_hasNone() throws IOException {
    write("elsewhere/counters/one", "1");
    assertThat(read()).isEmpty();
    assertThat(new CounterFiles(infiniband.resolve("x")).read("../elsewhere")).isEmpty();
  }
}
