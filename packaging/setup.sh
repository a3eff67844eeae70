# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts share: finding a JDK, Maven and the native libraries, and building the program.
# This file is sourced. As root on Debian or Ubuntu it installs what is missing; elsewhere it prints the command that does.

project=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
java_release=25
# Debian's name of this machine's architecture, if it has one that is used here.
own_architecture=$(uname -m)
case $own_architecture in
  x86_64) own_architecture=amd64 ;;
  aarch64) own_architecture=arm64 ;;
esac

say() {
  printf 'wridscope: %s\n' "$*" >&2
}

die() {
  say "$*"
  exit 1
}

# Root on Debian or Ubuntu, where the user has not refused. WRIDSCOPE_INSTALL is "yes" (install without a question), "no",
# or empty (ask on a terminal; install where there is none).
can_install() {
  [[ ${WRIDSCOPE_INSTALL:-} != no && $(id -u) -eq 0 ]] && command -v apt-get >/dev/null && command -v dpkg >/dev/null
}

# may_install TEXT: prints what is about to be installed and returns whether the user agrees.
may_install() {
  local answer
  say "about to install with apt-get: $*"
  [[ -z ${WRIDSCOPE_INSTALL:-} && -t 0 && -t 2 ]] || return 0
  printf 'wridscope: continue? [Y/n] ' >&2
  read -r answer || answer=n
  [[ ${answer,,} =~ ^(y|yes)?$ ]]
}

# Tries again when a name server or mirror does not answer.
apt_get() {
  apt-get -qq -o Acquire::Retries=5 "$@"
}

# Prints the first of the named packages that this distribution has. Some packages were renamed over the years.
first_known_package() {
  local package
  for package in "$@"; do
    if [[ $(LC_ALL=C apt-cache policy "$package" 2>/dev/null) == *'Candidate: '[!\(]* ]]; then
      printf '%s\n' "$package"
      return 0
    fi
  done
  return 1
}

# not_installed CHOICE...: prints the choices of which this Debian has no alternative installed.
not_installed() {
  local choice alternatives known
  for choice in "$@"; do
    IFS='|' read -ra alternatives <<<"$choice"
    # It fails when one of the names is unknown.
    known=$(dpkg-query -W -f ' ${db:Status-Status} ' "${alternatives[@]}" 2>/dev/null || true)
    [[ $known == *' installed '* ]] || printf '%s\n' "$choice"
  done
}

# known_names CHOICE...: prints the name that this distribution has of each.
known_names() {
  local choice alternatives names=()
  for choice in "$@"; do
    IFS='|' read -ra alternatives <<<"$choice"
    names+=("$(first_known_package "${alternatives[@]}" || printf '%s\n' "${alternatives[-1]}")")
  done
  printf '%s\n' "${names[*]}"
}

# install PACKAGE...: each may be a list of alternatives, "libgtk-3-0t64|libgtk-3-0". Returns false when the user refuses or
# a package is unknown.
install() {
  local wanted=() known alternatives choice updated=false
  for choice in "$@"; do
    IFS='|' read -ra alternatives <<<"$choice"
    wanted+=("$(first_known_package "${alternatives[@]}" || printf '%s\n' "${choice//|/ or }")")
  done
  known=$(IFS=, && printf '%s' "${wanted[*]}")
  may_install "${known//,/, } (and dependencies)" || return
  wanted=()
  for choice in "$@"; do
    IFS='|' read -ra alternatives <<<"$choice"
    if ! first_known_package "${alternatives[@]}" >/dev/null && ! $updated; then
      apt_get update >&2 || true
      updated=true
    fi
    wanted+=("$(first_known_package "${alternatives[@]}")") || return
  done
  apt_install "${wanted[@]}" && return
  # An outdated package list names files that the mirror no longer has.
  $updated || { apt_get update >&2 && apt_install "${wanted[@]}"; }
}

# Shows the output of apt-get only when it fails.
apt_install() {
  local output
  output=$(DEBIAN_FRONTEND=noninteractive apt_get -y --no-install-recommends install "$@" 2>&1 </dev/null) && return
  printf '%s\n' "$output" >&2
  return 1
}

is_jdk() {
  [[ -x $1/bin/javac && -r $1/release ]] && grep -q "^JAVA_VERSION=\"${java_release}[\".]" "$1/release"
}

# Prints the directory of a JDK of our release; looks in the usual places.
find_jdk() {
  local candidate javac
  javac=$(command -v javac || true)
  for candidate in "${JAVA_HOME:-}" "${javac:+$(dirname "$(dirname "$(readlink -f "$javac")")")}" \
    /usr/lib/jvm/* /opt/* /opt/*/* /usr/local/* "${HOME:-}"/.jdks/* "${HOME:-}"/.sdkman/candidates/java/* \
    "${HOME:-}"/.local/share/mise/installs/java/* "${HOME:-}"/.asdf/installs/java/*; do
    if [[ -n $candidate ]] && is_jdk "$candidate"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

# Sets and exports JAVA_HOME.
require_jdk() {
  local found
  if ! found=$(find_jdk); then
    if can_install && install "openjdk-$java_release-jdk-headless"; then
      found=$(find_jdk) || die "the JDK $java_release that was just installed cannot be found; set JAVA_HOME to it."
    else
      die "no JDK $java_release was found; install one (https://adoptium.net has it for every system) and set JAVA_HOME to it."
    fi
  fi
  export JAVA_HOME=$found
}

# Whether the dynamic linker knows a library, by its name without the version.
has_library() {
  local known
  known=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null) || return 0
  [[ $known == *"$1"* ]]
}

# missing_libraries LIBRARY=PACKAGE...: prints the packages of the libraries that are missing.
missing_libraries() {
  local pair
  for pair in "$@"; do
    has_library "${pair%%=*}" || printf '%s\n' "${pair#*=}"
  done
}

# Prints the packages that are missing for a need: maven, fonts (JavaFX draws text with them even without a screen), windows,
# pages (the documentation as a site), animations or clients (of QEMU, in Go).
missing_packages() {
  case $1 in
    maven) command -v mvn >/dev/null || printf 'maven\n' ;;
    pages) /usr/bin/python3 -c 'import furo, myst_parser, sphinx' 2>/dev/null || printf '%s\n' python3-sphinx python3-myst-parser furo ;;
    clients)
      command -v go >/dev/null || printf 'golang-go\n'
      [[ -d /usr/share/gocode/src/github.com/digitalocean/go-qemu ]] || printf 'golang-github-digitalocean-go-qemu-dev\n'
      ;;
    animations) command -v img2webp >/dev/null || printf 'webp\n' ;;
    fonts) missing_libraries libpangoft2-1.0.so.0=libpangoft2-1.0-0 ;;
    packages)
      command -v dpkg-deb >/dev/null || printf 'dpkg\n'
      command -v fakeroot >/dev/null || printf 'fakeroot\n'
      command -v help2man >/dev/null || printf 'help2man\n'
      command -v objcopy >/dev/null || printf 'binutils\n'
      ;;
    releases) command -v mmdebstrap >/dev/null || printf 'mmdebstrap\n' ;;
    roots)
      command -v mmdebstrap >/dev/null || printf 'mmdebstrap\n'
      command -v Xvfb >/dev/null || printf 'xvfb\n'
      command -v appstreamcli >/dev/null || printf 'appstream\n'
      command -v desktop-file-validate >/dev/null || printf 'desktop-file-utils\n'
      ;;
    windows) missing_libraries libpangoft2-1.0.so.0=libpangoft2-1.0-0 'libgtk-3.so.0=libgtk-3-0t64|libgtk-3-0' \
      libXtst.so.6=libxtst6 libXxf86vm.so.1=libxxf86vm1 libGL.so.1=libgl1 ;;
  esac
}

# require NEED...: installs what is missing for all of these needs, after one question.
require() {
  local need names missing
  names=$(for need in "$@"; do missing_packages "$need"; done)
  [[ -z $names ]] && return
  mapfile -t missing <<<"$names"
  can_install && install "${missing[@]}" && return
  die "packages are missing; on Debian or Ubuntu install them with: sudo apt-get install $(known_names "${missing[@]}")"
}

# Prints the directory of QEMU's Python package qemu.qmp; fetches it the first time: the package python3-qemu-qmp of newer
# distributions, without installing it, or else the sources of this distribution's QEMU. Returns false where that is not possible.
qemu_python() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/wridscope/qemu-python scratch missing=() status=0
  command -v python3 >/dev/null || missing+=(python3)
  command -v xz >/dev/null || missing+=(xz-utils)
  if [[ ${#missing[@]} -gt 0 ]]; then
    can_install && install "${missing[@]}" >&2 || return
  fi
  if [[ ! -e $cache/qemu/qmp/__init__.py ]]; then
    [[ ${WRIDSCOPE_INSTALL:-} != no ]] && command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return
    mkdir -p "$cache"
    scratch=$(mktemp -d "$cache/XXXXXX")
    if first_known_package python3-qemu-qmp >/dev/null; then
      (cd "$scratch" && apt_get download python3-qemu-qmp && dpkg-deb -x ./*.deb . && mv usr/lib/python3/dist-packages/qemu .) >&2 || status=1
    else
      (apt_source "$scratch" qemu && tar -xf "$scratch"/qemu_*.orig.tar.* -C "$scratch" --strip-components=2 --wildcards '*/python/qemu/qmp/*') >&2 || status=1
    fi
    [[ $status -ne 0 ]] || { rm -rf "$cache/qemu" && mv "$scratch/qemu" "$cache/qemu"; } || status=1
    rm -rf "$scratch"
  fi
  [[ $status -ne 0 ]] || printf '%s\n' "$cache"
  return "$status"
}

# Prints the mirrors from which this machine has the packages of its distribution: ORIGIN URI SUITE COMPONENT, without those of others.
apt_sources() {
  # shellcheck disable=SC2016 # apt's names
  local targets=(apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages') lines
  lines=$("${targets[@]}" | grep -E '^(Debian|Ubuntu) ' || true)
  # Without package lists apt does not know whose sources they are.
  if [[ -z $lines ]] && can_install && apt_get update >&2; then
    lines=$("${targets[@]}" | grep -E '^(Debian|Ubuntu) ' || true)
  fi
  [[ -z $lines ]] || printf '%s\n' "$lines"
}

# apt_source DIRECTORY PACKAGE: fetches the original sources of a package, which apt verifies, from the mirrors from which this
# machine has its packages; most machines have no line deb-src for them.
apt_source() (
  cd "$1" || return
  mkdir -p lists/partial
  apt_sources | while read -r origin source; do
    printf 'deb-src [signed-by=/usr/share/keyrings/%s-archive-keyring.gpg] %s\n' "${origin,,}" "$source"
  done >sources.list
  options=(-o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$PWD/lists"
    -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -o APT::Sandbox::User="$(id -un)")
  apt_get "${options[@]}" update && apt_get "${options[@]}" source --download-only --tar-only "$2"
)

# Prints the directory of Prometheus's promtool; fetches it the first time, without the rest of its package, which starts a server.
# Returns false where that is not possible.
promtool_directory() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/wridscope/promtool installed
  if installed=$(command -v promtool); then
    dirname "$installed"
    return
  fi
  if [[ ! -x $cache/usr/bin/promtool ]]; then
    [[ ${WRIDSCOPE_INSTALL:-} != no ]] && command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return
    mkdir -p "$cache"
    (cd "$cache" && apt_get download prometheus && dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool) >&2 || return
    rm -f "$cache"/prometheus_*.deb
  fi
  printf '%s\n' "$cache/usr/bin"
}

# Prints the root of the files of openssh-server; fetches them the first time, without installing the package, which starts a
# server for everybody. Returns false where that is not possible.
sshd_root() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/wridscope/sshd package libraries
  if [[ -x /usr/sbin/sshd ]]; then
    printf '/\n'
    return
  fi
  if [[ ! -x $cache/usr/sbin/sshd ]]; then
    [[ ${WRIDSCOPE_INSTALL:-} != no ]] && command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return
    mkdir -p "$cache"
    # With the libraries that are not installed.
    mapfile -t libraries < <(LC_ALL=C apt-cache depends --recurse --important openssh-server | grep -E '^lib[a-z0-9.+-]+$' | sort -u)
    mapfile -t libraries < <(not_installed "${libraries[@]}")
    (cd "$cache" && apt_get download openssh-server "${libraries[@]}" && for package in *.deb; do dpkg-deb -x "$package" .; done) >&2 || return
    rm -f "$cache"/*.deb
  fi
  printf '%s\n' "$cache"
}

# maven ARGUMENT...: runs Maven on our JDK, which the formatter needs.
maven() {
  # Maven's own libraries make the JDK print warnings that a user can do nothing about.
  (cd "$project" && MAVEN_OPTS="${MAVEN_OPTS:-} --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow" \
    mvn -B -ntp "$@")
}

# The jar is up to date when this file is newer than every source.
built=$project/target/.built

# Checks directories too: a removed file changes only the time of its directory.
is_built() {
  [[ -e $built && -z $(find "$project/pom.xml" "$project/src/main" -newer "$built" -print -quit) ]]
}

# Allows one build at a time in target/, until unlock_build or the end of the process.
lock_build() {
  mkdir -p "$project/target"
  exec {build_lock}>"$project/target/.lock"
  if ! flock -n "$build_lock"; then
    say "waiting for another build of this directory to finish"
    flock "$build_lock"
  fi
}

unlock_build() {
  exec {build_lock}>&-
}

# build ARGUMENT...: runs Maven up to the jar at least. The caller holds the lock.
build() {
  # The time of the start: files that are edited during the build count as newer.
  touch "$built.started"
  maven "$@" && mv "$built.started" "$built"
}

# build_for ARCHITECTURE: prints the folder with the program for another of Debian's architectures: the jar and the libraries of it, of
# which only JavaFX differs, and test.classpath. The classes are those that were built here.
build_for() {
  local platform
  case $1 in
    amd64) platform=linux ;;
    arm64) platform=linux-aarch64 ;;
    *) die "it is not known which JavaFX is for $1." ;;
  esac
  local folder=$project/target/$platform
  if [[ ! -s $folder/wridscope.jar || $built -nt $folder/wridscope.jar ]]; then
    maven -q -Pplatform "-Djavafx.platform=$platform" -Dmaven.resources.skip -Dmaven.main.skip -Dmaven.test.skip package >&2 || return
    touch "$folder/wridscope.jar"
  fi
  printf '%s\n' "$folder"
}
