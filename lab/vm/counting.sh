# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For scripts whose guest counts a hundred times a second, and writes each number to its serial port.

# make_guest FILE: its program, for this machine's processor. It is in the first columns of a listing, in hexadecimal digits.
make_guest() {
  grep -v '^#' "$(dirname "${BASH_SOURCE[0]}")/../../src/main/resources/org/wridscope/control/qemu/counter-guest-$(uname -m).lst" |
    cut -c1-20 | busybox xxd -r -p >"$1"
}

# await_numbers FILE COUNT SECONDS COMMAND...: waits until the guest has written so many numbers, while COMMAND succeeds.
await_numbers() {
  local numbers=$1 count=$2 end=$((SECONDS + $3))
  shift 3
  until [[ $(wc -l <"$numbers") -ge $count ]]; do
    if [[ $SECONDS -ge $end ]] || ! "$@"; then
      echo "the guest does not count here" >&2
      return 1
    fi
    sleep 0.2
  done
}

# say_numbers FILE source|destination: from where to where it counted here; fails if a number is missing.
say_numbers() {
  # Of the number that was written at the switch-over, the first line may be only a part.
  head -n "$(wc -l <"$1")" "$1" | awk -v first="$([[ $2 == source ]] && echo 1)" '
    NR == 2 && !first { first = $1 - 1 }
    NR > 2 && $1 != last + 1 { gap = 1 }
    { last = $1 }
    END { print "it counted from " first " to " last " here" (gap ? ", but not every number" : ""); exit gap }'
}
