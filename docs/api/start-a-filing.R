library(httr2)

site <- Sys.getenv("SITE")
filing <- paste0(
  site, "/v2/filing/institutions/", Sys.getenv("LEI"), "/filings/", Sys.getenv("YEAR")
)
api <- function(address) {
  request(address) |> req_auth_bearer_token(Sys.getenv("TOKEN"))
}

answer <- api(filing) |>
  req_method("POST") |>
  req_error(is_error = \(answer) resp_status(answer) >= 500) |>
  req_perform()
cat(resp_status(answer), resp_body_string(answer), "\n")
