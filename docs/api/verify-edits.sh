JSON="Content-Type: application/json"
call -H "$JSON" -d '{"verified": true}' "$SUBMISSION/edits/quality"
call -H "$JSON" -d '{"verified": true}' "$SUBMISSION/edits/macro"
