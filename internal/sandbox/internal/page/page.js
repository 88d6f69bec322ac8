// Checks every two seconds whether the page has changed, and replaces its content if so. Open details stay open, and the
// focused element keeps the focus. While text is selected or the tab is hidden, the page does not change.
"use strict";

const every = 2000;
const focusable = "a, button, summary";
const form = document.getElementById("filter");
let revision = null;

document.documentElement.classList.add("scripted");

async function refresh() {
  if (document.hidden || !getSelection().isCollapsed) return;
  const asked = location.search;
  const headers = revision ? { "If-None-Match": revision } : {};
  const response = await fetch("/" + asked, { cache: "no-store", headers });
  const time = response.headers.get("Sandbox-Time");
  if (response.status === 304) return showTime(time);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const next = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("live");
  if (asked !== location.search) return; // the user has chosen another filter in the meantime
  revision = response.headers.get("ETag");
  replace(next);
  showTime(time);
}

function showTime(time) {
  const shown = document.querySelector(".clock time");
  if (!time || !shown) return;
  shown.dateTime = time;
  shown.textContent = time.replace("T", " ").replace("Z", "");
}

// Only a filter opens and closes runs; a refresh leaves them as they are.
let filtered = location.search;

function replace(next) {
  const live = document.getElementById("live");
  for (const kept of live.querySelectorAll("details[id]")) {
    const same = next.querySelector(`#${CSS.escape(kept.id)}`);
    if (same && (filtered === location.search || !same.matches(".run"))) same.open = kept.open;
  }
  filtered = location.search;
  const focused = place(live, document.activeElement);
  const { scrollX, scrollY } = window;
  live.replaceWith(next);
  if (focused) within(next, focused)?.focus({ preventScroll: true });
  window.scrollTo(scrollX, scrollY);
}

// place returns the position of an element: the id of the element around it, and its index there.
function place(live, element) {
  if (!live.contains(element) || element === live) return null;
  const around = element.closest("[id]");
  return { id: around.id, index: around === element ? -1 : [...around.querySelectorAll(focusable)].indexOf(element) };
}

function within(next, { id, index }) {
  const around = id === next.id ? next : next.querySelector(`#${CSS.escape(id)}`);
  return index < 0 ? around : around?.querySelectorAll(focusable)[index];
}

async function run() {
  const gone = await refresh().then(() => false, () => true);
  document.body.classList.toggle("gone", gone);
  setTimeout(run, every);
}

// The filter is in the address, so that users can share it.
let typed;
function filter() {
  const chosen = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  history.replaceState(null, "", (chosen.size ? "?" + chosen : "/") + location.hash);
  revision = null;
  refresh().catch(() => {}); // the next one reports that the sandbox has ended
}

// Objects and requests open in a dialog. Without it, the link opens a separate page.
async function showDetail(link) {
  const dialog = document.getElementById("detail");
  const response = await fetch(link.href, { cache: "no-store" });
  if (!response.ok) {
    location.href = link.href;
    return;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main");
  dialog.querySelector(".content").replaceChildren(...page.childNodes);
  if (!dialog.open) dialog.showModal();
}

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add("copied");
  document.getElementById("said").textContent = `Copied ${button.dataset.copy}`;
  setTimeout(() => button.classList.remove("copied"), 1000);
}

// Shows the request or collection that the address names, even if its group is closed.
function reveal() {
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named) return;
  const group = named.closest("details");
  if (group) group.open = true;
  named.scrollIntoView();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) {
    event.preventDefault(); // of a summary around it
    copy(button);
  }
  const dialog = document.getElementById("detail");
  const link = event.target.closest("a");
  if (!link || !dialog || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.matches("[data-detail]")) {
    event.preventDefault();
    showDetail(link);
  } else if (dialog.contains(link)) {
    dialog.close();
  }
});

if (form) {
  form.addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(filter, 200);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    filter();
  });
  addEventListener("hashchange", reveal);
  reveal();
  setTimeout(run, every);
}
