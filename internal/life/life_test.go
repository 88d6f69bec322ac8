package life

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

func TestMain(m *testing.M) { acctest.RunTests(m) }

// TestScenarios plays the scenarios of the engine itself.
func TestScenarios(t *testing.T) { Run(t, "testdata/*.txt") }

var wrongFile = flag.String("wrong", "", "the scenario that TestWrong plays in a separate process")

// wrong lists expectations that fail after an apply of one endpoint, with their messages.
var wrong = map[string]string{
	"expect plan empty":                                     "map[billing_webhook_endpoint.e:create]",
	"expect plan billing_webhook_endpoint.e=update":         "map[billing_webhook_endpoint.e:create]",
	"expect planned billing_webhook_endpoint.e.id null":     "(known after apply)",
	"expect requests POST /api/** 0":                        "1 such requests",
	"expect requests webhook_endpoints.* 0":                 "webhook_endpoints.create",
	"expect no writes":                                      "webhook_endpoints.create",
	"expect warning 'a word'":                               "none of the 0 matches",
	"expect error 'a word'":                                 "none of the 0 matches",
	"expect warnings 1":                                     "0 different ones",
	"expect state billing_webhook_endpoint.e.description x": `the value is "first"`,
	"expect state billing_webhook_endpoint.e.id /^x/":       "the value is",
	"expect state billing_webhook_endpoint.f":               "the state has only",
	"expect no state billing_webhook_endpoint.e":            "the state has",
	"expect kept billing_webhook_endpoint.e.id":             "it was",
	"expect live endpoint 0":                                "1 exist",
	"expect remote /api/v1/webhook-endpoints/{billing_webhook_endpoint.e.id} description null": `the value is "first"`,
	"expect unknown billing_webhook_endpoint.e id":                                             "known after apply: [created_at id",
	"expect sent webhook_endpoints.create {}":                                                  "sent bodies: [{",
	"expect writes webhook_endpoints.update":                                                   "webhook_endpoints.create",
	"plan f.url=1":                                                                             "no block has the name f",
	"meanwhile":                                                                                "accepts 1 to",
	"meanwhile clock advance 1h":                                                               "meanwhile without an apply",
	"expect nothing":                                                                           "unknown expectation",
	"! apply":                                                                                  "the command did not fail",
	"! plan -destroy":                                                                          "the command did not fail",
	"! edit endpoint url=x active:=1":                                                          "can be expected to fail",
	"! plan e.url=\"http://example.com\"":                                                      "add the reason",
	"! plan e.description=\"x":                                                                 "add the reason",
	"! apply e.description=\"x":                                                                "the plan fails, not the apply",
	"! apply e.descripton=\"x\"":                                                               "the plan fails, not the apply",
	"at request 1 of webhook_endpoints.delete: kill":                                           "at without a run",
	"edit endpoint billing_webhook_endpoint.e enabledEvents:=[]":                               "its fields are active, ",
	"apply other.tf":                                                                           "file other.tf does not exist",
	"fault webhook_endpoints.create nonsense=1":                                                "nonsense",
	"expect secret billing_webhook_endpoint.e ana":                                             "the state has",
	"at request x of write: kill":                                                              "invalid syntax",
	"at request 0: kill":                                                                       "not a number from 1",
	"at request 1 of customers.creat: kill":                                                    "customers.create?",
	"at request 1: nonsense=1":                                                                 "nonsense",
	"at request 1: latency=5":                                                                  "must be a duration",
	"at request 1: date":                                                                       "invalid duration",
	"at request 1: then":                                                                       "then needs a command",
	"at request 1 kill":                                                                        "usage: at request",
	"copy":                                                                                     "copy needs judge",
	"unknown":                                                                                  "unknown command",
	"call GET /api/v1/webhook-endpoints/nobody":                                                "status 404",
	"expect state 'billing_webhook_endpoint.e":                                                 "unclosed quote",
}

// TestWrong plays scenarios that must fail, each in a separate process.
func TestWrong(t *testing.T) {
	if *wrongFile != "" {
		Run(t, *wrongFile)
		return
	}
	t.Parallel()
	const file = "\n-- main.tf --\nresource \"billing_webhook_endpoint\" \"e\" {\n" +
		"  url = \"https://example.com/hook\"\n  description = \"first\"\n}\n"
	for line, says := range wrong {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "wrong.txt")
			if err := os.WriteFile(path, []byte("apply\n"+line+file), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWrong$", "-wrong="+path)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "wrong.txt:2: "+line) || !strings.Contains(string(out), says) {
				t.Errorf("want %q: %v\n%s", says, err, out)
			}
		})
	}
}
