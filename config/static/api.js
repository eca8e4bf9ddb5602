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

// It leaves without a name the button that closes its dialogs, and the lists of examples and servers.
const NAMES = {
  ".close-modal": "Close",
  ".examples-select-element": "Example",
  ".servers select": "Server",
};
new MutationObserver(() => {
  for (const [selector, name] of Object.entries(NAMES)) {
    for (const element of place.querySelectorAll(selector)) element.setAttribute("aria-label", name);
  }
}).observe(place, { childList: true, subtree: true });
