library(httr2)

discovery <- paste0(Sys.getenv("ISSUER"), "/.well-known/openid-configuration")
provider <- request(discovery) |> req_perform() |> resp_body_json()
client <- oauth_client(Sys.getenv("CLIENT"), token_url = provider$token_endpoint)
token <- oauth_flow_device(
  client, auth_url = provider$device_authorization_endpoint, scope = "openid"
)
Sys.setenv(TOKEN = token$access_token)
