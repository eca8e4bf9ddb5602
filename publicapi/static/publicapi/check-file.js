// Shows the progress of the upload, then moves the focus to the answer. The form also works without it.
import { followUploads } from "./upload-progress.js";

followUploads("Checking", () => document.getElementById("answer-heading")?.focus());
