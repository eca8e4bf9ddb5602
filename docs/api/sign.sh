call -H "$JSON" -d '{"signed": true}' "$SUBMISSION/sign"
