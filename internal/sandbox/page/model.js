// What the sections and details show, computed from what the sandbox returns.

const day = 86_400_000;
const at = (time) => new Date(time).getTime();

export const iso = (time) => new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
export const clock = (time) => iso(time).slice(0, 19).replace("T", " ");
export const dateOf = (time) => iso(time).slice(0, 10);

// ago is the distance of a time from now, in its largest unit.
export function ago(now, time) {
  const distance = Math.abs(at(time) - at(now));
  if (distance < 60_000) return "now";
  const units = [["year", 365 * day, 365 * day], ["month", 60 * day, 30 * day], ["day", day, day],
    ["hour", 3_600_000, 3_600_000], ["minute", 60_000, 60_000]];
  const [name, , length] = units.find(([, least]) => distance >= least);
  const count = Math.floor(distance / length);
  const text = `${count} ${name}${count > 1 ? "s" : ""}`;
  return at(time) > at(now) ? `in ${text}` : `${text} ago`;
}

// left is the time until then, in its two largest units.
export function left(now, then) {
  const minutes = Math.round((at(then) - at(now)) / 60_000);
  const hours = Math.floor(minutes / 60);
  if (at(then) <= at(now)) return "over";
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${hours % 24} h left`;
  return hours > 0 ? `${hours} h ${minutes % 60} min left` : `${minutes} min left`;
}

export function took(nanoseconds) {
  const ms = nanoseconds / 1e6;
  if (ms < 1) return "<1 ms";
  return ms < 1000 ? `${Math.floor(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function amount(cents, currency) {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  return `${cents < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)} ${currency}`;
}

const clientName = (client) => (client || "").split("/")[0] || "unnamed client";

// abbreviate shortens an id to an unambiguous prefix; of ids with a long common prefix it keeps the end too. The middle
// part is hidden.
export function abbreviate(id, all) {
  const [shortest, longest, tail] = [8, 13, 4];
  if (id.length <= shortest) return { head: id, middle: "", tail: "" };
  let head = shortest;
  let end = tail;
  for (const other of all.get(id.slice(0, shortest)) ?? []) {
    if (other === id) continue;
    let same = 0;
    while (same < id.length && other[same] === id[same]) same++;
    head = Math.max(head, same + 1);
    let back = 0;
    while (back < id.length && other.at(-1 - back) === id.at(-1 - back)) back++;
    end = Math.max(end, back + 1);
  }
  if (head <= longest) return { head: id.slice(0, head), middle: id.slice(head), tail: "" };
  if (id.length - end <= shortest) return { head: id, middle: "", tail: "" };
  return { head: id.slice(0, shortest), middle: id.slice(shortest, -end), tail: id.slice(-end) };
}

// byStart groups ids by the part that each shows at least.
export function byStart(ids) {
  const groups = new Map();
  for (const id of new Set(ids)) {
    const start = id.slice(0, 8);
    if (groups.has(start)) groups.get(start).push(id);
    else groups.set(start, [id]);
  }
  return groups;
}

const decoder = new TextDecoder();

// bodyOf decodes a logged body, and indents it if it is JSON.
export function bodyOf(encoded) {
  if (!encoded) return "";
  const text = decoder.decode(Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0)));
  return indented(text);
}

// indented indents a JSON document without changing its numbers or the order of its members; other text stays as it is.
export function indented(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  return text.replace(/("(?:[^"\\]|\\.)*")|([{[])\s*([}\]])|([{[])\s*|\s*([}\]])|(,)\s*|(:)\s*|\s+/g,
    (whole, string, open, close, begin, end, comma, colon) => {
      if (string) return string;
      if (open) return open + close;
      if (begin) return depth++, begin + line();
      if (end) return depth--, line() + end;
      if (comma) return comma + line();
      return colon ? ": " : "";
    });
}

export function outcome(request) {
  if (request.dropped) return "dropped";
  if (request.status >= 500) return "failed";
  return request.status >= 400 ? "rejected" : "ok";
}

export const isWrite = (request) => !["GET", "HEAD"].includes(request.method);
export const addressOf = (request) => request.path + (request.query ? `?${request.query}` : "");

// Model is what the sandbox holds at one moment.
export class Model {
  constructor(data) {
    Object.assign(this, data); // status, objects, requests, deliveries, tokens, audit, events
    this.now = this.status.clock.now;
    this.byID = new Map(this.objects.map((o) => [o.id, o]));
    for (const d of this.deliveries) {
      this.byID.set(d.id, { kind: "delivery", id: d.id, name: d.event, created_at: d.created_at, value: d });
    }
    this.ids = byStart([...this.byID.keys(), ...this.requests.map((r) => r.request_id),
      ...this.status.organizations.map((o) => o.id), ...this.deliveries.map((d) => d.endpoint_id),
      ...this.objects.filter((o) => o.kind === "subscription").map((o) => o.value.subscription.plan_id ?? "")]);
    this.requestByID = new Map(this.requests.map((r) => [r.request_id, r]));
    this.kinds = Map.groupBy(this.objects, (o) => o.kind);
    this.children = Map.groupBy(this.objects, (o) => o.customer_id ?? o.value?.billing_account_id ??
      o.value?.subscription?.billing_account_id ?? "");
    this.invoices = Map.groupBy(this.of("invoice"), (o) => o.value.subscription_id);
    this.trail = Map.groupBy(this.audit, (e) => e.id);
    this.sent = Map.groupBy(this.deliveries, (d) => d.endpoint_id);
    this.keysByPrefix = new Map(this.of("key").map((o) => [o.value.keyPrefix, o]));
  }

  of(kind) {
    return this.kinds.get(kind) ?? [];
  }

  childrenOf(id, kind) {
    return (this.children.get(id) ?? []).filter((o) => o.kind === kind);
  }

  short(id) {
    return abbreviate(id, this.ids);
  }

  shortText(id) {
    const { head, tail } = this.short(id);
    return tail ? `${head}…${tail}` : head;
  }

  // textOf is the kind and the name or id of an object.
  textOf(object) {
    return `${object.kind} ${object.name || this.shortText(object.id)}`;
  }

  // named returns the object of an id, or one that says that it is gone.
  named(id) {
    return this.byID.get(id) ?? { kind: "object", id, gone: true };
  }

  customerOf(object) {
    const account = object.kind === "account" ? object
      : this.byID.get(object.value.billing_account_id ?? object.value.subscription?.billing_account_id);
    return this.byID.get(account?.customer_id);
  }

  planText(id) {
    const name = this.byID.get(id)?.name;
    return id ? name || id : "none, priced by items";
  }

  urlOf(delivery) {
    return (delivery.url || `endpoint ${this.shortText(delivery.endpoint_id)}`) + (delivery.removed ? " (removed)" : "");
  }

  tokenText(prefix) {
    const key = this.keysByPrefix.get(prefix);
    return key ? `${key.name} ${prefix}` : prefix;
  }

  // validTokens are those of recurring billing and financial management that are in force.
  validTokens() {
    return this.tokens.filter((t) => !t.revoked && !t.blocked && t.service !== "collections" &&
      !(t.expires && at(t.expires) > 0 && at(t.expires) <= at(this.now)));
  }

  // owners are the clients that last wrote the keys of custom_metadata; a seed has no name.
  owners(object) {
    const all = new Map();
    for (const [path, writer] of Object.entries(object.custom_metadata_writers ?? {})) {
      const id = `${writer.client ?? ""} ${writer.token ?? ""}`;
      all.set(id, { writer, keys: [...(all.get(id)?.keys ?? []), path].sort() });
    }
    return [...all.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, owner]) => owner);
  }

  // matches reports whether an object, or the name of what it belongs to, contains all words.
  matches(object, words) {
    if (!words.length) return true;
    const around = object.kind === "delivery" ? this.urlOf(object.value)
      : ["account", "subscription", "invoice"].includes(object.kind) ? JSON.stringify(this.customerOf(object)?.value.name) +
        this.customerOf(object)?.value.external_id : "";
    object.text ??= JSON.stringify(object.value).toLowerCase();
    return contains(`${this.textOf(object)}\n${object.id}\n${around}`.toLowerCase() + object.text, words);
  }

  live(kind, words) {
    return this.of(kind).filter((o) => !o.deleted && this.matches(o, words));
  }

  // takes reports whether the filter selects a request.
  takes(request, filter) {
    const { operation, show, run, words } = filter;
    if (operation && request.operation !== operation && !request.operation.startsWith(`${operation}.`)) return false;
    if (show === "writes" && !isWrite(request) || show === "failed" && outcome(request) === "ok") return false;
    if (run && String(request.run) !== run) return false;
    if (!words.length) return true;
    request.text ??= [request.service, request.operation, request.method, addressOf(request), request.request_id, request.client,
      request.token, request.fault, request.status, outcome(request), request.failure, bodyOf(request.body)].join("\n");
    const objects = (request.objects ?? []).map((id) => `${id} ${this.textOf(this.named(id))}`).join("\n");
    return contains(`${request.text}\n${objects}`.toLowerCase(), words);
  }

  // runs are the requests that the filter selects, newest first, by client process.
  runs(filter) {
    const all = new Map();
    for (const r of this.requests) {
      const run = all.get(r.run) ?? { first: r, total: 0, writes: 0, failed: 0, failures: new Set(), rows: [] };
      all.set(r.run, run);
      run.total++;
      if (isWrite(r)) {
        run.writes++;
        // A plan writes only the keys of ephemeral resources.
        run.isApply ||= isTerraform(r) && !["api_keys.create", "api_keys.revoke"].includes(r.operation);
      }
      if (outcome(r) !== "ok") {
        run.failed++;
        run.failures.add(`${r.operation || "no such route"} ${r.dropped ? "dropped" : r.status}`);
      }
    }
    const shown = [];
    for (const r of this.requests.toReversed()) {
      if (!this.takes(r, filter)) continue;
      const run = all.get(r.run);
      if (!run.rows.length) shown.push(run);
      run.rows.push(r);
    }
    for (const run of shown) {
      run.label = run.isApply ? "apply" : isTerraform(run.first) ? "plan or refresh" : run.writes ? "" : "reads only";
    }
    return shown;
  }

  // operations are those of the requests, by resource.
  operations() {
    const names = [...new Set(this.requests.map((r) => r.operation).filter(Boolean))].sort();
    return Map.groupBy(names, (name) => name.slice(0, name.lastIndexOf(".")));
  }

  // coming is what the clock will cause, earliest first.
  coming(words) {
    const all = [];
    const add = (time, what, detail, object) => {
      if (time && at(time) > at(this.now) && (!object || this.matches(object, words))) {
        all.push({ at: time, what, detail, object });
      }
    };
    for (const o of this.of("subscription")) {
      for (const e of this.future(o)) add(e.at, e.what, e.detail, o);
    }
    for (const d of this.deliveries) {
      add(d.state.due, `attempt ${d.state.attempts + 1}`, `to ${this.urlOf(d)}`, this.byID.get(d.id));
    }
    for (const o of this.of("key")) {
      if (!o.value.revokedAt) add(o.value.expiresAt, "expires", "", o);
    }
    for (const t of this.validTokens()) add(t.expires, "token expires", t.prefix);
    return all.sort((a, b) => at(a.at) - at(b.at));
  }

  // future is what the clock will do to a subscription.
  future(object) {
    const s = object.value.subscription;
    if (!["trialing", "active", "past_due", "paused"].includes(s.status)) return [];
    const events = [];
    if (s.resumes_at) events.push({ at: s.resumes_at, what: "pause ends" });
    const end = { at: s.current_period_end, what: "next period begins" };
    if (s.trial_end && at(s.trial_end) >= at(end.at)) { // in a copy, the trial can be longer than the period
      Object.assign(end, { at: s.trial_end, what: "trial ends", detail: "the first period begins" });
    }
    if (s.cycle_billing_date && at(s.cycle_billing_date) !== at(s.current_period_end)) {
      events.push({ at: s.cycle_billing_date, what: "next invoice" });
    }
    const pending = s.metadata?.pending_plan_id;
    if (s.cancel_at_period_end) {
      Object.assign(end, { what: "canceled at the end of the period", detail: s.cancellation_reason ?? "" });
    } else if (pending) {
      end.detail = `with plan ${this.planText(pending)}`;
    }
    return [...events, end];
  }

  // audited is what the audit trail says of an object.
  audited(id) {
    return (this.trail.get(id) ?? []).map((e) => ({
      at: e.time, what: actions[e.action] ?? e.action, before: e.before ?? "", after: e.after ?? "",
      by: e.cause === "request" ? clientName(e.client) : e.cause, token: this.tokenText(e.token),
      request: this.requestByID.has(e.request_id) ? e.request_id : "", known: e.request_id,
      detail: [...Object.keys(e.terms ?? {}).sort().map((name) => this.term(name, e.terms[name])),
        e.reason ? `reason: ${e.reason}` : ""].filter(Boolean).join(", "),
    }));
  }

  // term is a term of a subscription in words.
  term(name, value) {
    const text = value !== null && name.endsWith("plan_id") ? this.planText(value) : value ?? "none";
    return `${name.replaceAll("_", " ").replace(/ id$/, "")} ${text}`;
  }

  // history is what requests, commands and time did to an object, oldest first.
  history(id) {
    const object = this.byID.get(id);
    const events = this.audited(id);
    if (object?.kind === "subscription") this.addDates(object, events);
    const end = object?.kind === "key" && object.value.expiresAt;
    if (end && !(object.value.revokedAt && at(object.value.revokedAt) <= at(end))) {
      events.push(at(end) > at(this.now) ? { at: end, what: "expires" } : { at: end, what: "expired", by: "clock" });
    }
    for (const e of events) e.toCome = at(e.at) > at(this.now);
    return events.sort((a, b) => at(a.at) - at(b.at));
  }

  // addDates adds to the audit trail of a subscription its requests, dates and invoices. Before a copy was made, only these
  // are known.
  addDates(object, events) {
    const s = object.value.subscription;
    const known = new Set(events.flatMap((e) => [iso(e.at), e.known]));
    for (const r of this.requests) {
      if (r.objects?.[0] === s.id && r.operation.startsWith("subscriptions.") && isWrite(r) && outcome(r) === "ok" &&
        !known.has(r.request_id)) {
        events.push({ at: r.time, what: actions[r.operation] ?? r.operation, by: clientName(r.client),
          token: this.tokenText(r.token), request: r.request_id });
      }
    }
    const invoices = (this.invoices.get(s.id) ?? []).map((o) => o.value);
    for (const e of this.past(s, invoices)) {
      if (e.at && at(e.at) <= at(this.now) && (e.detail || !known.has(iso(e.at)))) events.push(e);
    }
    for (const i of invoices.toReversed()) {
      const price = i.amount_cents == null ? "amount set by the plan" : amount(i.amount_cents, i.currency);
      events.push({ at: i.created_at, what: `invoice ${i.number}`, detail: `${i.status}, ${price}, ${dateOf(i.period_start)} to ` +
        `${dateOf(i.period_end)}, due ${i.due_date}${i.reason ? `: ${i.reason}` : ""}` });
    }
    events.push(...this.future(object));
  }

  // past is what a subscription's dates say.
  past(s, invoices) {
    const inTrial = s.trial_end && at(s.current_period_start) < at(s.trial_end);
    const canceledInTrial = s.trial_end && s.canceled_at && at(s.canceled_at) < at(s.trial_end);
    let detail = `until ${dateOf(s.current_period_end)}`;
    if (!invoices.some((i) => at(i.period_start) === at(s.current_period_start))) {
      detail += ", without an invoice" + (s.collection_method === "manual_invoice"
        ? ": it is invoiced on request only (manual_invoice)"
        : s.confirmed_at && at(s.confirmed_at) === at(s.current_period_start) ? ": the first one is made at its end"
          : " in this sandbox");
    }
    return [
      { at: s.created_at, what: "created" }, { at: s.trial_start, what: "trial begins" },
      { at: canceledInTrial ? null : s.trial_end, what: "trial ends" }, { at: s.activated_at, what: "active" },
      { at: inTrial ? null : s.current_period_start, what: "period begins", detail }, { at: s.paused_at, what: "paused" },
      { at: s.resumed_at, what: "resumed" }, { at: s.canceled_at, what: "canceled" },
    ];
  }

  // causeOf is what made the event of a delivery.
  causeOf(delivery) {
    const request = this.requestByID.get(delivery.request_id);
    if (request) return `request ${request.operation} by ${clientName(request.client)}`;
    if (delivery.cause === "command") return "billing-sandbox event emit, or Emit on this page";
    return [delivery.cause, delivery.request_id].filter(Boolean).join(" ") || "unknown";
  }

  canResend(delivery) {
    const endpoint = this.byID.get(delivery.endpoint_id);
    return isFailed(delivery) && endpoint?.value.active === true;
  }

  // differences are the fields that a change has changed, but for the time of the update.
  differences(change) {
    const before = flat(change.before);
    const after = flat(change.after);
    return [...new Set([...before.keys(), ...after.keys()])].sort()
      .filter((path) => before.get(path) !== after.get(path) && !/(^|\.)updated(_at|At)$/.test(path))
      .map((path) => ({ object: change, path: path.replace(/^subscription\./, ""), before: this.withPlan(before.get(path)),
        after: this.withPlan(after.get(path)) }));
  }

  withPlan(value) {
    const plan = this.byID.get(value);
    return plan?.kind === "plan" ? `${plan.name} (${this.shortText(value)})` : value;
  }

  // curl is a command that repeats a request with the sandbox's exports; empty if the log does not have all of it.
  curl(request) {
    const body = request.body ? decoder.decode(Uint8Array.from(atob(request.body), (c) => c.charCodeAt(0))) : "";
    if (!request.token || !request.headers || body.length >= wholeBody || /\[REDACTED\]|\?…/.test(body)) return "";
    const [url, token] = exported[request.service];
    const keyHeader = request.service === "collections" ? (this.status.collections_auth_header ?? "").toLowerCase() : "";
    const parts = ['curl --cacert "$BILLING_CA_CERTIFICATE_FILE"'];
    if (request.method !== "GET") parts.push(`-X ${quoted(request.method)}`);
    for (const [name, value] of Object.entries(request.headers)) {
      if (ownHeaders.includes(name)) continue;
      if (value !== masked) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
      else if (keyHeader && name.toLowerCase() === keyHeader) parts.push(`-H ${quoted(`${name}: `)}"$${token}"`);
      else if (!keyHeader && name === "Authorization") parts.push(`-H "Authorization: Bearer $${token}"`);
    }
    if (body) parts.push(`--data-binary ${quoted(body)}`);
    return [...parts, `"$${url}"${quoted(addressOf(request))}`].join(" \\\n  ");
  }
}

export const isFailed = (delivery) => ["failed", "exhausted"].includes(delivery.state.status);

// fold merges consecutive attempts with the same outcome.
export function fold(trail) {
  const folded = [];
  for (const a of trail ?? []) {
    const last = folded.at(-1);
    if (last && last.last.http_code === a.http_code && last.last.error === a.error && last.last.cycle === a.cycle) {
      last.last = a;
      last.times++;
    } else {
      folded.push({ last: a, times: 1 });
    }
  }
  return folded;
}

const contains = (text, words) => words.every((word) => text.includes(word));
const isTerraform = (request) => (request.client ?? "").startsWith("terraform-provider-billing");

const actions = {
  "subscriptions.create": "created", "subscriptions.update": "changed", "subscriptions.pause": "pause requested",
  "subscriptions.resume": "resume requested", "subscriptions.change_plan": "plan change requested",
  "subscriptions.cancel": "cancellation requested", "subscriptions.items.sync": "items replaced",
  "subscriptions.invoice": "invoice requested", "subscription status": "status set",
};

const exported = {
  billing: ["BILLING_BASE_URL", "BILLING_TOKEN"], finance: ["BILLING_FINANCE_BASE_URL", "BILLING_FINANCE_TOKEN"],
  collections: ["BILLING_COLLECTIONS_BASE_URL", "BILLING_COLLECTIONS_API_KEY"],
};
const ownHeaders = ["Accept-Encoding", "Content-Length", "Connection", "User-Agent"]; // curl sets them
const masked = "[REDACTED]";
const wholeBody = 65_536; // a longer one is cut in the log

// quoted quotes a word for a POSIX shell.
export const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// flat returns the fields of an object by path, without those that are null.
function flat(value, path = "", into = new Map()) {
  if (value !== null && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) {
      flat(inner, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`.replace(/^\./, ""), into);
    }
  } else if (value !== null && value !== undefined) {
    into.set(path, String(value));
  }
  return into;
}
