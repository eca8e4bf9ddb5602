#!/bin/sh
# Pin the images of others by their digests, so that what was tried is what runs:
# `deploy/pin_images.sh` asks their registries and writes the digests into `.env`, which compose reads.
# A tag is moved by whoever owns it; a digest is the image itself. Run it again for updates, and try
# them first. `deploy/pin_images.sh --check` says which are not pinned, and fails if there are any.
# Another FILE than `.env` may be named last. It needs docker with buildx, or skopeo.
set -eu
cd "$(dirname "$0")/.."

check=
[ "${1:-}" != --check ] || { check=yes; shift; }
file=${1:-.env}

resolve() {
    if command -v docker >/dev/null; then
        docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$1"
    elif command -v skopeo >/dev/null; then
        skopeo inspect --format '{{.Digest}}' "docker://$1"
    else
        echo "Install docker or skopeo, which ask registries for digests." >&2
        return 1
    fi
}

failed=
# `${NAME:-image}` in compose.yaml: the variable, and the image without it.
for entry in $(sed -n 's/.*\${\([A-Z]*_IMAGE\|BASE\):-\([^}]*\)}.*/\1=\2/p' deploy/compose.yaml); do
    name=${entry%%=*}
    now=$(sed -n "s/^$name=//p" "$file" 2>/dev/null | tail -n 1)
    image=${now:-${entry#*=}}
    if [ -n "$check" ]; then
        echo "$image" | grep -Eq '@sha256:[0-9a-f]{64}$' || {
            echo "$name is not pinned by a digest: $image" >&2
            failed=yes
        }
        continue
    fi
    image=${image%%@*}
    digest=$(resolve "$image")
    echo "$digest" | grep -Eqx 'sha256:[0-9a-f]{64}' || {
        echo "The registry returned no digest of $image: $digest" >&2
        exit 1
    }
    umask 077
    { grep -v "^$name=" "$file" 2>/dev/null || true; echo "$name=$image@$digest"; } >"$file.part"
    mv "$file.part" "$file"
    echo "$name=$image@$digest"
done
[ -z "$failed" ] || { echo "Run deploy/pin_images.sh where the registries can be reached." >&2; exit 1; }
