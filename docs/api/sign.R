answer <- api(paste0(submission, "/sign")) |>
  req_body_json(list(signed = TRUE)) |>
  req_perform()
cat(resp_body_string(answer), "\n")
