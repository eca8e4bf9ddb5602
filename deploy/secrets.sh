#!/bin/sh
# Write the secrets of compose.yaml: one file for each, in deploy/secrets or the folder you name.
#
# Passwords and keys are random. Files that exist stay as they are, so you may run it again. Fill in
# the blank files that your site needs; a blank one is like a setting that is not set.
set -eu
umask 077
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"

random() { od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n'; }

# Only the owner of the folder gets to the files; the users of the containers see them as mounts.
keep() {
    [ -e "$1" ] || { printf '%s\n' "$2" >"$1.new" && chmod 444 "$1.new" && mv "$1.new" "$1"; }
}

for name in secret_key postgres_password redis_password metrics_token; do
    keep "$name" "$(random)"
done
keep database_url "postgresql://hmda:$(cat postgres_password)@postgres:5432/hmda"
keep celery_broker_url "redis://:$(cat redis_password)@redis:6379/0"
keep cache_url "redis://:$(cat redis_password)@redis:6379/1"
for name in email_url storage_url oidc_client_secret sentry_dsn receipt_signing_key backup_url; do
    keep "$name" ""
done

echo "The secrets are in $(pwd). Fill in email_url, and the other blank files if you use them:"
find . -type f -size -2c | sed 's|^\./|  |' | sort
