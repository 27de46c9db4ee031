#!/usr/bin/env bash
# Sets Deidra up, runs it on the inputs and opens the review window.
#
#   packaging/run.sh [INPUT ...]     INPUT: files or folders; without one, a synthetic sample set
#
# Without a display, writes a picture of the review window and a release instead of opening the window.
# DEIDRA_PROJECT names the project folder, DEIDRA_SAMPLE the folder of the sample set.
set -euo pipefail

case "${1:-}" in
-h | --help)
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
-*)
    echo "deidra: $1 is no option of this script; inputs only (see --help)" >&2
    exit 2
    ;;
esac

source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

deidra="$venv/bin/deidra"
project="${DEIDRA_PROJECT:-$root/.deidra/project}"
if [ "$#" -eq 0 ]; then
    sample="${DEIDRA_SAMPLE:-$root/.deidra/sample}"
    "$deidra" synth sample --out "$sample"
    set -- "$sample/dicom" "$sample/scans"
fi
mkdir -p -- "$(dirname "$project")"
"$deidra" run "$@" --project "$project"

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$deidra" review --project "$project"
fi

# A release folder is never written twice.
stamp="$(date +%Y%m%d-%H%M%S)"
release="$(dirname "$project")/release-$stamp"
while [ -e "$release" ]; do
    sleep 1
    stamp="$(date +%Y%m%d-%H%M%S)"
    release="$(dirname "$project")/release-$stamp"
done
picture="$(dirname "$project")/review-$stamp.png"
export QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"
"$deidra" review --project "$project" --picture "$picture"
"$deidra" release --project "$project" --out "$release" --pending quarantine
say "no display was found, so the review window was not opened"
say "picture of the review window: $picture"
say "release with its report:      $release"
