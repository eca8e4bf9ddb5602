field() { sed -n "s/.*\"$1\": *\"\{0,1\}\([^\",}]*\).*/\1/p" "$2"; }
curl -sS "$ISSUER/.well-known/openid-configuration" -o provider.json
curl -sS "$(field device_authorization_endpoint provider.json)" -o device.json \
  -d "client_id=$CLIENT" -d scope=openid
echo "Open $(field verification_uri device.json) and enter $(field user_code device.json)"

TOKEN=""
until [ -n "$TOKEN" ]; do
  sleep "$(field interval device.json)"
  curl -sS "$(field token_endpoint provider.json)" -o token.json -d "client_id=$CLIENT" \
    -d grant_type=urn:ietf:params:oauth:grant-type:device_code \
    -d "device_code=$(field device_code device.json)"
  grep -Eq '"(access_denied|expired_token)"' token.json && break
  TOKEN=$(field access_token token.json)
done
