pause() { call -f -o state.json -w '%header{retry-after}' "$SUBMISSION"; }

while seconds=$(pause) && [ -n "$seconds" ]; do
  sleep "$seconds"
done
cat state.json
echo
