path <- Sys.getenv("FILE")
size <- file.size(path)
part_size <- 8 * 1024^2
answer <- api(paste0(filing, "/submissions")) |> req_method("POST") |> req_perform()
uploads <- paste0(filing, "/submissions/", resp_body_json(answer)$id$sequenceNumber, "/uploads")
name <- openssl::base64_encode(charToRaw(basename(path)))
answer <- api(uploads) |>
  req_method("POST") |>
  req_headers(
    "Tus-Resumable" = "1.0.0",
    "Upload-Length" = format(size, scientific = FALSE),
    "Upload-Metadata" = paste("filename", name)
  ) |>
  req_perform()
upload <- sub("^/", paste0(site, "/"), resp_header(answer, "Location"))

# After a break, run this part again: it goes on where the upload stopped.
answer <- api(upload) |>
  req_method("HEAD") |>
  req_headers("Tus-Resumable" = "1.0.0") |>
  req_perform()
offset <- as.numeric(resp_header(answer, "Upload-Offset"))
file <- file(path, "rb")
invisible(seek(file, offset))
while (length(part <- readBin(file, "raw", part_size)) > 0) {
  answer <- api(upload) |>
    req_method("PATCH") |>
    req_headers(
      "Tus-Resumable" = "1.0.0",
      "Upload-Offset" = format(offset, scientific = FALSE),
      "Upload-Checksum" = paste("sha256", openssl::base64_encode(openssl::sha256(part)))
    ) |>
    req_body_raw(part, type = "application/offset+octet-stream") |>
    req_perform()
  offset <- as.numeric(resp_header(answer, "Upload-Offset"))
}
close(file)
cat(offset, "of", size, "bytes\n")
