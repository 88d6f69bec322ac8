// A webhook handler that verifies, deduplicates, works and responds, in this order. It needs no package.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.WEBHOOK_SECRET;
const tolerance = 300; // seconds

const seen = new Set(); // ids of events. In production: a table with a unique index
let payments = 0;

function isSigned(header, body) {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header ?? "");
  if (!match || Math.abs(Date.now() / 1000 - match[1]) > tolerance) return false;
  const wanted = createHmac("sha256", secret).update(`${match[1]}.`).update(body).digest();
  return timingSafeEqual(wanted, Buffer.from(match[2], "hex"));
}

createServer(async (request, response) => {
  if (request.method === "GET") return response.end(String(payments));
  // The bytes as they came: with Express, use express.raw({ type: "application/json", limit: "4mb" }).
  const body = Buffer.concat(await request.toArray());
  if (!isSigned(request.headers["x-webhook-signature"], body)) { // before the body is parsed
    return response.writeHead(401).end();
  }
  const { event } = JSON.parse(body);
  // In production, the id is written in the transaction of the work: if that fails, respond 500, and the event comes
  // again. Here nothing else runs between has and add.
  const id = request.headers["x-webhook-event-id"];
  if (!seen.has(id)) {
    seen.add(id);
    if (event === "charge.paid") payments++; // other events are none of our business
  }
  response.writeHead(204).end();
}).listen(process.env.PORT, "127.0.0.1");
