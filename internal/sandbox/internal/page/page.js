// Checks every two seconds whether the page has changed, and replaces its content if so. Open details stay open, and the
// focused element keeps the focus. While text is selected or the tab is hidden, the page does not change.
"use strict";

const every = 2000;
const focusable = "a, button, summary, input, select";
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
  for (const kept of live.querySelectorAll("input[id], select[id]")) {
    const same = next.querySelector(`#${CSS.escape(kept.id)}`);
    if (same) same.value = kept.value;
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

// Objects and requests open in a dialog. Without it, the link opens a separate page. The dialog is in the address, so that
// a reload keeps it, and back leads to what was before.
const named = () => /^#(\/(?:object|request)\?.*)$/.exec(location.hash)?.[1];
const dialog = document.getElementById("detail");

async function showDetail() {
  const address = named();
  if (!address) return dialog.close();
  const response = await fetch(address, { cache: "no-store" });
  if (address !== named()) return; // the user has gone on in the meantime
  if (!response.ok) return location.replace(address);
  const page = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main");
  dialog.querySelector(".content").replaceChildren(...page.childNodes);
  if (!dialog.open) dialog.showModal();
}

function openDetail(link) {
  history.pushState({ depth: (history.state?.depth ?? 0) + 1 }, "", "#" + link.getAttribute("href"));
  showDetail();
}

function closed() {
  if (!named()) return;
  if (history.state?.depth) history.go(-history.state.depth);
  else history.replaceState(null, "", location.pathname + location.search);
}

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add("copied");
  document.getElementById("said").textContent = `Copied ${button.dataset.copy}`;
  setTimeout(() => button.classList.remove("copied"), 1000);
}

// Shows the request or collection that the address names, even if its group is closed.
function reveal() {
  const row = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!row) return;
  const group = row.closest("details");
  if (group) group.open = true;
  row.scrollIntoView();
}

// A form leads back to where it was, with the filter of now.
document.addEventListener("submit", (event) => {
  const back = event.target.elements.namedItem("back");
  if (back) back.value = location.pathname + location.search + location.hash;
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) {
    event.preventDefault(); // of a summary around it
    copy(button);
  }
  const link = event.target.closest("a[data-detail]");
  if (!link || !dialog || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openDetail(link);
});

if (form) {
  const coming = document.getElementById("coming");
  if (coming && innerWidth < 600) coming.open = false; // what has happened comes first
  form.addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(filter, 200);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    filter();
  });
  addEventListener("hashchange", (event) => {
    if (!new URL(event.oldURL).hash.startsWith("#/")) reveal(); // where the page was before the dialog
  });
  addEventListener("popstate", showDetail);
  dialog.addEventListener("close", closed);
  reveal();
  showDetail();
  setTimeout(run, every);
}
