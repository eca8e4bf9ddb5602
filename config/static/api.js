"use strict";
// Draws Swagger UI from our OpenAPI document. Tokens stay in the page: nothing is kept in the browser.
const place = document.getElementById("swagger-ui");
const withoutTitle = () => ({ wrapComponents: { InfoContainer: () => () => null } });
SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [withoutTitle], // the page has its own
  layout: "BaseLayout",
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
});

// The button that closes its dialogs has a picture and no name.
new MutationObserver(() => {
  for (const button of place.querySelectorAll(".close-modal")) button.setAttribute("aria-label", "Close");
}).observe(place, { childList: true, subtree: true });
