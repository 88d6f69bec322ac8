package provider_test

import (
	"os"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestMistakes: `terraform validate` and a plan of new objects report all mistakes at once, in a fixed order, each with
// what to write instead. Each section of the table has a configuration and the messages of both, which
// UPDATE_MESSAGES=1 writes.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const path, least, runs = "testdata/mistakes/table.txt", 60, 4
	updates := os.Getenv("UPDATE_MESSAGES") != ""
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written, table := golden.Sections(string(text))
	service := acctest.Start(t, func(o *sandbox.Options) { o.NoExampleData = true })
	for _, section := range table {
		config, want, _ := strings.Cut(section.Text, "\n-- validate\n")
		parsed, err := core.Parse(config, nil)
		if err != nil {
			t.Fatalf("%s: %v", section.Name, err)
		}
		said := ""
		for range runs {
			have := messageLines(service.Core().Validate(parsed)) + "-- plan\n" + messageLines(service.Core().Plan(parsed))
			if said != "" && have != said {
				t.Errorf("%s: another run says\n%s\ninstead of\n%s", section.Name, have, said)
			}
			said = have
		}
		written += "\n== " + section.Name + "\n" + config + "\n-- validate\n" + said
		if strings.TrimSpace(said) != strings.TrimSpace(want) && !updates {
			t.Errorf("%s: %s has (UPDATE_MESSAGES=1 writes it)\n%s\nbut the messages are\n%s", section.Name, path, want, said)
		}
	}
	if len(table) < least {
		t.Errorf("%s has %d mistakes, want %d", path, len(table), least)
	}
	if updates {
		if err := os.WriteFile(path, []byte(written), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// messageLines returns each message in one line.
func messageLines(p *core.Plan) (lines string) {
	for _, d := range p.Diagnostics {
		lines += strings.ToLower(d.Severity.String())
		if at := golden.Argument(d); at != "" {
			lines += " at " + at
		}
		detail, _, _ := strings.Cut(d.Detail, "\n\n")
		lines += ": " + d.Summary + ": " + strings.ReplaceAll(detail, "\n", " ") + "\n"
	}
	return lines
}
