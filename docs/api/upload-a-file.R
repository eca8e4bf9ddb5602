answer <- api(submission) |>
  req_body_multipart(file = curl::form_file(Sys.getenv("FILE"))) |>
  req_perform()
cat(resp_status(answer), resp_body_string(answer), "\n")
