package life

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Mistakes compares what `terraform validate` and a plan of new objects say about each mistake of a table, word for
// word and in order, in each of several runs. Each section of the file has a name, a configuration and the messages of
// both:
//
//	== NAME
//	resource "billing_customer" "c" { … }
//	-- validate
//	error at ARGUMENT: SUMMARY: DETAIL
//	-- plan
//	error at ARGUMENT: SUMMARY: DETAIL
//
// UPDATE_MESSAGES=1 writes the messages instead.
func Mistakes(t *testing.T, path string, least int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written, table := golden.Sections(string(text))
	service := acctest.Start(t, func(o *sandbox.Options) { o.NoExampleData = true })
	for _, section := range table {
		config, want, _ := strings.Cut(section.Text, "\n-- validate\n")
		have := mistake(t, service, section.Name, config)
		written += "\n== " + section.Name + "\n" + config + "\n-- validate\n" + have
		if strings.TrimSpace(have) != strings.TrimSpace(want) && os.Getenv("UPDATE_MESSAGES") == "" {
			t.Errorf("%s: %s has (UPDATE_MESSAGES=1 writes it)\n%s\nbut the messages are\n%s", section.Name, path, want, have)
		}
	}
	if len(table) < least {
		t.Errorf("%s has %d mistakes, want %d", path, len(table), least)
	}
	if os.Getenv("UPDATE_MESSAGES") != "" {
		if err := os.WriteFile(path, []byte(written), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// mistake returns the messages about one configuration.
func mistake(t *testing.T, service *acctest.Service, name, config string) string {
	t.Helper()
	parsed, err := core.Parse(config, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	all := func() string {
		return messageLines(service.Core().Validate(parsed)) + "-- plan\n" + messageLines(service.Core().Plan(parsed))
	}
	const runs = 4
	said := all()
	for range runs - 1 {
		if again := all(); again != said {
			t.Errorf("%s: another run says\n%s\ninstead of\n%s", name, again, said)
		}
	}
	return said
}

// messageLines returns each message in one line.
func messageLines(p *core.Plan) string {
	var lines strings.Builder
	for _, d := range p.Diagnostics {
		severity := "warning"
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			severity = "error"
		}
		detail, _, _ := strings.Cut(d.Detail, "\n\n")
		if at := strings.TrimSuffix(strings.TrimPrefix(d.Attribute.String(), `AttributeName("`), `")`); at != "" {
			severity += " at " + at
		}
		fmt.Fprintf(&lines, "%s: %s: %s\n", severity, d.Summary, strings.ReplaceAll(detail, "\n", " "))
	}
	return lines.String()
}
