errors <- paste0(submission, "/parseErrors")
answer <- api(errors) |> req_url_query(page = 1) |> req_perform()
cat(resp_body_string(answer), "\n")
saved <- api(paste0(errors, "/csv")) |> req_perform(path = "formatting-errors.csv")
