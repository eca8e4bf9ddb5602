// Starts the editor on its own page.
import { start } from "./main.js";

start();
