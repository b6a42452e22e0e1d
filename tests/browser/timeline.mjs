// Holds the Chrome trace events of a run to readers that others wrote: the
// parser of TracerBench, and speedscope as it opens in headless Chromium.
//
//     node timeline.mjs TIMELINE.json RESULT.json WORK_FOLDER
//
// PLAYWRIGHT names the folder of the packages, CHROMIUM the program.
// Exits 1 with the reason at the first thing that is not so.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const modules = resolve(process.env.PLAYWRIGHT);
const require = createRequire(resolve(modules, "x.js"));
const { chromium } = require("playwright-core");
const { buildModel } = require("@tracerbench/trace-model");
const [timeline_path, json_path, work] = process.argv.slice(2);
const text = readFileSync(timeline_path);
const result = JSON.parse(readFileSync(json_path, "utf8"));

// What the parser makes of it, against the JSON of the same run.
const model = buildModel(JSON.parse(text));
assert.equal(model.start, 0);
assert.equal(Math.round(model.duration * 1000), result.total.metrics["time.ns"]);
assert.deepEqual(model.processes.map((p) => p.name), ["launches", "SMs"]);
const [launches, sms] = model.processes;
const spans = (thread) => thread.events.filter((e) => e.isComplete());
const [track] = launches.threads.filter((t) => t.id === 1);
assert.deepEqual(
  spans(track).map((e) => [e.name, Math.round(e.duration * 1000)]),
  result.kernels.map((k) => [k.name, k.metrics["time.ns"]]));
assert.equal(sms.threads.map((t) => spans(t).length).reduce((a, b) => a + b),
  result.total.metrics["launch.ctas"]);
for (const thread of sms.threads) {
  assert.match(thread.name, /^SM \d+ place \d+$/);
}
const counters = launches.events.filter((e) => e.isCounter());
const drawn = new Set(counters.map((e) => e.name));
for (const name of drawn) {
  assert.ok(name in result.series.metrics, name);
}
assert.ok(drawn.size > 3, [...drawn].join());
assert.equal(counters.length, drawn.size * result.series.end_ns.length);

// A viewer: as many tracks as have spans, named, and no complaint.
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
const page = await browser.newPage();
const said = [];
page.on("console", (m) => said.push(m.text()));
page.on("pageerror", (e) => said.push("error: " + e));
page.on("dialog", (d) => { said.push("dialog: " + d.message()); d.dismiss(); });
const script = resolve(work, "profile.js");
writeFileSync(script, "speedscope.loadFileFromBase64(\"t.json\", " +
  JSON.stringify(text.toString("base64")) + ")");
await page.goto("file://" + resolve(modules, "speedscope/dist/release/index.html") +
  "#localProfilePath=" + script);
const n_tracks = 1 + sms.threads.length;
await page.getByText(`(1/${n_tracks})`).waitFor({ timeout: 20000 })
  .catch(() => assert.fail("not opened: " + said.join("; ")));
assert.ok(said.includes("Importing as Trace Event Format profile"), said);
assert.deepEqual(said.filter((s) => /^(error|dialog)/.test(s)), []);
await browser.close();
console.log(`timeline: ${launches.threads.length + sms.threads.length} tracks, ` +
  `${counters.length} counter events`);
