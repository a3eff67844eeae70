// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A disk that a test can stop, resume, or let fail. Its paths are those of the default file system;
 * while the disk is stopped, every access to a file blocks.
 */
public final class SlowDisk {
  private final FileSystem fileSystem = new Files();
  private boolean standing;
  private boolean failing;
  private int waiting;

  /** Blocks every access from now on. */
  public synchronized void stop() {
    standing = true;
  }

  /** Allows all accesses again. */
  public synchronized void goOn() {
    standing = false;
    failing = false;
    notifyAll();
  }

  /** Fails every access from now on, until it is stopped or resumed. */
  public synchronized void fail() {
    failing = true;
  }

  /** Whether an access is blocked. */
  public boolean isWaitedFor() {
    return waiting() > 0;
  }

  /** How many accesses are blocked. */
  public synchronized int waiting() {
    return waiting;
  }

  private synchronized void pass() throws IOException {
    waiting++;
    try {
      while (standing) {
        wait();
      }
      if (failing) {
        throw new IOException("Input/output error");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } finally {
      waiting--;
    }
  }

  /** The same file, accessed through this disk. */
  public Path of(Path file) {
    return (Path)
        Proxy.newProxyInstance(
            SlowDisk.class.getClassLoader(),
            new Class<?>[] {Path.class},
            (_, method, arguments) -> {
              if (method.getName().equals("getFileSystem")) {
                return fileSystem;
              }
              if (method.getName().equals("toFile") && arguments == null) {
                return file.toFile();
              }
              try {
                return method.invoke(file, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static Path real(Path path) {
    return Path.of(path.toString());
  }

  private static UnsupportedOperationException unused() {
    return new UnsupportedOperationException("nobody has needed this of a slow disk yet");
  }

  private final class Files extends FileSystem {
    private final Provider provider = new Provider();

    @Override
    public FileSystemProvider provider() {
      return provider;
    }

    @Override
    public void close() {}

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public boolean isReadOnly() {
      return true;
    }

    @Override
    public String getSeparator() {
      return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
      throw unused();
    }

    @Override
    public Iterable<FileStore> getFileStores() {
      throw unused();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
      return Set.of("basic");
    }

    @Override
    public Path getPath(String first, String... more) {
      return of(Path.of(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
      throw unused();
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
      throw unused();
    }

    @Override
    public WatchService newWatchService() {
      throw unused();
    }
  }

  private final class Provider extends FileSystemProvider {
    @Override
    public String getScheme() {
      return "slow";
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
      throw unused();
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
      return fileSystem;
    }

    @Override
    public Path getPath(URI uri) {
      throw unused();
    }

    @Override
    public SeekableByteChannel newByteChannel(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
        throws IOException {
      return newFileChannel(path, options, attributes);
    }

    @Override
    public FileChannel newFileChannel(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
        throws IOException {
      pass();
      return new Channel(FileChannel.open(real(path), options, attributes));
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
        Path path, DirectoryStream.Filter<? super Path> filter) {
      throw unused();
    }

    @Override
    public void createDirectory(Path path, FileAttribute<?>... attributes) {
      throw unused();
    }

    @Override
    public void delete(Path path) {
      throw unused();
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) {
      throw unused();
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) {
      throw unused();
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
      pass();
      return java.nio.file.Files.isSameFile(real(path), real(other));
    }

    @Override
    public boolean isHidden(Path path) {
      return false;
    }

    @Override
    public FileStore getFileStore(Path path) {
      throw unused();
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
      pass();
      Path real = real(path);
      real.getFileSystem().provider().checkAccess(real, modes);
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
        Path path, Class<V> type, LinkOption... options) {
      return java.nio.file.Files.getFileAttributeView(real(path), type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
        Path path, Class<A> type, LinkOption... options) throws IOException {
      pass();
      return java.nio.file.Files.readAttributes(real(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
        throws IOException {
      pass();
      return java.nio.file.Files.readAttributes(real(path), names, options);
    }

    @Override
    public void setAttribute(Path path, String name, Object value, LinkOption... options) {
      throw unused();
    }
  }

  private final class Channel extends FileChannel {
    private final FileChannel file;

    Channel(FileChannel file) {
      this.file = file;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      pass();
      return file.read(into);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
      pass();
      return file.read(into, offset, length);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      pass();
      return file.read(into, position);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
      pass();
      return file.write(from);
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
      pass();
      return file.write(from, offset, length);
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
      pass();
      return file.write(from, position);
    }

    @Override
    public long position() throws IOException {
      return file.position();
    }

    @Override
    public FileChannel position(long position) throws IOException {
      file.position(position);
      return this;
    }

    @Override
    public long size() throws IOException {
      pass();
      return file.size();
    }

    @Override
    public FileChannel truncate(long size) {
      throw unused();
    }

    @Override
    public void force(boolean metaData) throws IOException {
      pass();
      file.force(metaData);
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw unused();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
      throw unused();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
      throw unused();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
      throw unused();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
      throw unused();
    }

    @Override
    protected void implCloseChannel() throws IOException {
      pass();
      file.close();
    }
  }
}
