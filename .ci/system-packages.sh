#!/usr/bin/env bash
# Checks what Debian must provide; as root installs what is missing, else names the one line that does.
# --all asks also for what the tests of pages, of the made-up people and of the database need.
set -euo pipefail
need=()
has_library() { ldconfig -p | grep -q "$1"; }
"${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "Python 3.11 or newer is needed; $(${PYTHON:-python3} --version 2>&1) was found" >&2; exit 2; }
"${PYTHON:-python3}" -c 'import venv, ensurepip' 2>/dev/null || need+=(python3-venv)
has_library 'libEGL\.so\.1' || need+=(libegl1)
has_library 'libGLESv2\.so\.2' || need+=(libgles2)
has_library 'libGL\.so\.1' || need+=(libgl1)
has_library 'libglib-2\.0\.so\.0' || need+=(libglib2.0-0)
if [ "${1:-}" = --all ]; then
  command -v chromium >/dev/null || need+=(chromium)
  has_library 'libatomic\.so\.1' || need+=(libatomic1) # of Playwright's driver
  has_library 'libEGL_mesa\.so' || need+=(libegl-mesa0)
  compgen -G '/usr/lib/*/dri/swrast_dri.so' >/dev/null || compgen -G '/usr/lib/*/libgallium*.so' >/dev/null || need+=(libgl1-mesa-dri)
  command -v espeak-ng >/dev/null || need+=(espeak-ng) # speaks calls for the network that hears them
  command -v git >/dev/null || need+=(git)
  compgen -G '/usr/lib/postgresql/*/bin/pg_ctl' >/dev/null || need+=(postgresql)
fi
[ ${#need[@]} -eq 0 ] && exit 0
if [ "$(uname -s)" != Linux ] || ! command -v apt-get >/dev/null; then
  echo "missing system libraries: ${need[*]} (Debian's names); install them and run this again" >&2; exit 2
fi
if [ "$(id -u)" -eq 0 ]; then
  echo "installing ${need[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${need[@]}" >/dev/null
else
  echo "missing system packages; run: sudo apt-get install ${need[*]}" >&2
  exit 2
fi
