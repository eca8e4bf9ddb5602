// Shows the progress of the uploads of a page, and why one did not end. Forms also work without it.
const bar = document.getElementById("upload"), status = document.getElementById("progress");

export const show = (text, percent) => {
  status.textContent = text;
  bar.hidden = percent === undefined;
  bar.value = percent ?? 0;
};

// next: what the service does once it has the file. after: called when its answer is in the page.
export const followUploads = (next, after) => {
  let sent = false; // whether the file is uploaded, and the answer is next

  document.body.addEventListener("htmx:beforeRequest", () => {
    sent = false;
    show("Uploading", 0);
  });
  document.body.addEventListener("htmx:xhr:progress", ({ detail }) => {
    if (sent || !detail.lengthComputable || !detail.total) return;
    const percent = Math.floor((100 * detail.loaded) / detail.total);
    sent = percent === 100;
    show(sent ? next : `Uploading: ${percent}%`, percent);
  });
  document.body.addEventListener("htmx:afterSwap", () => {
    show("");
    after();
  });
  document.body.addEventListener("htmx:responseError", ({ detail }) => {
    const { status: code } = detail.xhr;
    show(code === 429 ? "Too many files. Wait a moment and try again." : `The service returned an error (${code}). Wait a moment and try again.`);
  });
  document.body.addEventListener("htmx:sendError", () => show("The upload was interrupted. Try again."));
};
