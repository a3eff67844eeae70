# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Roots of other Debian releases, or for other processors: what the programs of a release are tried with, in a VM or on this machine.
# Sourced after packaging/setup.sh. A root is made once, as root, by mmdebstrap from the mirrors that this machine's apt has, and kept
# in the cache.

releases=${XDG_CACHE_HOME:-$HOME/.cache}/wridscope/releases

# The architecture of the roots and VMs, which lab/softroce may set.
# shellcheck disable=SC2154 # set by setup.sh
architecture=$own_architecture

# is_foreign: whether this machine cannot run the programs of the roots.
is_foreign() {
  [[ $architecture != "$own_architecture" ]]
}

# qemu_package: prints the package with the QEMU whose machines are of the architecture.
qemu_package() {
  case $architecture in
    arm64) printf 'qemu-system-arm\n' ;;
    *) printf 'qemu-system-x86\n' ;;
  esac
}

# What a VM needs, here or in a root; what the tests run and compile there, whose QEMUs are PCs on every processor; what a migration by
# libvirt needs. Alternatives are older and newer names.
rdma_packages=(iproute2 rdma-core ibverbs-providers libibverbs1 'librdmacm1t64|librdmacm1')
test_packages=(qemu-system-x86 perftest rdmacm-utils gcc libc6-dev libibverbs-dev tshark libvirt0)
libvirt_packages=(libvirt0 libvirt-daemon libvirt-daemon-driver-qemu libvirt-clients)
# What a minimal Debian lacks beside these.
tool_packages=(bash busybox-static kmod mount procps util-linux)
# What the VM has from this machine unless its processor is another.
foreign_packages=("openjdk-$java_release-jdk-headless" fonts-dejavu-core libpangoft2-1.0-0 perl)

# release_directory NAME: prints where the root of a release is kept.
release_directory() {
  printf '%s/%s\n' "$releases" "$1$(is_foreign && printf -- '-%s' "$architecture")"
}

# own_release: prints the name of this machine's release of Debian or Ubuntu, as its package sources have it.
own_release() {
  apt_sources | awk '$3 !~ /-/ && !seen++ { print $3 }'
}

# debian_sources NAME: prints the lines for apt of a Debian release: this machine's, with another suite if that is not its own.
debian_sources() {
  local lines
  lines=$(apt_sources | awk -v name="$1" -v own="$(own_release)" '
    $3 ~ /-(backports|proposed)/ { next }
    name == own { print "deb", $2, $3, $4; next }
    $1 != "Debian" || $4 != "main" { next }
    { suite = name }
    $3 ~ /-(updates|security)$/ { suite = name substr($3, match($3, /-[a-z]+$/)) }
    suite != name && name ~ /^(unstable|sid)$/ { next }
    !seen[suite]++ { print "deb", $2, suite, "main" }')
  [[ -n $lines ]] || die "this machine's package sources (apt-get indextargets) have no Debian mirror, from which $1 could come."
  printf '%s\n' "$lines"
}

# debian_root NAME DIRECTORY OPTION...: makes a root with these options of mmdebstrap; shows its output only when it fails. Its
# package lists are kept. Of another architecture it has only the files of the packages, since none of their programs can run here.
debian_root() {
  local name=$1 directory=$2 sources options=(--variant=minbase) line
  shift 2
  ! is_foreign || options=("--architectures=$architecture" --variant=extract '--include=?essential')
  mapfile -t sources < <(debian_sources "$name")
  [[ ${#sources[@]} -gt 0 ]] || return 1
  # The Release file of unstable is valid for a week; a mirror may be older.
  [[ ! $name =~ ^(unstable|sid)$ ]] || options+=(--aptopt='Acquire::Check-Valid-Until "false"')
  while read -r line; do options+=("--aptopt=${line%;}"); done < <(apt-config dump Acquire | grep -iE '^Acquire::[a-z]+::(.*::)?Proxy' || true)
  mmdebstrap --mode=root --skip=cleanup/apt/lists --aptopt='Acquire::Retries "5"' "${options[@]}" "$@" \
    "$name" "$directory" "${sources[@]}" </dev/null >"$directory.log" 2>&1 || { tail -n 40 "$directory.log" >&2; return 1; }
  ! is_foreign || configure_root "$directory"
}

# configure_root ROOT: what the scripts of packages would have done, as far as it is needed.
configure_root() {
  ln -s mawk "$1/usr/bin/awk"
  cp "$1/usr/share/base-passwd/passwd.master" "$1/etc/passwd"
  cp "$1/usr/share/base-passwd/group.master" "$1/etc/group"
}

# not_in_root ROOT CHOICE...: prints the choices of which a root has no alternative. A root of another architecture has no list of
# packages, so it is asked what each package has.
not_in_root() {
  local root=$1 choice alternative alternatives
  shift
  for choice in "$@"; do
    IFS='|' read -ra alternatives <<<"$choice"
    for alternative in "${alternatives[@]}"; do
      [[ ! -e $root/usr/share/doc/$alternative && ! -L $root/usr/share/doc/$alternative ]] || continue 2
    done
    printf '%s\n' "$choice"
  done
}

# release_root NAME PACKAGE...: makes the root of a release where it is missing or lacks one of these packages, and prints its
# directory. A package may be a list of alternatives, "librdmacm1t64|librdmacm1".
release_root() {
  local name=$1 root known missing includes=() package
  shift
  [[ $name =~ ^[a-z][a-z0-9-]*$ ]] || die "'$name' is not the name of a Debian release, such as trixie."
  [[ $(id -u) -eq 0 ]] || die "only root can make and use the root of another Debian release."
  missing_packages releases | grep -q . && require releases
  root=$(release_directory "$name")
  mkdir -p "$releases"
  set -- "$(qemu_package)" "$@"
  ! is_foreign || set -- "${foreign_packages[@]}" "$@"
  # shellcheck disable=SC2094 # the lock is held while what it protects is read
  (
    flock 9
    mapfile -t known < <(cat "$root.packages" 2>/dev/null || true)
    for package in "${tool_packages[@]}" "${rdma_packages[@]}" "${test_packages[@]}" "${libvirt_packages[@]}" "$@"; do
      [[ " ${known[*]} " == *" $package "* ]] || known+=("$package") includes+=("$package")
    done
    printf 'Dir "%s";\nAPT::Architecture "%s";\nAPT::Architectures { "%s"; };\n' "$root" "$architecture" "$architecture" >"$root.apt"
    [[ ${#includes[@]} -gt 0 || ! -d $root ]] || exit 0
    # Its users hold this lock.
    exec 8>"$root.use"
    flock -n 8 || { say "waiting until no other command uses $root, which now lacks: ${includes[*]}"; flock 8; }
    say "making a root of Debian $name for $architecture in $root; this downloads some hundred megabytes"
    includes=()
    # For alternatives, apt's pattern for whichever is there; the name alone would also be that of other architectures' packages.
    for package in "${known[@]}"; do
      [[ $package != *'|'* ]] || package="?and(?architecture(native),?name(\"^($package)\$\"))"
      includes+=("--include=$package")
    done
    rm -rf --one-file-system "$root.new"
    debian_root "$name" "$root.new" "${includes[@]}" || exit 1
    # A pattern without a match is no error of apt's.
    mapfile -t missing < <(not_in_root "$root.new" "${known[@]}")
    [[ ${#missing[@]} -eq 0 ]] || die "Debian $name does not have for $architecture: ${missing[*]}"
    rm -rf --one-file-system "$root"
    mv "$root.new" "$root"
    printf '%s\n' "${known[@]}" >"$root.packages"
  ) 9>"$root.lock" >&2 || return 1
  printf '%s\n' "$root"
}

# release_apt NAME COMMAND...: runs a command of apt with the sources and package lists of a root.
release_apt() {
  APT_CONFIG=$(release_directory "$1").apt "${@:2}"
}

# use_release NAME: keeps the root of a release from being replaced, to the end of this process and of those that it starts.
use_release() {
  exec {release_use}>"$(release_directory "$1").use"
  flock -s "$release_use"
}

# shared_directories ROOT: prints those directories of this machine that programs in the root of a release need at the same place:
# this project, the JDK if it can run there, Maven's libraries, what the project keeps, and the working directory if the root has none
# of this name.
shared_directories() {
  local directory last=''
  {
    # shellcheck disable=SC2154 # set by setup.sh
    printf '%s\n' "$project" "${XDG_CACHE_HOME:-$HOME/.cache}/wridscope" "$HOME/.m2"
    [[ -d $1$PWD ]] || printf '%s\n' "$PWD"
    if [[ -n ${JAVA_HOME:-} ]] && ! is_foreign; then
      printf '%s\n' "$JAVA_HOME"
      # Where Debian's JDK has its configuration.
      [[ $(readlink -f "$JAVA_HOME/conf/security") != /etc/*/security ]] || dirname "$(readlink -f "$JAVA_HOME/conf/security")"
    fi
  } | sort -u | while IFS= read -r directory; do
    [[ -d $directory ]] || continue
    [[ -n $last && $directory == "$last"/* ]] || { printf '%s\n' "$directory" && last=$directory; }
  done
}

# release_qemu RELEASE: prints a folder with the qemu-system-x86_64 of that release of Debian, which runs on this system with the
# files of its packages and nothing else of them; fetches them the first time (60 MB). Returns false where that is not possible.
release_qemu() {
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/wridscope/qemu/$1 missing sources
  # Older folders lack the drivers of RDMA devices.
  if [[ ! -x $folder/bin/qemu-system-x86_64 || ! -d $folder/root/usr/lib/x86_64-linux-gnu/libibverbs ]]; then
    [[ ${WRIDSCOPE_INSTALL:-} != no && $(uname -m) == x86_64 ]] || return
    missing=$(missing_packages releases)
    [[ -z $missing ]] || { can_install && install "$missing" >&2; } || return
    sources=$(debian_sources "$1") || return
    rm -rf "$folder.new"
    mkdir -p "$folder.new/bin"
    # The Release file of unstable is valid for a week; a mirror may be older.
    mmdebstrap --quiet --variant=extract --include=qemu-system-x86,ibverbs-providers --aptopt='Acquire::Check-Valid-Until "false"' \
      "$1" "$folder.new/root" - <<<"$sources" >&2 || return
    # The release's own dynamic linker loads its own libraries, those of RDMA devices included. Neither the files that the process
    # names nor what others see of it in /proc depend on that.
    cat >"$folder.new/bin/qemu-system-x86_64" <<'WRAPPER'
#!/bin/bash
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")/root
libraries=$root/usr/lib/x86_64-linux-gnu
linker=$root/usr/lib64/ld-linux-x86-64.so.2
[[ -x $linker ]] || linker=${linker/usr\//} # Debian 12
export QEMU_MODULE_DIR=$libraries/qemu
exec -a "$0" "$linker" --library-path "$libraries:$libraries/libibverbs:$root/lib/x86_64-linux-gnu" \
  "$root/usr/bin/qemu-system-x86_64" -L "$root/usr/share/qemu" -L "$root/usr/share/seabios" "$@"
WRAPPER
    chmod +x "$folder.new/bin/qemu-system-x86_64"
    # One that works is replaced only by one that is complete.
    rm -rf "$folder"
    mv "$folder.new" "$folder"
  fi
  printf '%s\n' "$folder/bin"
}
