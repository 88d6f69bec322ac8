// Fetches the page every two seconds and puts its content in place. What is open
// stays open and what is scrolled stays scrolled. While text is selected, or the
// tab is hidden, everything stays as it is.
"use strict";

const every = 2000;
const focusable = "a, summary, .wide";

async function refresh() {
  if (document.hidden || !getSelection().isCollapsed) return;
  const answer = await fetch("/", { cache: "no-store" });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  const live = document.getElementById("live");
  for (const box of live.querySelectorAll("details")) {
    const same = next.querySelector(`[data-keep="${CSS.escape(box.dataset.keep)}"]`);
    if (same) same.open = box.open;
  }
  const focused = [...live.querySelectorAll(focusable)].indexOf(document.activeElement);
  const sideways = new Map([...live.querySelectorAll(".wide")].map((box) => [name(box), box.scrollLeft]));
  const { scrollX, scrollY } = window;
  live.replaceWith(next);
  for (const box of next.querySelectorAll(".wide")) box.scrollLeft = sideways.get(name(box)) ?? 0;
  next.querySelectorAll(focusable)[focused]?.focus({ preventScroll: true });
  window.scrollTo(scrollX, scrollY);
}

function name(box) {
  return box.getAttribute("aria-labelledby") ?? box.getAttribute("aria-label");
}

async function run() {
  const gone = await refresh().then(() => false, () => true);
  document.body.classList.toggle("gone", gone);
  setTimeout(run, every);
}

setTimeout(run, every);
