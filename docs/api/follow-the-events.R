headers <- paste("Authorization: Bearer", Sys.getenv("TOKEN"))
events <- curl::curl(
  paste0(submission, "/progress"),
  open = "r", handle = curl::new_handle(httpheader = headers)
)
while (length(line <- readLines(events, n = 1)) > 0) {
  if (startsWith(line, "data:")) cat(trimws(sub("data:", "", line)), "\n")
}
close(events)
