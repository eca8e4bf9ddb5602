call --no-buffer "$SUBMISSION/progress"
