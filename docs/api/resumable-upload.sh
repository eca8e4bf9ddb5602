NUMBER=$(call -X POST "$FILING/submissions" | sed -n 's/.*"sequenceNumber": *\([0-9]*\).*/\1/p')
tus() { call -f -H "Tus-Resumable: 1.0.0" "$@"; }
header() { tr -d '\r' | sed -n "s/^$1: *//Ip"; }
LENGTH=$(wc -c < "$FILE")
NAME=$(printf %s "$(basename "$FILE")" | base64 -w 0)
UPLOAD=$(tus -X POST -D - -o /dev/null -H "Upload-Length: $LENGTH" \
  -H "Upload-Metadata: filename $NAME" "$FILING/submissions/$NUMBER/uploads" | header Location)
UPLOAD="$SITE${UPLOAD#"$SITE"}"

# After a break, paste this part again: it goes on where the upload stopped.
PART=8388608
OFFSET=$(tus --head "$UPLOAD" | header Upload-Offset)
while [ "$OFFSET" -lt "$LENGTH" ]; do
  tail -c +$((OFFSET + 1)) "$FILE" | head -c "$PART" > part.bin
  SUM=$(openssl dgst -sha256 -binary part.bin | base64)
  OFFSET=$(tus -X PATCH -D - -o /dev/null --data-binary @part.bin \
    -H "Content-Type: application/offset+octet-stream" -H "Upload-Offset: $OFFSET" \
    -H "Upload-Checksum: sha256 $SUM" "$UPLOAD" | header Upload-Offset) || break
done
echo "$OFFSET of $LENGTH bytes"
