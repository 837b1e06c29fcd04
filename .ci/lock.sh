#!/usr/bin/env bash
# Makes the two lock files anew from pyproject.toml: what a user needs, and what a developer needs on top.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=${UV:-.venv/bin/uv}
compile() { "$uv" pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --quiet "$@"; }
compile -o requirements.lock
compile --extra dev -c requirements.lock -o requirements-dev.lock
