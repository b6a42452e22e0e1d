"use strict";
/* report.js -- draws the report from the JSON in #data.
 *
 * A result holds its launches by column: metrics[id][k] is metric id of launch
 * k; ids whose values are all 0 or null are left out.  Numbers are shown short
 * and kept exact in tooltips and titles. */

const DATA = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const state = { result: 0, kernel: -1, nsight: DATA.nsight };

/* --- elements ------------------------------------------------------------- */
function el(name, attributes, ...children) {
  const svg = /^(svg|g|rect|text|line|path|title|marker|defs|tspan)$/.test(name);
  const node = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

/* --- numbers -------------------------------------------------------------- */
function short(n) {
  const digits = n < 9.995 ? 2 : n < 99.95 ? 1 : 0;
  return n.toFixed(digits);
}
function scaled(n, units, step, suffix) {
  let i = 0, left = Math.abs(n);
  while (left >= step - 0.5 && i + 1 < units.length) { left /= step; i++; }
  const sign = n < 0 ? "-" : "";
  return sign + (i === 0 && Number.isInteger(n) ? String(left) : short(left)) +
    " " + units[i] + suffix;
}
const DECIMAL = ["", "k", "M", "G", "T", "P", "E"];
const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const format = {
  number: (v) => Math.abs(v) < 1e7 && Number.isInteger(v) ? String(v)
    : Number.isInteger(v) ? scaled(v, DECIMAL, 1000, "").trim()
    : Number(v.toPrecision(4)).toString(),
  bytes: (v) => scaled(v, BINARY, 1024, ""),
  percent: (v) => (v * 100).toFixed(1) + " %",
  time: (ns) => scaled(ns, ["ns", "us", "ms", "s"], 1000, ""),
  rate: (v) => scaled(v, DECIMAL, 1000, "B/s"),
  flops: (v) => scaled(v, DECIMAL, 1000, "FLOP/s"),
};
function withUnit(value, unit) {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string") return value;
  if (unit === "fraction") return format.percent(value);
  if (unit === "sectors/request") return value.toFixed(2);
  if (unit === "bytes") return format.bytes(value);
  if (unit === "bytes/s") return format.rate(value);
  if (unit === "ns") return format.time(value);
  return format.number(value);
}
const exact = (value) => value === null || value === undefined ? "null" : String(value);

/* --- the data ------------------------------------------------------------- */
const metricInfo = new Map(DATA.metrics.map((m) => [m.id, m]));
const result = () => DATA.results[state.result];
const nKernels = (r) => r.kernels.launch.length;
const kernelName = (r, k) => r.names[r.kernels.name[k]];
function metricOf(r, k, id) {
  if (k < 0) return id in r.total ? r.total[id] : null;
  const column = r.kernels.metrics[id];
  return column ? column[k] : (r.total[id] === null ? null : 0);
}
const value = (id) => metricOf(result(), state.kernel, id);
const number = (id) => value(id) || 0;
const dims = (d) => d.join("x");
const metricName = (id) => {
  const info = metricInfo.get(id);
  return state.nsight && info && info.nsight ? info.nsight : id;
};
const sumOf = (ids) => ids.reduce((sum, id) => sum + number(id), 0);
const KINDS = ["global_load", "global_store", "global_atomic", "global_reduction",
  "local_load", "local_store", "async_copy"];

/* --- tooltip -------------------------------------------------------------- */
const tip = byId("tip");
function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(4, y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18) + "px";
}
const hideTip = () => { tip.hidden = true; };
document.addEventListener("mouseover", (event) => {
  const target = event.target.closest("[data-tip]");
  if (target) showTip(target.dataset.tip, event.clientX, event.clientY);
});
document.addEventListener("mouseout", (event) => {
  if (event.target.closest("[data-tip]")) hideTip();
});
document.addEventListener("focusin", (event) => {
  const target = event.target.closest("[data-tip]");
  if (target) {
    const box = target.getBoundingClientRect();
    showTip(target.dataset.tip, box.left, box.bottom);
  }
});
document.addEventListener("focusout", hideTip);

/* --- charts (uPlot) ------------------------------------------------------- */
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const palette = (i) => color("c" + (i % 8 + 1));
const charts = new Set();

function axis(options) {
  return Object.assign({
    stroke: color("text"), grid: { stroke: color("line"), width: 1 },
    ticks: { stroke: color("line"), width: 1 }, font: "12px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif", labelSize: 20,
  }, options);
}
/* describe(plot, index) gives the tooltip's text for the data index. */
function chart(host, name, options, data, describe) {
  const box = el("div", { class: "chart", role: "img", "aria-label": name });
  host.append(box);
  const plot = new uPlot(Object.assign({
    width: Math.max(280, box.clientWidth || 400), height: 260,
    legend: { show: false }, cursor: { drag: { x: true, y: false } },
    hooks: {
      setCursor: [(u) => {
        const { idx, left, top } = u.cursor;
        if (left < 0 || (idx === null || idx === undefined)) { hideTip(); return; }
        const text = describe(u, idx);
        const rect = u.over.getBoundingClientRect();
        if (text) showTip(text, rect.left + left, rect.top + top); else hideTip();
      }],
    },
  }, options), data, box);
  plot.over.addEventListener("mouseleave", hideTip);
  box.uplot = plot;
  charts.add(plot);
  return plot;
}
function forgetCharts(host) {
  for (const plot of charts) {
    if (host.contains(plot.root)) { plot.destroy(); charts.delete(plot); }
  }
  host.replaceChildren();
}
addEventListener("resize", () => {
  for (const plot of charts) {
    plot.setSize({ width: Math.max(280, plot.root.parentElement.clientWidth), height: plot.height });
  }
});
const legend = (names) => el("div", { class: "legend" }, names.map((name, i) =>
  el("span", {}, el("span", { class: "key", style: "background:var(--c" + (i % 8 + 1) + ")" }), name)));

/* Lines over one rising x. */
function lines(host, title, x, xLabel, xText, series, yText, scaleX, atPoints) {
  const card = el("div", { class: "card" }, el("h3", {}, title), legend(series.map((s) => s.name)));
  host.append(card);
  const name = title + " over " + xLabel + ": " + series.map((s) => s.name).join(", ");
  chart(card, name, {
    scales: { x: Object.assign({ time: false }, scaleX || {}), y: {} },
    axes: [axis(Object.assign({ label: xLabel, values: (u, ticks) => ticks.map((v) => v === null ? "" : xText(v)) },
      atPoints ? { splits: () => x } : {})),
      axis({ size: 70, values: (u, ticks) => ticks.map((v) => v === null ? "" : yText(v)) })],
    series: [{}].concat(series.map((s, i) => ({
      label: s.name, stroke: palette(i), width: 2, dash: s.dash, spanGaps: true,
      points: { show: x.length < 60, size: 5 } }))),
  }, [x].concat(series.map((s) => s.values)), (u, idx) =>
    [xLabel + ": " + xText(x[idx]) + " (" + exact(x[idx]) + ")"].concat(series.map((s) =>
      s.name + ": " + (s.values[idx] === null ? "-" : yText(s.values[idx]) + " (" + exact(s.values[idx]) + ")"))).join("\n"));
}

/* --- tables --------------------------------------------------------------- */
const ROW = 28;
/* A table that draws only the rows in sight.  columns: {key, label, text,
 * get(i), show(v, i), tip(v, i)}; options: {n, caption, chosen(i), pick(i)}. */
function Table(host, columns, options) {
  let order = Array.from({ length: options.n }, (_, i) => i);
  let sortKey = options.sortKey || null, falling = true, first = -1, last = -1;
  const head = el("tr", {}), body = el("tbody", {});
  const table = el("table", { class: "data", "aria-rowcount": options.n + 1 },
    el("caption", { hidden: "" }, options.caption), el("thead", {}, head), body);
  const scroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": options.caption }, table);
  const heads = columns.map((column) => {
    const cell = el("th", { scope: "col", class: column.text ? "text" : null },
      el("button", { type: "button", title: column.help || null, onclick: () => sort(column.key) }, column.label));
    head.append(cell);
    return cell;
  });
  host.append(scroll);

  function cell(column, i) {
    const raw = column.get(i);
    const td = el("td", { class: column.text ? "text" : null, title: column.tip ? column.tip(raw, i) : exact(raw) });
    td.append(column.show ? column.show(raw, i) : exact(raw));
    return td;
  }
  function row(place) {
    const i = order[place];
    const tr = el("tr", { "aria-rowindex": place + 2, "data-index": i,
      class: (options.pick ? "pick " : "") + (options.chosen && options.chosen(i) ? "chosen" : "") },
    columns.map((column) => cell(column, i)));
    if (options.pick) tr.addEventListener("click", () => options.pick(i));
    return tr;
  }
  const gap = (n) => el("tr", { class: "gap", "aria-hidden": "true" },
    el("td", { colspan: columns.length, style: "height:" + n * ROW + "px" }));
  function draw(force, all) {
    const from = all ? 0 : Math.max(0, Math.floor(scroll.scrollTop / ROW) - 10);
    const to = Math.min(order.length, all ? all : from + Math.ceil(scroll.clientHeight / ROW) + 30);
    if (!force && from === first && to === last) return;
    first = from; last = to;
    const rows = [];
    if (from > 0) rows.push(gap(from));
    for (let place = from; place < to; place++) rows.push(row(place));
    if (!all && to < order.length) rows.push(gap(order.length - to));
    body.replaceChildren(...rows);
  }
  function apply() {
    const column = columns.find((c) => c.key === sortKey);
    columns.forEach((c, i) => heads[i].setAttribute("aria-sort",
      c.key === sortKey ? (falling ? "descending" : "ascending") : "none"));
    if (column) {
      const sign = falling ? -1 : 1;
      const keys = new Map(order.map((i) => [i, column.get(i)]));
      order.sort((a, b) => {
        const x = keys.get(a), y = keys.get(b);
        if (x === y) return a - b;
        if (x === null || x === undefined) return 1;
        if (y === null || y === undefined) return -1;
        return (typeof x === "string" ? x.localeCompare(y) : x - y) * sign || a - b;
      });
    }
    draw(true);
  }
  function sort(key) {
    const column = columns.find((c) => c.key === key);
    falling = key === sortKey ? !falling : !column.text;
    sortKey = key;
    apply();
  }
  scroll.addEventListener("scroll", () => draw(false));
  addEventListener("beforeprint", () => draw(true, 100));
  addEventListener("afterprint", () => draw(true));
  apply();
  return {
    filter(keep) {
      order = [];
      for (let i = 0; i < options.n; i++) if (keep(i)) order.push(i);
      table.setAttribute("aria-rowcount", order.length + 1);
      scroll.scrollTop = 0;
      apply();
      return order.length;
    },
    redraw: () => draw(true),
    /* Rows that are away from the view are brought into it. */
    reveal(i) {
      const place = order.indexOf(i);
      const top = place * ROW;
      if (place >= 0 && (top < scroll.scrollTop || top > scroll.scrollTop + scroll.clientHeight - 2 * ROW)) {
        scroll.scrollTop = Math.max(0, top - 3 * ROW);
      }
      draw(true);
    },
  };
}
/* Words match as they are; a pattern that is no expression matches as text. */
function matcher(text) {
  if (!text) return () => true;
  try { const re = new RegExp(text, "i"); return (s) => re.test(s); }
  catch (error) { const low = text.toLowerCase(); return (s) => s.toLowerCase().includes(low); }
}

/* --- the run -------------------------------------------------------------- */
function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.filter((p) => p[1]).map(([name, text]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, text))));
}
function drawRun() {
  const r = result(), host = byId("run");
  host.replaceChildren(el("h2", { id: "run-head" }, r.label));
  if (!r.complete) {
    host.append(el("p", { class: "warn" }, "INCOMPLETE: a part of the trace was not simulated; the numbers below lack it."));
  }
  host.append(facts([
    ["warpmem", r.version], ["mode", r.mode + (r.mode === "counts" ? " (time is estimated)" : "")],
    ["configuration", r.config ? r.config.name + (r.config.note ? " (" + r.config.note + ")" : "") + ", digest " + r.config.digest.slice(0, 8) : ""],
    ["traces", r.traces.slice(0, 4).map((t) => t.path).join(", ") + (r.traces.length > 4 ? ", and " + (r.traces.length - 4) + " more" : "")],
    ["selection", r.selection], ["launches", String(nKernels(r))],
    ["caches", r.config ? ["kernel.l1_between", "kernel.l2_between", "memcpy.l2"].map((k) => k + "=" + r.config.values[k]).join(", ") : ""],
  ]));
  for (const w of r.warnings) {
    host.append(el("p", { class: "note" }, "Warning (" + w.count + "): " + w.message + (w.first ? " [" + w.first + "]" : "")));
  }
}

/* --- what is looked at ---------------------------------------------------- */
function drawSubject() {
  const r = result(), k = state.kernel, host = byId("subject");
  forgetCharts(host);
  const title = k < 0 ? (nKernels(r) === 1 ? kernelName(r, 0) : "All " + nKernels(r) + " launches")
    : "Launch " + r.kernels.launch[k] + ": " + kernelName(r, k);
  host.append(el("h2", { id: "subject-head" }, title));
  if (k >= 0 && nKernels(r) > 1) {
    host.append(el("button", { type: "button", id: "all", onclick: () => choose(-1) }, "Show all launches"));
  }
  const diagnosis = k < 0 ? r.diagnosis : r.kernels.diagnosis[k];
  if (diagnosis) host.append(el("p", { class: "diagnosis" }, diagnosis));
  const shown = k < 0 && nKernels(r) === 1 ? 0 : k;
  host.append(facts([
    ["grid", shown < 0 ? "" : dims(r.kernels.grid[shown])], ["block", shown < 0 ? "" : dims(r.kernels.block[shown])],
    ["time", withUnit(value("time.ns"), "ns")], ["SM cycles", exact(value("time.cycles"))],
    ["warp instructions", format.number(number("instructions.total"))],
    ["CTAs", format.number(number("launch.ctas"))], ["warps", format.number(number("launch.warps"))],
    ["global load efficiency", withUnit(value("ratio.global_load_efficiency"), "fraction")],
    ["global store efficiency", withUnit(value("ratio.global_store_efficiency"), "fraction")],
    ["cache efficiency", withUnit(value("ratio.cache_efficiency"), "fraction")],
    ["occupancy", withUnit(value("ratio.occupancy"), "fraction")],
  ]));
  const grid = el("div", { class: "grid" });
  host.append(grid);
  drawMemory(grid);
  drawBusy(grid);
  drawRoofline(grid);
  drawSectors(grid);
  drawDram(grid);
}

/* --- memory chart --------------------------------------------------------- */
function drawMemory(grid) {
  const r = result();
  const sector = r.config ? r.config.values["l1.sector"] : 32;
  const l1 = (field) => sumOf(KINDS.map((kind) => "l1." + kind + "." + field));
  const sh = (field) => sumOf(["load", "store", "atomic"].map((op) => "shared." + op + "." + field));
  const reads = (field) => number("l2.read." + field);
  const writes = (field) => number("l2.write." + field) + number("l2.atomic." + field);
  const svg = el("svg", { viewBox: "0 0 1040 232", width: "100%", role: "img", "aria-label":
    "Memory chart: " + format.bytes(l1("sectors") * sector) + " between SM and L1, " +
    format.bytes((reads("sectors") + writes("sectors")) * sector) + " between L1 and L2, " +
    format.bytes(number("dram.bytes")) + " between L2 and DRAM" });
  svg.append(el("defs", {}, el("marker", { id: "tip-end", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
    el("path", { d: "M0 0L8 4L0 8z", class: "tip" }))));
  function box(x, y, w, h, name, ids, bound) {
    const busy = bound ? value("bound." + bound) : null;
    const words = [name].concat(ids.map((id) => id + " = " + exact(value(id))));
    if (bound) words.push("bound." + bound + " = " + exact(busy));
    const g = el("g", { tabindex: "0", "data-tip": words.join("\n"), "aria-label": words.join(", ") },
      el("rect", { x, y, width: w, height: h, rx: 4, class: "box" }));
    if (busy) g.append(el("rect", { x, y: y + h - h * busy, width: w, height: h * busy, class: "fill" }));
    g.append(el("text", { x: x + w / 2, y: y + 24, "text-anchor": "middle", "font-weight": "600" }, name));
    const rate = ids.length ? value(ids[0]) : null;
    if (ids.length) g.append(el("text", { x: x + w / 2, y: y + 46, "text-anchor": "middle" }, (ids[0] === "ratio.dram_row_hit" ? "row hit " : "hit ") + withUnit(rate, "fraction")));
    if (bound) g.append(el("text", { x: x + w / 2, y: y + (ids.length ? 64 : 46), "text-anchor": "middle", class: "soft" }, "busy " + withUnit(busy, "fraction")));
    svg.append(g);
  }
  function arrow(x1, x2, y, top, under, words, both) {
    const middle = (x1 + x2) / 2;
    svg.append(el("g", { tabindex: "0", "data-tip": words.join("\n"), "aria-label": words.join(", ") },
      el("line", { x1, x2, y1: y, y2: y, class: "arrow", "stroke-width": 2, "marker-end": "url(#tip-end)", "marker-start": both ? "url(#tip-end)" : null }),
      el("rect", { x: Math.min(x1, x2), y: y - 22, width: Math.abs(x2 - x1), height: 42, fill: "transparent" }),
      el("text", { x: middle, y: y - 7, "text-anchor": "middle" }, top),
      el("text", { x: middle, y: y + 17, "text-anchor": "middle", class: "soft" }, under)));
  }
  const say = (ids) => ids.map((id) => id + " = " + exact(value(id)));
  box(10, 20, 110, 190, "SMs", [], "lsu");
  box(320, 20, 130, 84, "L1", ["ratio.l1_hit"], "l1");
  box(320, 126, 130, 84, "Shared", [], "shared");
  box(640, 20, 130, 190, "L2", ["ratio.l2_hit"], "l2");
  box(910, 20, 120, 190, "DRAM", ["ratio.dram_row_hit"], "dram");
  arrow(124, 316, 56, format.number(l1("requests")) + " requests", format.number(l1("sectors")) + " sectors, " + format.bytes(l1("sectors") * sector),
    KINDS.filter((kind) => number("l1." + kind + ".requests")).flatMap((kind) => say(["requests", "sectors", "requested_bytes"].map((f) => "l1." + kind + "." + f))), true);
  arrow(124, 316, 164, format.number(sh("requests")) + " requests",
    format.number(sh("wavefronts")) + " passes, " + format.number(sh("wavefronts") - sh("ideal_wavefronts")) + " conflicts",
    say(["load", "store", "atomic"].flatMap((op) => ["requests", "wavefronts", "ideal_wavefronts"].map((f) => "shared." + op + "." + f))), true);
  arrow(636, 454, 48, format.number(reads("sectors")) + " sectors", "reads " + format.bytes(reads("sectors") * sector),
    say(["l2.read.requests", "l2.read.sectors", "l2.read.hit_sectors", "bandwidth.l2"]));
  arrow(454, 636, 108, format.number(writes("sectors")) + " sectors", "writes " + format.bytes(writes("sectors") * sector),
    say(["l2.write.requests", "l2.write.sectors", "l2.atomic.requests", "l2.atomic.sectors"]));
  arrow(906, 774, 70, format.bytes(number("dram.read.bytes")), "reads", say(["dram.read.sectors", "dram.read.bytes"]));
  arrow(774, 906, 140, format.bytes(number("dram.write.bytes")), "writes", say(["dram.write.sectors", "dram.write.bytes"]));
  svg.append(el("text", { x: 840, y: 186, "text-anchor": "middle", class: "soft" }, withUnit(value("bandwidth.dram"), "bytes/s")));
  svg.append(el("text", { x: 840, y: 203, "text-anchor": "middle", class: "soft" }, withUnit(value("ratio.dram_utilization"), "fraction") + " of peak"));
  grid.append(el("div", { class: "card wide" }, el("h3", {}, "Memory chart"), svg));
}

function barRows(rows, most) {
  return el("table", { class: "bars" }, el("tbody", {}, rows.map(([name, part, words]) =>
    el("tr", { "data-tip": words, tabindex: "0" }, el("th", { scope: "row" }, name),
      el("td", {}, el("div", { class: "track" }, el("div", { class: "bar", style: "width:" + 100 * part / most + "%" }))),
      el("td", { class: "number" }, format.percent(part))))));
}
function drawBusy(grid) {
  const names = ["lsu", "l1", "shared", "fabric", "l2", "dram", "launch"];
  grid.append(el("div", { class: "card" }, el("h3", {}, "Busy part of the time"),
    barRows(names.map((name) => {
      const id = "bound." + name, info = metricInfo.get(id);
      return [name, number(id), id + " = " + exact(value(id)) + (info ? "\n" + info.sentence : "")];
    }), 1),
    el("p", { class: "note" }, "Bound by " + exact(value("bound.name")) + ". The busiest SM, slice or channel counts.")));
}

/* --- roofline ------------------------------------------------------------- */
function drawRoofline(grid) {
  const r = result(), v = r.config ? r.config.values : {};
  const card = el("div", { class: "card" }, el("h3", {}, "Roofline"));
  grid.append(card);
  const points = [];
  for (let k = 0; k < nKernels(r); k++) {
    const flops = metricOf(r, k, "flops.total"), ns = metricOf(r, k, "time.ns");
    const intensity = metricOf(r, k, "roofline.intensity");
    if (flops && ns && intensity) points.push({ k, x: intensity, y: flops / ns * 1e9 });
  }
  if (!points.length) {
    card.append(el("p", { class: "note" }, "No launch has both arithmetic and DRAM traffic: no place on a roofline."));
    return;
  }
  points.sort((a, b) => a.x - b.x);
  const bandwidth = v["dram.bandwidth"] || 0;
  const peak = 2 * (v["sm.fp32_lanes"] || 0) * (v["sm.count"] || 0) * (v["sm.clock"] || 0);
  const balance = peak && bandwidth ? peak / bandwidth : 1;
  const low = Math.min(points[0].x, balance) / 4, high = Math.max(points[points.length - 1].x, balance) * 4;
  const x = points.map((p) => p.x).concat([low, balance, high]);
  const place = x.map((_, i) => i).sort((a, b) => x[a] - x[b]);
  const roof = (at) => peak ? Math.min(peak, at * bandwidth) : at * bandwidth;
  const data = [place.map((i) => x[i]), place.map((i) => i < points.length ? points[i].y : null), place.map((i) => roof(x[i]))];
  const points2 = place.map((i) => i < points.length ? points[i] : null);
  chart(card, "Roofline of " + points.length + " launches; balance at " + format.number(balance) + " FLOP per byte", {
    scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
    axes: [axis({ label: "FLOP per byte of DRAM traffic", values: (u, t) => t.map((n) => n === null ? "" : String(Number(n.toPrecision(2)))) }),
      axis({ size: 100, values: (u, t) => t.map((n) => n === null ? "" : format.flops(n).replace(/\.0+ /, " ")) })],
    series: [{}, { stroke: palette(0), paths: () => null, points: { show: true, size: 7, fill: palette(0) } },
      { stroke: palette(1), width: 2, points: { show: false } }],
  }, data, (u) => {
    let best = null, least = 900;
    for (const p of points2) {
      if (!p) continue;
      const dx = u.valToPos(p.x, "x") - u.cursor.left, dy = u.valToPos(p.y, "y") - u.cursor.top;
      const d = dx * dx + dy * dy;
      if (d < least) { least = d; best = p; }
    }
    return best && "launch " + r.kernels.launch[best.k] + ": " + kernelName(r, best.k) +
      "\nroofline.intensity = " + exact(best.x) + "\n" + format.flops(best.y) + " (" + exact(metricOf(r, best.k, "flops.total")) + " FLOP)";
  });
  card.append(el("p", { class: "note" }, peak ? "Roof: fp32 " + format.flops(peak) + ", DRAM " + format.rate(bandwidth) + "; they meet at " + format.number(balance) + " FLOP per byte."
    : "Roof: DRAM only; sm.fp32_lanes is not known for this configuration."));
}

/* --- histogram of sectors per request ------------------------------------- */
const BINS = ["0", "1", "2", "3-4", "5-8", "9-16", "17-32", "more"];
function drawSectors(grid) {
  const r = result();
  if (!r.instructions) return;
  const sum = BINS.map(() => 0), key = r.instructions.keys;
  const bins = key.indexOf("requests_by_sectors"), kind = key.indexOf("kind");
  for (const [k, ...row] of r.instructions.rows) {
    if ((state.kernel < 0 || k === state.kernel) && !String(row[kind]).startsWith("shared")) {
      row[bins].forEach((n, i) => { sum[i] += n; });
    }
  }
  if (!sum.some((n) => n)) return;
  const card = el("div", { class: "card" }, el("h3", {}, "Requests by the sectors they touch"));
  grid.append(card);
  chart(card, "Histogram of sectors per request: " + BINS.map((b, i) => b + ": " + sum[i]).join(", "), {
    scales: { x: { time: false, range: [-0.6, BINS.length - 0.4] }, y: { range: (u, lo, hi) => [0, hi * 1.08 || 1] } },
    axes: [axis({ label: "sectors of 32 B; 4 are ideal for 4 bytes a lane", splits: () => BINS.map((_, i) => i), values: () => BINS }),
      axis({ size: 70, values: (u, t) => t.map((n) => format.number(n)) })],
    series: [{}, { stroke: palette(0), fill: palette(0), paths: uPlot.paths.bars({ size: [0.7, 80] }), points: { show: false } }],
  }, [BINS.map((_, i) => i), sum], (u, idx) => BINS[idx] + " sectors: " + sum[idx] + " requests");
}

/* --- why DRAM is below its peak ------------------------------------------- */
function drawDram(grid) {
  const ids = DATA.metrics.map((m) => m.id).filter((id) => id.startsWith("ratio.dram_bus_") && value(id));
  if (!ids.length) return;
  const name = (id) => id.slice("ratio.dram_bus_".length).replace(/_/g, " ");
  const bar = el("div", { class: "stack", role: "img", "aria-label": "Time of the DRAM data buses: " + ids.map((id) => name(id) + " " + format.percent(value(id))).join(", ") },
    ids.map((id, i) => el("div", { style: "flex:" + value(id) + ";background:var(--c" + (i % 8 + 1) + ")", "data-tip": id + " = " + exact(value(id)) + "\n" + metricInfo.get(id).sentence })));
  grid.append(el("div", { class: "card" }, el("h3", {}, "DRAM: why not the peak"), bar,
    legend(ids.map((id) => name(id) + " " + format.percent(value(id))))));
}

/* --- launches ------------------------------------------------------------- */
let kernelTable = null;
function drawKernels() {
  const r = result(), host = byId("kernels"), m = (id) => (i) => metricOf(r, i, id);
  host.replaceChildren();
  kernelTable = null;
  if (nKernels(r) < 2) return;
  const total = r.total["time.ns"] || 1;
  const column = (key, label, unit) => ({ key, label: state.nsight && metricName(key) !== key ? metricName(key) : label, get: m(key),
    show: (v) => withUnit(v, unit), help: key + ": " + (metricInfo.get(key) || {}).sentence, tip: (v) => key + " = " + exact(v) });
  const columns = [
    { key: "launch", label: "launch", get: (i) => r.kernels.launch[i],
      show: (v, i) => el("button", { type: "button", "aria-label": "Show launch " + v }, String(v) + (r.kernels.complete[i] ? "" : " !")) },
    { key: "name", label: "name", text: true, get: (i) => kernelName(r, i) },
    { key: "grid", label: "grid", text: true, get: (i) => dims(r.kernels.grid[i]) },
    { key: "block", label: "block", text: true, get: (i) => dims(r.kernels.block[i]) },
    column("time.ns", "time", "ns"),
    { key: "share", label: "share", get: (i) => metricOf(r, i, "time.ns") / total, show: format.percent },
    { key: "bound.name", label: "bound", text: true, get: m("bound.name") },
    column("dram.bytes", "DRAM", "bytes"),
    column("ratio.dram_utilization", "of peak", "fraction"),
    column("ratio.l1_hit", "L1 hit", "fraction"),
    column("ratio.l2_hit", "L2 hit", "fraction"),
    column("ratio.sectors_per_request.global_load", "sectors/load", "sectors/request"),
    column("ratio.sectors_per_request.global_store", "sectors/store", "sectors/request"),
    column("ratio.occupancy", "occupancy", "fraction"),
  ];
  const count = el("span", { role: "status", id: "kernel-count" }, nKernels(r) + " launches");
  const filter = el("input", { type: "search", id: "kernel-filter", placeholder: "name or expression", "aria-label": "Filter launches by name" });
  const bounds = [...new Set(Array.from({ length: nKernels(r) }, (_, i) => m("bound.name")(i)))].filter((b) => typeof b === "string").sort();
  const bound = el("select", { id: "kernel-bound", "aria-label": "Filter launches by what bounds them" },
    el("option", { value: "" }, "any bound"), bounds.map((b) => el("option", { value: b }, b)));
  host.append(el("h2", { id: "kernels-head" }, "Launches"),
    el("div", { class: "tools" }, filter, bound, count, el("span", {}, "Choose a row to see that launch alone.")));
  const table = Table(host, columns, { n: nKernels(r), caption: "Launches", sortKey: "time.ns",
    chosen: (i) => i === state.kernel, pick: choose });
  const narrow = () => {
    const match = matcher(filter.value);
    const n = table.filter((i) => match(kernelName(r, i)) && (!bound.value || m("bound.name")(i) === bound.value));
    count.textContent = n + " of " + nKernels(r) + " launches";
  };
  filter.addEventListener("input", narrow);
  bound.addEventListener("change", narrow);
  kernelTable = table;
}

/* --- instructions --------------------------------------------------------- */
function rangeName(r, least, most) {
  const range = r.ranges.find((one) => least >= one.begin && most < one.begin + one.bytes);
  return range ? "0x" + range.begin.toString(16) + " + " + format.bytes(range.bytes) : "elsewhere";
}
function drawInstructions() {
  const r = result(), host = byId("instructions");
  host.replaceChildren();
  if (!r.instructions) return;
  const at = {};
  r.instructions.keys.forEach((key, i) => { at[key] = i + 1; });
  const rows = r.instructions.rows.filter((row) => row[at.requests] && (state.kernel < 0 || row[0] === state.kernel));
  if (!rows.length) return;
  const get = (key) => (i) => rows[i][at[key]];
  const shared = (i) => String(rows[i][at.kind]).startsWith("shared");
  const per = (plain, banks) => (i) => rows[i][at[shared(i) ? banks : plain]] / rows[i][at.requests];
  const hit = (i) => {
    const h = rows[i][at.hit_sectors] + rows[i][at.pending_sectors], all = h + rows[i][at.miss_sectors];
    return all ? h / all : null;
  };
  const gain = (i) => rows[i][at.ideal_time_cycles] ? metricOf(r, rows[i][0], "time.cycles") / rows[i][at.ideal_time_cycles] : null;
  const columns = [
    { key: "cost", label: "time", get: (i) => rows[i][at.share] * metricOf(r, rows[i][0], "time.ns"), show: format.time, help: "share x time of the launch" },
    { key: "share", label: "share", get: get("share"), show: format.percent, help: "of what limits the launch: stall time, LSU time, bank passes or sectors sent" },
    { key: "launch", label: "launch", get: (i) => r.kernels.launch[rows[i][0]] },
    { key: "pc", label: "pc", get: get("pc"), show: (v) => "0x" + v.toString(16) },
    { key: "line", label: "line", get: get("line"), show: (v) => v === null ? "-" : String(v) },
    { key: "opcode", label: "opcode", text: true, get: get("opcode") },
    { key: "requests", label: "requests", get: get("requests"), show: format.number },
    { key: "per", label: "per request", get: per("sectors", "wavefronts"), show: short, help: "sectors; in shared memory passes of the banks" },
    { key: "ideal", label: "ideal", get: per("ideal_sectors", "ideal_wavefronts"), show: short },
    { key: "hit", label: "L1 hit", get: hit, show: (v) => withUnit(v, "fraction") },
    { key: "pattern", label: "pattern", text: true, get: get("pattern"), show: (v) => v || "-" },
    { key: "gain", label: "gain", get: gain, show: (v) => v === null ? "-" : v.toFixed(2) + " x", help: "launch time over its time with this instruction ideal (--advise)" },
    { key: "range", label: "range", text: true, get: (i) => shared(i) ? "shared" : rangeName(r, rows[i][at.address_least], rows[i][at.address_most]), help: "of the copies to and from the GPU, the one that holds all it touches" },
    { key: "advice", label: "advice", text: true, get: get("advice"), show: (v) => v || "" },
  ];
  host.append(el("h2", { id: "instructions-head" }, "Instructions" + (state.kernel < 0 ? "" : " of launch " + r.kernels.launch[state.kernel])));
  const filter = el("input", { type: "search", id: "instruction-filter", placeholder: "opcode, pattern or line", "aria-label": "Filter instructions" });
  const count = el("span", { role: "status" }, rows.length + " instructions");
  host.append(el("div", { class: "tools" }, filter, count));
  const table = Table(host, columns, { n: rows.length, caption: "Instructions", sortKey: "cost" });
  filter.addEventListener("input", () => {
    const match = matcher(filter.value);
    count.textContent = table.filter((i) => match([get("opcode")(i), get("pattern")(i) || "", get("line")(i)].join(" "))) + " of " + rows.length + " instructions";
  });
}

/* --- over time ------------------------------------------------------------ */
function drawTime() {
  const r = result(), host = byId("time");
  forgetCharts(host);
  if (!r.series || !r.series.end_ns.length) return;
  const s = r.series, grid = el("div", { class: "grid" });
  host.append(el("h2", { id: "time-head" }, "Over time"),
    el("p", { class: "note" }, s.end_ns.length + " samples of at least " + format.time(s.interval_ns) + ". DRAM bytes count when the L2 asks for them: above the peak a queue builds."), grid);
  const column = (id) => s.metrics[id] || s.end_ns.map(() => null);
  const draw = (title, ids, text) => lines(grid, title, s.end_ns, "simulated time", format.time,
    ids.filter((id) => s.metrics[id]).map((id) => ({ name: id, values: column(id) })), text);
  draw("Hit rates", ["ratio.l1_hit", "ratio.l2_hit"], format.percent);
  draw("Bandwidth", ["bandwidth.l1", "bandwidth.l2", "bandwidth.dram"], format.rate);
  draw("Occupancy", ["ratio.occupancy"], format.percent);
}

/* --- studies -------------------------------------------------------------- */
function studyMrc(host, data) {
  const c = data.curve, series = [{ name: "LRU", values: c.map((p) => p.lru_miss_ratio) }];
  if (c.some((p) => p.optimal_miss_ratio !== null)) series.push({ name: "optimal replacement", values: c.map((p) => p.optimal_miss_ratio), dash: [6, 4] });
  lines(host, "Miss ratio of the " + data.level.toUpperCase() + " by size (" + data.config + ")", c.map((p) => p.size_bytes), "size of all units", format.bytes, series, format.percent, { distr: 3, log: 2 });
}
function studySensitivity(host, data) {
  for (const id of data.metrics) {
    const rows = data.keys.filter((k) => k.points.some((p) => p.change[id]));
    if (!rows.length) continue;
    const most = Math.max(...rows.flatMap((k) => k.points.map((p) => Math.abs(p.change[id] || 0))));
    const bar = (p, i) => {
      const change = p.change[id] || 0, width = 50 * Math.abs(change) / most;
      return el("div", { style: "position:absolute;height:11px;top:" + 12 * i + "px;width:" + width + "%;" + (change < 0 ? "right:50%" : "left:50%") + ";background:var(--c" + (p.factor < 1 ? 1 : 2) + ")" });
    };
    const words = (k) => k.key + " (" + k.value + ")\n" + k.points.map((p) => "x " + p.factor + " (" + p.value + "): " + id + " " + exact(p[id]) + ", change " + exact(p.change[id])).join("\n");
    host.append(el("div", { class: "card" }, el("h3", {}, "What " + id + " depends on (" + data.config + ")"),
      legend(["smaller value", "larger value"]),
      el("table", { class: "bars", "aria-label": "Tornado chart of " + id }, el("tbody", {}, rows.slice(0, 20).map((k) =>
        el("tr", { "data-tip": words(k), tabindex: "0" }, el("th", { scope: "row" }, k.key + " " + k.value),
          el("td", {}, el("div", { class: "track", style: "height:24px" }, k.points.map(bar))),
          el("td", { class: "number" }, k.points.map((p) => (p.change[id] > 0 ? "+" : "") + format.percent(p.change[id] || 0)).join(" / "))))))));
  }
}
function studyHeat(host, data, id, rows) {
  const [down, across] = data.axes;
  const cellOf = (a, b) => rows.filter((row) => row.axes[down.key] === a && row.axes[across.key] === b).map((row) => row.metrics[id]).filter((v) => v !== null);
  const mean = (list) => list.length ? list.reduce((x, y) => x + y, 0) / list.length : null;
  const all = down.values.map((a) => across.values.map((b) => mean(cellOf(a, b))));
  const flat = all.flat().filter((v) => v !== null), least = Math.min(...flat), most = Math.max(...flat);
  const unit = (metricInfo.get(id) || {}).unit;
  host.append(el("div", { class: "card" }, el("h3", {}, id), el("div", { class: "scroll" },
    el("table", { class: "data heat" }, el("caption", {}, down.key + " down, " + across.key + " across; means of what shares a cell"),
      el("thead", {}, el("tr", {}, el("th", {}), across.values.map((b) => el("th", { scope: "col" }, b)))),
      el("tbody", {}, down.values.map((a, i) => el("tr", {}, el("th", { scope: "row" }, a), all[i].map((v, j) => {
        const part = v === null || most === least ? 0 : (v - least) / (most - least);
        return el("td", { style: "background:color-mix(in srgb, var(--c2) " + Math.round(part * 60) + "%, transparent)", "data-tip": down.key + " " + a + ", " + across.key + " " + across.values[j] + "\n" + id + " = " + exact(v) }, withUnit(v, unit));
      }))))))));
}
function studyGrid(host, data) {
  const rows = data.rows.filter((row) => row.launch === null || row.launch === undefined).length ? data.rows.filter((row) => row.launch === null || row.launch === undefined) : data.rows;
  for (const id of data.metrics) {
    if (data.axes.length === 2) { studyHeat(host, data, id, rows); continue; }
    const a = data.axes[0];
    if (!a) continue;
    const groups = new Map();
    for (const row of rows) {
      const name = [row.trace.split("/").pop(), row.config].concat(data.axes.slice(1).map((o) => o.key + "=" + row.axes[o.key])).join(" ");
      if (!groups.has(name)) groups.set(name, a.values.map(() => null));
      groups.get(name)[a.values.indexOf(row.axes[a.key])] = row.metrics[id];
    }
    const isLog = a.numbers && Math.min(...a.numbers) > 0;
    const x = a.numbers || a.values.map((_, i) => i), unit = (metricInfo.get(id) || {}).unit;
    const order = x.map((_, i) => i).sort((p, q) => x[p] - x[q]);
    lines(host, id + " by " + a.key, order.map((i) => x[i]), a.key, (v) => a.values[x.indexOf(v)] || format.number(v),
      [...groups].slice(0, 8).map(([name, values]) => ({ name, values: order.map((i) => values[i]) })), (v) => withUnit(v, unit),
      isLog ? { distr: 3, log: 2 } : {}, x.length <= 12);
  }
}
function studyCompare(host, data) {
  const card = el("div", { class: "card wide" }, el("h3", {}, "Compared: " + data.sources.map((s) => s.path).join(", ")));
  host.append(card);
  const rows = data.rows;
  Table(card, [
    { key: "launch", label: "launch", get: (i) => rows[i].launch, show: (v) => v === null ? "total" : String(v) },
    { key: "kernel", label: "kernel", text: true, get: (i) => rows[i].kernel || "total" },
    { key: "metric", label: "metric", text: true, get: (i) => rows[i].metric }]
    .concat(data.sources.map((s, n) => ({ key: "v" + n, label: s.path, get: (i) => rows[i].values[n] })))
    .concat(data.sources.slice(1).map((s, n) => ({ key: "r" + n, label: "ratio " + (n + 2) + ":1", get: (i) => rows[i].ratios[n], show: (v) => v === null ? "-" : v.toFixed(3) }))),
  { n: rows.length, caption: "Compared results" });
}
function drawStudies() {
  const host = byId("studies");
  forgetCharts(host);
  if (!DATA.studies.length) return;
  const grid = el("div", { class: "grid" });
  host.append(el("h2", { id: "studies-head" }, "Studies"), grid);
  const draw = { mrc: studyMrc, sensitivity: studySensitivity, study: studyGrid, compare: studyCompare };
  for (const { label, data } of DATA.studies) {
    if (!data.complete && "complete" in data) grid.append(el("p", { class: "warn card wide" }, label + ": INCOMPLETE"));
    if (draw[data.kind]) draw[data.kind](grid, data);
    else grid.append(el("p", { class: "note card wide" }, label + ": nothing to draw for \"" + data.kind + "\""));
  }
}

/* --- every metric, every key ---------------------------------------------- */
function drawMetrics() {
  const host = byId("metrics");
  host.replaceChildren();
  if (!DATA.results.length) return;
  const ids = DATA.metrics.map((m) => m.id);
  const info = (i) => DATA.metrics[i];
  const filter = el("input", { type: "search", id: "metric-filter", placeholder: "id, Nsight name or meaning", "aria-label": "Filter metrics" });
  const zero = el("input", { type: "checkbox", id: "metric-zero" });
  host.append(el("h2", { id: "metrics-head" }, "Every metric" + (state.kernel < 0 ? "" : " of launch " + result().kernels.launch[state.kernel])),
    el("div", { class: "tools" }, filter, el("label", {}, zero, " those of 0 and null too")));
  const table = Table(host, [
    { key: "id", label: "metric", text: true, get: (i) => metricName(ids[i]), tip: (v, i) => ids[i] },
    { key: "value", label: "value", get: (i) => value(ids[i]), show: (v) => v === null ? "null" : String(v) },
    { key: "shown", label: "", get: (i) => value(ids[i]), show: (v, i) => withUnit(v, info(i).unit) },
    { key: "unit", label: "unit", text: true, get: (i) => info(i).unit },
    { key: "sentence", label: "meaning", text: true, get: (i) => info(i).sentence },
    { key: "nsight", label: "Nsight Compute", text: true, get: (i) => info(i).nsight || "" },
  ], { n: ids.length, caption: "Metrics" });
  const narrow = () => {
    const match = matcher(filter.value);
    table.filter((i) => (zero.checked || filter.value || value(ids[i])) && match([ids[i], info(i).nsight || "", info(i).sentence].join(" ")));
  };
  filter.addEventListener("input", narrow);
  zero.addEventListener("change", narrow);
  narrow();
}
function drawConfig() {
  const r = result(), host = byId("config");
  host.replaceChildren();
  if (!r || !r.config) return;
  const keys = Object.keys(r.config.values);
  host.append(el("details", {}, el("summary", { id: "config-head" }, "Configuration: " + r.config.name),
    el("table", { class: "data" }, el("thead", {}, el("tr", {}, ["key", "value", "from"].map((h) => el("th", { class: "text", scope: "col" }, h)))),
      el("tbody", {}, keys.map((key) => el("tr", {}, el("td", { class: "text mono" }, key),
        el("td", { class: "text" }, r.config.shown[key]), el("td", { class: "text" }, r.config.origin[key])))))));
}

/* --- putting it together -------------------------------------------------- */
function choose(k) {
  state.kernel = k === state.kernel ? -1 : k;
  drawSubject();
  drawInstructions();
  drawMetrics();
  if (kernelTable) kernelTable.redraw();
}
function drawAll() {
  hideTip();
  if (DATA.results.length) {
    drawRun();
    drawSubject();
    drawKernels();
    drawInstructions();
    drawTime();
    drawMetrics();
    drawConfig();
  }
  drawStudies();
}
function start() {
  const root = document.documentElement;
  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  byId("theme").addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    drawAll();
  });
  addEventListener("beforeprint", () => {
    if (root.dataset.theme === "dark") { root.dataset.theme = "light"; drawAll(); }
  });
  const select = byId("result");
  DATA.results.forEach((r, i) => select.append(el("option", { value: i }, r.label)));
  byId("result-control").hidden = DATA.results.length < 2;
  select.addEventListener("change", () => {
    state.result = Number(select.value);
    state.kernel = -1;
    drawAll();
  });
  byId("names").value = state.nsight ? "nsight" : "own";
  byId("names").addEventListener("change", (event) => {
    state.nsight = event.target.value === "nsight";
    drawAll();
  });
  drawAll();
}
start();
