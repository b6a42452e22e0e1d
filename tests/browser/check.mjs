// Opens a report in headless Chromium and holds it to its JSON.
//
//     node check.mjs REPORT.html RESULT.json SHOTS_PREFIX
//
// PLAYWRIGHT names the folder of playwright-core, CHROMIUM the program.
// Exits 1 with the reason at the first thing that is not so.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";

const require = createRequire(resolve(process.env.PLAYWRIGHT, "x.js"));
const { chromium } = require("playwright-core");
const [page_path, json_path, shots] = process.argv.slice(2);
const json = JSON.parse(readFileSync(json_path, "utf8"));
const FIRST_PAINT_MS = 2000;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });

async function open(options) {
  const page = await browser.newPage({ viewport: { width: 1320, height: 1000 }, ...options });
  const said = [], asked = [];
  page.on("console", (m) => said.push(m.type() + ": " + m.text()));
  page.on("pageerror", (e) => said.push("error: " + e));
  page.on("request", (r) => { if (!/^(file|data):/.test(r.url())) asked.push(r.url()); });
  await page.goto("file://" + resolve(page_path), { waitUntil: "load" });
  await page.waitForSelector("#subject h2");
  assert.deepEqual(said, [], "console");
  assert.deepEqual(asked, [], "network");
  return { page, said, asked };
}

const { page, said, asked } = await open({ colorScheme: "light" });
const paint = await page.evaluate(() => new Promise((done) => {
  const of = () => performance.getEntriesByName("first-contentful-paint")[0];
  if (of()) done(of().startTime);
  else new PerformanceObserver(() => of() && done(of().startTime)).observe({ type: "paint", buffered: true });
}));
assert.ok(paint < FIRST_PAINT_MS, "first paint after " + paint + " ms");

// The whole run's numbers.
const total = json.total.metrics;
assert.equal(await page.locator(".diagnosis").innerText(), json.total.diagnosis);
const facts = await page.locator("#subject dl").innerText();
assert.ok(facts.includes(String(total["time.cycles"])), facts);
async function metric(id) {
  await page.fill("#metric-filter", "^" + id.replace(/\./g, "\\.") + " ");
  return page.locator(`#metrics tr:has(td[title="${id}"]) td:nth-child(2)`).innerText();
}
for (const id of ["l1.global_load.sectors", "dram.read.bytes", "ratio.l2_hit", "bound.l2"]) {
  assert.equal(await metric(id), String(total[id]), id);
}
await page.fill("#metric-filter", "");

// The tooltip of the memory chart.
await page.locator('#subject svg g[data-tip^="L2"] rect').first().hover({ position: { x: 8, y: 8 } });
const tip = await page.locator("#tip").innerText();
assert.ok(tip.includes("ratio.l2_hit = " + total["ratio.l2_hit"]), tip);

// Charts and tables have names.
for (const selector of ["svg[role=img]", ".chart", ".scroll"]) {
  for (const node of await page.locator(selector).all()) {
    assert.ok(await node.getAttribute("aria-label"), selector + " has no name");
  }
}

const n = json.kernels.length;
if (n > 1) {
  const rows = page.locator("#kernels tbody tr:not(.gap)");
  assert.ok(await rows.count() < 100, "rows out of sight are drawn");
  const first = async (column) => rows.first().locator("td").nth(column).getAttribute("title");
  // Longest first, as it opens; then by launch, both ways.
  const times = json.kernels.map((k) => k.metrics["time.ns"]);
  assert.equal(await first(4), "time.ns = " + Math.max(...times));
  const head = page.locator("#kernels thead button").first();
  await head.click();
  assert.equal(await first(0), String(json.kernels[n - 1].launch));
  await head.click();
  assert.equal(await first(0), String(json.kernels[0].launch));
  assert.equal(await page.locator("#kernels th").first().getAttribute("aria-sort"), "ascending");
  // The far end is reached.
  await page.locator("#kernels .scroll").evaluate((node) => { node.scrollTop = node.scrollHeight; });
  await page.waitForFunction((launch) => [...document.querySelectorAll("#kernels tbody tr:not(.gap) td:first-child")]
    .some((td) => td.title === launch), String(json.kernels[n - 1].launch));
  // Filter by name.
  const name = json.kernels[n - 1].name;
  const started = Date.now();
  await page.fill("#kernel-filter", name.replace(/[^A-Za-z0-9_]/g, "."));
  const want = json.kernels.filter((k) => new RegExp(name.replace(/[^A-Za-z0-9_]/g, "."), "i").test(k.name)).length;
  assert.equal(await page.locator("#kernel-count").innerText(), want + " of " + n + " launches");
  console.log("  filter: " + (Date.now() - started) + " ms");
  await page.fill("#kernel-filter", "");
  // One launch alone.
  await page.locator("#kernels .scroll").evaluate((node) => { node.scrollTop = 0; });
  await page.waitForFunction((launch) => document.querySelector("#kernels tbody tr:not(.gap) td").title === launch, String(json.kernels[0].launch));
  await rows.first().locator("button").click();
  assert.equal(await page.locator(".diagnosis").innerText(), json.kernels[0].diagnosis);
  assert.equal(await metric("time.cycles"), String(json.kernels[0].metrics["time.cycles"]));
  await page.fill("#metric-filter", "");
  await page.screenshot({ path: shots + "-launch.png", fullPage: true });
  await page.locator("#all").click();
}

const rows = json.kernels.flatMap((k) => (k.instructions || []).filter((row) => row.requests));
if (rows.length) {
  assert.ok((await page.locator("#instructions [role=status]").innerText()).startsWith(String(rows.length)));
  const chart = page.locator('.chart[aria-label^="Histogram"] .u-over');
  if (await chart.count()) {
    const sums = Array(8).fill(0);
    rows.filter((row) => !row.kind.startsWith("shared")).forEach((row) => row.requests_by_sectors.forEach((v, i) => { sums[i] += v; }));
    const box = await chart.boundingBox();
    const bin = sums.indexOf(Math.max(...sums));
    await page.mouse.move(box.x + box.width * (bin + 0.6) / 8.2, box.y + box.height / 2);
    const text = await page.locator("#tip").innerText();
    assert.ok(text.includes(sums[bin] + " requests"), text);
    await page.mouse.move(0, 0);
  }
}
await page.screenshot({ path: shots + "-light.png", fullPage: true });
await page.emulateMedia({ media: "print" });
await page.pdf({ path: shots + ".pdf", format: "A4", landscape: true });
assert.deepEqual(said, [], "console at the end");
assert.deepEqual(asked, [], "network at the end");

const dark = await open({ colorScheme: "dark" });
assert.equal(await dark.page.evaluate(() => document.documentElement.dataset.theme), "dark");
await dark.page.locator("#theme").click();
assert.equal(await dark.page.evaluate(() => document.documentElement.dataset.theme), "light");
await dark.page.locator("#theme").click();
await dark.page.screenshot({ path: shots + "-dark.png" });
await browser.close();
console.log("  " + n + " launches, " + statSync(page_path).size + " bytes, first paint " + Math.round(paint) + " ms");
