#!/usr/bin/env bash
# Prepares Deidra in this folder: system packages, .venv with the locked packages, and Deidra itself
# as a wheel built from the sources. Each step is skipped when nothing changed since it last ran.
#
# Can be run by itself or sourced; sets `root` (the project folder) and `venv`.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
venv="$root/.venv"

say() { printf 'deidra: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

# --- system packages ---------------------------------------------------------------------------

# A line is: what it is for, then the packages; a|b means that either will do.
system_packages() {
    echo "reading text with Tesseract, the second reader:tesseract-ocr tesseract-ocr-eng tesseract-ocr-osd"
    echo "covering regions of JPEG images without decoding the rest:libturbojpeg0"
    echo "searching video in DICOM files:ffmpeg"
    echo "the review window and its pictures:libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libfreetype6 libglib2.0-0|libglib2.0-0t64 libx11-6"
    echo "text in the review window and in the sample set:fonts-dejavu-core"
    echo "making the Python environment:python3-venv"
    if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
        echo "opening the review window on this display:libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-util1 libxcb-xfixes0 libxcb-xkb1 libxkbcommon-x11-0 libx11-xcb1"
    fi
}

is_installed() {
    local name
    for name in ${1//|/ }; do
        case "$(dpkg-query -W -f '${Status}' "$name" 2>/dev/null)" in
        *"install ok installed"*) return 0 ;;
        esac
    done
    return 1
}

missing_packages() {
    local line package
    system_packages | while IFS= read -r line; do
        for package in ${line#*:}; do
            is_installed "$package" || printf '%s:%s\n' "${line%%:*}" "$package"
        done
    done
}

# The first of a|b that this release of the system has.
choose_package() {
    local name
    for name in ${1//|/ }; do
        if apt-cache show "$name" >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    echo "${1%%|*}"
}

install_system_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
        command -v tesseract >/dev/null 2>&1 ||
            say "Tesseract was not found; install it with its English data for the second reader."
        return 0
    fi
    local missing as_root=() names=() entry log
    missing="$(missing_packages)"
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -eq 0 ]; then
        as_root=(env DEBIAN_FRONTEND=noninteractive)
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root=(sudo -n env DEBIAN_FRONTEND=noninteractive)
    fi
    if [ "${#as_root[@]}" -gt 0 ]; then
        say "installing system packages: $(cut -d: -f2 <<<"$missing" | tr '\n' ' ')"
        log="$(mktemp)"
        if "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update >"$log" 2>&1; then
            while IFS= read -r entry; do
                names+=("$(choose_package "${entry#*:}")")
            done <<<"$missing"
            "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${names[@]}" \
                </dev/null >>"$log" 2>&1 || true
        fi
        missing="$(missing_packages)"
        [ -z "$missing" ] || tail -n 5 "$log" >&2
        rm -f -- "$log"
    fi
    [ -n "$missing" ] || return 0
    say "these system packages are missing and could not be installed here:"
    while IFS= read -r entry; do
        say "    $(printf '%-26s' "${entry#*:}") needed for ${entry%%:*}"
    done <<<"$missing"
    say "an administrator can install them with apt-get install; going on without them."
}

# --- Python environment ------------------------------------------------------------------------

# Is told by running it: a version manager may offer a command of that name that only fails.
is_fit_python() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' >/dev/null 2>&1
}

find_python() {
    local name
    for name in python3.13 python3.12 python3.11 python3; do
        if is_fit_python "$name" && "$name" -c 'import ensurepip, venv' >/dev/null 2>&1; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

download_help() {
    say "$1"
    say "If this is about the network: check the connection and the proxy (HTTPS_PROXY), or point pip at a"
    say "package mirror or a folder of wheels with PIP_INDEX_URL or PIP_FIND_LINKS, and run this again."
    exit 1
}

make_environment() {
    local python stamp
    # The folder is part of the stamp, for the commands in .venv name it.
    stamp="$(printf '%s %s' "$(cksum <"$root/packaging/requirements.lock")" "$root")"
    if is_fit_python "$venv/bin/python" && [ "$(cat "$venv/deidra-lock" 2>/dev/null)" = "$stamp" ]; then
        return 0
    fi
    if [ -e "$venv" ] && [ ! -f "$venv/pyvenv.cfg" ]; then
        fail "$venv is not a Python environment; move it away and run this again."
    fi
    python="$(find_python)" || fail "no Python 3.11, 3.12 or 3.13 with the venv module was found; install one (on Debian and Ubuntu: python3 and python3-venv)."
    say "making .venv with $("$python" --version) and installing the locked packages; this takes minutes"
    "$python" -m venv --clear "$venv"
    "$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-input \
        --no-deps --only-binary :all: --require-hashes -r "$root/packaging/requirements.lock" ||
        download_help "the locked packages could not be installed."
    printf '%s' "$stamp" >"$venv/deidra-lock"
}

# --- Deidra itself -----------------------------------------------------------------------------

install_project() {
    local digest work
    digest="$("$venv/bin/python" "$root/packaging/stage_source.py")"
    if [ "$(cat "$venv/deidra-sources" 2>/dev/null)" = "$digest" ]; then
        return 0
    fi
    say "building and installing Deidra from the sources"
    rm -f -- "$venv/deidra-sources"
    work="$(mktemp -d)"
    if ! "$venv/bin/python" "$root/packaging/stage_source.py" "$work/tree" >/dev/null ||
        ! "$venv/bin/python" -m pip wheel -qq --disable-pip-version-check --no-input \
            --no-deps --no-build-isolation --wheel-dir "$work" "$work/tree" ||
        ! "$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-input \
            --no-deps --force-reinstall "$work"/deidra-*.whl; then
        rm -rf -- "$work"
        fail "Deidra could not be built or installed; the messages above say why."
    fi
    # The content of the wheel apart from other packages, for tools that check sources.
    rm -rf -- "$venv/deidra-wheel"
    "$venv/bin/python" -m zipfile -e "$work"/deidra-*.whl "$venv/deidra-wheel"
    rm -rf -- "$work"
    printf '%s' "$digest" >"$venv/deidra-sources"
}

install_system_packages
make_environment
install_project
