answer <- api(paste0(filing, "/submissions")) |> req_method("POST") |> req_perform()
number <- resp_body_json(answer)$id$sequenceNumber
submission <- paste0(filing, "/submissions/", number)
cat(submission, "\n")
