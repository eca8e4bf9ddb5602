for (kind in c("quality", "macro")) {
  answer <- api(paste0(submission, "/edits/", kind)) |>
    req_body_json(list(verified = TRUE)) |>
    req_perform()
  cat(resp_body_string(answer), "\n")
}
