// Opens a page of studies: no errors, no network, named charts, and a tooltip
// that shows the curve's own numbers.
//
//     node studies.mjs PAGE.html MRC.json SHOT.png
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const require = createRequire(resolve(process.env.PLAYWRIGHT, "x.js"));
const { chromium } = require("playwright-core");
const [page_path, mrc_path, shot] = process.argv.slice(2);
const curve = JSON.parse(readFileSync(mrc_path, "utf8")).curve;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1320, height: 1000 } });
const said = [], asked = [];
page.on("console", (m) => said.push(m.type() + ": " + m.text()));
page.on("pageerror", (e) => said.push("error: " + e));
page.on("request", (r) => { if (!/^(file|data):/.test(r.url())) asked.push(r.url()); });
await page.goto("file://" + resolve(page_path), { waitUntil: "load" });
for (const chart of await page.locator("#studies .chart").all()) {
  assert.ok(await chart.getAttribute("aria-label"));
}
const over = page.locator('#studies .chart[aria-label^="Miss ratio"] .u-over');
await over.scrollIntoViewIfNeeded();
const box = await over.boundingBox();
await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
const tip = await page.locator("#tip").innerText();
const last = curve[curve.length - 1];
assert.ok(tip.includes("(" + last.size_bytes + ")"), tip);
assert.ok(tip.includes("(" + last.lru_miss_ratio + ")"), tip);
assert.ok(await page.locator("#studies .bars tr").count() > 0, "no tornado");
await page.mouse.move(0, 0);
await page.screenshot({ path: shot, fullPage: true });
assert.deepEqual(said, [], "console");
assert.deepEqual(asked, [], "network");
await browser.close();
