FILING="$SITE/v2/filing/institutions/$LEI/filings/$YEAR"
call() { curl -sS -w '\n' -H "Authorization: Bearer $TOKEN" "$@"; }

call -X POST "$FILING"
