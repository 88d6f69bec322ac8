package orgcopy_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
)

// whole is a copy of two objects.
func whole(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	w, err := orgcopy.NewWriter(&out, orgcopy.Header{
		Organization: json.RawMessage(`{"id":"o"}`), Time: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []orgcopy.Object{
		{Kind: evidence.Customer, Object: json.RawMessage(`{"id":"1","name":"<Aurora>","unknown":9007199254740993}`)},
		{Kind: evidence.Subscription, Object: json.RawMessage(`{"id":"2"}`), Items: json.RawMessage(`[]`)},
	} {
		if err := w.Put(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(orgcopy.End{LeftOut: []orgcopy.LeftOut{{Kind: evidence.Key, Scope: "api_keys:read"}}}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func read(text string) (objects []orgcopy.Object, leftOut []orgcopy.LeftOut, err error) {
	r, err := orgcopy.NewReader(strings.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	for object, err := range r.Objects() {
		if err != nil {
			return nil, nil, err
		}
		objects = append(objects, object)
	}
	return objects, r.LeftOut, nil
}

func TestRoundTrip(t *testing.T) {
	objects, leftOut, err := read(whole(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(objects) != 2 || string(objects[0].Object) != `{"id":"1","name":"<Aurora>","unknown":9007199254740993}` ||
		string(objects[1].Items) != "[]" {
		t.Errorf("read %s", objects)
	}
	if len(leftOut) != 1 || leftOut[0].Scope != "api_keys:read" {
		t.Errorf("omitted: %v", leftOut)
	}
}

func TestWrongCopies(t *testing.T) {
	text := whole(t)
	lines := strings.SplitAfter(text, "\n")
	for name, c := range map[string]struct{ text, want string }{
		"empty":          {"", "the file is empty"},
		"not JSON":       {"hello\n", "line 1: is not the header of a copy: "},
		"other format":   {strings.Replace(text, "/2", "/1", 1), `line 1: the format is "billing-organization/1"`},
		"no time":        {`{"format":"billing-organization/2","organization":{}}`, "line 1: the header lacks the organization or the time"},
		"truncated":      {strings.Join(lines[:2], ""), "the copy is incomplete: it ends here"},
		"cut in a line":  {text[:len(text)-len(lines[3])-5], "line 3: the copy is incomplete: it ends here"},
		"broken line":    {lines[0] + "{\n" + lines[1], "line 2: is not valid JSON"},
		"a line missing": {lines[0] + lines[2] + lines[3], "line 3: the copy has 1 objects, want 2"},
		"something more": {text + lines[1], "line 5: unexpected content after the end"},
		"unknown kind":   {lines[0] + `{"kind":"coupon","object":{}}`, `line 2: unknown kind of object "coupon"`},
		"no object":      {lines[0] + `{"kind":"customer","object":[]}`, "line 2: lacks the object"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := read(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// What is left out says its objects and the reason, and is not all of a kind if it is only the items of its objects.
func TestLeftOut(t *testing.T) {
	for want, c := range map[string]struct {
		left orgcopy.LeftOut
		all  bool
	}{
		"billing accounts (no)": {orgcopy.LeftOut{Kind: evidence.Account, Reason: "no"}, true},
		"API keys (the token lacks the scope api_keys:read)": {orgcopy.LeftOut{Kind: evidence.Key, Scope: "api_keys:read",
			Reason: "no"}, true},
		"items of subscriptions (no)": {orgcopy.LeftOut{Kind: evidence.Subscription, Items: true, Reason: "no"}, false},
		"records of plans (no)":       {orgcopy.LeftOut{Kind: evidence.Record, Collection: "billing/plans", Reason: "no"}, false},
	} {
		if got := c.left.String(); got != want || c.left.All(c.left.Kind, "") != c.all {
			t.Errorf("%s, want %s, and all %t", got, want, c.all)
		}
	}
}
