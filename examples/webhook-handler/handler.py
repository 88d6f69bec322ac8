# A webhook handler that verifies, deduplicates, works and responds, in this order. It needs no package.
import hashlib
import hmac
import json
import os
import re
import sqlite3
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
TOLERANCE = 300  # seconds

lock = threading.Lock()  # one connection to SQLite for all threads
database = sqlite3.connect(":memory:", check_same_thread=False)
database.execute("create table events (id text primary key)")
database.execute("create table payments (charge text)")


def is_signed(header, body):
    match = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", header or "")
    if not match or abs(time.time() - int(match[1])) > TOLERANCE:
        return False
    wanted = hmac.new(SECRET, match[1].encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted, match[2])


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not is_signed(self.headers["X-Webhook-Signature"], body):  # before the body is parsed
            return self.respond(401)
        event = json.loads(body)
        with lock, database:  # one transaction: if the work fails, the event comes again
            cursor = database.execute("insert or ignore into events values (?)", [self.headers["X-Webhook-Event-Id"]])
            if cursor.rowcount and event["event"] == "charge.paid":  # other events are none of our business
                database.execute("insert into payments values (?)", [event["data"]["id"]])
        self.respond(204)

    def do_GET(self):
        with lock:
            [count] = database.execute("select count(*) from payments").fetchone()
        self.respond(200, str(count).encode())

    def respond(self, status, body=b""):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
