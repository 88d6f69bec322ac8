package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// exitRejected and exitBroken are the exit codes for 4xx and 5xx responses.
const (
	exitRejected = 4
	exitBroken   = 5
)

// statusError ends a command with its exit code; the status has already been printed.
type statusError struct{ code int }

func (e statusError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

type caller struct {
	service, as string
	header      http.Header
}

func (c *caller) flags(set *flag.FlagSet) {
	set.StringVar(&c.as, "as", "", "`NAME` of the other system, sent as User-Agent and shown by requests and the web page")
	set.Func("header", "one more header, repeatable; `NAME: VALUE`", func(line string) error {
		found := headerLine.FindStringSubmatch(line)
		if found == nil {
			return errors.New("must be NAME: VALUE")
		}
		if slices.Contains([]string{"Host", "Content-Length", "Transfer-Encoding", "Trailer"},
			http.CanonicalHeaderKey(found[1])) {
			return errors.New("follows from address and BODY")
		}
		c.header.Add(found[1], found[2])
		return nil
	})
}

const headerChars = "[\\w!#$%&'*+.^`|~-]+"

var (
	headerName = regexp.MustCompile("^" + headerChars + "$")
	headerLine = regexp.MustCompile("^(" + headerChars + "):\\s*([^\\r\\n]*)$")
)

func (p program) call() command {
	q := &caller{header: http.Header{}}
	return command{
		name: "call", summary: "send a request to a service, as another system would",
		about: `Sends one request to the running sandbox and prints the body of the response; the status goes to
standard error. Address, token, Content-Type and X-Idempotency-Key are added, unless --header sets them.
BODY is JSON, @FILE reads a file, - reads standard input. In PATH, external_id=CODE stands for the id of
a customer, billing account or subscription. The path selects the service; --service selects one if two
services have the same path. A collection of financial management other than accounts, payables and
receivables needs --service finance, because its service accepts any name.
The exit code is 4 if the status of the response is 4xx, and 5 if it is 5xx.
`,
		examples: `{sandbox} call GET /v1/customers?search=aurora
{sandbox} call PATCH /v1/customers/external_id=aurora '{"notes":"x"}'
{sandbox} call --as crm POST /v1/customers '{"name":"Padaria Bela Vista"}'
{sandbox} call POST /v1/payables @payable.json
{sandbox} call GET /api/v1/webhook-endpoints
`,
		actions: []action{{
			usage: "METHOD PATH [BODY]",
			flags: func(set *flag.FlagSet) {
				q.flags(set)
				choiceFlag(set, &q.service, "service", "`SERVICE` to ask: billing, finance or collections", serviceNames)
			},
			run: func(ctx context.Context, c *controller, values []string) error {
				if !strings.HasPrefix(values[1], "/") {
					return misused("PATH begins with /")
				}
				if err := c.connect(); err != nil {
					return err
				}
				method := strings.ToUpper(values[0])
				body, err := p.readBody(method, values[2:])
				if err != nil {
					return err
				}
				path, err := c.resolve(ctx, values[1])
				if err != nil {
					return err
				}
				return q.send(ctx, c, method, path, body)
			},
		}},
	}
}

// readBody reads the body for a method that takes one: from the command line, from @FILE, or from standard input for -.
func (p program) readBody(method string, words []string) (body []byte, err error) {
	if len(words) == 0 {
		return nil, nil
	}
	body = []byte(words[0])
	if file, named := strings.CutPrefix(words[0], "@"); named {
		body, err = os.ReadFile(file)
	} else if file == "-" {
		body, err = io.ReadAll(p.in)
	}
	switch {
	case err != nil:
		return nil, misused("BODY: %v", err)
	case len(body) == 0:
		return nil, nil
	case method == http.MethodGet:
		return nil, misused("GET takes no BODY")
	}
	return body, validJSON("BODY", body)
}

// validJSON returns what is wrong with a JSON document, and where.
func validJSON(name string, document []byte) error {
	var value json.RawMessage
	err := json.Unmarshal(document, &value)
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		return misused("%s is not valid JSON: %v, after %d bytes", name, syntax, syntax.Offset)
	}
	return err
}

// editable are the kinds of objects supported by edit, with their unique field.
func editable() (names []string) {
	for _, kind := range evidence.Kinds() {
		if kind.Unique != "" {
			names = append(names, kind.Name)
		}
	}
	return slices.Sorted(slices.Values(names))
}

// resolve replaces a name in a path with its id.
func (c *controller) resolve(ctx context.Context, path string) (string, error) {
	for _, kind := range evidence.Kinds() {
		folder := kind.Path() + "/"
		rest, ok := strings.CutPrefix(path, folder)
		if !ok || !strings.HasPrefix(rest, "external_id=") {
			continue
		}
		end := strings.IndexAny(rest, "/?")
		if end < 0 {
			end = len(rest)
		}
		name, err := url.PathUnescape(rest[:end])
		if err != nil {
			return "", misused("PATH: %v", err)
		}
		id, err := c.find(ctx, kind.Name, name)
		return folder + id + rest[end:], err
	}
	return path, nil
}

// find returns the id of the named object.
func (c *controller) find(ctx context.Context, kind, name string) (string, error) {
	found, err := get[sandbox.Found](ctx, c, "/objects/"+kind+"/"+url.PathEscape(name))
	return found.ID, err
}

// serviceOf returns the service with an operation for that method and path, otherwise for that path. Paths with fewer
// placeholders take precedence. Financial management accepts collections of any name, but only documented names select
// it.
func (p program) serviceOf(method, path string) (sandbox.Service, error) {
	whole := path
	path, _, _ = strings.Cut(path, "?")
	var best sandbox.Operation
	var collections []string
	paths := map[string]string{} // by collection
	fewest := -1
	for _, o := range sandbox.Operations() {
		if folder := o.Path[strings.LastIndex(o.Path, "/")+1:]; !strings.Contains(o.Path, "{") {
			collections, paths[folder] = append(collections, folder), o.Path
		}
		values, fits := evidence.Match(o.Path, path)
		placeholders := len(values)
		if o.Method != method {
			placeholders += len(path) // after all matching methods
		}
		if fits && (fewest < 0 || placeholders < fewest) {
			best, fewest = o, placeholders
		}
	}
	if fewest < 0 {
		next := "name one with --service"
		if !strings.HasPrefix(path, "/v1/") && !strings.HasPrefix(path, "/api/v1/") {
			next = "paths begin with /v1/, or with /api/v1/ for collections"
		}
		return "", misused("no service has an operation of the path %s; %s, or see \"%s operations\"", whole, next,
			p.called())
	}
	values, _ := evidence.Match(best.Path, path)
	name := values["collection"]
	if best.Service == sandbox.Finance && name != "" && paths[name] != "/v1/"+name {
		hint := "; "
		if near, ok := sandbox.Nearest(name, collections); ok {
			hint = "; did you mean " + paths[near] + "? "
		}
		return "", misused("no operation names the path %s%s--service finance selects the collection %q of financial "+
			"management", whole, hint, name)
	}
	return best.Service, nil
}

func (c *caller) send(ctx context.Context, control *controller, method, path string, body []byte) error {
	p, service := control.p, sandbox.Service(c.service)
	if service == "" {
		var err error
		if service, err = p.serviceOf(method, path); err != nil {
			return err
		}
	}
	names := copier.Variables(string(service))
	base, token := p.getenv(names[0]), p.getenv(names[1])
	if base == "" || token == "" {
		return fmt.Errorf("%s needs an address and a token: set %s and %s", service, names[0], names[1])
	}
	if !isAddress(base) {
		return misused("%s is not an address", names[0])
	}
	request, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(body))
	if err != nil {
		return misused("%v", err)
	}
	if name := p.getenv("BILLING_COLLECTIONS_AUTH_HEADER"); service == sandbox.Collections && name != "" &&
		!strings.EqualFold(name, "Authorization") {
		if !headerName.MatchString(name) {
			return misused("BILLING_COLLECTIONS_AUTH_HEADER is not the name of a header")
		}
		c.add(name, token)
	} else {
		c.add("Authorization", "Bearer "+token)
	}
	c.add("Content-Type", "application/json") // required by every operation, including GET
	if service == sandbox.Finance && method == http.MethodPost {
		c.add("X-Idempotency-Key", uuid.NewString())
	}
	c.add("User-Agent", cmp.Or(c.as, "billing-sandbox-call"))
	request.Header = c.header
	response, err := control.client.Do(request)
	if err != nil {
		return p.unreachable(base, err)
	}
	defer response.Body.Close()
	return p.showResponse(response)
}

// add adds a header unless the command line sets it.
func (c *caller) add(name, value string) {
	if c.header.Get(name) == "" {
		c.header.Set(name, value)
	}
}

func (p program) showResponse(response *http.Response) error {
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	fmt.Fprintf(p.err, "%s  Request-Id %s\n", response.Status, cmp.Or(response.Header.Get("Request-Id"), "none"))
	var text bytes.Buffer
	if json.Indent(&text, content, "", "  ") != nil {
		text.Reset()
		text.Write(content)
	}
	if text.Len() > 0 {
		fmt.Fprintln(p.out, strings.TrimRight(text.String(), "\n"))
	}
	switch {
	case response.StatusCode >= http.StatusInternalServerError:
		return statusError{exitBroken}
	case response.StatusCode >= http.StatusBadRequest:
		return statusError{exitRejected}
	default:
		return nil
	}
}

func (p program) edit() command {
	q := &caller{header: http.Header{}}
	return command{
		name: "edit", summary: "change an object, as another system would",
		about: `Changes an object of the running sandbox by the update operation of its service, and prints the response
as "{sandbox} call" does. TYPE is customer, account, subscription or endpoint. ID may be external_id=CODE,
or url=URL for an endpoint. FIELD=TEXT sets a text, FIELD:=JSON any other value. A dot selects a nested
field: custom_metadata.crm.score:=7 adds one key and leaves the others, because custom_metadata_mode=merge
is sent with it.
`,
		examples: `{sandbox} edit customer external_id=aurora notes="x"
{sandbox} edit --as crm customer external_id=aurora custom_metadata.crm.score:=7
{sandbox} edit endpoint url=https://hooks.example.com/billing active:=false
`,
		actions: []action{{
			usage: "TYPE ID FIELD=TEXT|FIELD:=JSON...", flags: q.flags,
			run: func(ctx context.Context, c *controller, values []string) error {
				kind := values[0]
				types := editable()
				if !slices.Contains(types, kind) {
					return misused("%q is not a type; there are %s%s", kind, strings.Join(types, ", "), meant(kind, types))
				}
				fields, err := sandbox.ParseUpdate(values[2:])
				if err != nil {
					return misused("%v", err)
				}
				body, err := json.Marshal(fields)
				if err != nil {
					return err
				}
				id, err := c.find(ctx, kind, values[1])
				if err != nil {
					return err
				}
				return q.send(ctx, c, http.MethodPatch, evidence.KindOf(kind).Path()+"/"+url.PathEscape(id), body)
			},
		}},
	}
}
