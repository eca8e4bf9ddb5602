answer <- request(paste0(site, "/v2/public/receipts/check")) |>
  req_body_file("receipt.json", type = "application/json") |>
  req_perform()
cat(resp_body_string(answer), "\n")
