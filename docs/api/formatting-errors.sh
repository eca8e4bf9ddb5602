call "$SUBMISSION/parseErrors?page=1"
call -o formatting-errors.csv "$SUBMISSION/parseErrors/csv"
