call -f -o receipt.json "$SUBMISSION/receipt"
