// Makes a recorded stream fit for the repository: no paths, ports or versions of one machine, no long texts.
// Usage: scrub.mjs IN OUT [FROM=TO]...   where FROM is a text to be replaced everywhere.
import { readFileSync, writeFileSync } from "node:fs";

const LONGEST_TEXT = 400;
const LONGEST_LIST = 4;
const MOST_LINES = 60;
const [input, output, ...pairs] = process.argv.slice(2);
const replacements = pairs.map((pair) => pair.split("=")).sort(([a], [b]) => b.length - a.length);

const lines = readFileSync(input, "utf8").split("\n").filter((line) => line.trim() !== "");
const kept = lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES / 2), ...lines.slice(-MOST_LINES / 2)];
writeFileSync(output, kept.map((line) => scrub(line) + "\n").join(""));

function scrub(line) {
  let text = line.trimEnd().replaceAll("\t", "    ");
  for (const [from, to] of replacements) text = text.replaceAll(from, to);
  text = text.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:4000").replace(/\/(?:root|home)\//g, "/agent/").replace(/\x1b\[[0-9;]*m/g, "");
  try {
    return JSON.stringify(shorten(JSON.parse(text)));
  } catch {
    return text.slice(0, LONGEST_TEXT);
  }
}

function shorten(value) {
  if (typeof value === "string") return value.length > LONGEST_TEXT ? value.slice(0, LONGEST_TEXT) + "..." : value;
  if (Array.isArray(value)) return value.slice(0, LONGEST_LIST).map(shorten);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shorten(field)]));
  return value;
}
