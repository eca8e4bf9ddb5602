saved <- api(paste0(submission, "/receipt")) |> req_perform(path = "receipt.json")
