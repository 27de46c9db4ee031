#!/usr/bin/env bash
# Makes the pictures of the user guide and of the README again, from synthetic data alone.
#
#   packaging/pictures.sh            needs some minutes
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

deidra="$venv/bin/deidra"
# Paths are seen in the pictures, so this is no folder with a random name.
work=/tmp/deidra-pictures
mkdir -- "$work"
trap 'rm -rf -- "$work"' EXIT
cd "$work"
# Settings of whoever runs this (own keys, recent projects) stay out of the pictures, and theirs as they are.
export XDG_CONFIG_HOME="$work/settings"
export QT_QPA_PLATFORM=offscreen

"$deidra" synth sample --out study
# Two files that are held back: one needs a password, one is damaged.
"$venv/bin/python" - <<'PYTHON'
import pikepdf

with pikepdf.open("study/scans/summary_digital.pdf") as pdf:
    pdf.save("study/scans/discharge_encrypted.pdf", encryption=pikepdf.Encryption(owner="owner", user="sesame"))
PYTHON
head -c 4000 study/dicom/us_rgb.dcm >study/dicom/us_cut_off.dcm
# A policy that asks about more than the presets do, with an own type and an own device rule.
cat >careful.toml <<'POLICY'
extends = "basic"
[thresholds]
auto_score = 0.97
auto_variance = 0.002
[[definitions]]
name = "Passport numbers"
description = "a letter and eight digits"
examples = ["A12345678"]
context = ["passport"]
[[devices]]
name = "banner of Echo 9"
manufacturer = "sonic"
model = "echo 9"
action = "search"
boxes = [[0, 0, 640, 40]]
POLICY
"$deidra" run study/dicom study/scans --project "Trauma 2019" --policy careful.toml
"$deidra" release --project "Trauma 2019" --out "Trauma 2019-release" --pending quarantine
"$deidra" review --project "Trauma 2019" --language en --pictures "$root/ui/guide/pictures"
cp -- "$root/ui/guide/pictures/review.png" "$root/packaging/window.png"
