library(httr2)

discovery <- paste0(Sys.getenv("ISSUER"), "/.well-known/openid-configuration")
provider <- request(discovery) |> req_perform() |> resp_body_json()
client <- Sys.getenv("CLIENT")
device <- request(provider$device_authorization_endpoint) |>
  req_body_form(client_id = client, scope = "openid") |>
  req_perform() |>
  resp_body_json()
cat("Open", device$verification_uri, "and enter", device$user_code, "\n")
flush(stdout())

poll <- request(provider$token_endpoint) |>
  req_body_form(
    client_id = client,
    grant_type = "urn:ietf:params:oauth:grant-type:device_code",
    device_code = device$device_code
  ) |>
  req_error(is_error = \(answer) FALSE)
seconds <- device$interval
while (is.null((answer <- resp_body_json(req_perform(poll)))$access_token)) {
  if (!answer$error %in% c("authorization_pending", "slow_down")) stop(answer$error)
  if (answer$error == "slow_down") seconds <- seconds + 5
  Sys.sleep(seconds)
}
token <- answer$access_token
Sys.setenv(TOKEN = token)
