package webhookendpoint_test

import (
	"encoding/base64"
	"maps"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// Credentials that may appear nowhere but at the consumer.
const (
	password = "p4ss-of-the-test"
	token    = "t0ken-of-the-test"
	value    = "v4lue-of-the-test"
)

// kinds are the types of authentication, complete, and the header by which the consumer knows them.
var kinds = map[string]struct {
	configured     acctest.JSON
	kept           string // in the state
	header, credit string
}{
	"none": {acctest.JSON{"type": "none"},
		`{"credentials_wo_version":1,"name":null,"password_wo":null,"token_wo":null,"type":"none","username":null,"value_wo":null}`, "Authorization", ""},
	"basic": {acctest.JSON{"type": "basic", "username": "ana", "password_wo": password},
		`{"credentials_wo_version":1,"name":null,"password_wo":null,"token_wo":null,"type":"basic","username":"ana","value_wo":null}`,
		"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("ana:"+password))},
	"bearer": {acctest.JSON{"type": "bearer", "token_wo": token},
		`{"credentials_wo_version":1,"name":null,"password_wo":null,"token_wo":null,"type":"bearer","username":null,"value_wo":null}`,
		"Authorization", "Bearer " + token},
	"header": {acctest.JSON{"type": "header", "name": "X-Consumer", "value_wo": value},
		`{"credentials_wo_version":1,"name":"X-Consumer","password_wo":null,"token_wo":null,"type":"header","username":null,"value_wo":null}`,
		"X-Consumer", value},
}

// last is the newest delivery that the consumer got.
func (s *subject) last() acctest.Received {
	s.t.Helper()
	all := s.receiver.Got()
	if len(all) == 0 {
		s.t.Fatal("nothing was delivered")
	}
	return all[len(all)-1]
}

// TestDirect_authentication: of each type the consumer gets the credentials, the state gets the rest, and an import
// finds the same.
func TestDirect_authentication(t *testing.T) {
	t.Parallel()
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			lines := acctest.JSON{"authentication": kind.configured}
			if warned := s.Configure(lines); warned != "" {
				t.Errorf("warned: %s", warned)
			}
			s.fire()
			if have := s.last().Header.Get(kind.header); have != kind.credit {
				t.Errorf("%s is %q, want %q", kind.header, have, kind.credit)
			}
			s.Is("authentication", kind.kept)
			s.Settled(lines)
			other := s.service.Direct("billing_webhook_endpoint")
			other.Import(s.ID())
			if name == "none" {
				return // An import cannot know whether "none" was written down.
			}
			if have := other.Text("authentication"); have != kind.kept {
				t.Errorf("imported as %s, want %s", have, kind.kept)
			}
			bare := maps.Clone(kind.configured)
			for _, credential := range []string{"password_wo", "token_wo", "value_wo"} {
				delete(bare, credential)
			}
			for _, written := range []acctest.JSON{kind.configured, bare, versioned(kind.configured, 1)} {
				p := other.Plan(s.With(acctest.JSON{"authentication": written}))
				if text := acctest.Errors(p.Diagnostics); text != "" {
					t.Fatal(text)
				}
				same(t, "changes after import", p.Changes(t))
			}
		})
	}
}

// versioned is an authentication with a version of its credentials.
func versioned(authentication acctest.JSON, version int) acctest.JSON {
	with := maps.Clone(authentication)
	with["credentials_wo_version"] = version
	return with
}

// TestDirect_credentialsVersion: other credentials are sent when the version changes, and only then; with it they are
// needed.
func TestDirect_credentialsVersion(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	auth := func(password any, version any) acctest.JSON {
		return acctest.JSON{"authentication": acctest.JSON{"type": "basic", "username": "ana", "password_wo": password,
			"credentials_wo_version": version}}
	}
	s.Configure(auth("first", nil))
	for _, unchanged := range []acctest.JSON{auth("second", nil), auth("second", 1), auth(nil, nil)} {
		s.Settled(unchanged)
	}
	says(t, acctest.Errors(s.Plan(s.With(auth(nil, 2))).Diagnostics), "authentication", "password_wo",
		`type "basic" needs authentication.password_wo`)
	s.service.Sandbox.ResetRequests()
	s.Configure(auth("second", 2))
	same(t, "calls", s.Calls(), "webhook_endpoints.update")
	s.Settled(auth("third", 2))
	// A version that goes back is another one too.
	s.service.Sandbox.ResetRequests()
	s.Configure(auth("first", 1))
	same(t, "calls", s.Calls(), "webhook_endpoints.update")
	s.fire()
	if have, want := s.last().Header.Get("Authorization"),
		"Basic "+base64.StdEncoding.EncodeToString([]byte("ana:first")); have != want {
		t.Errorf("the consumer gets %q, want %q", have, want)
	}
}

// fire fires a test event and waits until it has come.
func (s *subject) fire() {
	s.t.Helper()
	s.service.CallCollections("POST", endpoints+"/"+s.ID()+"/test", acctest.JSON{})
	if err := s.service.Sandbox.WaitDeliveries(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// TestDirect_authenticationRefused: what is missing, and what belongs to another type, is reported on the argument,
// before anything is sent.
func TestDirect_authenticationRefused(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	for name, c := range map[string]struct {
		authentication acctest.JSON
		says           []string // argument | text, one for each error
	}{
		"no type": {acctest.JSON{}, []string{`"type"`}},
		"unknown type": {acctest.JSON{"type": "digest"}, []string{
			`authentication.type value must be one of: ["none" "basic" "bearer" "header"], got: "digest"`}},
		"basic, nothing": {acctest.JSON{"type": "basic"}, []string{`AttributeName("authentication")`,
			`needs authentication.username`}},
		"basic, no password": {acctest.JSON{"type": "basic", "username": "ana"}, []string{`AttributeName("authentication")`,
			`type "basic" needs authentication.password_wo`}},
		"bearer, no token": {acctest.JSON{"type": "bearer"}, []string{`AttributeName("authentication")`,
			`type "bearer" needs authentication.token_wo`}},
		"header, no name": {acctest.JSON{"type": "header", "value_wo": "v"}, []string{`AttributeName("authentication")`,
			`type "header" needs authentication.name`}},
		"header, no value": {acctest.JSON{"type": "header", "name": "X-A"}, []string{`AttributeName("authentication")`,
			`type "header" needs authentication.value_wo`}},
		"no header": {acctest.JSON{"type": "header", "name": "X A:", "value_wo": "v"}, []string{"not a header name"}},
		"blank password": {acctest.JSON{"type": "basic", "username": "ana", "password_wo": " "},
			[]string{`AttributeName("authentication")`, "has only spaces"}},
		"none with all": {acctest.JSON{"type": "none", "username": "ana", "password_wo": "p", "token_wo": "t", "name": "X-A",
			"value_wo": "v"},
			[]string{`AttributeName("authentication")`, `AttributeName("authentication")`, `AttributeName("authentication")`,
				`AttributeName("authentication")`, `AttributeName("authentication")`,
				`value_wo belongs to authentication of type "header", and type is "none". Remove one of the two`}},
		"bearer with a password": {acctest.JSON{"type": "bearer", "token_wo": "t", "password_wo": "p"},
			[]string{`AttributeName("authentication")`, "belongs to"}},
	} {
		text := acctest.Errors(s.Plan(s.With(acctest.JSON{"authentication": c.authentication})).Diagnostics)
		if text == "" {
			t.Errorf("%s: not refused", name)
		}
		says(t, text, c.says...)
	}
	// What is not known yet is neither missing nor too much.
	for _, authentication := range []any{acctest.Unknown, acctest.JSON{"type": acctest.Unknown, "username": "ana",
		"password_wo": "p"},
		acctest.JSON{"type": "basic", "username": acctest.Unknown, "password_wo": acctest.Unknown}} {
		if text := acctest.Errors(s.Plan(s.With(acctest.JSON{"authentication": authentication})).Diagnostics); text != "" {
			t.Error(text)
		}
	}
	same(t, "calls", s.Calls())
}

// TestDirect_unknownAuthentication: an authentication that is only known at apply counts as a change, and can come out
// as it was.
func TestDirect_unknownAuthentication(t *testing.T) {
	t.Parallel()
	basic, bearer := acctest.JSON{"type": "basic", "username": "ana", "password_wo": "p"},
		acctest.JSON{"type": "bearer", "token_wo": "t"}
	for name, c := range map[string]struct{ was, became acctest.JSON }{
		"another": {bearer, basic}, "none": {bearer, nil}, "as it was": {bearer, bearer}, "the first": {nil, basic},
		"none as before": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			written := func(authentication acctest.JSON) acctest.JSON {
				if authentication == nil {
					return nil
				}
				return acctest.JSON{"authentication": authentication}
			}
			s.Configure(written(c.was))
			p := s.Plan(s.With(acctest.JSON{"authentication": acctest.Unknown}))
			same(t, "unknown", p.Unknown(t), "authentication", "updated_at")
			if text := acctest.Errors(s.Apply(s.Again(p, s.With(written(c.became))))); text != "" {
				t.Fatal(text)
			}
			s.Settled(written(c.became))
		})
	}
}

// TestDirect_olderTerraform: before 1.11 there are no write-only arguments; the error says so and names the argument.
func TestDirect_olderTerraform(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	old := s.service.Direct("billing_webhook_endpoint").Without11()
	for _, kind := range []string{"basic", "bearer", "header"} {
		text := acctest.Errors(old.Plan(s.With(acctest.JSON{"authentication": kinds[kind].configured})).Diagnostics)
		says(t, text, "authentication.", "_wo", "Terraform 1.11 and later")
	}
	old.Set(s.With(acctest.JSON{"authentication": acctest.JSON{"type": "none"}}))
}

// TestDirect_noneInOtherWords: no authentication, written down or left out, with or without a version, is the same:
// nothing is sent, and nothing but the words changes.
func TestDirect_noneInOtherWords(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	none := acctest.JSON{"authentication": acctest.JSON{"type": "none"}}
	s.Configure(none)
	s.service.Sandbox.ResetRequests()
	for _, lines := range []acctest.JSON{nil, none, {"authentication": versioned(acctest.JSON{"type": "none"}, 2)}, nil} {
		s.Reread()
		same(t, "changes", s.Plan(s.With(lines)).Changes(t), "authentication")
		s.Configure(lines)
		s.Settled(lines)
	}
	same(t, "calls", s.Calls())
}

// TestDirect_ignoredParts: the apply takes nothing but the credentials from the configuration, which Terraform passes
// there without ignore_changes.
func TestDirect_ignoredParts(t *testing.T) {
	t.Parallel()
	auth := func(name, value string, version int) acctest.JSON {
		return acctest.JSON{"type": "header", "name": name, "value_wo": value, "credentials_wo_version": version}
	}
	first := acctest.JSON{"description": "a", "events": []any{"charge.paid"},
		"authentication": auth("X-Other-System", "first", 1)}
	for name, c := range map[string]struct {
		// planned is the configuration with ignore_changes applied, raw the one without.
		planned, raw acctest.JSON
		credential   string
	}{
		"name": {acctest.JSON{"authentication": auth("X-Other-System", "second", 2)},
			acctest.JSON{"authentication": auth("X-Mine", "second", 2)}, "second"},
		"whole": {acctest.JSON{"active": true}, acctest.JSON{"active": true, "authentication": acctest.JSON{"type": "bearer",
			"token_wo": token}}, "first"},
		"all": {acctest.JSON{}, acctest.JSON{"active": false, "description": "b", "events": nil,
			"authentication": nil}, "first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := prepare(t)
			s.Configure(first)
			over := func(lines acctest.JSON) acctest.JSON {
				config := s.With(first)
				maps.Copy(config, lines)
				return config
			}
			s.Reread()
			p := s.Plan(over(c.planned))
			p.Config = s.Plan(over(c.raw)).Config
			if text := acctest.Errors(s.Apply(p)); text != "" {
				t.Fatal(text)
			}
			remote := s.remote()
			have, _ := remote["authentication"].(map[string]any)
			if have["type"] != "header" || have["name"] != "X-Other-System" || remote["description"] != "a" ||
				len(remote["events"].([]any)) != 1 || remote["active"] != true {
				t.Errorf("at the service: %v", remote)
			}
			s.fire()
			if credential := s.last().Header.Get("X-Other-System"); credential != c.credential {
				t.Errorf("the consumer gets %q, want %q", credential, c.credential)
			}
		})
	}
}
