// Tells whether a chosen file has the SHA-256 of the one that counts as filed. Loaded only for a
// file of the same size.
import { sha256 } from "../vendor/noble-hashes/sha2.js";

const PIECE = 4 << 20; // bytes that are in memory at a time

export const hasHash = async (file, expected) => {
  const hash = sha256.create();
  for (let start = 0; start < file.size; start += PIECE) {
    hash.update(new Uint8Array(await file.slice(start, start + PIECE).arrayBuffer()));
  }
  return Array.from(hash.digest(), (byte) => byte.toString(16).padStart(2, "0")).join("") === expected;
};
