# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What ./wridscope and ./check have in common: the JDK, Maven and native libraries that a bare system lacks.
# Sourced. Installs what is missing as root on Debian or Ubuntu, and otherwise names it. Runs nothing slow when all is
# there.

project=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
java_release=25

say() {
  printf 'wridscope: %s\n' "$*" >&2
}

die() {
  say "$*"
  exit 1
}

can_install() {
  [[ $EUID -eq 0 && -e /etc/debian_version ]] && command -v apt-get >/dev/null
}

# A name server or mirror that is away for a moment is asked again.
apt_get() {
  apt-get -qq -o Acquire::Retries=5 "$@"
}

# The first of the named packages that this distribution has: some were renamed over the years.
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

# install PACKAGE...: each may be a list of alternatives, "libgtk-3-0t64|libgtk-3-0". False when there is no such package.
install() {
  local wanted=() alternatives choice updated=false
  for choice in "$@"; do
    IFS='|' read -ra alternatives <<<"$choice"
    if ! first_known_package "${alternatives[@]}" >/dev/null && ! $updated; then
      apt_get update >&2 || true
      updated=true
    fi
    wanted+=("$(first_known_package "${alternatives[@]}")") || return 1
  done
  say "installing ${wanted[*]}"
  apt_install "${wanted[@]}" && return
  # A list of packages that has grown old names files that are gone from the mirror.
  $updated || { apt_get update >&2 && apt_install "${wanted[@]}"; }
}

# Shows what apt-get said only when it failed.
apt_install() {
  local output
  output=$(DEBIAN_FRONTEND=noninteractive apt_get -y --no-install-recommends install "$@" 2>&1 </dev/null) && return
  printf '%s\n' "$output" >&2
  return 1
}

is_jdk() {
  [[ -x $1/bin/javac && -r $1/release ]] && grep -q "^JAVA_VERSION=\"${java_release}[\".]" "$1/release"
}

# Prints the directory of a JDK of our release, from wherever they usually are.
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

require_maven() {
  command -v mvn >/dev/null && return
  if can_install; then
    install maven || die "Maven could not be installed; see the messages above."
  else
    die "Maven is missing; on Debian or Ubuntu install it with: sudo apt-get install maven"
  fi
}

# Whether the dynamic linker knows a library, by its name without the version.
has_library() {
  local known
  known=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null) || return 0
  [[ $known == *"$1"* ]]
}

# require_libraries PURPOSE LIBRARY=PACKAGE...: each library with the package that has it.
require_libraries() {
  local purpose=$1 pair missing=()
  shift
  for pair in "$@"; do
    has_library "${pair%%=*}" || missing+=("${pair#*=}")
  done
  [[ ${#missing[@]} -eq 0 ]] && return
  if can_install; then
    install "${missing[@]}" || die "libraries for $purpose could not be installed; see the messages above."
  else
    die "libraries for $purpose are missing; on Debian or Ubuntu install them with: sudo apt-get install ${missing[*]##*|}"
  fi
}

# Text needs these even where there is no screen.
require_font_libraries() {
  require_libraries "text in windows" libpangoft2-1.0.so.0=libpangoft2-1.0-0
}

require_display_libraries() {
  require_libraries "windows" libpangoft2-1.0.so.0=libpangoft2-1.0-0 'libgtk-3.so.0=libgtk-3-0t64|libgtk-3-0' \
    libXtst.so.6=libxtst6 libXxf86vm.so.1=libxxf86vm1 libGL.so.1=libgl1
}

# maven ARGUMENT...: on our JDK, which the formatter needs.
maven() {
  # Maven's own libraries make the JDK print remarks that a user can do nothing about.
  (cd "$project" && MAVEN_OPTS="${MAVEN_OPTS:-} --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow" \
    mvn -B -ntp "$@")
}

# Newer than every source when the jar is built from them.
built=$project/target/.built

# Directories count too: of a file that was removed only its directory's time is left.
is_built() {
  [[ -e $built && -z $(find "$project/pom.xml" "$project/src/main" -newer "$built" -print -quit) ]]
}

# Two builds never meet in target/: the lock is held until unlock_build or the end of the process.
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

# build ARGUMENT...: runs Maven up to the jar at least. With the lock held.
build() {
  # The time of the start, so that what is edited during the build is built the next time.
  touch "$built.started"
  maven "$@" && mv "$built.started" "$built"
}
