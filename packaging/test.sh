#!/usr/bin/env bash
# Sets Deidra up and checks everything: style, types, import rules, tests. Arguments go to pytest.
#
# What is checked is the wheel: its files for the types, its installation for the import rules and the
# tests. So a file that is missing from the wheel fails here and not at a user's.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

cd "$root"
"$venv/bin/ruff" check .
"$venv/bin/ruff" format --check .

# From the folder of the wheel's files: mypy passes over installed packages that do not say they are
# typed, and here it would take app/ and the other folders for packages of that name.
(
    cd "$venv/deidra-wheel"
    MYPYPATH=. "$venv/bin/mypy" --config-file "$root/pyproject.toml" --cache-dir "$root/.mypy_cache" \
        -p deidra.app -p deidra.models -p deidra.storage -p deidra.ui
)

"$venv/bin/lint-imports"

export QT_QPA_PLATFORM=offscreen
exec "$venv/bin/pytest" -n 2 --dist loadfile "$@"
