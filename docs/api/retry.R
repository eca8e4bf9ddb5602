answer <- api(submission) |>
  req_retry(max_tries = 5, retry_on_failure = TRUE) |>
  req_perform()
cat(resp_body_string(answer), "\n")
