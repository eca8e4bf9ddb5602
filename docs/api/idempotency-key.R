key <- paste0("submission-", format(Sys.time(), "%s"), "-", Sys.getpid())
create <- api(paste0(filing, "/submissions")) |>
  req_method("POST") |>
  req_headers("Idempotency-Key" = key)
cat(resp_body_string(req_perform(create)), "\n")
cat(resp_body_string(req_perform(create)), "\n")
