// Reads what the sandbox holds, shows it, and checks every two seconds whether it has changed. Open details stay open, and
// the focused element keeps the focus. While text is selected or the tab is hidden, the page does not change.

import { Model, clock, iso } from "./model.js";
import { View, html } from "./view.js";

const every = 2000;
const focusable = "a, button, summary, input, select";
const token = document.querySelector("[name=page-token]").content;
const form = document.getElementById("filter");
const dialog = document.getElementById("detail");
const failure = document.getElementById("failure");
let model = null;
let shown = ""; // the revision, minute and address that the page shows
let opened = ""; // the filter by which runs were opened

document.documentElement.classList.add("scripted");

async function read(path) {
  const response = await fetch(`/api/${path}`, { cache: "no-store" });
  if (!response.ok) throw Object.assign(new Error(`${path}: ${response.status}`), { status: response.status });
  return response.json();
}

// refresh reads the sandbox again if it has changed, and shows it.
async function refresh() {
  if (document.hidden || !getSelection().isCollapsed) return;
  const status = await read("status");
  if (model && status.instance !== model.status.instance) return location.reload(); // it has been started again
  const state = (of) => JSON.stringify([of.revision, of.faults, of.clock.fixed && of.clock.now]);
  if (!model || state(status) !== state(model.status)) {
    const known = model?.requests ?? [];
    const [objects, deliveries, tokens, audit, events, added] = await Promise.all([read("objects"), read("deliveries"),
      read("tokens"), read("audit"), read("events"), read(`requests?after=${known.at(-1)?.sequence ?? 0}`)]);
    const after = await read("status"); // of a log that was reset or has dropped its oldest, only the newest are left
    const requests = after.requests ? [...known, ...added].slice(-after.requests) : [];
    model = new Model({ status, objects, deliveries, tokens, audit, events, requests });
  } else {
    model.status = status;
    model.now = status.clock.now;
  }
  show();
}

function show() {
  const now = document.querySelector(".clock time");
  if (now) {
    now.dateTime = iso(model.now);
    now.textContent = clock(model.now);
  }
  const state = [model.status.revision, JSON.stringify(model.status.faults), model.now.slice(0, 16), location.search].join();
  if (state === shown) return;
  shown = state;
  const view = new View(model, new URLSearchParams(location.search), token !== "");
  const [first] = model.status.organizations;
  document.title = `${first.name} - billing sandbox`;
  document.querySelector(".organizations").innerHTML = html`${model.status.organizations.map((o) =>
    html`<li><strong>${o.name}</strong> ${o.environment} ${view.id(o.id)}</li>`)}`.text;
  const next = document.createElement("main");
  next.id = "live";
  next.innerHTML = view.everything().text;
  replace(next);
  offerOperations();
}

function offerOperations() {
  const select = form.elements.operation;
  const chosen = new URLSearchParams(location.search).get("operation") ?? "";
  const groups = model.operations();
  const known = [...groups].flatMap(([resource, names]) => [resource, ...names]);
  const markup = html`<option value="">all operations</option>${chosen && !known.includes(chosen) && html`<option>${chosen}</option>`}${
    [...groups].map(([resource, names]) => html`<optgroup label="${resource}"><option value="${resource}">all of ${resource}</option>${
      names.map((name) => html`<option>${name}</option>`)}</optgroup>`)}`.text;
  if (select.dataset.offered !== markup) select.innerHTML = markup;
  select.dataset.offered = markup;
  select.value = chosen;
}

// replace shows the next content. Only a filter opens and closes runs.
function replace(next) {
  const live = document.getElementById("live");
  for (const kept of live.querySelectorAll("details[id]")) {
    const same = next.querySelector(`#${CSS.escape(kept.id)}`);
    if (same && (opened === location.search || !same.matches(".run"))) same.open = kept.open;
  }
  for (const kept of live.querySelectorAll(".act input[id], .act select[id]")) {
    const same = next.querySelector(`#${CSS.escape(kept.id)}`);
    if (same && !kept.closest(".choices")) same.value = kept.value;
  }
  opened = location.search;
  const focused = place(live, document.activeElement);
  const { scrollX, scrollY } = window;
  const isFirst = !live.children.length;
  live.replaceWith(next);
  if (focused) within(next, focused)?.focus({ preventScroll: true });
  window.scrollTo(scrollX, scrollY);
  if (!isFirst) return;
  const coming = document.getElementById("coming");
  if (coming && innerWidth < 600) coming.open = false; // what has happened comes first
  reveal();
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
  const gone = await refresh().then(() => false, (error) => (console.debug(error), true));
  document.body.classList.toggle("gone", gone);
  setTimeout(run, every);
}

// go leads to an address of the page. It is in the history of the browser, so that users can share it and go back.
function go(address, isNew = true) {
  if (isNew) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  fillFilter();
  if (model) show();
}

function fillFilter() {
  const query = new URLSearchParams(location.search);
  form.elements.q.value = query.get("q") ?? "";
  form.elements.show.value = query.get("show") ?? "";
}

// choose sets the parameters of a form in the address. Another selection begins with its first page.
function choose(of) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of new FormData(of)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  query.delete("requests");
  query.delete("deliveries");
  go((query.size ? `?${query}` : "/") + location.hash, false);
}

// Objects and requests open in a dialog, which is in the address: a reload keeps it, and back leads to what was before.
const named = () => /^#\/(object|request)\?(.*)$/.exec(location.hash);

async function showDetail() {
  const hash = location.hash;
  const [, kind, text] = named() ?? [];
  if (!kind) return dialog.close();
  const query = new URLSearchParams(text);
  const content = await detail(kind, query.get("id") ?? "", query.has("reads"));
  if (hash !== location.hash) return; // the user has gone on in the meantime
  dialog.querySelector(".content").innerHTML = (content ?? html`<h1>Not found</h1><p>There is no such object or request, or the
    log no longer contains it.</p>`).text;
  if (!dialog.open) dialog.showModal();
}

async function detail(kind, id, withReads) {
  const orNull = (error) => {
    if (error.status === 404) return null;
    throw error;
  };
  const view = new View(model, new URLSearchParams(location.search), token !== "");
  if (kind === "request") {
    const found = await read(`requests/${encodeURIComponent(id)}`).catch(orNull);
    return found && view.request(found);
  }
  const isDelivery = model.byID.get(id)?.kind === "delivery";
  const [touched, delivery] = await Promise.all([read(`requests?object=${encodeURIComponent(id)}`),
    isDelivery ? read(`deliveries/${encodeURIComponent(id)}`).catch(orNull) : null]);
  return view.object(id, touched, delivery, withReads);
}

// act does what a form says, and shows why it was not done.
async function act(of) {
  const body = { ...JSON.parse(of.dataset.body), ...Object.fromEntries(new FormData(of)) };
  const response = await fetch(`/api/${of.dataset.action}`, { method: "POST", body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "Page-Token": token } });
  failure.hidden = response.ok;
  failure.textContent = response.ok ? "" : `Not done: ${(await response.json()).error.message}`;
  if (response.ok) of.reset();
  await refresh();
  if (named()) await showDetail();
}

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add("copied");
  document.getElementById("said").textContent = `Copied ${button.dataset.copy}`;
  setTimeout(() => button.classList.remove("copied"), 1000);
}

// reveal shows the request or collection that the address names, even if its group is closed.
function reveal() {
  const row = location.hash && !named() && document.querySelector(`#${CSS.escape(location.hash.slice(1))}`);
  if (!row) return;
  const group = row.closest("details");
  if (group) group.open = true;
  row.scrollIntoView();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) {
    event.preventDefault(); // of a summary around it
    copy(button);
  }
  const link = event.target.closest("a[href^='?'], a[href='/']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute("href"));
  dialog.close();
  reveal();
});

document.addEventListener("submit", (event) => {
  if (event.target.method === "dialog") return;
  event.preventDefault();
  if (event.target.dataset.action) act(event.target);
});

let typed;
document.addEventListener("input", (event) => {
  const of = event.target.closest("#filter, .choices");
  clearTimeout(typed);
  if (of) typed = setTimeout(() => choose(of), 200);
});

dialog.addEventListener("close", () => {
  if (named()) history.pushState(null, "", location.pathname + location.search);
});

addEventListener("hashchange", () => {
  showDetail();
  reveal();
});
addEventListener("popstate", () => go(location.href, false));

fillFilter();
run().then(showDetail);
