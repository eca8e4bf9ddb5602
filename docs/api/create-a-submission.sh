NUMBER=$(call -X POST "$FILING/submissions" | sed -n 's/.*"sequenceNumber": *\([0-9]*\).*/\1/p')
SUBMISSION="$FILING/submissions/$NUMBER"
echo "$SUBMISSION"
