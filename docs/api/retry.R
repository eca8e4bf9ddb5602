fetch <- function(address, attempts = 5, seconds = 1) {
  tryCatch(
    api(address) |> req_retry(max_tries = attempts) |> req_perform(),
    httr2_failure = function(failure) {
      if (attempts == 1) stop(failure)
      Sys.sleep(seconds)
      fetch(address, attempts - 1, min(2 * seconds, 60))
    }
  )
}

cat(resp_body_string(fetch(submission)), "\n")
