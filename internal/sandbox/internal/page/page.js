// Fetches the page anew every two seconds and puts its content in place. What is open stays open, and nothing scrolls.
"use strict";

const every = 2000;

async function refresh() {
  if (document.hidden) return;
  const answer = await fetch("/", { cache: "no-store" });
  if (!answer.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  const live = document.getElementById("live");
  if (!next || !live) return;
  for (const box of live.querySelectorAll("details[open]")) {
    next.querySelector(`details[data-keep="${CSS.escape(box.dataset.keep)}"]`)?.setAttribute("open", "");
  }
  const sideways = [...live.querySelectorAll(".wide")].map((box) => box.scrollLeft);
  live.replaceWith(document.adoptNode(next));
  next.querySelectorAll(".wide").forEach((box, i) => { box.scrollLeft = sideways[i] ?? 0; });
}

async function run() {
  try {
    await refresh();
    document.title = "Billing sandbox";
  } catch {
    document.title = "Billing sandbox (not running)";
  }
  setTimeout(run, every);
}

setTimeout(run, every);
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh().catch(() => {}); });
