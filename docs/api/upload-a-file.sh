call -F "file=@$FILE" "$SUBMISSION"
