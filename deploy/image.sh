#!/bin/sh
# Build the container image, without a registry unless you name one: `make image`.
#
# BASE is the image to build on. Without it a root is made from the Debian packages of this machine's
# suite: mmdebstrap takes the mirror and its keys from APT_SOURCES, and leaves no word of them in the
# root. pip gets this machine's settings and certificates for the build alone. IMAGE is the name of
# the image; its tag is the version. Run it as root: it needs mmdebstrap and buildah.
set -eu
cd "$(dirname "$0")/.."

IMAGE=${IMAGE:-localhost/hmda-service}
PYTHON=${PYTHON:-python3}
APT_SOURCES=${APT_SOURCES:-/etc/apt/sources.list.d/debian.sources}
VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

for program in buildah ${BASE:-mmdebstrap}; do
    case $program in */*|*:*) continue ;; esac  # an image
    command -v "$program" >/dev/null || { echo "Install $program: apt-get install $program" >&2; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "${BASE:-}" ]; then
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    BASE=localhost/hmda-base:$suite
    # Without apt, manuals and translations, which no process of the service reads.
    mmdebstrap --quiet --variant=essential \
        --include=python3-minimal,python3-venv,ca-certificates,libstdc++6,passwd,tzdata,postgresql-client \
        --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        --customize-hook='cd "$1" && rm -rf etc/apt/sources.list* var/cache/debconf var/log/* \
            etc/resolv.conf etc/hostname etc/machine-id etc/dpkg/dpkg.cfg.d/99mmdebstrap' \
        "$suite" "$work/root.tar" "$APT_SOURCES"
    root=$(buildah from scratch)
    buildah add --quiet "$root" "$work/root.tar" / >/dev/null
    buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$root"
    buildah commit --quiet --rm --format docker "$root" "$BASE" >/dev/null
fi

# The settings of pip, also those from its variables, as one file. Secrets of a build are not kept.
certificates=$("$PYTHON" - "$work/pip.conf" <<'SETTINGS'
import subprocess, sys
from pathlib import Path

listed = subprocess.run(
    [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
).stdout
values = {}
for line in listed.splitlines():
    name, _, value = line.partition("=")
    values[name.replace(":env:", "global").rpartition(".")[2]] = value.strip("'")
certificates = values.pop("cert", "")
lines = ["[global]", *(f"{name} = {value}" for name, value in values.items())]
lines += ["cert = /run/secrets/certificates"] * bool(certificates)
Path(sys.argv[1]).write_text("\n".join(lines) + "\n")
print(certificates or "/etc/ssl/certs/ca-certificates.crt")
SETTINGS
)

buildah build --isolation chroot --format docker --network host --layers \
    --build-arg "BASE=$BASE" --build-arg "VERSION=$VERSION" \
    --secret "id=pip,src=$work/pip.conf" --secret "id=certificates,src=$certificates" \
    --file deploy/Dockerfile --tag "$IMAGE:$VERSION" --tag "$IMAGE:latest" .
buildah images --format '{{.Name}}:{{.Tag}} {{.Size}}' "$IMAGE:$VERSION"
