edits <- paste0(submission, "/edits")
cat(resp_body_string(api(edits) |> req_perform()), "\n")
records <- api(paste0(edits, "/Q613")) |> req_url_query(page = 1) |> req_perform()
cat(resp_body_string(records), "\n")
saved <- api(paste0(edits, "/csv")) |>
  req_url_query(detail = "true") |>
  req_perform(path = "edits.csv")
