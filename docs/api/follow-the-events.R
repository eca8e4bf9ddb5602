events <- api(paste0(submission, "/progress")) |> req_perform_connection()
while (!is.null(event <- resp_stream_sse(events))) {
  cat(event$data, "\n")
}
close(events)
