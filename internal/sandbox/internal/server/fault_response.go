package server

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// faultResponse is what a request gets that meets a fault that responds.
func (s *Server) faultResponse(f Fault) response {
	a := response{status: f.Status, header: http.Header{}}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	switch {
	case f.Foreign != "":
		return foreignResponse(f)
	case f.Empty:
	case f.Body != "":
		a.header.Set("Content-Type", "application/json")
		a.body = []byte(f.Body)
	default:
		a = s.failure(faultError(f))
	}
	if value := retryAfter(f.RetryAfter); value != "" {
		a.header.Set("Retry-After", value)
	}
	return a
}

// foreignBody is what something that is not the service sends with a 404.
type foreignBody struct{ kind, body string }

var foreignBodies = map[string]foreignBody{
	"html": {"text/html", "<html>\r\n<head><title>404 Not Found</title></head>\r\n" +
		"<body><center><h1>404 Not Found</h1></center></body>\r\n</html>\r\n"},
	"json":  {"application/json", `{"message":"no Route matched with those values"}`},
	"error": {"application/json", `{"error":{"code":"404","message":"The page could not be found"}}`},
	"flat":  {"application/json", `{"error":"Not Found","error_code":"not_found"}`},
	"empty": {},
}

// ForeignKinds returns the kinds of Fault.Foreign, sorted.
func ForeignKinds() []string { return slices.Sorted(maps.Keys(foreignBodies)) }

// foreignResponse is that of a proxy, a default backend or another host.
func foreignResponse(f Fault) response {
	a := response{status: cmp.Or(f.Status, http.StatusNotFound), header: http.Header{}}
	sent := foreignBodies[f.Foreign]
	if sent.kind != "" {
		a.header.Set("Content-Type", sent.kind)
	}
	a.body = []byte(sent.body)
	return a
}

func faultError(f Fault) *Error {
	code := f.Code
	if code == "" {
		code = faultCodes[f.Status]
	}
	if code == "" {
		code = "fault"
	}
	return &Error{Status: f.Status, Code: code, Message: "This response is an injected fault of the sandbox."}
}

// retryAfter writes "date:30s" as the HTTP date 30 seconds from now, by the
// real clock, which is the one the client waits by.
func retryAfter(value string) string {
	ahead, dated := strings.CutPrefix(value, "date:")
	if !dated {
		return value
	}
	d, err := time.ParseDuration(ahead)
	if err != nil {
		return value
	}
	return time.Now().Add(d).UTC().Format(http.TimeFormat)
}

// mixUp makes a request that meets Fault.Other ask for another object of its
// type: the first one that the listing returns.
func (c *Call) mixUp(tx *store.Tx, routes []Route, get Route) error {
	if !c.fault.Other {
		return nil
	}
	listing, ok := Named(routes, strings.TrimSuffix(get.Name, ".get")+".list")
	if !ok {
		return nil
	}
	all := *c
	all.Path, all.Query = maps.Clone(c.Path), url.Values{}
	page, err := listing.Serve(&all, tx)
	if err != nil {
		return err
	}
	text, err := Encode(page.Body)
	if err != nil {
		return err
	}
	var listed struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &listed); err != nil {
		return err
	}
	for _, object := range listed.Data {
		if object.ID != c.Path["id"] {
			c.Path["id"] = object.ID
			return nil
		}
	}
	return nil
}
