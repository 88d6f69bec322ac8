// The markup of the sections and details.

import { addressOf, ago, amount, bodyOf, clock, dateOf, fold, indented, isFailed, isWrite, iso, left, outcome, quoted,
  took } from "./model.js";

class Markup {
  constructor(text) {
    this.text = text;
  }
}

// html is the markup of a template. Values are text, unless they are markup themselves.
export function html(parts, ...values) {
  return new Markup(parts.map((part, i) => part + (i < values.length ? markup(values[i]) : "")).join(""));
}

function markup(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(markup).join("");
  if (value === null || value === undefined || value === false) return "";
  return String(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const status = (text) => html`<span class="status ${text}">${text}</span>`;
const detail = (text) => text && html`<div class="detail">${text}</div>`;
const time = (at) => at && html`<time datetime="${iso(at)}">${clock(at)}</time>`;
const copier = (text, label) =>
  html`<button type="button" class="copy" data-copy="${text}" aria-label="${label ?? `Copy ${text}`}" title="Copy"></button>`;

// Limits of what is shown at once.
const [perPage, runsPerPage, requestsOfRun, steps, deliveriesOfEndpoint, nextComing] = [50, 20, 20, 200, 10, 5];

// View renders a model for an address.
export class View {
  constructor(model, query, acts) {
    this.model = model;
    this.query = query;
    this.acts = acts;
    this.words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    this.several = model.status.organizations.length > 1;
    this.filter = { words: this.words, operation: query.get("operation"), show: query.get("show"), run: query.get("run") };
  }

  ago(at) {
    return html`<span class="ago">${ago(this.model.now, at)}</span>`;
  }

  when(at) {
    return at && html`${time(at)} ${this.ago(at)}`;
  }

  id(id) {
    if (!id) return "";
    const { head, middle, tail } = this.model.short(id);
    return html`<span class="copyable"><code class="id" title="${id}">${head}${middle &&
      html`<small class="${tail && "between"}">${middle}</small>`}${tail}</code>${copier(id)}</span>`;
  }

  link(object, text) {
    return html`<a href="#/object?id=${object.id}">${text ?? this.model.textOf(object)}</a>`;
  }

  short(object) {
    return this.link(object, object.name || this.model.textOf(object));
  }

  history(id) {
    return html`${this.id(id)} <a href="#/object?id=${id}">history</a>`;
  }

  organization(object) {
    return this.several && ["Organization", this.id(object.organization)];
  }

  owners(object) {
    const owners = this.model.owners(object).map(({ writer, keys }) => html`<div class="owner"><span class="by"
      title="${writer.token}">${(writer.client ?? "").split("/")[0] || "seed"}</span> ${keys.map((key) => html`<code>${key}</code> `)}</div>`);
    return owners.length ? owners : "none";
  }

  // address is that of the page with another value of a parameter, at a section.
  address(section, parameter, value) {
    const query = new URLSearchParams(this.query);
    query.set(parameter, value);
    if (parameter !== section && ["requests", "deliveries"].includes(section)) query.delete(section);
    return `?${query}#${section}`;
  }

  // page is the page of a list that the address asks for, with the links to those next to it.
  page(section, all, size = perPage, parameter = section) {
    const last = Math.max(1, Math.ceil(all.length / size));
    const number = Math.min(Math.max(1, Number.parseInt(this.query.get(parameter), 10) || 1), last);
    const from = (number - 1) * size;
    const shown = all.slice(from, from + size);
    const links = last > 1 && html`<p class="more">${from + 1} to ${from + shown.length} of ${all.length}
      ${number > 1 && html`<a href="${this.address(section, parameter, number - 1)}" rel="prev">Previous</a>`}
      ${number < last && html`<a href="${this.address(section, parameter, number + 1)}" rel="next">Next</a>`}</p>`;
    return { shown, links, total: all.length };
  }

  command(action, fields, label, body) {
    return html`<form class="act" data-action="${action}" data-body="${JSON.stringify(body ?? {})}">${fields}<button>${label}</button></form>`;
  }

  // everything is the content of the page.
  everything() {
    const lists = Object.fromEntries(Object.keys(titles).map((section) => [section, this[section]()]));
    const failed = this.model.deliveries.filter(isFailed).length;
    const order = Object.keys(titles);
    if (failed) order.unshift(...order.splice(order.indexOf("deliveries"), 1));
    return html`<nav aria-label="Sections"><ul>${Object.keys(titles).map((section) => html`<li><a href="#${section}">${
      short[section] ?? titles[section]} <span class="count">${lists[section].total}</span></a>${section === "deliveries" && failed > 0 &&
      html` <strong class="bad">${failed} failed</strong>`}</li>`)}</ul></nav>
      ${this.clock()}${this.coming()}${this.faults()}
      ${order.map((section) => html`<section id="${section}" aria-labelledby="${section}-title">
        <h2 id="${section}-title">${titles[section]}</h2>${lists[section].content}</section>`)}`;
  }

  clock() {
    const { fixed } = this.model.status.clock;
    return html`<p class="clock">The clock ${fixed ? "stands still at" : "is running:"} <strong>${time(this.model.now)}</strong> UTC.
      All times are UTC on this clock. The page updates automatically${!this.acts && " and is read-only"}.</p>
      ${this.acts && this.command("clock", html`<label>Advance the clock by <input id="advance-by" name="advance" size="8" required
      placeholder="1d12h" autocomplete="off"></label> `, "Advance")}`;
  }

  coming() {
    const all = this.model.coming(this.words);
    if (!all.length) return "";
    const isWhole = this.query.has("coming") || all.length <= nextComing;
    const { shown, links } = isWhole ? this.page("coming", all) : { shown: all.slice(0, nextComing),
      links: html`<p class="more">1 to ${nextComing} of ${all.length} <a href="${this.address("coming", "coming", 1)}" rel="next">Next</a></p>` };
    return html`<details id="coming" class="card" open><summary><h2>Coming next <span class="count">${all.length}</span></h2></summary>
      <ol>${shown.map((c) => html`<li>${time(c.at)} ${this.ago(c.at)} <span>${c.object && this.link(c.object)} ${c.what}
        ${c.detail && html`<span class="detail">${c.detail}</span>`}</span>
        ${this.acts ? this.command("clock", "", "Advance to it", { set: c.at }) : html`<span class="copyable"><code>billing-sandbox clock
        set <span class="nowrap">${c.at}</span></code>${copier(`billing-sandbox clock set ${c.at}`, "Copy the command")}</span>`}</li>`)}</ol>
      ${links}</details>`;
  }

  faults() {
    const { faults } = this.model.status;
    return faults.length > 0 && html`<section id="faults" class="card" aria-labelledby="faults-title">
      <h2 id="faults-title">Active faults <span class="count">${faults.length}</span></h2>
      <ul>${faults.map((f) => html`<li><code>${f.id}</code> <code>${f.spec}</code></li>`)}</ul>
      <p class="detail"><code>billing-sandbox fault clear</code> removes all of them.</p></section>`;
  }

  requests() {
    const runs = this.page("requests", this.model.runs(this.filter), this.filter.run ? 1 : runsPerPage);
    const isFiltered = this.words.length || this.filter.operation || this.filter.show || this.filter.run;
    const total = this.model.requests.length;
    return { total, content: html`${runs.shown.map((run, i) => this.run(run, isFiltered || (i === 0 && !this.query.has("requests"))))}
      ${!runs.total && html`<p class="empty">${total ? "No request matches the filter." : html`No requests yet. Run <code>terraform
      plan</code> with the variables that the sandbox printed.`}</p>`}${!this.filter.run && runs.links}` };
  }

  run(run, isOpen) {
    const named = this.filter.run ? this.page("requests", run.rows) : { shown: run.rows.slice(0, requestsOfRun), links: "" };
    const failures = [...run.failures];
    const today = dateOf(run.first.time);
    return html`<details id="run-${run.first.run}" class="card run" ${isOpen && html`open`}>
      <summary><strong>${run.first.client || "unnamed client"}</strong>${run.label && ` ${run.label},`} ${time(run.first.time)},
      ${counted(run.total, "request")}${run.writes > 0 && `, ${counted(run.writes, "write")}`}${run.failed > 0 &&
      html`, <strong class="bad">${run.failed} failed</strong>: ${failures.slice(0, 3).join(", ")}${failures.length > 3 && ", …"}`}${
      run.total !== named.shown.length && `, ${named.shown.length} shown`}</summary>
      <ol class="steps">${named.shown.map((r) => html`<li id="request-${r.request_id}">${this.line(r, dateOf(r.time) === today)}</li>`)}</ol>
      ${named.links}${run.rows.length > named.shown.length && !this.filter.run &&
      html`<p class="more"><a href="${this.address("requests", "run", run.first.run)}">Show the whole run</a></p>`}</details>`;
  }

  line(r, isHour) {
    const result = outcome(r);
    return html`<div class="line ${result}">
      <span class="at">${isHour ? html`<time datetime="${iso(r.time)}" title="${clock(r.time)}">${clock(r.time).slice(11)}</time>` : time(r.time)}</span>
      <span class="code">${r.status > 0 && `${r.status} `}${result !== "ok" && status(result)}</span>
      <span class="what"><strong class="${isWrite(r) && "write"}">${r.operation || "no such route"}</strong>
        ${(r.objects ?? []).map((id) => html`${this.link(this.model.named(id))} `)}${r.fault && html`<code>${r.fault}</code>`}
        <code class="address">${r.method} ${addressOf(r)}</code>${r.failure && html` <span class="why">${r.failure}</span>`}</span>
      <span class="took">${took(r.duration_ns)}</span>
      <span class="rid">${this.id(r.request_id)} <a href="#/request?id=${r.request_id}">details</a></span></div>`;
  }

  // table is a section with a row for each object: cells are pairs of a column and its content.
  table(section, kind, caption, objects, cells, empty) {
    const { shown, links, total } = this.page(section, objects);
    const content = total ? html`${this.rows(caption, shown.map((o) => [`${kind}-${o.id}`, cells(o)]))}${links}`
      : html`<p class="empty">${this.words.length ? "Nothing here matches the filter." : empty}</p>`;
    return { total, content };
  }

  rows(caption, rows) {
    const columns = rows[0][1].filter(Boolean).map(([column]) => column);
    const numeric = (column) => ["Amount", "Balance"].includes(column) && "number";
    return html`<div class="wide"><table><caption>${caption}</caption>
      <thead><tr>${columns.map((column) => html`<th scope="col" class="${numeric(column)}">${column}</th>`)}</tr></thead>
      <tbody>${rows.map(([id, cells]) => html`<tr id="${id}">${cells.filter(Boolean).map(([column, content], i) => i === 0
        ? html`<th scope="row">${content}</th>`
        : html`<td data-label="${column}" class="${numeric(column)}">${empty(content) ? "none" : content}</td>`)}</tr>`)}</tbody></table></div>`;
  }

  customers() {
    return this.table("customers", "customer", "Customers, their billing accounts, and the client that wrote each key of custom_metadata",
      this.model.live("customer", this.words), (o) => [
        ["Customer", html`${o.name}${detail(o.value.external_id)}`],
        ["Document and email", html`${o.value.document_number && html`<span class="nowrap">${o.value.document_number}</span>`}${
          o.value.emails?.[0] && html` <div>${o.value.emails[0].value}</div>`}`],
        ["Billing accounts", this.model.childrenOf(o.id, "account").map((a) => html`<div>${this.short(a)}</div>`)],
        ["custom_metadata by client", this.owners(o)], ["Created", this.when(o.created_at)], ["Id", this.history(o.id)],
        this.organization(o)],
      html`No customers yet. Apply a <code>billing_customer</code>, or start the sandbox with <code>--seed-file</code>.`);
  }

  accounts() {
    return this.table("accounts", "account", "Billing accounts, including closed ones", this.model.live("account", this.words),
      (o) => [
        ["Customer", this.toCustomer(o)], ["external_id", o.name],
        ["Status", html`${status(o.value.status)} ${o.value.suspension_reason}`],
        ["Balance", amount(o.value.balance_cents, o.value.currency)], ["Payment terms", `${o.value.payment_terms_days} days`],
        ["Billing email", o.value.billing_email],
        ["Subscriptions", this.model.childrenOf(o.id, "subscription").map((s) => html`<div>${this.short(s)}</div>`)],
        ["custom_metadata", this.owners(o)], ["Id", this.history(o.id)], this.organization(o)],
      html`No billing accounts yet. Each new customer gets one, unless <code>create_billing_account</code> is false.`);
  }

  toCustomer(object) {
    const customer = this.model.customerOf(object);
    return customer?.deleted ? customer.name : customer && this.link(customer, customer.name);
  }

  plan(id) {
    return id && html`${this.model.byID.get(id)?.name} ${this.id(id)}`;
  }

  subscriptions() {
    const { shown, links, total } = this.page("subscriptions", this.model.live("subscription", this.words));
    return { total, content: html`${shown.map((o) => this.subscription(o))}${links}${!total && this.nothing(html`No subscriptions
      yet. Apply a <code>billing_subscription</code>, then move the clock with <code>billing-sandbox clock advance</code> and watch it change.`)}` };
  }

  nothing(hint) {
    return html`<p class="empty">${this.words.length ? "Nothing here matches the filter." : hint}</p>`;
  }

  facts(pairs) {
    return html`<dl>${pairs.filter((pair) => pair && !empty(pair[1])).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
  }

  subscription(o) {
    const s = o.value.subscription;
    const account = this.model.named(s.billing_account_id);
    return html`<article id="subscription-${o.id}"><h3>${this.model.customerOf(o)?.name}${o.name && `, ${o.name}`} ${status(s.status)}</h3>
      ${this.facts([["Id", this.history(o.id)], ["Customer", this.toCustomer(o)], ["Account", this.short(account)],
        ["Plan", this.plan(s.plan_id) ?? "none"], ["Pending plan", this.plan(s.metadata?.pending_plan_id)],
        ["Items", o.value.items?.length ?? 0],
        ["Amount", s.recurring_amount_cents != null && amount(s.recurring_amount_cents, account.value?.currency)],
        ["Period", html`${s.billing_cycle}, ${time(s.current_period_start)} to ${this.when(s.current_period_end)}`],
        ["custom_metadata", o.custom_metadata_writers && this.owners(o)], this.organization(o)])}
      <details open id="timeline-${o.id}"><summary>Timeline</summary>${this.timeline(this.model.history(o.id))}</details></article>`;
  }

  timeline(events) {
    return html`<ol class="timeline">${events.map((e) => html`<li class="${e.toCome && "to-come"}">${time(e.at)} ${this.ago(e.at)}
      <span><strong>${e.what}</strong>${e.toCome && " (upcoming)"} ${e.before !== e.after && html`${e.before && html`${status(e.before)} to `}${
      e.after && status(e.after)}`} ${e.by && html`by <span class="by" title="${e.token}">${e.by}</span>`}
      ${e.token && html`<code class="token">${e.token}</code>`} ${e.detail && html`<span class="detail">${e.detail}</span>`}
      ${e.request && html`<a href="#/request?id=${e.request}">request</a>`}</span></li>`)}</ol>`;
  }

  invoices() {
    return this.table("invoices", "invoice", "Invoices of all subscriptions", this.model.live("invoice", this.words), (o) => [
      ["Number", html`<span class="nowrap">${o.name}</span>${detail(o.value.reason)}`], ["Status", status(o.value.status)],
      ["Amount", o.value.amount_cents == null ? "set by the plan" : amount(o.value.amount_cents, o.value.currency)],
      ["Customer", this.toCustomer(o)], ["Subscription", this.short(this.model.named(o.value.subscription_id))],
      ["Period", html`<span class="nowrap">${dateOf(o.value.period_start)} to ${dateOf(o.value.period_end)}</span>`],
      ["Due", html`<span class="nowrap">${o.value.due_date}</span>`], ["Created", this.when(o.created_at)], ["Id", this.history(o.id)],
      this.organization(o)],
    html`No invoices yet. The end of each period creates one: <code>billing-sandbox clock advance 46d</code>.`);
  }

  endpoints() {
    const { shown, links, total } = this.page("endpoints", this.model.live("endpoint", this.words));
    return { total, content: html`${shown.map((o) => this.endpoint(o))}${links}${!total && this.nothing(html`No webhook endpoints yet.
      Apply a <code>billing_webhook_endpoint</code>.`)}` };
  }

  endpoint(o) {
    const { value } = o;
    const sent = this.model.sent.get(o.id)?.length ?? 0;
    const events = value.events?.length ? value.events : this.model.events;
    return html`<article id="endpoint-${o.id}"><h3>${value.url} ${status(value.active ? "active" : "inactive")}</h3>
      ${this.facts([["Description", value.description], ["Id", this.history(o.id)],
        ["Events", value.events?.length ? value.events.join(", ") : "all"],
        ["Deliveries", sent ? html`<a href="${this.address("deliveries", "endpoint", o.id)}">${sent}</a>` : "none"],
        ["Authentication", value.authentication?.type], ["Created", this.when(o.created_at)], this.organization(o)])}
      ${this.acts && value.active && this.command("events", html`<label>Event <select id="emit-${o.id}" name="event">${
        events.map((event) => html`<option>${event}</option>`)}</select></label> `, "Emit", { endpoint: o.id })}</article>`;
  }

  deliveries() {
    const of = { endpoint: (d) => d.endpoint_id, event: (d) => d.event, status: (d) => d.state.status };
    const isChosen = (d) => Object.keys(of).every((name) => !this.query.get(name) || this.query.get(name) === of[name](d));
    const found = this.model.deliveries.toReversed().filter((d) => isChosen(d) && this.model.matches(this.model.byID.get(d.id), this.words));
    const { shown, links, total } = this.page("deliveries", found);
    const choices = Object.keys(of).map((name) => this.choice(name, of[name])).filter(Boolean);
    const content = total ? html`${this.rows("Webhook deliveries, newest first; identical consecutive attempts are grouped",
      shown.map((d) => [`delivery-${d.id}`, [["Event", html`<span class="nowrap">${d.event}</span>`], ["Status", status(d.state.status)], ["Created", time(d.created_at)],
        ["Endpoint", this.model.urlOf(d)], ["Attempts", this.attempts(d)], ["Next attempt", this.when(d.state.due)],
        ["Id", html`${this.id(d.id)} <a href="#/object?id=${d.id}">details</a>`]]]))}${links}`
      : html`<p class="empty">${choices.length || this.words.length ? "Nothing here matches the filter." : html`No deliveries yet.
        <code>billing-sandbox event emit charge.paid</code> creates one for each endpoint.`}</p>`;
    return { total, content: html`${choices.length > 0 && html`<form class="act choices" aria-label="Filter of deliveries">${choices}</form>`}${content}` };
  }

  // choice selects deliveries by a parameter, if they have several values of it.
  choice(name, value) {
    const chosen = this.query.get(name) ?? "";
    const values = new Map(this.model.deliveries.map((d) => [value(d), name === "endpoint" ? this.model.urlOf(d) : value(d)]));
    if (chosen && !values.has(chosen)) values.set(chosen, chosen);
    const options = [...values].sort(([, a], [, b]) => (a < b ? -1 : 1));
    return (options.length > 1 || chosen) && html`<label>${name} <select id="of-${name}" name="${name}"><option value="">all</option>${
      options.map(([of, text]) => html`<option value="${of}" ${of === chosen && html`selected`}>${text}</option>`)}</select></label> `;
  }

  attempts(d) {
    const folded = fold(d.state.trail);
    return folded.length ? html`<ul class="attempts">${folded.map(({ last, times }) => html`<li>${times > 1 && `${times} attempts, last `}
      ${time(last.at)} <strong>${last.http_code || "no response"}</strong> ${last.cycle > 0 && html`<span class="detail">redelivery
      ${last.cycle}</span> `}${last.error && html`<span class="detail">${last.error}</span>`}</li>`)}</ul>` : "none yet";
  }

  keys() {
    return this.table("keys", "key", "API keys of collections, by their public prefix", this.model.live("key", this.words), (o) => [
      ["Name", o.name], ["Prefix", html`<code class="nowrap">${o.value.keyPrefix}</code>`],
      ["Status", html`${status(o.status)}${o.replaced_by && html`<div class="detail">replaced by <code
        class="nowrap">${this.model.byID.get(o.replaced_by)?.value.keyPrefix}</code></div>`}${o.value.revokedAt &&
        html`<div class="detail">${time(o.value.revokedAt)}</div>`}`],
      ["Scopes", o.value.scopes?.length ? o.value.scopes.join(", ") : "all except managing keys"],
      ["Expires", o.value.expiresAt ? html`${this.when(o.value.expiresAt)}${o.status === "rotated" &&
        detail(`grace period: ${left(this.model.now, o.value.expiresAt)}`)}` : "never"],
      ["Last used", o.value.lastUsedAt ? this.when(o.value.lastUsedAt) : "never"], ["Created", time(o.created_at)],
      ["Id", this.history(o.id)], this.organization(o)],
    html`No API keys yet. Apply a <code>billing_api_key</code>.`);
  }

  tokens() {
    const all = this.model.validTokens();
    return { total: all.length, content: all.length ? this.rows(
      "Active tokens of recurring billing and financial management, by their public prefix", all.map((t) => [`token-${t.prefix}`, [
        ["Prefix", html`<code class="nowrap">${t.prefix}</code>`], ["Service", t.service], ["Scopes", (t.scopes ?? []).join(", ")],
        ["Expires", t.expires ? this.when(t.expires) : "never"], this.organization(t)]]))
      : html`<p class="empty">No active tokens. Create one with <code>billing-sandbox token create</code>.</p>` };
  }

  finance() {
    const records = this.model.live("record", this.words);
    const collections = [...Map.groupBy(records, (o) => `${o.organization}-${o.collection}`)].sort(([a], [b]) => (a < b ? -1 : 1));
    return { total: records.length, content: html`${collections.map(([name, all]) => this.collection(name, all))}${!records.length &&
      this.nothing(html`No records yet. Apply a <code>billing_finance_record</code>, or start the sandbox without
      <code>--no-example-data</code>.`)}` };
  }

  collection(name, all) {
    const { shown, links } = this.page("finance", all, perPage, `finance-${name}`);
    const simple = (value) => (value !== null && typeof value === "object" ? "" : value);
    return html`<details class="card" id="collection-${name}"><summary><h3>${all[0].collection}</h3> <span
      class="count">${all.length}</span> ${this.several && this.id(all[0].organization)}</summary>
      ${this.rows(`The newest records of ${all[0].collection}`, shown.map((o) => [`record-${o.id}`, [
        ["Name", o.name], ["Amount", simple(o.value.amount)], ["Type", simple(o.value.type)], ["Status", simple(o.value.status)],
        ["Occurred", html`<span class="nowrap">${simple(o.value.occurred_at)}</span>`], ["Created", time(o.created_at)],
        ["Id", this.history(o.id)]]]))}${links}</details>`;
  }

  // object is the detail of an object: its requests with what they changed, and of a delivery all of it.
  object(id, touched, delivery, withReads) {
    const object = this.model.byID.get(id);
    const history = this.model.history(id).reverse();
    const sent = (this.model.sent.get(id) ?? []).toReversed();
    const isThere = object && !object.deleted;
    if (!isThere && !touched.length && !history.length && !sent.length) return null;
    const rows = touched.toReversed().filter((r) => withReads || isWrite(r)).slice(0, steps);
    const reads = withReads ? 0 : touched.filter((r) => !isWrite(r)).length;
    const title = isThere ? `${object.kind} ${object.name ?? ""}` : sent.length ? `endpoint ${this.model.urlOf(sent[0])}` : `object ${id}`;
    return html`<h1>${title}</h1>
      ${this.facts([...(delivery ? this.deliveryFacts(delivery) : []), ["State", !isThere && "There is no such object, or it has been deleted."],
        ["Id", this.id(id)]])}
      ${isThere && object.kind !== "plan" && inList(object.kind, id)}
      ${delivery && this.deliveryAction(delivery)}
      ${history.length > 0 && html`<h2>What happened</h2>${this.timeline(history)}`}
      ${sent.length > 0 && html`<h2>Deliveries</h2><ol class="timeline">${sent.slice(0, deliveriesOfEndpoint).map((d) =>
        html`<li>${time(d.created_at)} ${this.ago(d.created_at)} <span>${status(d.state.status)} ${this.link({ id: d.id }, d.event)}</span></li>`)}</ol>
        <p class="more"><a href="?endpoint=${id}#deliveries">All ${sent.length}</a></p>`}
      ${(rows.length > 0 || reads > 0) && html`<h2>Requests</h2>${reads > 0 && html`<p class="more"><a
        href="#/object?id=${id}&reads=1">Show the ${counted(reads, "read")} too</a></p>`}
        <ul class="steps">${rows.map((r) => html`<li>${this.line(r, false)}${this.changes((r.changes ?? []).filter((c) => c.id === id))}</li>`)}</ul>`}
      ${delivery ? this.deliveryParts(delivery) : isThere && object.value && part("JSON", JSON.stringify(object.value, null, 2))}`;
  }

  deliveryFacts(d) {
    const why = isFailed(d) ? "no: the endpoint is inactive or removed" : "no: only a failed or exhausted delivery can be sent again";
    return [["Event", d.event], ["Event id", this.id(d.event_id)], ["Status", status(d.state.status)], ["Endpoint", this.model.urlOf(d)],
      ["Created", clock(d.created_at)], ["Cause", this.model.causeOf(d)], ["Last error", d.state.last_error],
      ["Next attempt", d.state.due && clock(d.state.due)], ["Can be sent again", !this.model.canResend(d) && why]];
  }

  deliveryAction(d) {
    if (!this.model.canResend(d)) return "";
    return this.acts ? this.command(`deliveries/${d.id}/resend`, "", "Send it again")
      : command("Send it again", `billing-sandbox deliveries resend ${d.id}`);
  }

  deliveryParts(d) {
    const trail = d.state.trail ?? [];
    const last = trail.at(-1);
    const how = "t is the time of the attempt in seconds. v1 is the HMAC-SHA256, in hexadecimal, over t, a dot and the payload as " +
      `sent, with the whole secret of the endpoint (${d.secret_hint || "not shown"}) as the key.`;
    return html`${part("Payload", indented(d.payload))}
      <details><summary>Payload, as sent</summary><pre tabindex="0">${d.payload}</pre></details>
      ${last && html`<h2>Signature</h2><p>${how}${d.secret_rotated && " The secret has been rotated since."}</p>${!d.secret_rotated &&
        command("Compute v1 of the last attempt", `printf '%s' ${quoted(`${Math.floor(new Date(last.at) / 1000)}.${d.payload}`)} | ` +
        'openssl dgst -sha256 -hmac "$SECRET"')}`}
      ${trail.toReversed().map((a) => html`${part(`Attempt ${a.number}${a.cycle > 0 ? ` of redelivery ${a.cycle}` : ""} · ${
        a.http_code || "no response"} · ${clock(a.at)}`, `POST ${a.url}\n${headers(a.request_headers)}`, "Request")}
        <p class="label">Response</p><pre tabindex="0">${[a.http_code && `${a.http_code}\n${headers(a.response_headers)}`,
          a.response_body, a.error].filter(Boolean).join("\n\n")}</pre>`)}`;
  }

  // request is the detail of a request.
  request(r) {
    const again = this.model.curl(r);
    return html`<h1>${r.method} ${addressOf(r)}</h1>
      ${this.facts([["Request-Id", this.id(r.request_id)], ["Response", `${r.status} ${outcome(r)}`], ["Time", clock(r.time)],
        ["Duration", took(r.duration_ns)], ["Service", r.service], ["Operation", r.operation], ["Client", r.client], ["Token", r.token],
        ["Fault", r.fault], ["Failure", r.failure]])}
      ${inList("request", r.request_id)}
      ${r.objects?.length > 0 && html`<p>Objects: ${r.objects.map((id) => html`${this.link(this.model.named(id))} `)}</p>`}
      ${r.changes?.length > 0 && html`<h2>Changes</h2>${this.changes(r.changes)}`}
      ${again && command("Send it again", again)}
      ${part("Request headers", headers(r.headers) || lost)}${part("Request body", bodyOf(r.body) || lost)}
      ${part("Response body", bodyOf(r.response) || lost)}`;
  }

  changes(all) {
    const rows = all.flatMap((change) => this.model.differences(change));
    return rows.length > 0 && html`<table class="changes"><thead><tr><th scope="col">Object</th><th scope="col">Field</th>
      <th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>${rows.map((d, i) => html`<tr>
      <td data-label="Object">${d.object !== rows[i - 1]?.object && this.link(d.object)}</td><th scope="row" data-label="Field">${d.path}</th>
      <td data-label="Before">${d.before === undefined ? "none" : html`<del>${d.before}</del>`}</td>
      <td data-label="After">${d.after === undefined ? "none" : html`<ins>${d.after}</ins>`}</td></tr>`)}</tbody></table>`;
  }
}

// titles are those of the sections, in their order; each is the name of the method that renders it.
const titles = { requests: "Requests", customers: "Customers", accounts: "Billing accounts", subscriptions: "Subscriptions",
  invoices: "Invoices", endpoints: "Webhook endpoints", deliveries: "Deliveries", keys: "API keys", tokens: "Tokens",
  finance: "Financial management" };
const short = { accounts: "Accounts", endpoints: "Endpoints", keys: "Keys", finance: "Finance" };

const inList = (kind, id) => html`<p class="more"><a href="?q=${id}#${kind}-${id}">Show in the list</a></p>`;
const lost = "none, or no longer stored";
const empty = (value) => value === null || value === undefined || value === false || value === "" ||
  (Array.isArray(value) && !value.length) || (value instanceof Markup && !value.text.trim());
const counted = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
const headers = (all) => Object.keys(all ?? {}).sort().map((name) => `${name}: ${all[name]}`).join("\n");
const part = (heading, text, label) => html`<h2>${heading}</h2>${label && html`<p class="label">${label}</p>`}<pre tabindex="0">${text}</pre>`;
const command = (heading, text) => html`<h2>${heading} ${copier(text, "Copy the command")}</h2><pre tabindex="0">${text}</pre>`;
