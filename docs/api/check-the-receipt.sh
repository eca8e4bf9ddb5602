curl -sS -w '\n' --data-binary @receipt.json "$SITE/v2/public/receipts/check"
