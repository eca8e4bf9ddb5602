answer <- api(submission) |> req_perform()
while (resp_header_exists(answer, "Retry-After")) {
  Sys.sleep(resp_retry_after(answer))
  answer <- api(submission) |> req_perform()
}
cat(resp_body_string(answer), "\n")
