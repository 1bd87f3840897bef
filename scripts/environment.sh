#!/bin/sh
# Makes .venv in the clone and fills it from the hashed requirements. Called by `make setup`.
set -eu
cd "$(dirname "$0")/.."

suits() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

make_environment() {
    found=
    for python in ${PYTHON:-python3.11 python3.12 python3.13 python3}; do
        suits "$python" || continue
        found=$python
        # Debian leaves ensurepip out of python3; then any pip of its own can fill the environment too.
        if "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
            "$python" -m venv --clear .venv
            return
        fi
        if "$python" -m pip --python "$python" --version >/dev/null 2>&1; then
            "$python" -m venv --clear --without-pip .venv
            "$python" -m pip --python .venv/bin/python install --quiet --disable-pip-version-check pip
            return
        fi
    done
    if [ -z "$found" ]; then
        echo "Python 3.11 or later is needed, and none was found. Install it, or name it: make setup PYTHON=/path/to/python3" >&2
    else
        echo "$found can't make an environment: it has neither ensurepip nor pip. On Debian and Ubuntu: apt install python3-venv" >&2
    fi
    exit 1
}

if ! suits .venv/bin/python || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    make_environment
fi
# What is never imported need not be compiled: that is most of the time.
pip="./.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile"
$pip --require-hashes -r requirements.txt
$pip --no-deps --no-build-isolation --editable .
