"use strict";
// Draws Swagger UI from our OpenAPI document. Tokens stay in the page: nothing is kept in the browser.
const place = document.getElementById("swagger-ui");
SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
});
