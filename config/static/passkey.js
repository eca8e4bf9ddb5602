// Creates or uses a passkey when its form is submitted. Without support, the form stays hidden.
"use strict";
for (const form of document.querySelectorAll("form[data-passkey]")) {
  const isNew = form.dataset.passkey === "create";
  const parse = isNew ? "parseCreationOptionsFromJSON" : "parseRequestOptionsFromJSON";
  const unsupported = document.querySelector("[data-unsupported]");
  if (!window.PublicKeyCredential?.[parse]) {
    form.classList.remove("site-reserved");
    unsupported?.classList.remove("site-unscripted");
    continue;
  }
  unsupported?.remove();
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const status = form.querySelector("[role=status]");
    status.textContent = "Follow the instructions of your browser.";
    try {
      const publicKey = PublicKeyCredential[parse](JSON.parse(form.dataset.options));
      const credential = await navigator.credentials[isNew ? "create" : "get"]({ publicKey });
      form.elements.passkey.value = JSON.stringify(credential.toJSON());
    } catch (error) {
      status.textContent = error.name === "InvalidStateError"
        ? "This device has a passkey for your account already."
        : "Your browser did not use a passkey. Try again.";
      return;
    }
    form.submit();
  });
}
