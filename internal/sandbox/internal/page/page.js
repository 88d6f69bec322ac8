// Asks every two seconds whether the page has changed, and puts the new content in place when it has. What is open stays open,
// what is chosen stays chosen and what is scrolled stays scrolled. While text is selected, or the tab is hidden, everything
// stays as it is.
"use strict";

const every = 2000;
const focusable = "a, button, input, summary, .wide";
let revision = null;

document.documentElement.classList.add("scripted");

async function refresh() {
  if (document.hidden || !getSelection().isCollapsed) return;
  const headers = revision ? { "If-None-Match": revision } : {};
  const response = await fetch("/", { cache: "no-store", headers });
  const time = response.headers.get("Sandbox-Time");
  if (response.status === 304) {
    showTime(time);
    return;
  }
  if (!response.ok) throw new Error(`status ${response.status}`);
  const next = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("live");
  revision = response.headers.get("ETag");
  replace(next);
}

function showTime(time) {
  const shown = document.querySelector(".clock time");
  if (!time || !shown) return;
  shown.dateTime = time;
  shown.textContent = time.replace("T", " ").replace("Z", "");
}

function replace(next) {
  const live = document.getElementById("live");
  for (const kept of live.querySelectorAll("[data-keep]")) {
    const same = next.querySelector(`[data-keep="${CSS.escape(kept.dataset.keep)}"]`);
    if (!same) continue;
    if (kept.tagName === "DETAILS") same.open = kept.open;
    else same.checked = kept.checked;
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

// Objects and requests open in a dialog. Without it, the link leads to a page of its own.
async function showDetail(link) {
  const dialog = document.getElementById("detail");
  const response = await fetch(link.href, { cache: "no-store" });
  if (!response.ok) {
    location.href = link.href;
    return;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("live");
  dialog.querySelector(".content").replaceChildren(...page.childNodes);
  dialog.showModal();
}

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add("copied");
  setTimeout(() => button.classList.remove("copied"), 1000);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) {
    event.preventDefault(); // of a summary around it
    copy(button);
  }
  const link = event.target.closest("[data-detail]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showDetail(link);
});

setTimeout(run, every);
