call "$SUBMISSION/edits"
call "$SUBMISSION/edits/Q613?page=1"
call -o edits.csv "$SUBMISSION/edits/csv?detail=true"
