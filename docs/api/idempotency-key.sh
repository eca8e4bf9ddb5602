KEY="submission-$(date +%s)-$$"
create() { call --retry 5 -X POST -H "Idempotency-Key: $KEY" "$FILING/submissions"; }
create
create
