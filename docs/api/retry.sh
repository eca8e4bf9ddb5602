call --retry 5 --retry-connrefused "$SUBMISSION"
